/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric-port.h"

#include "hbd-gpu-endpoint.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdFabricPort");

NS_OBJECT_ENSURE_REGISTERED(FabricChannel);
NS_OBJECT_ENSURE_REGISTERED(FabricPort);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::FabricChannel")
                            .SetParent<Channel>()
                            .SetGroupName("Hbd")
                            .AddConstructor<FabricChannel>()
                            .AddAttribute("Delay",
                                          "One-way propagation delay of the cable.",
                                          TimeValue(NanoSeconds(100)),
                                          MakeTimeAccessor(&FabricChannel::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

std::size_t
FabricChannel::GetNDevices() const
{
    return m_devices[0] ? 2 : 0;
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_devices[i];
}

void
FabricChannel::Attach(Ptr<NetDevice> a, Ptr<NetDevice> b)
{
    m_devices[0] = a;
    m_devices[1] = b;
}

TypeId
FabricPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::FabricPort")
            .SetParent<NetDevice>()
            .SetGroupName("Hbd")
            .AddAttribute("DataRate",
                          "Raw rate of the wire in this direction, headers included.",
                          DataRateValue(DataRate("400Gbps")),
                          MakeDataRateAccessor(&FabricPort::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("ProcessingDelay",
                          "Time from the arrival of a unit at this port to when it can be sent on or is complete "
                          "(switch forwarding latency, end-point receive latency).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricPort::m_processing),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Mtu",
                          "Most bytes of a packet given to Send.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&FabricPort::SetMtu, &FabricPort::GetMtu),
                          MakeUintegerChecker<uint16_t>())
            .AddTraceSource("MacTx",
                            "A wire packet starts on the link, headers included. Those of a unit fire together; of one that bit errors delay, when "
                            "all that is repeated has been.",
                            MakeTraceSourceAccessor(&FabricPort::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A wire packet of a unit that has arrived from the link, headers included. Fires once the "
                            "head of the unit (at an end point, its last byte) is here and this port's ProcessingDelay "
                            "is over.",
                            MakeTraceSourceAccessor(&FabricPort::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("UnitTx",
                            "A unit starts on the link; at the time of MacTx.",
                            MakeTraceSourceAccessor(&FabricPort::m_unitTxTrace),
                            "ns3::hbd::FabricPort::UnitTracedCallback")
            .AddTraceSource("UnitRx",
                            "A unit has arrived from the link; at the time of MacRx.",
                            MakeTraceSourceAccessor(&FabricPort::m_unitRxTrace),
                            "ns3::hbd::FabricPort::UnitTracedCallback");
    return tid;
}

FabricPort::FabricPort() = default;

FabricPort::~FabricPort() = default;

void
FabricPort::DoDispose()
{
    m_channel = nullptr;
    m_node = nullptr;
    m_peer = nullptr;
    m_receive = NetDevice::ReceiveCallback();
    m_promiscReceive = NetDevice::PromiscReceiveCallback();
    NetDevice::DoDispose();
}

void
FabricPort::AttachTo(FabricContext& context, FabricElement& element, uint32_t index)
{
    m_context = &context;
    m_element = &element;
    m_index = index;
    m_id = context.kernel->Register(this);
    m_sums = context.statistics.AddSums(PORT_SUM_COUNT * context.accountingClasses);
    m_maxima = context.statistics.AddMaxima(context.accountingClasses);
    m_integrals = context.statistics.AddIntegrals(context.accountingClasses);
}

void
FabricPort::Connect(Ptr<FabricPort> a, Ptr<FabricPort> b, Ptr<FabricChannel> channel)
{
    channel->Attach(a, b);
    a->m_channel = channel;
    b->m_channel = channel;
    a->m_peer = PeekPointer(b);
    b->m_peer = PeekPointer(a);
}

void
FabricPort::Start()
{
    NS_ABORT_MSG_IF(!m_channel, "a port is started before it is connected");
    ChangeRate(m_rate);
    m_delayPs = m_channel->GetDelay().GetPicoSeconds();
    m_processingPs = m_processing.GetPicoSeconds();
    RefreshWatched();
}

void
FabricPort::ChangeRate(DataRate rate)
{
    m_rate = rate;
    m_bitRate = m_rate.GetBitRate();
    NS_ABORT_MSG_IF(m_bitRate == 0, "a port's DataRate is 0");
    m_psPerByte = 8000000000000ULL % m_bitRate == 0 ? 8000000000000ULL / m_bitRate : 0;
}

void
FabricPort::Drop(PacketUnit& unit)
{
    m_context->statistics.sums[GetSums(unit.accounting) + PORT_DROPS] += unit.packets;
    m_context->statistics.sums[m_context->globalSums + SUM_DROPS] += unit.packets;
    m_context->units.Free(unit);
}

void
FabricPort::Transmit(PacketUnit& unit)
{
    NS_ABORT_MSG_IF(m_busy, "port " << m_id << " is busy");
    uint32_t wireBytes = GetWireBytes(unit);
    int64_t txPs = GetTxTimePs(wireBytes);
    unit.wireBytes = wireBytes;
    m_busy = true;
    int64_t waitPs = OnTransmit(unit, txPs);
    CountTransmit(unit, wireBytes, txPs);
    int64_t headPs = txPs;
    if (!m_peer->m_element->IsEndPoint())
    {
        headPs = GetTxTimePs(std::min(wireBytes, GetHeadBytes(unit, wireBytes)));
    }
    int64_t flightPs = m_delayPs + m_peer->m_processingPs;
    FabricKernel& kernel = *m_context->kernel;
    m_busyUntilPs = kernel.NowPs() + waitPs + txPs;
    unit.tailPs = m_busyUntilPs + flightPs;
    unit.ingress = m_peer->m_index;
    if (m_unitTraced || m_watched)
    {
        if (waitPs == 0)
        {
            TraceStart(unit);
        }
        else
        {
            kernel.ScheduleTimer(RecordKind::TIMER, waitPs, m_id, unit.index);
        }
    }
    kernel.Schedule(RecordKind::TX_DONE, waitPs + txPs, m_id, 0);
    kernel.Schedule(RecordKind::ARRIVAL, waitPs + headPs + flightPs, m_peer->m_id, unit.index);
}

void
FabricPort::TraceStart(PacketUnit& unit)
{
    if (m_unitTraced)
    {
        m_unitTxTrace(unit);
    }
    if (m_watched)
    {
        TracePackets(m_macTxTrace, unit);
    }
}

void
FabricPort::CountTransmit(const PacketUnit& unit, uint32_t wireBytes, int64_t txPs)
{
    uint64_t* sums = &m_context->statistics.sums[GetSums(unit.accounting)];
    sums[PORT_TX_BYTES] += wireBytes;
    sums[PORT_TX_PACKETS] += unit.packets;
    sums[PORT_TX_PS] += static_cast<uint64_t>(txPs);
    if (!(unit.flags & (UNIT_ACK | UNIT_PAUSE))) // those use the field for something else
    {
        sums[PORT_TX_PAYLOAD] += unit.payloadBytes;
        uint64_t* global = &m_context->statistics.sums[m_context->globalSums];
        global[SUM_UNIT_HOPS]++;
        global[SUM_PACKET_HOPS] += unit.packets;
    }
}

int64_t
FabricPort::GetGaplessStartPs(const PacketUnit& unit) const
{
    uint32_t wireBytes = GetWireBytes(unit);
    int64_t lastPs = GetTxTimePs(std::min(wireBytes, GetGaplessBytes(unit, wireBytes)));
    return unit.tailPs - GetTxTimePs(wireBytes) + lastPs;
}

void
FabricPort::AddQueued(const PacketUnit& unit, int64_t bytes)
{
    FlushQueueIntegral();
    m_queuedBytes += static_cast<uint64_t>(bytes);
    m_queueClass = unit.accounting;
    uint64_t& maximum = m_context->statistics.maxima[GetMaximum(m_queueClass)];
    maximum = std::max(maximum, m_queuedBytes);
}

void
FabricPort::FlushQueueIntegral()
{
    int64_t now = m_context->kernel->NowPs();
    if (m_queuedBytes != 0)
    {
        m_context->statistics.integrals[GetIntegral(m_queueClass)] +=
            static_cast<WideInteger>(m_queuedBytes) * static_cast<uint64_t>(now - m_queueSincePs);
    }
    m_queueSincePs = now;
}

void
FabricPort::RefreshWatched()
{
    m_watched = !m_macTxTrace.IsEmpty() || !m_macRxTrace.IsEmpty();
    m_unitTraced = !m_unitTxTrace.IsEmpty() || !m_unitRxTrace.IsEmpty();
}

void
FabricPort::TracePackets(const TracedCallback<Ptr<const Packet>>& trace, PacketUnit& unit)
{
    if (trace.IsEmpty())
    {
        return;
    }
    if (unit.packets == 1)
    {
        if (!unit.packet)
        {
            unit.packet = GetPointer(MakePacket(unit, 0));
        }
        trace(Ptr<const Packet>(unit.packet));
        return;
    }
    for (uint32_t i = 0; i < unit.packets; i++)
    {
        trace(MakePacket(unit, i));
    }
}

void
FabricPort::OnRecord(RecordKind kind, uint32_t /* port */, uint32_t argument)
{
    switch (kind)
    {
    case RecordKind::TX_DONE:
        m_busy = false;
        OnTxDone();
        RequestArbitration();
        break;
    case RecordKind::CREDIT:
        OnCredit(argument);
        break;
    case RecordKind::TIMER:
        TraceStart(m_context->units.Get(argument));
        break;
    case RecordKind::ARRIVAL: {
        PacketUnit& unit = m_context->units.Get(argument);
        if (!(unit.flags & UNIT_HELD))
        {
            OnArrival(unit);
            if (m_unitTraced)
            {
                m_unitRxTrace(unit);
            }
            if (m_watched)
            {
                TracePackets(m_macRxTrace, unit);
            }
        }
        m_element->ReceiveUnit(m_index, unit);
        break;
    }
    default:
        NS_ABORT_MSG("a port has no records of kind " << static_cast<int>(kind));
    }
}

void
FabricPort::OnArbitration(uint32_t /* port */)
{
    m_arbitrationPending = false;
    if (!m_busy)
    {
        m_element->Arbitrate(m_index);
    }
}

void
FabricPort::DeliverRaw(PacketUnit& unit)
{
    Ptr<Packet> packet(unit.packet);
    if (!packet)
    {
        return;
    }
    // behind a switch, the ports of sender and receiver have the same number unless links are down
    uint8_t own[6];
    m_address.CopyTo(own);
    Mac48Address from = m_peer->m_element->IsEndPoint() ? m_peer->m_address : GpuEndpoint::MakeAddress(unit.source, own[1]);
    Mac48Address to = GpuEndpoint::MakeAddress(unit.destination, own[1]);
    auto protocol = static_cast<uint16_t>(unit.sequence);
    if (!m_promiscReceive.IsNull())
    {
        m_promiscReceive(this, packet, protocol, from, to, to == m_address ? PACKET_HOST : PACKET_OTHERHOST);
    }
    if (!m_receive.IsNull())
    {
        m_receive(this, packet, protocol, from);
    }
}

bool
FabricPort::Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol)
{
    if (!m_context || !m_peer)
    {
        return false; // no part of a fabric yet
    }
    uint32_t gpu = ResolveDestination(destination);
    if (gpu == NO_INDEX || packet->GetSize() > m_mtu)
    {
        return false;
    }
    m_context->kernel->NoteOutsideAction();
    PacketUnit& unit = m_context->units.Allocate();
    packet->Ref();
    unit.packet = PeekPointer(packet);
    unit.flags = UNIT_RAW | UNIT_FIRST | UNIT_LAST;
    unit.destination = gpu;
    unit.sequence = protocol;
    unit.payloadBytes = packet->GetSize();
    uint32_t payload = GetPacketPayload();
    unit.packets = static_cast<uint16_t>(std::max(1U, (unit.payloadBytes + payload - 1) / payload));
    if (!SendRaw(unit))
    {
        m_context->units.Free(unit);
        return false;
    }
    return true;
}

bool
FabricPort::SendFrom(Ptr<Packet> /* packet */, const Address& /* source */, const Address& /* destination */, uint16_t /* protocol */)
{
    return false;
}

void
FabricPort::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricPort::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricPort::GetChannel() const
{
    return m_channel;
}

void
FabricPort::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricPort::GetAddress() const
{
    return m_address;
}

bool
FabricPort::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
FabricPort::GetMtu() const
{
    return m_mtu;
}

bool
FabricPort::IsLinkUp() const
{
    return m_peer != nullptr;
}

void
FabricPort::AddLinkChangeCallback(Callback<void> /* callback */)
{
    // links come up before the run; those that can go down are EthernetDevice's
}

bool
FabricPort::IsBroadcast() const
{
    return false;
}

Address
FabricPort::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricPort::IsMulticast() const
{
    return false;
}

Address
FabricPort::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
FabricPort::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
FabricPort::IsPointToPoint() const
{
    return true;
}

bool
FabricPort::IsBridge() const
{
    return false;
}

Ptr<Node>
FabricPort::GetNode() const
{
    return m_node;
}

void
FabricPort::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FabricPort::NeedsArp() const
{
    return false;
}

void
FabricPort::SetReceiveCallback(NetDevice::ReceiveCallback callback)
{
    m_receive = callback;
}

void
FabricPort::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback callback)
{
    m_promiscReceive = callback;
}

bool
FabricPort::SupportsSendFrom() const
{
    return false;
}

} // namespace hbd
} // namespace ns3
