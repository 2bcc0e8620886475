/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVES_HALVING_DOUBLING_H
#define HBD_TRAFFIC_COLLECTIVES_HALVING_DOUBLING_H

#include "collectives/phases.h"

#include <optional>
#include <vector>

/**
 * Recursive halving and doubling (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
 * MPICH, 2005). The largest power of two of the members take part; each of the others (extras) is folded into one of
 * them before and gets its result from it after. Exchanges with halving data go from the nearest partner to the
 * farthest, those with doubling data back, so that most bytes stay among neighbours.
 */
namespace hbd::traffic
{

/// Who takes part in the exchanges, and for which blocks.
class FoldedGroup
{
  public:
    explicit FoldedGroup(const LoweringBuilder& builder);

    /// How many take part: a power of two.
    uint32_t Participants() const
    {
        return m_participants;
    }

    /// The member that a participant is. Participant 0 is member 0.
    uint32_t MemberOf(uint32_t participant) const;
    /// The member that is folded into a participant.
    std::optional<uint32_t> ExtraOf(uint32_t participant) const;
    /// Its own block and that of its extra.
    std::vector<DataPiece> BlocksOf(uint32_t participant) const;
    /// The blocks of all participants whose number is `value` in the bits of `mask`.
    std::vector<DataPiece> BlocksMatching(uint32_t mask, uint32_t value) const;
    /// All blocks, but not that of one member. \param except none: builder.Size()
    std::vector<DataPiece> BlocksExcept(uint32_t except) const;

  private:
    const std::vector<uint64_t>& m_blocks;
    uint32_t m_participants = 1;
    uint32_t m_extras = 0;
};

/// Sum of the pieces' bytes.
uint64_t BytesOf(const std::vector<DataPiece>& pieces);

/**
 * Reduce-scatter among the participants: log2 steps of half, a quarter, ... of the data.
 * \param ready by participant: what it waits for first
 * \return by participant: what to wait for until its blocks (BlocksOf()) are summed
 */
MemberOps AddRecursiveHalving(LoweringBuilder& builder, const FoldedGroup& group, const MemberOps& ready);

/// Which participants' blocks a participant has: [participant][whose].
using Holdings = std::vector<std::vector<bool>>;

/**
 * All-gather among the participants: log2 steps of doubling data; what the partner has already is left out.
 * \param ready by participant: what it waits for first
 * \param has what each has; at the end everything
 * \return by participant: what to wait for until it has all blocks
 */
MemberOps AddRecursiveDoubling(LoweringBuilder& builder, const FoldedGroup& group, MemberOps ready, Holdings& has);

/// Every participant has its own blocks.
Holdings OwnBlocks(const FoldedGroup& group);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVES_HALVING_DOUBLING_H
