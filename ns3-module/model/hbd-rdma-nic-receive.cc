/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-gpu-endpoint.h"
#include "hbd-rdma-nic.h"
#include "hbd-roce-headers.h"

#include "ns3/ethernet-header.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace hbd
{

void
RdmaNic::ReceiveUnit(uint32_t port, PacketUnit& unit)
{
    if (port == HOST_PORT)
    {
        ReceiveFromHost(unit);
    }
    else
    {
        ReceiveFromNetwork(unit);
    }
}

void
RdmaNic::ReceiveFromHost(PacketUnit& unit)
{
    if (!HoldUntilGapless(*m_host, *m_ethernet, unit))
    {
        unit.channel = m_dataPriority;
        QueueForNetwork(unit);
    }
}

void
RdmaNic::DropShownPacket(PacketUnit& unit)
{
    if (unit.packet && !(unit.flags & UNIT_RAW))
    {
        unit.packet->Unref();
        unit.packet = nullptr;
    }
}

void
RdmaNic::QueueForNetwork(PacketUnit& unit)
{
    DropShownPacket(unit);
    m_toNetwork.Push(m_context->units, unit);
    m_ethernet->AddQueued(unit, m_ethernet->GetWireBytes(unit));
    m_ethernet->RequestArbitration();
}

void
RdmaNic::ReceiveFromNetwork(PacketUnit& unit)
{
    if (unit.flags & UNIT_PAUSE)
    {
        m_ethernet->ReceivePause(unit);
    }
    else if (unit.flags & UNIT_ACK)
    {
        ReceiveAck(unit);
    }
    else if (unit.flags & UNIT_RAW)
    {
        ReceiveRaw(unit);
    }
    else
    {
        ReceiveData(unit);
    }
}

void
RdmaNic::ReceiveAck(PacketUnit& unit)
{
    RdmaQueuePair& pair = *m_pairs[unit.source * m_queuePairs + unit.packetPayload];
    int64_t nowPs = m_context->kernel->NowPs();
    if (unit.kind == UnitKind::CONGESTION_NOTICE)
    {
        m_cnpReceivedTrace(m_gpu, pair.GetRemote(), pair.GetNumber(), 1);
        pair.GetControl().OnCnp(nowPs);
    }
    else
    {
        const Telemetry* telemetry = m_context->telemetry.IsEnabled() ? &m_context->telemetry[unit.index] : nullptr;
        try
        {
            pair.sender.OnAck(nowPs, unit, telemetry);
        }
        catch (const std::runtime_error& error)
        {
            throw std::runtime_error("GPU " + std::to_string(unit.source) + " to GPU " + std::to_string(m_gpu) + ": " +
                                     error.what());
        }
        StopTimer(pair);
    }
    m_context->units.Free(unit);
    UpdateReady(pair);
}

bool
RdmaNic::Admit(const PacketUnit& unit)
{
    bool pause;
    try
    {
        pause = m_buffer.Admit(0, m_dataPriority, unit.wireBytes);
    }
    catch (const std::overflow_error& error)
    {
        throw std::runtime_error("a packet would be lost at nic" + std::to_string(m_gpu) + ": " + error.what());
    }
    if (pause)
    {
        m_ethernet->SendPause(m_dataPriority, true, unit.accounting);
    }
    return true;
}

void
RdmaNic::ReceiveData(PacketUnit& unit)
{
    if (!(unit.flags & UNIT_HELD))
    {
        if (m_context->mayLose && !m_buffer.HasRoom(0, m_dataPriority, unit.wireBytes))
        {
            m_ethernet->Drop(unit); // a pause frame was lost
            return;
        }
        RdmaQueuePair& pair = GetQueuePair(unit.source, unit.packetPayload);
        const CongestionControl& control = pair.GetControl();
        RdmaReceiver::Verdict verdict =
            pair.receiver.OnData(m_context->kernel->NowPs(), unit, control.NeedsEveryAck());
        if (verdict.notice && control.NeedsCnp())
        {
            m_cnpSentTrace(m_gpu, pair.GetRemote(), pair.GetNumber(), 1);
            Answer(pair, unit, UnitKind::CONGESTION_NOTICE);
        }
        if (verdict.answer)
        {
            Answer(pair, unit, verdict.kind);
        }
        if (!verdict.accepted)
        {
            m_context->units.Free(unit);
            return;
        }
        Admit(unit);
    }
    if (!HoldUntilGapless(*m_ethernet, *m_host, unit))
    {
        QueueForHost(unit);
    }
}

void
RdmaNic::QueueForHost(PacketUnit& unit)
{
    DropShownPacket(unit);
    m_toHost.Push(m_context->units, unit);
    m_host->AddQueued(unit, unit.wireBytes);
    m_host->RequestArbitration();
}

void
RdmaNic::Answer(RdmaQueuePair& pair, const PacketUnit& data, UnitKind kind)
{
    PacketUnit& unit = m_context->units.Allocate();
    pair.receiver.MakeAck(unit, data, kind);
    unit.source = m_gpu;
    unit.destination = pair.GetRemote();
    unit.flowHash = pair.GetFlowHash();
    unit.packetPayload = static_cast<uint16_t>(pair.GetNumber());
    unit.channel = m_controlPriority;
    if (m_context->telemetry.IsEnabled() && kind != UnitKind::CONGESTION_NOTICE)
    {
        Telemetry collected = m_context->telemetry[data.index]; // a copy: the table may grow
        m_context->telemetry[unit.index] = collected;
    }
    int64_t untilTail = data.tailPs - m_context->kernel->NowPs();
    if (untilTail > 0)
    {
        m_context->kernel->Schedule(RecordKind::ARRIVAL, untilTail, m_id, unit.index);
        return;
    }
    QueueForNetwork(unit);
}

} // namespace hbd
} // namespace ns3
