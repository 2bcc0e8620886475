/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-gpu-endpoint.h"

#include "ns3/abort.h"

namespace ns3
{
namespace hbd
{

// The half of GpuEndpoint that asks and answers, and takes copies; hbd-gpu-endpoint.cc sends.

bool
GpuEndpoint::MayAsk(uint32_t link, uint32_t bytes) const
{
    return m_readWindow == 0 || m_askedBytes[link] == 0 || m_askedBytes[link] + bytes <= m_readWindow;
}

void
GpuEndpoint::NoteAnswer(const PacketUnit& unit)
{
    uint32_t link = AskedUnit::GetLink(unit);
    m_askedBytes[link] -= unit.payloadBytes;
    if (m_askWaits[link])
    {
        m_askWaits[link] = false;
        m_links[link]->RequestArbitration();
    }
}

void
GpuEndpoint::Answer(uint32_t link, PacketUnit& unit)
{
    // the same unit goes back with data; its header is another one
    PacketUnitPool::DropPacket(unit);
    unit.flags &= static_cast<uint8_t>(~UNIT_HELD);
    unit.kind = unit.kind == UnitKind::READ_REQUEST ? UnitKind::READ_RESPONSE : UnitKind::REDUCE_CONTRIBUTION;
    unit.destination = unit.source;
    unit.source = m_gpu;
    unit.payloadBytes = AskedUnit::GetBytes(unit);
    unit.channel = DATA_CHANNEL;
    QueueUnit(link, unit);
}

void
GpuEndpoint::DeliverCopy(uint32_t slot, uint32_t payload)
{
    Message& message = m_context->messages[slot];
    uint32_t member = m_context->groups.Find(message.group, m_gpu);
    NS_ABORT_MSG_IF(!message.inUse || member == message.memberDelivered.size(), "a copy for a group reached GPU " << m_gpu);
    uint64_t& here = message.memberDelivered[member];
    here += payload;
    message.delivered += payload;
    NS_ABORT_MSG_IF(here > message.bytes, "more bytes delivered than sent");
    if (m_gpu != message.source)
    {
        m_context->statistics.sums[m_context->globalSums + SUM_BYTES_DELIVERED] += payload;
    }
    if (here < message.bytes)
    {
        return;
    }
    message.membersDone++;
    bool last = message.membersDone == message.memberDelivered.size();
    if (m_gpu != message.source)
    {
        m_context->listener->OnCopyDelivered(slot, m_gpu);
    }
    if (last)
    {
        m_context->listener->OnDelivered(slot);
    }
}

} // namespace hbd
} // namespace ns3
