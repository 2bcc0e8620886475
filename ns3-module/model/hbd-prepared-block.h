/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_PREPARED_BLOCK_H
#define HBD_PREPARED_BLOCK_H

#include "hbd-operation.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * A block with what the player derives from it once.
 */
struct PreparedBlock
{
    /// Finds the RECEIVE that a message is for.
    struct ReceiveKey
    {
        uint32_t peer;
        uint32_t match;
        uint32_t operation;
    };

    uint32_t shape;                             ///< number of its content: equal exactly when two blocks are the same
    std::shared_ptr<const OperationBlock> block;
    std::vector<uint32_t> firstSuccessor;       ///< by operation, one more at the end
    std::vector<uint32_t> successors;
    std::vector<ReceiveKey> receives;           ///< sorted by (peer, match)
    std::vector<uint32_t> operationsOfCollective;

    /// The RECEIVE from a peer with a match number, or NO operation (0xffffffff).
    uint32_t FindReceive(uint32_t peer, uint32_t match) const;
};

/**
 * \ingroup hbd
 * Gives blocks of equal content the same PreparedBlock. May outlive one run, so that runs can share what they learn.
 */
class BlockInterner
{
  public:
    /**
     * \param block a block
     * \return its prepared form; valid as long as the interner
     * \throws std::invalid_argument when its dependencies do not point backwards, an index is out of range, or a group is none
     */
    const PreparedBlock* Intern(const std::shared_ptr<const OperationBlock>& block);

    const PreparedBlock* Get(uint32_t shape) const
    {
        return m_shapes[shape].get();
    }

  private:
    static uint64_t Hash(const OperationBlock& block);
    static bool Equal(const OperationBlock& a, const OperationBlock& b);
    static void Check(const OperationBlock& block);
    std::unique_ptr<PreparedBlock> Prepare(const std::shared_ptr<const OperationBlock>& block) const;

    std::unordered_map<const OperationBlock*, const PreparedBlock*> m_byAddress;
    std::unordered_multimap<uint64_t, uint32_t> m_byHash;
    std::vector<std::unique_ptr<PreparedBlock>> m_shapes;
    std::vector<std::shared_ptr<const OperationBlock>> m_kept; ///< keeps addresses from being used again
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_PREPARED_BLOCK_H */
