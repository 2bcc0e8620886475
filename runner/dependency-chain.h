/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_DEPENDENCY_CHAIN_H
#define HBD_RUNNER_DEPENDENCY_CHAIN_H

#include "ns3-module/model/hbd-ideal-bound.h"
#include "traffic-gen/schedule.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace hbd::runner
{

/// The dependency graph of one group of a lowered collective, and its longest chain when every message is alone on the fabric.
class DependencyChain
{
  public:
    /// The ranks of the group and the block of each that holds the collective.
    using Members = std::map<uint32_t, std::shared_ptr<const traffic::Block>>;
    /// Time of one message alone, in picoseconds; of a multicast, to one member.
    using MessageTime = std::function<int64_t(const ns3::hbd::IdealTransfer&)>;

    DependencyChain(uint32_t collective, uint32_t group, const Members& members, const MessageTime& messageTime);

    /// From the start of all members to the end of the longest chain, in picoseconds.
    int64_t GetLongestPs() const
    {
        return m_longestPs;
    }
    /// From the start to the first message that is posted.
    int64_t GetEarliestPostPs() const
    {
        return m_earliestPostPs;
    }
    /// All messages. Their groups are those of the members' blocks.
    const std::vector<ns3::hbd::IdealTransfer>& GetMessages() const
    {
        return m_messages;
    }

  private:
    struct Node
    {
        uint32_t rank;
        const traffic::Op* op;
        const traffic::Block* block;
        std::vector<uint32_t> successors;
        uint32_t pending;
        int64_t startPs;
    };

    void Collect(uint32_t collective, uint32_t group, const Members& members);
    void Link(const Members& members);
    static ns3::hbd::IdealTransfer TransferOf(const Node& node);
    void Relax(const MessageTime& messageTime);

    std::vector<Node> m_nodes;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_index; ///< rank and operation -> node
    std::vector<ns3::hbd::IdealTransfer> m_messages;
    int64_t m_longestPs = 0;
    int64_t m_earliestPostPs = 0;
};

} // namespace hbd::runner

#endif // HBD_RUNNER_DEPENDENCY_CHAIN_H
