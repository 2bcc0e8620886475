/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-hash.h"
#include "hbd-nvswitch.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

// The part of NvSwitch that finds a unit's output.

NS_LOG_COMPONENT_DEFINE("HbdNvSwitchPaths");

namespace
{

/// Rank of the GPU's link on which a unit of one GPU for another came to the first switch: the low bits of PacketUnit::flowHash.
constexpr uint32_t LANE_MASK = 0xff;

} // namespace

void
NvSwitch::SetupPaths()
{
    if (m_pathChoiceName != "round-robin" && m_pathChoiceName != "hash" && m_pathChoiceName != "least-queued")
    {
        throw std::invalid_argument("a PathChoice is round-robin, hash or least-queued, not " + m_pathChoiceName);
    }
    m_pathChoice = m_pathChoiceName == "hash"           ? PathChoice::HASH
                   : m_pathChoiceName == "least-queued" ? PathChoice::LEAST_QUEUED
                                                        : PathChoice::ROUND_ROBIN;
    m_turns.assign(m_ports.size() * m_table.leaves, 0);
    m_turnRests.assign(m_ports.size(), 0);
}

uint32_t
NvSwitch::FindOutput(uint32_t gpu, uint32_t port) const
{
    uint32_t set = FindSet(gpu);
    NS_ABORT_MSG_IF(set == FABRIC_NONE, "GPU " << gpu << " is not in this switch's domain, or its links are down");
    const auto& outputs = m_table.sets[set];
    return outputs[m_table.lanes[port] % outputs.size()];
}

uint32_t
NvSwitch::ChooseTrunk(uint32_t port, const PacketUnit& unit, const std::vector<uint16_t>& outputs)
{
    auto size = static_cast<uint32_t>(outputs.size());
    if (m_pathChoice == PathChoice::HASH)
    {
        bool isLeaf = m_table.lanes[port] != NvSwitchTable::NO_LANE; // the tiers must not choose alike
        return outputs[MixHash((unit.flowHash & ~LANE_MASK) + (isLeaf ? 1 : 2)) % size];
    }
    uint64_t rests = m_context->kernel->GetRestCount();
    if (m_turnRests[port] != rests)
    {
        m_turnRests[port] = rests;
        std::fill_n(m_turns.begin() + port * m_table.leaves, m_table.leaves, 0);
    }
    uint32_t leaf = m_table.leafOf[unit.destination - m_table.firstGpu];
    uint32_t first = (port + leaf + m_turns[port * m_table.leaves + leaf]++) % size;
    uint32_t best = first;
    for (uint32_t i = 1; i < size && m_pathChoice == PathChoice::LEAST_QUEUED; i++)
    {
        uint32_t other = (first + i) % size;
        best = m_ports[outputs[other]]->GetQueuedBytes() < m_ports[outputs[best]]->GetQueuedBytes() ? other : best;
    }
    return outputs[best];
}

uint32_t
NvSwitch::ChooseOutput(uint32_t port, const PacketUnit& unit, uint32_t set)
{
    const auto& outputs = m_table.sets[set];
    if (m_table.lanes[outputs.front()] == NvSwitchTable::NO_LANE)
    {
        uint32_t trunk = outputs.size() == 1 ? outputs.front() : ChooseTrunk(port, unit, outputs);
        NS_LOG_LOGIC("unit of GPU " << unit.source << " for GPU " << unit.destination << " from port " << port << " takes trunk " << trunk
                                    << " of " << outputs.size());
        return trunk;
    }
    uint32_t lane = unit.kind >= UnitKind::MULTICAST ? m_table.lanes[port] : unit.flowHash & LANE_MASK;
    return outputs[lane % outputs.size()];
}

void
NvSwitch::Forward(uint32_t port, PacketUnit& unit)
{
    uint32_t set = FindSet(unit.destination);
    NS_ABORT_MSG_IF(set == FABRIC_NONE, "GPU " << unit.destination << " is not in this switch's domain, or its links are down");
    if (m_table.lanes[port] != NvSwitchTable::NO_LANE && unit.kind < UnitKind::MULTICAST)
    {
        unit.flowHash = (unit.flowHash & ~LANE_MASK) | m_table.lanes[port];
    }
    const NvlinkDevice& any = *m_ports[m_table.sets[set].front()]; // all of a set have one rate
    if (!(unit.flags & UNIT_HELD) && any.GetBitRate() > m_ports[port]->GetBitRate())
    {
        int64_t wait = any.GetGaplessStartPs(unit) - m_context->kernel->NowPs();
        if (wait > 0)
        {
            unit.flags |= UNIT_HELD;
            m_context->kernel->Schedule(RecordKind::ARRIVAL, wait, m_ports[port]->GetId(), unit.index);
            return;
        }
    }
    unit.flags &= static_cast<uint8_t>(~UNIT_HELD);
    Queue(ChooseOutput(port, unit, set), port, unit);
}

} // namespace hbd
} // namespace ns3
