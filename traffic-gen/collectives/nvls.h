/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVES_NVLS_H
#define HBD_TRAFFIC_COLLECTIVES_NVLS_H

#include "collectives/phases.h"

#include <vector>

namespace hbd::traffic
{

/// Chunks that may be under way at a time: slots of the staging buffer. NCCL's NVLS buffers have 8 steps (NCCL_STEPS),
/// which its kernels share among the copies in, the sums and the copies out; half of them is an assumption, 2 to 8.
constexpr uint32_t kNvlsSlots = 4;

/**
 * What the collectives with multicast and reduction in the switches share. The blocks are processed in chunks of
 * the kernel's chunk, so many bytes of each block. In every domain a block has a head, which sums it over the domain by
 * a reduction in the switch and multicasts it there: its owner, in other domains the member in the owner's position.
 * Between domains heads and owners talk over their NICs, all rails at the same time (the idea of NCCL's NVLSTree, with
 * direct exchange instead of a tree). Domains of any sizes; in a domain with one member there is nothing to do.
 *
 * With a staging rate the data of a reduction is copied into a buffer that the switches can read, multicasts arrive in
 * a buffer and are copied out; the buffers hold kNvlsSlots chunks. All copies of a GPU go one after the other through
 * one engine. Without one the switches work on the user's data.
 */
class NvlsLowering
{
  public:
    explicit NvlsLowering(LoweringBuilder& builder);

    /// Number of chunks; none when there is no data.
    uint32_t Chunks() const;
    /// A chunk of a block, perhaps without bytes.
    DataPiece PieceOf(uint32_t chunk, uint32_t block) const;
    /// A chunk of all blocks with bytes, but not of one. \param except none: builder.Size()
    std::vector<DataPiece> PiecesOf(uint32_t chunk, uint32_t except) const;
    /// Whether there is a staging buffer.
    bool Stages() const;

    /**
     * Copies pieces in or out at the member's engine, after its last copy. \return what to wait for; `after` when
     * there is no staging or nobody else in the domain
     */
    OpList Copy(uint32_t member, CopyKind kind, const std::vector<DataPiece>& pieces, const OpList& after);

    /// Copies a chunk in at every member and tells the domain by a flag; the first chunk's flags stand for all where
    /// nothing is staged. \return by member: what to wait for until the chunk can be read of all
    MemberOps Stage(uint32_t chunk, const MemberOps& after);

    /// Flags of each member to all of its domain. \return by member: flags of the others, and its own `after`
    MemberOps Barrier(const MemberOps& after);

    /**
     * Sums a chunk of every block at its owner, a head one chunk after the other: a chunk is spread while the next one
     * is summed. \param ready from Stage() \return by member: what to wait for until the chunk of its block is summed
     */
    MemberOps Sum(uint32_t chunk, const MemberOps& ready);

    /// Sends a chunk of every block from its owner to all. \param ready by owner \return by member: all that arrived
    MemberOps Spread(uint32_t chunk, const MemberOps& ready);

    /// The head multicasts pieces in its domain. \param arrivals by member, gets what they wait for
    void MulticastAt(uint32_t head, const std::vector<DataPiece>& pieces, const OpList& after, MemberOps& arrivals);

    /// Reductions of a chunk, by the head that makes them.
    const MemberOps& ReductionsOf(uint32_t chunk) const;

  private:
    const std::vector<uint32_t>& DomainOf(uint32_t member) const;
    uint32_t HeadOf(uint32_t block, size_t domain) const;

    LoweringBuilder& m_builder;
    uint32_t m_chunks = 0;
    std::vector<std::vector<uint32_t>> m_domains; ///< members, ascending
    MemberOps m_engine;                           ///< by member: its last copy
    MemberOps m_firstFlags;
    std::vector<MemberOps> m_reductions; ///< by chunk and head
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVES_NVLS_H
