/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-source.h"

#include <utility>

namespace hbd::runner
{

namespace
{

ns3::hbd::OperationKind
KindOf(traffic::OpKind kind)
{
    switch (kind)
    {
    case traffic::OpKind::Compute:
        return ns3::hbd::OperationKind::COMPUTE;
    case traffic::OpKind::Delay:
        return ns3::hbd::OperationKind::DELAY;
    case traffic::OpKind::Send:
        return ns3::hbd::OperationKind::SEND;
    case traffic::OpKind::Receive:
        return ns3::hbd::OperationKind::RECEIVE;
    case traffic::OpKind::Read:
        return ns3::hbd::OperationKind::READ;
    case traffic::OpKind::Multicast:
        return ns3::hbd::OperationKind::MULTICAST;
    case traffic::OpKind::SwitchReduce:
        return ns3::hbd::OperationKind::SWITCH_REDUCE;
    }
    return ns3::hbd::OperationKind::DELAY;
}

} // namespace

ScheduleSource::ScheduleSource(traffic::Schedule& schedule, PullObserver observer)
    : m_schedule(schedule),
      m_observer(std::move(observer)),
      m_ahead(schedule.Ranks())
{
    const auto& items = schedule.Items();
    for (uint32_t item = 1; item < items.size(); item++)
    {
        if (items[item].afterAll)
        {
            m_sections.push_back(item);
        }
    }
    m_sections.push_back(static_cast<uint32_t>(items.size()));
}

std::shared_ptr<const ns3::hbd::OperationBlock>
ScheduleSource::Convert(const traffic::Block& block)
{
    auto converted = std::make_shared<ns3::hbd::OperationBlock>();
    converted->operations.reserve(block.ops.size());
    for (const auto& op : block.ops)
    {
        ns3::hbd::Operation operation{};
        operation.kind = KindOf(op.kind);
        operation.collective = op.collective;
        operation.peer = op.peer;
        operation.match = op.match;
        operation.durationIndex = op.durationIndex;
        operation.bytes = op.bytes;
        operation.delayPs = op.delayPs;
        operation.firstDependency = op.firstDependency;
        operation.dependencyCount = op.dependencyCount;
        operation.copyRate = op.copyRate;
        operation.packetPayload = op.packetPayload;
        converted->operations.push_back(operation);
    }
    converted->dependencies = block.dependencies;
    converted->groups = block.groups;
    for (const auto& use : block.collectives)
    {
        converted->collectives.push_back({use.collective, use.group, use.ranks});
    }
    converted->durationCount = static_cast<uint32_t>(block.computes.size());
    converted->accountingClass = block.phase;
    return converted;
}

bool
ScheduleSource::Next(uint32_t rank, ns3::hbd::BlockInstance& instance)
{
    traffic::Instance& ahead = m_ahead[rank];
    if ((!ahead.block && !m_schedule.Next(rank, ahead)) || ahead.item >= m_sections[m_section])
    {
        return false;
    }
    m_pulled++;
    auto& converted = m_converted[ahead.block.get()];
    if (!converted)
    {
        converted = Convert(*ahead.block);
    }
    instance.block = converted;
    instance.durations = ahead.durations.operations;
    instance.epoch = ahead.epoch;
    instance.tag = ahead.item;
    if (m_observer)
    {
        m_observer(rank, ahead);
    }
    ahead.block.reset();
    return true;
}

} // namespace hbd::runner
