/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_BLOCK_ASSEMBLER_H
#define HBD_TRAFFIC_BLOCK_ASSEMBLER_H

#include "collective-lowering.h"
#include "schedule.h"
#include "stage-time.h"

#include <memory>
#include <vector>

namespace hbd::traffic
{

/**
 * Builds one rank's block. Consecutive stages become one compute operation. Everything depends on what came before it
 * on the rank: a compute, and the first sends and all receives of a collective, wait for the last compute or for all
 * that the last collective brought. (Receives are posted when the rank reaches the collective.) Equal lists of
 * dependencies are stored once.
 */
class BlockAssembler
{
  public:
    /// \param phase goes to Block::phase
    explicit BlockAssembler(uint8_t phase);

    /// A stage; one without work is left out.
    void AddStage(const StageWork& work);

    /**
     * The rank's part of a collective; without operations it is left out.
     * \param use its label and group
     * \param ops the member's lowered operations
     * \param transport how its kernel writes
     * \param ranks the group's global ranks, by member
     * \param matchBase added to every match, so that collectives of one block do not collide
     */
    void AddCollective(const CollectiveUse& use,
                       const std::vector<LoweredOp>& ops,
                       const KernelTransport& transport,
                       const std::vector<uint32_t>& ranks,
                       uint32_t matchBase);

    /// The block, or nullptr when nothing was added.
    std::shared_ptr<const Block> TakeBlock();
    /// The stages of all computes, in order.
    const std::vector<StageWork>& Works() const;

  private:
    /// Sets the dependencies of the next operation.
    void SetDependencies(Op& op, const OpList& dependencies);
    /// The block's number of a switch group.
    uint32_t AddGroup(const std::vector<uint32_t>& members, const std::vector<uint32_t>& ranks);
    /// An operation without its dependencies.
    Op MakeOp(const LoweredOp& lowered, const KernelTransport& transport, const std::vector<uint32_t>& ranks, uint32_t matchBase);

    Block m_block;
    std::vector<StageWork> m_works;
    OpList m_frontier;            ///< what the next thing depends on
    bool m_computeIsOpen = false; ///< the last operation is a compute that stages can be added to
    OpList m_lastDependencies;    ///< the list stored last ...
    uint32_t m_lastFirst = 0;     ///< ... and where
    uint32_t m_frontierFirst = 0; ///< where m_frontier is stored
    bool m_frontierStored = false;
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_BLOCK_ASSEMBLER_H
