/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What an Ethernet switch does with a unit, from its arrival to the end of its transmission.

#include "hbd-ethernet-switch.h"

#include "ns3/log.h"

#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdEthernetSwitchForward");

/// The packets of a burst are marked all or none: of all packets, the share is that of single ones.
void
EthernetSwitch::MarkEcn(uint32_t egress, PacketUnit& unit)
{
    if (unit.flags & (UNIT_ACK | UNIT_RAW))
    {
        return; // not ECN-capable
    }
    if (m_ecn.Decide(egress, m_queues[egress].GetBytes(unit.channel), m_context->randomDraws))
    {
        unit.flags |= UNIT_ECN_MARKED;
        m_context->statistics.sums[m_ports[egress]->GetSums(unit.accounting) + PORT_ECN_MARKED] += unit.packets;
        if (!m_markTrace.IsEmpty())
        {
            m_markTrace(unit, egress);
        }
    }
}

void
EthernetSwitch::DropUnit(uint32_t port, PacketUnit& unit)
{
    if (!m_dropTrace.IsEmpty())
    {
        m_dropTrace(unit, port);
    }
    m_ports[port]->Drop(unit);
}

void
EthernetSwitch::AdmitUnit(uint32_t port, uint32_t egress, const PacketUnit& unit)
{
    bool pause;
    try
    {
        pause = m_buffer.Admit(port, unit.channel, unit.wireBytes);
    }
    catch (const std::overflow_error& error)
    {
        std::ostringstream text;
        text << "a packet would be lost at the switch port with kernel id " << m_ports[port]->GetId() << ": "
             << error.what();
        throw std::runtime_error(text.str());
    }
    if (pause)
    {
        if (!m_pauseCauseTrace.IsEmpty())
        {
            TracePauseCause(port, egress, unit);
        }
        m_ports[port]->SendPause(unit.channel, true, unit.accounting);
    }
}

void
EthernetSwitch::TracePauseCause(uint32_t ingress, uint32_t egress, const PacketUnit& unit)
{
    uint64_t most = 0;
    uint32_t cause = egress;
    for (uint32_t port = 0; port < m_ports.size(); port++)
    {
        uint64_t bytes = port == egress ? unit.wireBytes : 0; // it is not queued yet
        const Sending& sending = m_sending[port];
        bytes += sending.ingress == ingress && sending.priority == unit.channel ? sending.bytes : 0;
        uint32_t index = m_queues[port].GetQueue(unit.channel).head;
        while (index != NO_INDEX)
        {
            const PacketUnit& waiting = m_context->units.Get(index);
            bytes += waiting.ingress == ingress ? waiting.wireBytes : 0;
            index = waiting.next;
        }
        cause = bytes > most ? port : cause;
        most = std::max(most, bytes);
    }
    m_pauseCauseTrace(ingress, unit.channel, cause);
}

uint32_t
EthernetSwitch::SelectEgress(const PacketUnit& unit)
{
    const std::vector<uint16_t>& candidates = m_routes.PortsTo(unit.destination);
    if (candidates.empty())
    {
        return NO_INDEX;
    }
    uint32_t egress = candidates.size() == 1 ? candidates.front() : m_loadBalancer->Select(unit, candidates);
    NS_LOG_LOGIC("unit of GPU " << unit.source << " for GPU " << unit.destination << " takes port " << egress << " of "
                                << candidates.size());
    return egress;
}

void
EthernetSwitch::ReceiveUnit(uint32_t port, PacketUnit& unit)
{
    if (unit.flags & UNIT_PAUSE)
    {
        m_ports[port]->ReceivePause(unit);
        return;
    }
    if (unit.flags & UNIT_HELD)
    {
        unit.flags &= static_cast<uint8_t>(~UNIT_HELD);
        Enqueue(unit.next, unit);
        return;
    }
    uint32_t egress = SelectEgress(unit);
    if (egress == NO_INDEX)
    {
        DropUnit(port, unit);
        return;
    }
    if (IsLossy(unit.channel))
    {
        if (!m_buffer.AdmitLossy(egress, unit.channel, unit.wireBytes))
        {
            DropUnit(egress, unit);
            return;
        }
    }
    else
    {
        if (m_context->mayLose && !m_buffer.HasRoom(port, unit.channel, unit.wireBytes))
        {
            DropUnit(port, unit); // a pause frame was lost
            return;
        }
        AdmitUnit(port, egress, unit);
    }
    if (m_ports[egress]->GetBitRate() > m_ports[port]->GetBitRate())
    {
        int64_t wait = m_ports[egress]->GetGaplessStartPs(unit) - m_context->kernel->NowPs();
        if (wait > 0)
        {
            unit.flags |= UNIT_HELD;
            unit.next = egress; // free while it stands in no queue
            m_context->kernel->Schedule(RecordKind::ARRIVAL, wait, m_ports[port]->GetId(), unit.index);
            return;
        }
    }
    Enqueue(egress, unit);
}

void
EthernetSwitch::Enqueue(uint32_t egress, PacketUnit& unit)
{
    if (!m_ports[egress]->IsUp())
    {
        FreeMemory(egress, unit);
        DropUnit(egress, unit);
        return;
    }
    if (m_ecn.IsOn() && !m_ecnAtDequeue)
    {
        MarkEcn(egress, unit);
    }
    m_queues[egress].Push(m_context->units, unit);
    m_ports[egress]->AddQueued(unit, unit.wireBytes);
    if (!m_enqueueTrace.IsEmpty())
    {
        m_enqueueTrace(unit, egress);
    }
    m_ports[egress]->RequestArbitration();
}

void
EthernetSwitch::Arbitrate(uint32_t port)
{
    PriorityQueues& queues = m_queues[port];
    EthernetDevice& out = *m_ports[port];
    uint32_t priority = queues.Select(out.GetPaused());
    if (priority == PriorityQueues::PRIORITIES)
    {
        if (!queues.IsEmpty())
        {
            out.NotePaused(queues.Front(m_context->units).accounting);
        }
        return;
    }
    PacketUnit& unit = queues.Pop(m_context->units, priority);
    out.AddQueued(unit, -static_cast<int64_t>(unit.wireBytes));
    if (m_ecn.IsOn() && m_ecnAtDequeue)
    {
        MarkEcn(port, unit);
    }
    if (!m_dequeueTrace.IsEmpty())
    {
        m_dequeueTrace(unit, port);
    }
    if (m_context->telemetry.IsEnabled())
    {
        AddTelemetry(port, unit);
    }
    m_sending[port] = Sending{unit.ingress, priority, unit.wireBytes, unit.accounting};
    out.Transmit(unit);
}

void
EthernetSwitch::AddTelemetry(uint32_t egress, const PacketUnit& unit)
{
    if (unit.flags & (UNIT_ACK | UNIT_RAW))
    {
        return;
    }
    Telemetry& telemetry = m_context->telemetry[unit.index];
    if (telemetry.hops == Telemetry::MOST_HOPS)
    {
        return; // as in the network: a full header stays as it is
    }
    const EthernetDevice& out = *m_ports[egress];
    TelemetryHop& hop = telemetry.hop[telemetry.hops++];
    hop.timePs = m_context->kernel->NowPs();
    hop.txBytes = 0;
    for (uint32_t phase = 0; phase < m_context->accountingClasses; phase++)
    {
        hop.txBytes += m_context->statistics.sums[out.GetSums(phase) + PORT_TX_BYTES];
    }
    hop.queueBytes = out.GetQueuedBytes();
    hop.bitRate = out.GetBitRate();
    hop.port = out.GetId();
}

void
EthernetSwitch::OnSent(uint32_t port)
{
    Sending sent = m_sending[port];
    m_sending[port].bytes = 0;
    if (sent.bytes != 0)
    {
        FreeMemory(port, sent);
    }
}

void
EthernetSwitch::FreeMemory(uint32_t egress, const Sending& held)
{
    if (IsLossy(held.priority))
    {
        m_buffer.ReleaseLossy(egress, held.priority, held.bytes);
    }
    else if (m_buffer.Release(held.ingress, held.priority, held.bytes))
    {
        m_ports[held.ingress]->SendPause(held.priority, false, held.accounting);
    }
}

void
EthernetSwitch::OnLinkChange(uint32_t port)
{
    EthernetDevice& out = *m_ports[port];
    while (!out.IsUp() && !m_queues[port].IsEmpty())
    {
        PacketUnit& unit = m_queues[port].Pop(m_context->units, m_queues[port].Select(0));
        out.AddQueued(unit, -static_cast<int64_t>(unit.wireBytes));
        FreeMemory(port, unit);
        DropUnit(port, unit);
    }
}

} // namespace hbd
} // namespace ns3
