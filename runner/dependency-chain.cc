/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dependency-chain.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

namespace hbd::runner
{

DependencyChain::DependencyChain(uint32_t collective, uint32_t group, const Members& members, const MessageTime& messageTime)
{
    Collect(collective, group, members);
    Link(members);
    Relax(messageTime);
}

void
DependencyChain::Collect(uint32_t collective, uint32_t group, const Members& members)
{
    for (const auto& [rank, block] : members)
    {
        std::vector<bool> belongs(block->collectives.size());
        for (size_t c = 0; c < belongs.size(); c++)
        {
            belongs[c] = block->collectives[c].collective == collective && block->collectives[c].group == group;
        }
        for (uint32_t i = 0; i < block->ops.size(); i++)
        {
            const traffic::Op& op = block->ops[i];
            if (op.collective != traffic::kNoCollective && belongs[op.collective])
            {
                m_index[{rank, i}] = static_cast<uint32_t>(m_nodes.size());
                m_nodes.push_back({rank, &op, block.get(), {}, 0, 0});
            }
        }
    }
}

void
DependencyChain::Link(const Members& members)
{
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> sends; // source, destination, match
    for (const auto& [place, node] : m_index)
    {
        const traffic::Op& op = *m_nodes[node].op;
        const traffic::Block& block = *members.at(place.first);
        for (uint32_t k = 0; k < op.dependencyCount; k++)
        {
            auto dependency = m_index.find({place.first, block.dependencies[op.firstDependency + k]});
            if (dependency != m_index.end())
            {
                m_nodes[dependency->second].successors.push_back(node);
                m_nodes[node].pending++;
            }
        }
        if (op.kind == traffic::OpKind::Send)
        {
            sends[{place.first, op.peer, op.match}] = node;
        }
        if (op.kind == traffic::OpKind::Multicast)
        {
            for (uint32_t member : block.groups[op.peer])
            {
                sends[{place.first, member, op.match}] = node;
            }
        }
    }
    for (uint32_t node = 0; node < m_nodes.size(); node++)
    {
        const traffic::Op& op = *m_nodes[node].op;
        if (op.kind == traffic::OpKind::Receive)
        {
            auto send = sends.find({op.peer, m_nodes[node].rank, op.match});
            if (send != sends.end())
            {
                m_nodes[send->second].successors.push_back(node);
                m_nodes[node].pending++;
            }
        }
    }
}

ns3::hbd::IdealTransfer
DependencyChain::TransferOf(const Node& node)
{
    using ns3::hbd::MessageKind;
    const traffic::Op& op = *node.op;
    ns3::hbd::IdealTransfer transfer{node.rank, op.peer, op.bytes};
    transfer.packetPayload = op.packetPayload;
    if (op.kind == traffic::OpKind::Read)
    {
        transfer.kind = MessageKind::READ;
        std::swap(transfer.source, transfer.destination);
    }
    else if (op.kind != traffic::OpKind::Send)
    {
        const bool spreads = op.kind == traffic::OpKind::Multicast;
        transfer.kind = spreads ? MessageKind::MULTICAST : MessageKind::REDUCE;
        transfer.group = &node.block->groups[op.peer];
        // the end that is not looked at is some other member
        const uint32_t other = transfer.group->front() == node.rank ? transfer.group->back() : transfer.group->front();
        transfer.source = spreads ? node.rank : other;
        transfer.destination = spreads ? other : node.rank;
    }
    return transfer;
}

void
DependencyChain::Relax(const MessageTime& messageTime)
{
    std::deque<uint32_t> ready;
    for (uint32_t node = 0; node < m_nodes.size(); node++)
    {
        if (m_nodes[node].pending == 0)
        {
            ready.push_back(node);
        }
    }
    m_earliestPostPs = std::numeric_limits<int64_t>::max();
    while (!ready.empty())
    {
        Node& node = m_nodes[ready.front()];
        ready.pop_front();
        const traffic::Op& op = *node.op;
        int64_t end = node.startPs + (op.kind == traffic::OpKind::Receive ? 0 : op.delayPs);
        if (op.kind != traffic::OpKind::Receive && op.kind != traffic::OpKind::Delay)
        {
            m_earliestPostPs = std::min(m_earliestPostPs, end);
            m_messages.push_back(TransferOf(node));
            end += messageTime(m_messages.back());
        }
        m_longestPs = std::max(m_longestPs, end);
        for (uint32_t successor : node.successors)
        {
            m_nodes[successor].startPs = std::max(m_nodes[successor].startPs, end);
            if (--m_nodes[successor].pending == 0)
            {
                ready.push_back(successor);
            }
        }
    }
    m_earliestPostPs = m_messages.empty() ? 0 : m_earliestPostPs;
}

} // namespace hbd::runner
