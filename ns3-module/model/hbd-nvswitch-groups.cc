/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-nvswitch.h"

namespace ns3
{
namespace hbd
{

// The half of NvSwitch that serves groups: copies, and what a reduction wants of its switch. hbd-nvswitch.cc forwards.

void
NvSwitch::ReceiveForGroup(uint32_t port, PacketUnit& unit)
{
    switch (unit.kind)
    {
    case UnitKind::REDUCE_REQUEST:
        m_reduction->OnRequest(port, unit);
        break;
    case UnitKind::REDUCE_CONTRIBUTION:
        m_reduction->OnContribution(port, unit);
        break;
    default: // a multicast, or a copy that was held until it could be sent on without a gap
        if (unit.destination == NO_INDEX)
        {
            CopyToMembers(port, unit);
        }
        else
        {
            Forward(port, unit);
        }
        break;
    }
}

uint32_t
NvSwitch::CopyToMembers(uint32_t port, PacketUnit& unit)
{
    const auto& members = m_context->groups.GetMembers(m_context->messages[unit.message].group);
    uint32_t number = m_replication.Begin(port, unit, static_cast<uint32_t>(members.size()));
    if (unit.kind == UnitKind::MULTICAST)
    {
        unit.flowHash = number;
    }
    PacketUnitPool::DropPacket(unit); // every copy has a header of its own
    for (size_t i = 0; i < members.size(); i++)
    {
        PacketUnit& copy = i + 1 == members.size() ? unit : m_context->units.Copy(unit);
        copy.destination = members[i];
        Forward(port, copy);
    }
    return number;
}

void
NvSwitch::Release(uint32_t input, const PacketUnit& unit, uint32_t wireBytes, int64_t txPs)
{
    if (unit.kind < UnitKind::MULTICAST)
    {
        m_ports[input]->ReturnCredit(unit.channel, wireBytes, txPs);
        return;
    }
    if (unit.kind == UnitKind::REDUCE_RESULT)
    {
        m_reduction->OnResultLeaves(unit, txPs);
        return;
    }
    uint32_t number = unit.kind == UnitKind::MULTICAST ? unit.flowHash : m_reduction->GetReplication(unit);
    int64_t now = m_context->kernel->NowPs();
    if (const SwitchReplication::Source* source = m_replication.Leave(number, now + txPs))
    {
        m_ports[source->port]->ReturnCredit(source->channel, source->wireBytes, source->endPs - now);
    }
}

void
NvSwitch::QueueResult(uint32_t port, PacketUnit& unit)
{
    Queue(port, m_inputs - 1, unit);
}

FabricPort&
NvSwitch::GetPort(uint32_t port) const
{
    return *m_ports[port];
}

void
NvSwitch::FreeInput(uint32_t port, uint8_t channel, uint32_t wireBytes, int64_t extraPs)
{
    m_ports[port]->ReturnCredit(channel, wireBytes, extraPs);
}

void
NvSwitch::OnTableUse(uint64_t usedBytes)
{
    m_tableTrace(usedBytes);
}

} // namespace hbd
} // namespace ns3
