/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-rdma-receiver.h"

namespace ns3
{
namespace hbd
{

bool
RdmaReceiver::NoteOutOfTurn(const PacketUnit& unit)
{
    uint32_t end = unit.sequence + unit.packets - m_expected; // packets from the expected one on
    uint32_t size = m_marks.empty() ? 64 : static_cast<uint32_t>(m_marks.size());
    while (size < end)
    {
        size *= 2;
    }
    if (size > m_marks.size())
    {
        std::vector<uint8_t> larger(size, 0);
        for (uint32_t i = 0; i < m_marks.size(); i++)
        {
            uint32_t sequence = m_expected + i;
            larger[sequence & (size - 1)] = At(sequence);
        }
        m_marks.swap(larger);
    }
    if (At(unit.sequence) & HERE)
    {
        return false;
    }
    for (uint32_t i = 0; i < unit.packets; i++)
    {
        At(unit.sequence + i) = HERE;
    }
    if (unit.flags & UNIT_LAST)
    {
        At(unit.sequence + unit.packets - 1) |= ENDS_MESSAGE;
    }
    m_beyond += unit.packets;
    return true;
}

void
RdmaReceiver::Advance(const PacketUnit& unit)
{
    m_expected += unit.packets;
    m_messages += unit.flags & UNIT_LAST ? 1 : 0;
    m_told = false;
    while (m_beyond != 0 && (At(m_expected) & HERE))
    {
        m_messages += At(m_expected) & ENDS_MESSAGE ? 1 : 0;
        At(m_expected) = 0;
        m_expected++;
        m_beyond--;
    }
}

RdmaReceiver::Verdict
RdmaReceiver::OnData(int64_t nowPs, const PacketUnit& unit, bool everyUnit)
{
    Verdict verdict;
    if ((unit.flags & UNIT_ECN_MARKED) && (m_lastNoticePs < 0 || nowPs - m_lastNoticePs >= m_transport.cnpIntervalPs))
    {
        m_lastNoticePs = nowPs;
        verdict.notice = true;
    }
    auto gap = static_cast<int32_t>(unit.sequence - m_expected);
    if (gap == 0)
    {
        Advance(unit);
        verdict.accepted = true;
        m_unitsSinceAck++;
        if (everyUnit || m_beyond != 0 || m_unitsSinceAck >= m_transport.ackEvery ||
            (unit.flags & (UNIT_LAST | UNIT_ACK_REQUEST)))
        {
            m_unitsSinceAck = 0;
            verdict.answer = true;
        }
        return verdict;
    }
    if (gap > 0 && m_transport.recovery == RdmaRecovery::SELECTIVE_REPEAT)
    {
        verdict.accepted = NoteOutOfTurn(unit);
        verdict.answer = true;
        verdict.kind = m_transport.reorderPackets == 0 ? UnitKind::SEQUENCE_ERROR : UnitKind::ACKNOWLEDGEMENT;
    }
    else if (gap > 0)
    {
        verdict.answer = !m_told;
        verdict.kind = UnitKind::SEQUENCE_ERROR;
        m_told = true;
    }
    else
    {
        verdict.answer = true; // the acknowledgement was lost
    }
    m_discarded += verdict.accepted ? 0 : 1;
    return verdict;
}

void
RdmaReceiver::MakeAck(PacketUnit& unit, const PacketUnit& data, UnitKind kind) const
{
    unit.kind = kind;
    unit.flags = UNIT_ACK;
    if (kind != UnitKind::CONGESTION_NOTICE && m_transport.recovery == RdmaRecovery::SELECTIVE_REPEAT)
    {
        unit.flags |= UNIT_FIRST; // names the packet that caused it
    }
    if (kind == UnitKind::ACKNOWLEDGEMENT && (data.flags & UNIT_ECN_MARKED))
    {
        unit.flags |= UNIT_ECN_MARKED;
    }
    unit.packets = 1;
    unit.sequence = m_expected - 1;
    unit.payloadBytes = data.sequence;
    unit.message = m_messages;
    unit.accounting = data.accounting;
}

} // namespace hbd
} // namespace ns3
