/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "block-assembler.h"

#include <algorithm>

namespace hbd::traffic
{

BlockAssembler::BlockAssembler(uint8_t phase)
{
    m_block.phase = phase;
}

void
BlockAssembler::SetDependencies(Op& op, const OpList& dependencies)
{
    auto& stored = m_block.dependencies;
    op.dependencyCount = static_cast<uint32_t>(dependencies.size());
    if (dependencies.empty())
    {
        return;
    }
    if (m_frontierStored && dependencies == m_frontier)
    {
        op.firstDependency = m_frontierFirst;
        return;
    }
    if (dependencies != m_lastDependencies)
    {
        m_lastDependencies = dependencies;
        m_lastFirst = static_cast<uint32_t>(stored.size());
        stored.insert(stored.end(), dependencies.begin(), dependencies.end());
    }
    op.firstDependency = m_lastFirst;
    if (dependencies == m_frontier)
    {
        m_frontierStored = true;
        m_frontierFirst = m_lastFirst;
    }
}

void
BlockAssembler::AddStage(const StageWork& work)
{
    if (work.IsEmpty())
    {
        return;
    }
    if (!m_computeIsOpen)
    {
        Op op;
        op.kind = OpKind::Compute;
        op.durationIndex = static_cast<uint32_t>(m_block.computes.size());
        SetDependencies(op, m_frontier);
        m_frontier = {static_cast<uint32_t>(m_block.ops.size())};
        m_frontierStored = false;
        m_block.ops.push_back(op);
        m_block.computes.emplace_back();
        m_computeIsOpen = true;
    }
    m_block.computes.back().stages.push_back(static_cast<uint16_t>(work.stage));
    m_works.push_back(work);
}

uint32_t
BlockAssembler::AddGroup(const std::vector<uint32_t>& members, const std::vector<uint32_t>& ranks)
{
    std::vector<uint32_t> group;
    for (uint32_t member : members)
    {
        group.push_back(ranks[member]);
    }
    std::sort(group.begin(), group.end());
    const auto known = std::find(m_block.groups.begin(), m_block.groups.end(), group);
    const auto index = static_cast<uint32_t>(known - m_block.groups.begin());
    if (known == m_block.groups.end())
    {
        m_block.groups.push_back(std::move(group));
    }
    return index;
}

Op
BlockAssembler::MakeOp(const LoweredOp& lowered,
                       const KernelTransport& transport,
                       const std::vector<uint32_t>& ranks,
                       uint32_t matchBase)
{
    Op op;
    op.kind = lowered.kind;
    op.delayPs = lowered.delayPs;
    if (lowered.kind == OpKind::Delay)
    {
        return op;
    }
    op.peer = lowered.group.empty() ? ranks[lowered.peer] : AddGroup(lowered.group, ranks);
    op.match = matchBase + lowered.match;
    op.bytes = lowered.bytes;
    if (!lowered.pieces.empty()) // a flag is no data that a protocol would add to
    {
        op.bytes = (op.bytes * transport.wireNumerator + transport.wireDenominator - 1) / transport.wireDenominator;
    }
    if (lowered.kind != OpKind::Receive)
    {
        op.copyRate = transport.copyRate;
        op.packetPayload = transport.packetPayload;
    }
    return op;
}

void
BlockAssembler::AddCollective(const CollectiveUse& use,
                              const std::vector<LoweredOp>& ops,
                              const KernelTransport& transport,
                              const std::vector<uint32_t>& ranks,
                              uint32_t matchBase)
{
    if (ops.empty())
    {
        return;
    }
    m_computeIsOpen = false;
    const uint32_t base = static_cast<uint32_t>(m_block.ops.size());
    const uint16_t index = static_cast<uint16_t>(m_block.collectives.size());
    m_block.collectives.push_back(use);
    std::vector<bool> covered(ops.size(), false); // by a local reduction that waits for it
    for (const auto& lowered : ops)
    {
        Op op = MakeOp(lowered, transport, ranks, matchBase);
        op.collective = index;
        OpList inside;
        for (uint32_t dependency : lowered.dependencies)
        {
            inside.push_back(base + dependency);
            covered[dependency] = covered[dependency] || lowered.kind == OpKind::Delay;
        }
        SetDependencies(op, inside.empty() ? m_frontier : inside);
        m_block.ops.push_back(op);
    }
    OpList frontier;
    for (uint32_t i = 0; i < ops.size(); ++i)
    {
        const bool leaves = ops[i].kind == OpKind::Send || ops[i].kind == OpKind::Multicast; // nobody here waits for it
        if (!leaves && !covered[i])
        {
            frontier.push_back(base + i);
        }
    }
    if (!frontier.empty())
    {
        m_frontier = std::move(frontier);
        m_frontierStored = false;
    }
}

std::shared_ptr<const Block>
BlockAssembler::TakeBlock()
{
    return m_block.ops.empty() ? nullptr : std::make_shared<const Block>(std::move(m_block));
}

const std::vector<StageWork>&
BlockAssembler::Works() const
{
    return m_works;
}

} // namespace hbd::traffic
