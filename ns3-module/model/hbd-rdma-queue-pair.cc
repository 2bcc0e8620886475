/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-rdma-queue-pair.h"

#include "hbd-hash.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace hbd
{

RdmaQueuePair::RdmaQueuePair(uint32_t local, uint32_t remote, Ptr<CongestionControl> control)
    : m_local(local),
      m_remote(remote),
      m_flowHash(FlowHash(local, remote, 0)),
      m_control(control),
      m_ring(4)
{
}

void
RdmaQueuePair::Push(uint32_t message)
{
    if (m_tail - m_head == m_ring.size())
    {
        std::vector<uint32_t> larger(m_ring.size() * 2);
        for (uint64_t i = m_head; i < m_tail; i++)
        {
            larger[i & (larger.size() - 1)] = m_ring[i & (m_ring.size() - 1)];
        }
        m_ring.swap(larger);
    }
    m_ring[m_tail++ & (m_ring.size() - 1)] = message;
}

uint32_t
RdmaQueuePair::GetNextPayload(const MessageTable& messages, uint32_t mtu, uint32_t maxPackets) const
{
    const Message& message = messages[Front()];
    uint64_t most = static_cast<uint64_t>(std::max(1U, std::min(message.burstPackets, maxPackets))) * mtu;
    return static_cast<uint32_t>(std::min(most, message.bytes - m_offset));
}

bool
RdmaQueuePair::CanSend(const MessageTable& messages, uint32_t mtu, uint32_t maxPackets) const
{
    if (m_head == m_tail || paced)
    {
        return false;
    }
    return m_unacknowledged == 0 ||
           m_unacknowledged + GetNextPayload(messages, mtu, maxPackets) <= m_control->GetWindowBytes();
}

void
RdmaQueuePair::Cut(PacketUnit& unit, const MessageTable& messages, uint32_t mtu, uint32_t maxPackets)
{
    uint32_t slot = Front();
    const Message& message = messages[slot];
    uint32_t payload = GetNextPayload(messages, mtu, maxPackets);
    unit.message = slot;
    unit.source = m_local;
    unit.destination = m_remote;
    unit.payloadBytes = payload;
    unit.packets = static_cast<uint16_t>(std::max(1U, (payload + mtu - 1) / mtu));
    unit.flowHash = m_flowHash;
    unit.sequence = m_sendSequence;
    unit.accounting = message.accounting;
    unit.flags = m_offset == 0 ? UNIT_FIRST : 0;
    m_sendSequence += unit.packets;
    m_unacknowledged += payload;
    m_offset += payload;
    if (m_offset == message.bytes)
    {
        unit.flags |= UNIT_LAST;
        m_head++;
        m_offset = 0;
    }
    else if (m_unacknowledged + GetNextPayload(messages, mtu, maxPackets) > m_control->GetWindowBytes())
    {
        unit.flags |= UNIT_ACK_REQUEST; // nothing follows that would make the acknowledgement due
    }
}

void
RdmaQueuePair::OnAck(int64_t nowPs, uint32_t number, bool marked)
{
    uint32_t bytes = number - m_acknowledged; // modulo 2^32
    if (bytes > m_unacknowledged)
    {
        throw std::runtime_error("GPU " + std::to_string(m_remote) + " acknowledges more than GPU " +
                                 std::to_string(m_local) + " sent");
    }
    m_acknowledged = number;
    m_unacknowledged -= bytes;
    CongestionAck ack;
    ack.nowPs = nowPs;
    ack.bytes = bytes;
    ack.marked = marked;
    m_control->OnAck(ack);
}

bool
RdmaQueuePair::OnData(const PacketUnit& unit, uint32_t ackEvery)
{
    if (unit.sequence != m_receiveSequence)
    {
        throw std::runtime_error("a packet from GPU " + std::to_string(m_remote) + " to GPU " +
                                 std::to_string(m_local) + " came out of order: this transport needs one path a flow");
    }
    m_receiveSequence += unit.packets;
    m_receivedBytes += unit.payloadBytes;
    m_ackAccounting = unit.accounting;
    m_unitsSinceAck++;
    if (m_unitsSinceAck < ackEvery && !(unit.flags & (UNIT_LAST | UNIT_ACK_REQUEST)))
    {
        return false;
    }
    m_unitsSinceAck = 0;
    return true;
}

void
RdmaQueuePair::MakeAck(PacketUnit& unit) const
{
    unit.source = m_local;
    unit.destination = m_remote;
    unit.payloadBytes = m_receivedBytes;
    unit.packets = 1;
    unit.flags = UNIT_ACK;
    unit.flowHash = m_flowHash;
    unit.sequence = m_receiveSequence - 1;
    unit.accounting = m_ackAccounting;
}

} // namespace hbd
} // namespace ns3
