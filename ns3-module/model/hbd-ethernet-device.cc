/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ethernet-device.h"

#include "hbd-gpu-endpoint.h"
#include "hbd-roce-headers.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdEthernetDevice");

NS_OBJECT_ENSURE_REGISTERED(EthernetDevice);

TypeId
EthernetDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::EthernetDevice")
                            .SetParent<FabricPort>()
                            .SetGroupName("Hbd")
                            .AddConstructor<EthernetDevice>()
                            .AddAttribute("PacketPayload",
                                          "RoCE path MTU: most payload bytes of a packet, a multiple of 4. 4096 is the "
                                          "largest that the InfiniBand "
                                          "specification allows.",
                                          UintegerValue(4096),
                                          MakeUintegerAccessor(&EthernetDevice::m_payload),
                                          MakeUintegerChecker<uint32_t>(256, 9000))
                            .AddAttribute("PreambleBytes",
                                          "Preamble and start delimiter ahead of a frame, in bytes (IEEE 802.3: 8).",
                                          UintegerValue(8),
                                          MakeUintegerAccessor(&EthernetDevice::m_preamble),
                                          MakeUintegerChecker<uint32_t>(0, 64))
                            .AddAttribute("InterpacketGapBytes",
                                          "Least gap behind a frame, in bytes (IEEE 802.3: 12).",
                                          UintegerValue(12),
                                          MakeUintegerAccessor(&EthernetDevice::m_gap),
                                          MakeUintegerChecker<uint32_t>(0, 64))
                            .AddAttribute("PauseQuanta",
                                          "How long a pause that this port asks for lasts unless repeated, in quanta "
                                          "of 512 bit times (IEEE 802.1Qbb; "
                                          "65535 is the largest and what switches send).",
                                          UintegerValue(65535),
                                          MakeUintegerAccessor(&EthernetDevice::m_quanta),
                                          MakeUintegerChecker<uint16_t>(4096))
                            .AddAttribute("LossRate",
                                          "Probability that a packet that this port sends is lost on the link. "
                                          "Default: 0, as links are whole unless told otherwise.",
                                          DoubleValue(0),
                                          MakeDoubleAccessor(&EthernetDevice::SetLossRate, &EthernetDevice::GetLossRate),
                                          MakeDoubleChecker<double>(0, 1))
                            .AddAttribute("CorruptionRate",
                                          "Probability that a packet that this port sends arrives with a wrong frame "
                                          "check, so that the other end drops it. Default: 0.",
                                          DoubleValue(0),
                                          MakeDoubleAccessor(&EthernetDevice::SetCorruptionRate,
                                                             &EthernetDevice::GetCorruptionRate),
                                          MakeDoubleChecker<double>(0, 1))
                            .AddAttribute("TelemetryBytes",
                                          "More bytes of each data packet and acknowledgement while a congestion "
                                          "control uses telemetry. Default: HPCC (SIGCOMM 2019, section 4.1), 2 B and "
                                          "8 B for each of 5 hops.",
                                          UintegerValue(42),
                                          MakeUintegerAccessor(&EthernetDevice::m_telemetryBytes),
                                          MakeUintegerChecker<uint32_t>(0, 1024))
                            .AddTraceSource("PfcSent",
                                            "A pause frame starts on the link: once for each priority that it names.",
                                            MakeTraceSourceAccessor(&EthernetDevice::m_pfcSentTrace),
                                            "ns3::hbd::EthernetDevice::PfcTracedCallback")
                            .AddTraceSource("PfcReceived",
                                            "A pause frame has arrived: once for each priority that it names.",
                                            MakeTraceSourceAccessor(&EthernetDevice::m_pfcReceivedTrace),
                                            "ns3::hbd::EthernetDevice::PfcTracedCallback")
                            .AddTraceSource("Resume",
                                            "The port sends again after units had to wait because of a pause.",
                                            MakeTraceSourceAccessor(&EthernetDevice::m_resumeTrace),
                                            "ns3::hbd::EthernetDevice::ResumeTracedCallback");
    return tid;
}

void
EthernetDevice::Start()
{
    FabricPort::Start();
    NS_ABORT_MSG_IF(m_payload % 4 != 0, "PacketPayload " << m_payload << " is no multiple of 4");
    m_ethernet = dynamic_cast<EthernetElement*>(m_element);
    auto peer = dynamic_cast<EthernetDevice*>(m_peer);
    NS_ABORT_MSG_IF(!m_ethernet || !peer,
                    "an Ethernet port belongs to a switch or NIC and is connected to an Ethernet port");
    NS_ABORT_MSG_IF(peer->m_payload != m_payload, "both ends of a link need the same PacketPayload");
    m_pausePs = GetTxTimePs(static_cast<uint64_t>(m_quanta) * 64);
}

void
EthernetDevice::RefreshWatched()
{
    FabricPort::RefreshWatched();
    m_unitTraced = m_unitTraced || !m_pfcSentTrace.IsEmpty() || !m_pfcReceivedTrace.IsEmpty() || !m_resumeTrace.IsEmpty();
}

uint32_t
EthernetDevice::GetPacketOverhead() const
{
    uint32_t overhead = m_preamble + roce::ETHERNET_HEADER + roce::IP_UDP + roce::BTH + roce::INVARIANT_CRC +
                        roce::FRAME_CHECK + m_gap;
    return m_context->telemetry.IsEnabled() ? overhead + m_telemetryBytes : overhead;
}

uint32_t
EthernetDevice::GetCutThroughBytes() const
{
    return m_preamble + roce::ETHERNET_HEADER + roce::IP_UDP + roce::BTH;
}

uint32_t
EthernetDevice::GetPauseBytes() const
{
    return m_preamble + roce::SMALLEST_FRAME + m_gap;
}

uint32_t
EthernetDevice::GetAnswerBytes(const PacketUnit& unit)
{
    if (unit.kind == UnitKind::CONGESTION_NOTICE)
    {
        return roce::CNP_RESERVED;
    }
    return roce::AETH + (unit.flags & UNIT_FIRST ? roce::SELECTIVE : 0);
}

uint32_t
EthernetDevice::GetWireBytes(const PacketUnit& unit) const
{
    if (unit.flags & UNIT_PAUSE)
    {
        return GetPauseBytes();
    }
    if (unit.flags & UNIT_RAW)
    {
        uint32_t frame = unit.payloadBytes + roce::ETHERNET_HEADER + roce::FRAME_CHECK;
        return m_preamble + std::max(frame, roce::SMALLEST_FRAME) + m_gap;
    }
    if (unit.flags & UNIT_ACK)
    {
        return GetPacketOverhead() + GetAnswerBytes(unit);
    }
    // every packet but the last is full, and a full one needs no padding
    uint32_t wireBytes = (unit.payloadBytes + 3) / 4 * 4 + unit.packets * GetPacketOverhead();
    return unit.flags & UNIT_FIRST ? wireBytes + roce::RETH : wireBytes;
}

uint32_t
EthernetDevice::GetHeadBytes(const PacketUnit& unit, uint32_t wireBytes) const
{
    if (static_cast<EthernetDevice*>(m_peer)->m_cutThrough && !(unit.flags & UNIT_PAUSE))
    {
        return GetCutThroughBytes();
    }
    return GetGaplessBytes(unit, wireBytes);
}

uint32_t
EthernetDevice::GetGaplessBytes(const PacketUnit& unit, uint32_t wireBytes) const
{
    if (unit.packets == 1)
    {
        return wireBytes;
    }
    uint32_t head = m_payload + GetPacketOverhead();
    return unit.flags & UNIT_FIRST ? head + roce::RETH : head;
}

uint64_t
EthernetDevice::GetRequiredHeadroom(const FabricLink& link,
                                    int64_t processingPs,
                                    uint64_t unitBytes,
                                    uint64_t headBytes,
                                    uint64_t pauseBytes)
{
    auto lagPs = static_cast<WideInteger>(2 * link.delay.GetPicoSeconds() + processingPs);
    auto underWay = static_cast<uint64_t>(lagPs * link.rate.GetBitRate() / 8000000000000ULL) + 1;
    return 2 * unitBytes + unitBytes + pauseBytes + headBytes + underWay;
}

void
EthernetDevice::SendPause(uint32_t priority, bool pause, uint8_t accountingClass)
{
    auto bit = static_cast<uint8_t>(1U << priority);
    bool before = (m_pausing & bit) != 0;
    NS_ABORT_MSG_IF(before == pause,
                    "priority " << priority << " of port " << GetId() << " is paused or resumed twice");
    m_pausing ^= bit;
    NS_LOG_LOGIC("port " << GetId() << (pause ? " pauses" : " resumes") << " priority " << priority << " of its peer");
    if (pause)
    {
        SchedulePause(priority);
    }
    else
    {
        m_context->kernel->CancelTimer(m_refresh[priority]);
    }
    m_pending |= bit;
    m_pendingClass = accountingClass;
    RequestArbitration();
}

void
EthernetDevice::SchedulePause(uint32_t priority)
{
    m_refresh[priority] =
        m_context->kernel->ScheduleTimer(RecordKind::TIMER, m_pausePs / 2, GetId(), PAUSE_REFRESH << 3 | priority);
}

void
EthernetDevice::ReceivePause(PacketUnit& unit)
{
    uint32_t enabled = unit.sequence >> 8;
    uint32_t pausing = unit.sequence & 0xff;
    if (m_unitTraced)
    {
        TracePause(m_pfcReceivedTrace, unit);
    }
    m_context->units.Free(unit);
    FabricKernel& kernel = *m_context->kernel;
    auto peer = static_cast<EthernetDevice*>(m_peer);
    for (uint32_t priority = 0; priority < ETHERNET_PRIORITIES; priority++)
    {
        auto bit = static_cast<uint8_t>(1U << priority);
        if (!(enabled & bit))
        {
            continue;
        }
        if (m_paused & bit)
        {
            kernel.CancelTimer(m_expiry[priority]);
        }
        m_paused &= static_cast<uint8_t>(~bit);
        if (pausing & bit)
        {
            m_paused |= bit;
            m_expiry[priority] =
                kernel.ScheduleTimer(RecordKind::TIMER, peer->m_pausePs, GetId(), PAUSE_EXPIRES << 3 | priority);
        }
    }
    RequestArbitration();
}

void
EthernetDevice::NotePaused(uint8_t accountingClass)
{
    if (m_pausedSincePs < 0)
    {
        NS_LOG_LOGIC("port " << GetId() << " has data and is paused");
        m_pausedSincePs = m_context->kernel->NowPs();
        m_pausedClass = accountingClass;
    }
}

void
EthernetDevice::OnTimer(uint32_t argument)
{
    uint32_t priority = argument & 7;
    auto bit = static_cast<uint8_t>(1U << priority);
    if (argument >> 3 == PAUSE_EXPIRES)
    {
        NS_LOG_LOGIC("the pause of priority " << priority << " of port " << GetId() << " is over by time");
        m_paused &= static_cast<uint8_t>(~bit);
    }
    else
    {
        SchedulePause(priority);
        m_pending |= bit;
    }
    RequestArbitration();
}

void
EthernetDevice::OnRecord(RecordKind kind, uint32_t port, uint32_t argument)
{
    if (kind == RecordKind::TIMER)
    {
        OnTimer(argument);
        return;
    }
    if (kind == RecordKind::TX_DONE)
    {
        m_ethernet->OnSent(m_index);
    }
    else if (kind == RecordKind::ARRIVAL && m_context->mayLose && LoseArriving(m_context->units.Get(argument)))
    {
        return;
    }
    FabricPort::OnRecord(kind, port, argument);
}

void
EthernetDevice::OnArbitration(uint32_t port)
{
    if (m_pending != 0 && !IsBusy())
    {
        m_arbitrationPending = false;
        TransmitPause();
        return;
    }
    FabricPort::OnArbitration(port);
}

void
EthernetDevice::TransmitPause()
{
    PacketUnit& unit = m_context->units.Allocate();
    unit.flags = UNIT_PAUSE;
    unit.packets = 1;
    unit.accounting = m_pendingClass;
    unit.sequence = static_cast<uint32_t>(m_pending) << 8 | (m_pausing & m_pending);
    m_context->statistics.sums[GetSums(m_pendingClass) + PORT_PAUSE_FRAMES] += m_pausing & m_pending ? 1 : 0;
    m_pending = 0;
    if (m_unitTraced)
    {
        TracePause(m_pfcSentTrace, unit);
    }
    Transmit(unit);
}

void
EthernetDevice::TracePause(const TracedCallback<uint32_t, bool>& trace, const PacketUnit& unit)
{
    for (uint32_t priority = 0; priority < ETHERNET_PRIORITIES; priority++)
    {
        if (unit.sequence >> 8 >> priority & 1)
        {
            trace(priority, (unit.sequence >> priority & 1) != 0);
        }
    }
}

void
EthernetDevice::OnCredit(uint32_t /* argument */)
{
    NS_ABORT_MSG("Ethernet has no credits");
}

int64_t
EthernetDevice::OnTransmit(PacketUnit& unit, int64_t /* txPs */)
{
    if (m_tracking)
    {
        PushFlight(unit);
    }
    if (m_pausedSincePs >= 0)
    {
        int64_t paused = m_context->kernel->NowPs() - m_pausedSincePs;
        NS_LOG_LOGIC("port " << GetId() << " sends again after a pause of " << paused << " ps");
        m_context->statistics.sums[GetSums(m_pausedClass) + PORT_PAUSE_PS] += static_cast<uint64_t>(paused);
        m_pausedSincePs = -1;
        if (m_unitTraced)
        {
            m_resumeTrace(paused);
        }
    }
    return 0;
}

uint8_t
EthernetDevice::GetOpcode(const PacketUnit& unit, uint32_t i) const
{
    bool first = i == 0 && (unit.flags & UNIT_FIRST);
    bool last = i + 1 == unit.packets && (unit.flags & UNIT_LAST);
    if (first)
    {
        return last ? roce::WRITE_ONLY : roce::WRITE_FIRST;
    }
    return last ? roce::WRITE_LAST : roce::WRITE_MIDDLE;
}

/// From the BTH on, without invariant CRC.
Ptr<Packet>
EthernetDevice::MakeAnswer(const PacketUnit& unit) const
{
    bool notice = unit.kind == UnitKind::CONGESTION_NOTICE;
    bool negative = unit.kind == UnitKind::SEQUENCE_ERROR;
    Ptr<Packet> packet = Create<Packet>(notice ? roce::CNP_RESERVED : unit.flags & UNIT_FIRST ? roce::SELECTIVE : 0);
    BthHeader bth;
    bth.opcode = notice ? roce::CONGESTION_NOTIFICATION : roce::ACKNOWLEDGE;
    bth.backwardCongestion = notice;
    bth.queuePair = GetQueuePair(unit);
    // a negative one names the packet that is missing, a positive one the last that is here
    bth.sequence = notice ? 0 : unit.sequence + (negative ? 1 : 0);
    if (!notice)
    {
        AethHeader aeth;
        aeth.syndrome = negative ? roce::NAK_SEQUENCE : roce::ACK_SYNDROME;
        aeth.messages = unit.message;
        packet->AddHeader(aeth);
    }
    packet->AddHeader(bth);
    return packet;
}

/// The i-th packet of a data unit from the BTH on, without invariant CRC.
Ptr<Packet>
EthernetDevice::MakeData(const PacketUnit& unit, uint32_t i) const
{
    uint32_t before = i * m_payload;
    uint32_t payload = std::min(m_payload, unit.payloadBytes - std::min(before, unit.payloadBytes));
    uint32_t padded = (payload + 3) / 4 * 4;
    Ptr<Packet> packet = Create<Packet>(padded);
    if (i == 0 && (unit.flags & UNIT_FIRST))
    {
        RethHeader reth;
        reth.bytes =
            unit.message == NO_INDEX ? payload : static_cast<uint32_t>(m_context->messages[unit.message].bytes);
        packet->AddHeader(reth);
    }
    BthHeader bth;
    bth.opcode = GetOpcode(unit, i);
    bth.padBytes = static_cast<uint8_t>(padded - payload);
    bth.askAck = i + 1 == unit.packets;
    bth.queuePair = GetQueuePair(unit);
    bth.sequence = unit.sequence + i;
    packet->AddHeader(bth);
    return packet;
}

uint32_t
EthernetDevice::GetQueuePair(const PacketUnit& unit)
{
    // 0 and 1 are reserved; at each NIC the ones to another NIC follow each other
    return 2 + unit.source + (static_cast<uint32_t>(unit.packetPayload) << 16);
}

Ptr<Packet>
EthernetDevice::MakePacket(const PacketUnit& unit, uint32_t i) const
{
    if (unit.flags & UNIT_PAUSE)
    {
        return MakePauseFrame(unit);
    }
    Ptr<Packet> packet = unit.flags & UNIT_ACK ? MakeAnswer(unit) : MakeData(unit, i);
    RoceIpUdpHeader ip;
    ip.source = unit.source;
    ip.destination = unit.destination;
    ip.sourcePort = static_cast<uint16_t>(0xc000 | (unit.flowHash & 0x3fff));
    ip.udpBytes = static_cast<uint16_t>(8 + packet->GetSize() + roce::INVARIANT_CRC);
    ip.priority = unit.channel;
    ip.congestion = !(unit.flags & UNIT_ACK) && (unit.flags & UNIT_ECN_MARKED);
    packet->AddHeader(ip);
    AddInvariantCrc(packet);
    EthernetHeader ethernet(false);
    ethernet.SetSource(GpuEndpoint::MakeAddress(unit.source, 0xff));
    ethernet.SetDestination(GpuEndpoint::MakeAddress(unit.destination, 0xff));
    ethernet.SetLengthType(roce::IPV4_TYPE);
    packet->AddHeader(ethernet);
    return packet;
}

Ptr<Packet>
EthernetDevice::MakePauseFrame(const PacketUnit& unit) const
{
    PfcHeader pfc;
    pfc.enabled = static_cast<uint8_t>(unit.sequence >> 8);
    for (uint32_t priority = 0; priority < ETHERNET_PRIORITIES; priority++)
    {
        pfc.quanta[priority] = unit.sequence >> priority & 1 ? m_quanta : 0;
    }
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(pfc);
    EthernetHeader ethernet(false);
    ethernet.SetSource(Mac48Address::ConvertFrom(GetAddress()));
    ethernet.SetDestination(Mac48Address("01:80:c2:00:00:01"));
    ethernet.SetLengthType(roce::MAC_CONTROL_TYPE);
    packet->AddHeader(ethernet);
    return packet;
}

uint32_t
EthernetDevice::ResolveDestination(const Address& address) const
{
    return GpuEndpoint::ResolveAddress(address);
}

bool
EthernetDevice::SendRaw(PacketUnit& unit)
{
    return unit.packets == 1 && m_ethernet->SendRaw(m_index, unit);
}

} // namespace hbd
} // namespace ns3
