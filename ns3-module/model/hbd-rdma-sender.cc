/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-rdma-sender.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

/// A ring twice as large with the same entries. \param head first \param tail end of the entries
template <class T>
void
Grow(std::vector<T>& ring, uint64_t head, uint64_t tail)
{
    std::vector<T> larger(ring.size() * 2);
    for (uint64_t i = head; i < tail; i++)
    {
        larger[i & (larger.size() - 1)] = ring[i & (ring.size() - 1)];
    }
    ring.swap(larger);
}

/// How far a is ahead of b, modulo 2^32.
int32_t
Ahead(uint32_t a, uint32_t b)
{
    return static_cast<int32_t>(a - b);
}

} // namespace

RdmaSender::RdmaSender(const RdmaTransport& transport, Ptr<CongestionControl> control)
    : m_transport(transport),
      m_control(control),
      m_ring(4),
      m_sent(4)
{
}

void
RdmaSender::Push(uint32_t message)
{
    if (m_tail - m_head == m_ring.size())
    {
        Grow(m_ring, m_head, m_tail);
    }
    m_ring[m_tail++ & (m_ring.size() - 1)] = message;
}

uint64_t
RdmaSender::FirstLost() const
{
    uint64_t index = std::max(m_firstLost, m_unacknowledged);
    while (!At(index).lost)
    {
        index++;
    }
    return index;
}

uint32_t
RdmaSender::GetNextPayload(const MessageTable& messages) const
{
    if (m_lost != 0)
    {
        return At(FirstLost()).payload;
    }
    const Message& message = messages[Front()];
    uint64_t most = static_cast<uint64_t>(std::max(1U, std::min(message.burstPackets, m_transport.maxPackets))) * m_transport.mtu;
    return static_cast<uint32_t>(std::min(most, message.bytes - m_offset));
}

uint8_t
RdmaSender::GetNextAccounting(const MessageTable& messages) const
{
    return m_lost != 0 ? At(FirstLost()).accounting : messages[Front()].accounting;
}

bool
RdmaSender::CanSend(const MessageTable& messages) const
{
    if (m_lost == 0 && m_head == m_tail)
    {
        return false;
    }
    return m_inFlight == 0 || m_inFlight + GetNextPayload(messages) <= m_control->GetWindowBytes();
}

void
RdmaSender::Cut(PacketUnit& unit, const MessageTable& messages)
{
    if (m_lost != 0)
    {
        CutAgain(unit);
        return;
    }
    CutNew(unit, messages);
}

void
RdmaSender::CutAgain(PacketUnit& unit)
{
    uint64_t index = FirstLost();
    Sent& sent = At(index);
    sent.lost = false;
    m_lost--;
    m_firstLost = index + 1;
    sent.flying = true;
    sent.again = true;
    sent.sentPs = -1;
    sent.order = ++m_order;
    m_inFlight += sent.payload;
    m_stamp = std::min(m_stamp, index);
    m_resent++;
    unit.message = sent.message;
    unit.payloadBytes = sent.payload;
    unit.packets = sent.packets;
    unit.sequence = sent.sequence;
    unit.accounting = sent.accounting;
    unit.flags = static_cast<uint8_t>(sent.flags | UNIT_ACK_REQUEST);
}

void
RdmaSender::CutNew(PacketUnit& unit, const MessageTable& messages)
{
    uint32_t slot = Front();
    const Message& message = messages[slot];
    uint32_t payload = GetNextPayload(messages);
    unit.message = slot;
    unit.payloadBytes = payload;
    unit.packets = static_cast<uint16_t>(std::max(1U, (payload + m_transport.mtu - 1) / m_transport.mtu));
    unit.sequence = m_sequence;
    unit.accounting = message.accounting;
    unit.flags = m_offset == 0 ? UNIT_FIRST : 0;
    m_sequence += unit.packets;
    m_inFlight += payload;
    m_payloadSent += payload;
    m_offset += payload;
    if (m_offset == message.bytes)
    {
        unit.flags |= UNIT_LAST;
        m_head++;
        m_offset = 0;
    }
    Remember(unit);
    if (m_offset != 0 && m_inFlight + GetNextPayload(messages) > m_control->GetWindowBytes())
    {
        unit.flags |= UNIT_ACK_REQUEST; // nothing follows that would make the acknowledgement due
    }
}

void
RdmaSender::Remember(const PacketUnit& unit)
{
    if (m_next - m_unacknowledged == m_sent.size())
    {
        Grow(m_sent, m_unacknowledged, m_next);
    }
    Sent& sent = At(m_next++);
    sent.sequence = unit.sequence;
    sent.payload = unit.payloadBytes;
    sent.message = unit.message;
    sent.wireBytes = 0;
    sent.order = ++m_order;
    sent.sentPs = -1;
    sent.packets = unit.packets;
    sent.flags = unit.flags;
    sent.accounting = unit.accounting;
    sent.acknowledged = false;
    sent.flying = true;
    sent.lost = false;
    sent.again = false;
}

uint64_t
RdmaSender::Find(uint32_t sequence) const
{
    uint64_t low = m_unacknowledged;
    uint64_t high = m_next;
    while (low < high)
    {
        uint64_t middle = low + (high - low) / 2;
        if (Ahead(At(middle).sequence, sequence) < 0)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low < m_next && At(low).sequence == sequence ? low : m_next;
}

void
RdmaSender::OnWire(int64_t nowPs, uint32_t sequence, uint32_t wireBytes)
{
    bool expected = m_stamp >= m_unacknowledged && m_stamp < m_next && At(m_stamp).sequence == sequence;
    uint64_t index = expected ? m_stamp : Find(sequence);
    if (index == m_next)
    {
        return; // acknowledged in the meantime: a copy was sent that was not needed
    }
    if (m_transport.timeoutPs != 0 && index == m_unacknowledged)
    {
        m_progressPs = nowPs;
    }
    At(index).sentPs = nowPs;
    At(index).wireBytes = wireBytes;
    m_stamp = index + 1;
}

void
RdmaSender::Ground(Sent& sent)
{
    if (sent.flying)
    {
        sent.flying = false;
        m_inFlight -= sent.payload;
    }
}

uint64_t
RdmaSender::Acknowledge(Sent& sent)
{
    if (sent.acknowledged)
    {
        return 0;
    }
    sent.acknowledged = true;
    Ground(sent);
    if (sent.lost)
    {
        sent.lost = false;
        m_lost--;
    }
    return sent.payload;
}

void
RdmaSender::Lose(uint64_t index)
{
    Sent& sent = At(index);
    if (!sent.acknowledged && !sent.lost)
    {
        sent.lost = true;
        m_firstLost = m_lost++ == 0 ? index : std::min(m_firstLost, index);
        Ground(sent);
    }
}

void
RdmaSender::LoseAll()
{
    for (uint64_t index = m_unacknowledged; index < m_next; index++)
    {
        Lose(index);
    }
}

void
RdmaSender::NoteRtt(const Sent& sent, CongestionAck& ack) const
{
    if (!sent.again && sent.sentPs >= 0)
    {
        ack.rttPs = ack.nowPs - sent.sentPs;
        ack.unitBytes = sent.wireBytes;
    }
}

uint64_t
RdmaSender::TakeCumulative(uint32_t expected, uint32_t trigger, CongestionAck& ack)
{
    if (Ahead(expected, m_sequence) > 0)
    {
        throw std::runtime_error("more is acknowledged than was sent");
    }
    uint64_t bytes = 0;
    while (m_unacknowledged != m_next)
    {
        Sent& sent = At(m_unacknowledged);
        if (Ahead(expected, sent.sequence + sent.packets) < 0)
        {
            break;
        }
        if (sent.sequence == trigger && !sent.acknowledged)
        {
            NoteRtt(sent, ack);
        }
        bytes += Acknowledge(sent);
        m_unacknowledged++;
    }
    return bytes;
}

uint64_t
RdmaSender::TakeSelective(uint32_t trigger, CongestionAck& ack)
{
    uint64_t index = Find(trigger);
    if (index == m_next)
    {
        return 0;
    }
    if (!At(index).acknowledged)
    {
        NoteRtt(At(index), ack);
    }
    uint64_t order = At(index).order;
    uint64_t bytes = Acknowledge(At(index));
    // what left that much earlier and has not been named would have come by now
    for (uint64_t earlier = m_unacknowledged; earlier < m_next; earlier++)
    {
        if (At(earlier).order + m_transport.reorderPackets < order)
        {
            Lose(earlier);
        }
    }
    return bytes;
}

bool
RdmaSender::OnAck(int64_t nowPs, const PacketUnit& unit, const Telemetry* telemetry)
{
    uint32_t expected = unit.sequence + 1;
    uint32_t trigger = unit.payloadBytes;
    bool negative = unit.kind == UnitKind::SEQUENCE_ERROR;
    CongestionAck ack;
    ack.nowPs = nowPs;
    ack.marked = (unit.flags & UNIT_ECN_MARKED) != 0;
    ack.telemetry = telemetry;
    uint64_t lostBefore = m_lost;
    ack.bytes = TakeCumulative(expected, trigger, ack);
    if (m_transport.recovery == RdmaRecovery::SELECTIVE_REPEAT)
    {
        ack.bytes += TakeSelective(trigger, ack);
    }
    else if (negative && IsOutstanding() && At(m_unacknowledged).sequence == expected)
    {
        LoseAll();
    }
    if (ack.bytes != 0)
    {
        m_timeouts = 0;
        m_progressPs = nowPs;
    }
    m_payloadAcked += ack.bytes;
    ack.acked = m_payloadAcked;
    ack.sent = m_payloadSent;
    bool loss = m_lost > lostBefore;
    if (loss)
    {
        m_control->OnLoss(nowPs, false);
    }
    m_control->OnAck(ack);
    return loss;
}

std::string
RdmaSender::DescribeOldest(const MessageTable& messages) const
{
    const Sent& oldest = At(m_unacknowledged);
    uint64_t bytes = 0;
    for (uint64_t index = m_unacknowledged; index < m_next; index++)
    {
        bytes += At(index).acknowledged ? 0 : At(index).payload;
    }
    std::string text = std::to_string(bytes) + " B are not acknowledged, from packet " + std::to_string(oldest.sequence) + " on";
    const Message& message = messages[oldest.message];
    if (message.inUse)
    {
        text += ", of a message of " + std::to_string(message.bytes) + " B of which " + std::to_string(message.delivered) + " B arrived";
    }
    return text;
}

int64_t
RdmaSender::GetDuePs(int64_t nowPs) const
{
    // what has not left the NIC, because it is paused, is not overdue
    bool left = At(m_unacknowledged).sentPs >= 0 || At(m_unacknowledged).acknowledged;
    return (left ? m_progressPs : nowPs) + m_transport.timeoutPs;
}

bool
RdmaSender::OnTimeout(int64_t nowPs)
{
    if (m_timeouts == m_transport.retries)
    {
        return false;
    }
    m_timeouts++;
    m_progressPs = nowPs;
    LoseAll();
    m_control->OnLoss(nowPs, true);
    return true;
}

} // namespace hbd
} // namespace ns3
