/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-nvlink-device.h"

#include "hbd-gpu-endpoint.h"
#include "hbd-nvswitch.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdNvlinkDevice");

NS_OBJECT_ENSURE_REGISTERED(NvlinkHeader);
NS_OBJECT_ENSURE_REGISTERED(NvlinkDevice);

namespace
{

constexpr uint32_t THREE_BYTES = 0xffffff;

void
WriteThreeBytes(Buffer::Iterator& at, uint32_t value)
{
    at.WriteU8(static_cast<uint8_t>(value >> 16));
    at.WriteHtonU16(static_cast<uint16_t>(value));
}

uint32_t
ReadThreeBytes(Buffer::Iterator& at)
{
    uint32_t high = at.ReadU8();
    return high << 16 | at.ReadNtohU16();
}

uint32_t
ReadGpu(Buffer::Iterator& at)
{
    uint32_t gpu = ReadThreeBytes(at);
    return gpu == THREE_BYTES ? NO_INDEX : gpu;
}

} // namespace

TypeId
NvlinkHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::NvlinkHeader").SetParent<Header>().SetGroupName("Hbd").AddConstructor<NvlinkHeader>();
    return tid;
}

TypeId
NvlinkHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
NvlinkHeader::GetSerializedSize() const
{
    return bytes;
}

void
NvlinkHeader::Serialize(Buffer::Iterator start) const
{
    WriteThreeBytes(start, source);
    WriteThreeBytes(start, destination);
    start.WriteHtonU16(bytes);
    start.WriteU8(channel);
    start.WriteU8(flags);
    start.WriteHtonU16(payloadBytes);
    start.WriteU8(kind);
    WriteThreeBytes(start, number);
    start.WriteU8(0, bytes - SIZE);
}

uint32_t
NvlinkHeader::Deserialize(Buffer::Iterator start)
{
    source = ReadGpu(start);
    destination = ReadGpu(start);
    bytes = std::max(SIZE, start.ReadNtohU16());
    channel = start.ReadU8();
    flags = start.ReadU8();
    payloadBytes = start.ReadNtohU16();
    kind = start.ReadU8();
    number = ReadThreeBytes(start);
    return bytes;
}

void
NvlinkHeader::Print(std::ostream& os) const
{
    os << source << " > " << destination << " vc " << static_cast<uint32_t>(channel) << " payload " << payloadBytes;
}

TypeId
NvlinkDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::NvlinkDevice")
            .SetParent<CreditPort>()
            .SetGroupName("Hbd")
            .AddConstructor<NvlinkDevice>()
            .AddAttribute("PacketPayload",
                          "Most payload bytes of a packet. 256 for copy engines, 128 for SM stores (NCCL maintainer, "
                          "NVIDIA/nccl-tests#149).",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(256),
                          MakeUintegerAccessor(&NvlinkDevice::m_payload),
                          MakeUintegerChecker<uint32_t>(16, 65520))
            .AddAttribute("FlitBytes",
                          "Bytes of a flit; packets are padded to whole flits (NVLink: 16).",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(16),
                          MakeUintegerAccessor(&NvlinkDevice::m_flit),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("HeaderFlits",
                          "Flits of a packet beside its payload, of the 1 to 18 that a packet may have. Public documents describe one header flit and, when "
                          "they are needed, one of address extension and one of byte enables. 2 is what copies measure on NVLink 4: GH200 "
                          "at 133.25 of 150 GB/s, 88.8 %, against 256 / 288 = 88.9 %; assumed to be the same in NVLink 5. 1 fits NVLink 3 "
                          "(A100: 94.0 of 100 GB/s, 256 / 272).",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(1),
                          MakeUintegerAccessor(&NvlinkDevice::m_headerFlits),
                          MakeUintegerChecker<uint32_t>(1, 16))
            .AddAttribute("RequestFlits",
                          "Flits of a packet that asks for data of another GPU: the header alone, without address extension and byte enables. "
                          "GB200 measures it: a kernel in which all GPUs pull 128 B a packet gets 651 GB/s of payload each way, 900 x 128 / (128 + "
                          "2 x 16 + 16) = 655. Requests of reductions, which name a group and an operation, have HeaderFlits.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(1),
                          MakeUintegerAccessor(&NvlinkDevice::m_requestFlits),
                          MakeUintegerChecker<uint32_t>(1, 16))
            .AddAttribute("PacketFlits",
                          "Most flits of a packet, header included. NVLink packets have 1 to 18 flits (public documents).",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(18),
                          MakeUintegerAccessor(&NvlinkDevice::m_mostFlits),
                          MakeUintegerChecker<uint32_t>(2, 65536))
            .AddAttribute("PacketsPerAck",
                          "Packets for which the receiving end sends one flit of acknowledgement and credits; 0 = none. Not published. "
                          "Two A100 that copy to each other reach 186.44 / 2 = 93.22 GB/s each way of 100, in one direction 94.0: with "
                          "packets of 256 + 16 B, 272 x 94.0 / 93.22 = 274.3 B of wire a packet, so one flit of 16 B for 7 packets; against "
                          "256 / 272 of 100, for 6. 8 is the power of two next to it and gives 93.43. Range: 4 (93.0) to 16 (93.8).",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(8),
                          MakeUintegerAccessor(&NvlinkDevice::m_packetsPerAck),
                          MakeUintegerChecker<uint32_t>(0, 65536))
            .AddAttribute("BitErrorRate",
                          "Probability that a bit of this direction arrives wrong; its packet is sent again. May be set for each port, and at any time.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&NvlinkDevice::SetBitErrorRate, &NvlinkDevice::GetBitErrorRate),
                          MakeDoubleChecker<double>(0.0, 0.001))
            .AddAttribute("RetryDelay",
                          "Time from the last byte of a packet with a bit error to the first byte of its repetition (detection, request, "
                          "start of the replay buffer). Not published; an assumption: a round trip of the link and its logic.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&NvlinkDevice::SetRetryDelay, &NvlinkDevice::GetRetryDelay),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("LinkRetry",
                            "Packets of a unit are sent again because of bit errors: how many had one. Fires when the unit is given to the link.",
                            MakeTraceSourceAccessor(&NvlinkDevice::m_retryTrace),
                            "ns3::hbd::NvlinkDevice::RetryTracedCallback")
            .AddTraceSource("ControlFlits",
                            "Flits of acknowledgements and credits go on the wire, behind those that are still on it: how many.",
                            MakeTraceSourceAccessor(&NvlinkDevice::m_controlTrace),
                            "ns3::hbd::NvlinkDevice::FlitsTracedCallback");
    return tid;
}

void
NvlinkDevice::Start()
{
    CreditPort::Start();
    NS_ABORT_MSG_IF(m_payload % m_flit != 0, "PacketPayload " << m_payload << " is not a whole number of flits of " << m_flit << " B");
    if (m_payload / m_flit + m_headerFlits > m_mostFlits)
    {
        throw std::invalid_argument("a payload of " + std::to_string(m_payload) + " B and " + std::to_string(m_headerFlits) +
                                    " header flits are " + std::to_string(m_payload / m_flit + m_headerFlits) +
                                    " flits; a packet has at most " + std::to_string(m_mostFlits));
    }
    CheckPacketFits(m_payload + GetHeaderBytes());
    CheckErrors();
}

void
NvlinkDevice::RefreshWatched()
{
    CreditPort::RefreshWatched();
    m_unitTraced = m_unitTraced || !m_retryTrace.IsEmpty() || !m_controlTrace.IsEmpty();
}

uint32_t
NvlinkDevice::GetWireBytes(const PacketUnit& unit) const
{
    // every packet but the last is full; one that is full by the link's own limit is whole flits
    auto padded = [this](uint32_t bytes) { return (bytes + m_flit - 1) / m_flit * m_flit; };
    uint32_t headers = unit.packets * GetHeaderBytes(unit);
    if (unit.packetPayload % m_flit == 0 || unit.payloadBytes == 0)
    {
        return headers + padded(unit.payloadBytes);
    }
    uint32_t before = (unit.packets - 1U) * unit.packetPayload;
    return headers + (unit.packets - 1U) * padded(unit.packetPayload) + padded(unit.payloadBytes - before);
}

uint32_t
NvlinkDevice::GetHeaderBytes(const PacketUnit& unit) const
{
    return unit.kind == UnitKind::READ_REQUEST ? GetRequestBytes() : GetHeaderBytes();
}

uint32_t
NvlinkDevice::GetHeadBytes(const PacketUnit& unit, uint32_t /* wireBytes */) const
{
    return GetHeaderBytes(unit);
}

void
NvlinkDevice::SetBitErrorRate(double rate)
{
    m_bitErrorRate = rate;
    ConfigureRetry();
}

void
NvlinkDevice::SetRetryDelay(Time delay)
{
    m_retryDelay = delay;
    ConfigureRetry();
}

void
NvlinkDevice::CheckErrors() const
{
    double errors = 8.0 * (m_payload + GetHeaderBytes()) * m_bitErrorRate;
    if (errors > LinkRetry::MOST_ERRORS)
    {
        std::ostringstream text;
        text << "with a BitErrorRate of " << m_bitErrorRate << ", a full packet of " << m_payload + GetHeaderBytes() << " B has " << errors
             << " bit errors; it may have " << LinkRetry::MOST_ERRORS << ", as one without any would be too rare";
        throw std::invalid_argument(text.str());
    }
}

void
NvlinkDevice::ConfigureRetry()
{
    if (m_bitRate != 0)
    {
        CheckErrors(); // before Start, other attributes may not be set yet
    }
    m_retry.Configure(m_bitErrorRate, m_retryDelay.GetPicoSeconds());
    if (HasErrors() && m_stream >= 0 && !m_streamAssigned)
    {
        m_retry.AssignStream(m_stream);
        m_streamAssigned = true;
    }
}

int64_t
NvlinkDevice::AssignStreams(int64_t stream)
{
    m_stream = stream;
    m_retry.AssignStream(stream);
    m_streamAssigned = HasErrors();
    return 1;
}

void
NvlinkDevice::OnArrival(const PacketUnit& unit)
{
    if (m_packetsPerAck == 0)
    {
        return;
    }
    if (m_restCount != m_context->kernel->GetRestCount())
    {
        m_restCount = m_context->kernel->GetRestCount();
        m_unacknowledged = 0;
    }
    m_unacknowledged += unit.packets;
    if (m_unacknowledged < m_packetsPerAck)
    {
        return;
    }
    uint32_t flits = m_unacknowledged / m_packetsPerAck;
    m_unacknowledged -= flits * m_packetsPerAck;
    m_owedFlits += flits;
    uint64_t* sums = &m_context->statistics.sums[GetSums(unit.accounting)];
    sums[PORT_CONTROL_FLITS] += flits;
    sums[PORT_TX_BYTES] += static_cast<uint64_t>(flits) * m_flit;
    sums[PORT_TX_PS] += static_cast<uint64_t>(GetTxTimePs(static_cast<uint64_t>(flits) * m_flit));
    if (!IsBusy())
    {
        SendControl();
    }
}

void
NvlinkDevice::OnTxDone()
{
    if (m_owedFlits != 0)
    {
        SendControl();
    }
}

void
NvlinkDevice::SendControl()
{
    int64_t now = m_context->kernel->NowPs();
    NS_LOG_DEBUG("port " << GetId() << " sends " << m_owedFlits << " control flits");
    m_controlTrace(m_owedFlits);
    m_controlUntilPs = std::max(m_controlUntilPs, now) + GetTxTimePs(static_cast<uint64_t>(m_owedFlits) * m_flit);
    m_owedFlits = 0;
    if (m_controlUntilPs - now > GetCreditFlightPs())
    {
        WakeAfter(m_controlUntilPs - now); // else the credit of what has arrived is under way for as long
    }
}

int64_t
NvlinkDevice::Retry(const PacketUnit& unit, int64_t txPs)
{
    LinkRetry::Cost cost = m_retry.Send(unit.wireBytes, unit.packets, GetFullPacketBytes(unit), txPs);
    if (cost.packets != 0)
    {
        NS_LOG_LOGIC("port " << GetId() << " sends " << cost.packets << " packets again, which costs " << cost.ps << " ps");
    }
    if (cost.packets != 0)
    {
        m_retryTrace(unit, cost.packets);
    }
    uint64_t* sums = &m_context->statistics.sums[GetSums(unit.accounting)];
    sums[PORT_RETRIED_PACKETS] += cost.packets;
    sums[PORT_TX_BYTES] += cost.bytes;
    sums[PORT_TX_PS] += static_cast<uint64_t>(cost.busyPs);
    return cost.ps;
}

int64_t
NvlinkDevice::OnTransmit(PacketUnit& unit, int64_t txPs)
{
    CreditPort::OnTransmit(unit, txPs);
    int64_t waitPs = std::max<int64_t>(0, m_controlUntilPs - m_context->kernel->NowPs());
    return m_retry.IsOn() ? waitPs + Retry(unit, txPs) : waitPs;
}

uint32_t
NvlinkDevice::GetFullPacketBytes(const PacketUnit& unit) const
{
    uint32_t payload = std::min(unit.payloadBytes, GetPacketPayload(unit.packetPayload));
    return GetHeaderBytes(unit) + (payload + m_flit - 1) / m_flit * m_flit;
}

NvlinkHeader
NvlinkDevice::MakeHeader(const PacketUnit& unit, uint32_t i) const
{
    uint32_t payload = GetPacketPayload(unit.packetPayload);
    uint32_t before = std::min(i * payload, unit.payloadBytes);
    NvlinkHeader header;
    header.source = unit.source;
    header.destination = unit.destination;
    header.bytes = std::max(NvlinkHeader::SIZE, static_cast<uint16_t>(GetHeaderBytes(unit)));
    header.channel = unit.channel;
    header.flags = unit.flags;
    header.payloadBytes = static_cast<uint16_t>(std::min(payload, unit.payloadBytes - before));
    header.kind = static_cast<uint8_t>(unit.kind);
    header.number = i;
    return header;
}

Ptr<Packet>
NvlinkDevice::MakePacket(const PacketUnit& unit, uint32_t i) const
{
    NvlinkHeader header = MakeHeader(unit, i);
    // a user's packet of several wire packets is shown in pieces
    Ptr<Packet> packet = unit.flags & UNIT_RAW ? unit.packet->CreateFragment(i * m_payload, header.payloadBytes)
                                               : Create<Packet>(header.payloadBytes);
    packet->AddHeader(header);
    return packet;
}

uint32_t
NvlinkDevice::ResolveDestination(const Address& address) const
{
    return GpuEndpoint::ResolveAddress(address);
}

bool
NvlinkDevice::Leads(uint32_t gpu) const
{
    auto chip = dynamic_cast<const NvSwitch*>(&GetPeer()->GetElement());
    auto other = dynamic_cast<const GpuEndpoint*>(&GetPeer()->GetElement());
    if ((chip && !chip->Reaches(gpu)) || (other && other->GetGpu() != gpu))
    {
        return false;
    }
    const auto& stripe = static_cast<const GpuEndpoint&>(GetElement()).GetStripe(gpu);
    return std::find(stripe.begin(), stripe.end(), GetElementIndex()) != stripe.end();
}

bool
NvlinkDevice::SendRaw(PacketUnit& unit)
{
    auto gpu = dynamic_cast<GpuEndpoint*>(&GetElement());
    if (!gpu || unit.destination == gpu->GetGpu() || !Leads(unit.destination))
    {
        return false;
    }
    if (GetWireBytes(unit) > static_cast<const NvlinkDevice*>(GetPeer())->GetCreditWindow())
    {
        return false; // it goes as one unit, for which there would never be credit
    }
    unit.source = gpu->GetGpu();
    if (unit.packets == 1)
    {
        // the unit carries a copy with its header, so that captures show it; the caller's packet stays as it is
        Ptr<Packet> framed = unit.packet->Copy();
        framed->AddHeader(MakeHeader(unit, 0));
        unit.packet->Unref();
        framed->Ref();
        unit.packet = PeekPointer(framed);
    }
    return gpu->QueueRaw(GetElementIndex(), unit);
}

void
NvlinkDevice::DeliverUsersPacket(PacketUnit& unit)
{
    if (unit.packets == 1)
    {
        NvlinkHeader header;
        unit.packet->RemoveHeader(header);
    }
    DeliverRaw(unit);
}

} // namespace hbd
} // namespace ns3
