/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-rdma-nic.h"

#include "hbd-algorithm-table.h"
#include "hbd-fixed-window.h"
#include "hbd-gpu-endpoint.h"
#include "hbd-hash.h"
#include "hbd-roce-headers.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdRdmaNic");

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("Hbd")
            .AddConstructor<RdmaNic>()
            .AddAttribute(
                "Window",
                "Most unacknowledged payload per queue pair, in bytes. Default: an assumption, several times the "
                "bandwidth-delay product of 400 Gb/s and 5 us.",
                UintegerValue(1 << 20),
                MakeUintegerAccessor(&RdmaNic::m_window),
                MakeUintegerChecker<uint64_t>(1, 1ULL << 31))
            .AddAttribute("AckEvery",
                          "Data units of a queue pair per acknowledgement; the last one of a message, and one that "
                          "fills the window, are always acknowledged. Default: each, an assumption.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaNic::SetAckEvery, &RdmaNic::GetAckEvery),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("QueuePairs",
                          "Queue pairs to each other NIC, which messages take in turn. Each is a flow of its own to ECMP. "
                          "Default: 1, as NCCL_IB_QPS_PER_CONNECTION.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaNic::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 65535))
            .AddAttribute("Recovery",
                          "What happens when packets are missing: go-back-n or selective-repeat. Selective repeat also "
                          "takes packets in any order. Default: go-back-n, as RoCE NICs do unless told otherwise.",
                          StringValue("go-back-n"),
                          MakeStringAccessor(&RdmaNic::m_recovery),
                          MakeStringChecker())
            .AddAttribute("ReorderPackets",
                          "Selective repeat: packets that may overtake one before that counts as lost. 0 where all take "
                          "one way; where packets are sprayed, more than ways of different lengths can cause.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNic::SetReorderPackets, &RdmaNic::GetReorderPackets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RetransmitTimeout",
                          "Unacknowledged data are sent again after this time without progress. Default: 4.096 us x 2^14, "
                          "the usual local ACK timeout (InfiniBand Architecture Specification 1.5, 9.9.2.4.1; perftest).",
                          TimeValue(NanoSeconds(67108864)),
                          MakeTimeAccessor(&RdmaNic::m_timeout),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("RetryCount",
                          "Timeouts in a row after which a queue pair gives up, which is an error. Default: 7, the most "
                          "that its field of 3 bits takes and what NCCL uses.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaNic::SetRetryCount, &RdmaNic::GetRetryCount),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("CnpInterval",
                          "Least time between two congestion notification packets of a queue pair. Default: "
                          "MIN_TIME_BETWEEN_CNPS of ConnectX-5.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&RdmaNic::m_cnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DataPriority",
                          "Priority of data; the switches must have it among their LosslessPriorities. Default: 3, as "
                          "RoCE is usually "
                          "deployed.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaNic::m_dataPriority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("ControlPriority",
                          "Priority of acknowledgements. Default: CNP_802P_PRIO of ConnectX-5.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RdmaNic::m_controlPriority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute(
                "ReceiveBuffer",
                "Memory for data on its way to the GPU, headroom included, in bytes. Not published; an assumption.",
                UintegerValue(4 << 20),
                MakeUintegerAccessor(&RdmaNic::m_receiveBufferSize),
                MakeUintegerChecker<uint64_t>(1, 1ULL << 32))
            .AddAttribute(
                "Headroom",
                "Part of ReceiveBuffer for what arrives after XOFF, in bytes. Default: as a 400G switch port.",
                UintegerValue(612140),
                MakeUintegerAccessor(&RdmaNic::m_headroom),
                MakeUintegerChecker<uint64_t>(0, 1ULL << 32))
            .AddAttribute("XonOffset",
                          "XON is sent that many bytes below the XOFF threshold. Default: as a 400G switch port.",
                          UintegerValue(3556),
                          MakeUintegerAccessor(&RdmaNic::m_xonOffset),
                          MakeUintegerChecker<uint64_t>(0, 1ULL << 32))
            .AddAttribute("PfcAlpha",
                          "The NIC pauses its switch when the receive buffer holds more than PfcAlpha x its free part. "
                          "Default: as a "
                          "400G switch port.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&RdmaNic::m_alpha),
                          MakeDoubleChecker<double>(1.0 / 1024, 1024))
            .AddAttribute(
                "ProcessingDelay",
                "Time from the first packet of a unit at one port to where the other port may send it, each way. Not "
                "published; with 250 ns an 8 B write between two NICs takes the usual 1 us.",
                TimeValue(NanoSeconds(250)),
                MakeTimeAccessor(&RdmaNic::m_processing),
                MakeTimeChecker(Time(0)))
            .AddAttribute("CongestionControl",
                          "TypeId of the CongestionControl of each queue pair.",
                          TypeIdValue(FixedWindow::GetTypeId()),
                          MakeTypeIdAccessor(&RdmaNic::m_congestionControl),
                          MakeTypeIdChecker())
            .AddAttribute("CongestionParameters",
                          "Attributes of it that are not at their defaults, as `Name=value, Name=value`.",
                          StringValue(""),
                          MakeStringAccessor(&RdmaNic::m_congestionParameters),
                          MakeStringChecker())
            .AddTraceSource("QueuePair",
                            "A queue pair is made: what wants to see its rate connects to its CongestionControl.",
                            MakeTraceSourceAccessor(&RdmaNic::m_pairTrace),
                            "ns3::hbd::RdmaNic::QueuePairTracedCallback")
            .AddTraceSource("Retransmit",
                            "A data unit is sent again.",
                            MakeTraceSourceAccessor(&RdmaNic::m_retransmitTrace),
                            "ns3::hbd::RdmaNic::PairEventTracedCallback")
            .AddTraceSource("CnpSent",
                            "A congestion notification packet is sent.",
                            MakeTraceSourceAccessor(&RdmaNic::m_cnpSentTrace),
                            "ns3::hbd::RdmaNic::PairEventTracedCallback")
            .AddTraceSource("CnpReceived",
                            "A congestion notification packet has come.",
                            MakeTraceSourceAccessor(&RdmaNic::m_cnpReceivedTrace),
                            "ns3::hbd::RdmaNic::PairEventTracedCallback");
    return tid;
}

void
RdmaNic::DoDispose()
{
    m_host = nullptr;
    m_gpuPort = nullptr;
    m_ethernet = nullptr;
    m_pairs.clear();
    Object::DoDispose();
}

void
RdmaNic::Setup(FabricContext& context,
               uint32_t gpu,
               uint32_t gpus,
               Ptr<HostLinkDevice> host,
               Ptr<HostLinkDevice> gpuPort,
               Ptr<EthernetDevice> ethernet,
               DataRate lineRate,
               uint32_t maxPackets)
{
    m_context = &context;
    m_gpu = gpu;
    m_gpus = gpus;
    m_host = host;
    m_gpuPort = gpuPort;
    m_ethernet = ethernet;
    m_lineBitRate = lineRate.GetBitRate();
    m_transport.maxPackets = maxPackets;
    m_transport.mtu = ethernet->GetPacketPayload();
    m_transport.timeoutPs = m_timeout.GetPicoSeconds();
    m_transport.cnpIntervalPs = m_cnpInterval.GetPicoSeconds();
    m_transport.recovery =
        m_recovery == "go-back-n" ? RdmaRecovery::GO_BACK_N : RdmaRecovery::SELECTIVE_REPEAT;
    CheckAttributes();
    m_id = context.kernel->Register(this);
    m_pairs.resize(static_cast<size_t>(gpus) * m_queuePairs);
    m_nextPair.assign(m_queuePairs == 1 ? 0 : gpus, 0);
    m_ready.Resize(gpus * m_queuePairs);
    m_toNetwork.SetControl(m_controlPriority);
    SharedBufferConfig buffer;
    buffer.size = static_cast<int64_t>(m_receiveBufferSize);
    buffer.headroom = static_cast<int64_t>(m_headroom);
    buffer.xonOffset = static_cast<int64_t>(m_xonOffset);
    buffer.alpha = m_alpha;
    buffer.lossless = static_cast<uint8_t>(1U << m_dataPriority);
    m_buffer.Configure(buffer);
    ethernet->SetAddress(GpuEndpoint::MakeAddress(gpu, 0xff));
}

void
RdmaNic::CheckAttributes() const
{
    if (m_host->GetPacketPayload() != m_transport.mtu || m_gpuPort->GetPacketPayload() != m_transport.mtu)
    {
        throw std::invalid_argument("the host link and the Ethernet port of a NIC need the same PacketPayload");
    }
    if (m_dataPriority == m_controlPriority)
    {
        throw std::invalid_argument("data and acknowledgements need different priorities");
    }
    if (m_window < m_transport.mtu)
    {
        throw std::invalid_argument("a window of " + std::to_string(m_window) + " B is smaller than one packet of " +
                                    std::to_string(m_transport.mtu) + " B");
    }
    if (m_recovery != "go-back-n" && m_recovery != "selective-repeat")
    {
        throw std::invalid_argument("Recovery is go-back-n or selective-repeat, not '" + m_recovery + "'");
    }
}

Ptr<CongestionControl>
RdmaNic::MakeControl(uint32_t remote) const
{
    ObjectFactory factory = MakeFactory(m_congestionControl, m_congestionParameters);
    Ptr<CongestionControl> control = factory.Create<CongestionControl>();
    CongestionSetup setup;
    setup.nowPs = m_context->kernel->NowPs();
    setup.lineBitRate = m_lineBitRate;
    setup.windowBytes = m_window;
    setup.mtu = m_transport.mtu;
    if (m_bound)
    {
        setup.baseRttPs = m_bound->GetRoundTripPs(m_gpu, remote);
        setup.hops = m_bound->GetEthernetHops(m_gpu, remote);
    }
    control->Setup(setup);
    if (control->NeedsTelemetry())
    {
        m_context->telemetry.Enable();
    }
    return control;
}

RdmaQueuePair&
RdmaNic::GetQueuePair(uint32_t remote, uint32_t number)
{
    std::unique_ptr<RdmaQueuePair>& pair = m_pairs[remote * m_queuePairs + number];
    if (!pair)
    {
        pair = std::make_unique<RdmaQueuePair>(m_gpu, remote, number, m_transport, MakeControl(remote));
        m_pairTrace(m_gpu, *pair);
    }
    return *pair;
}

void
RdmaNic::Start(uint32_t message)
{
    uint32_t remote = m_context->messages[message].destination;
    uint32_t number = 0;
    if (!m_nextPair.empty())
    {
        number = m_nextPair[remote];
        m_nextPair[remote] = static_cast<uint16_t>((number + 1) % m_queuePairs);
    }
    RdmaQueuePair& pair = GetQueuePair(remote, number);
    NS_LOG_LOGIC("message " << message << ", " << m_context->messages[message].bytes << " B, waits its turn on the queue pair to GPU "
                           << remote);
    if (pair.restCount != m_context->kernel->GetRestCount())
    {
        pair.restCount = m_context->kernel->GetRestCount();
        pair.GetControl().OnRest();
    }
    pair.sender.Push(message);
    UpdateReady(pair);
}

void
RdmaNic::UpdateReady(RdmaQueuePair& pair)
{
    bool ready = CanSend(pair);
    m_ready.Set(IndexOf(pair), ready);
    if (ready)
    {
        m_gpuPort->RequestArbitration();
    }
}

PacketUnit*
RdmaNic::NextUnit()
{
    uint32_t index = m_ready.Next(m_pointer);
    if (index == RoundRobinSet::NONE)
    {
        return nullptr;
    }
    RdmaQueuePair& pair = *m_pairs[index];
    uint32_t wireBytes = m_gpuPort->GetWireBytes(pair.sender.GetNextPayload(m_context->messages));
    if (!m_gpuPort->HasCredit(0, wireBytes))
    {
        m_gpuPort->NoteStall(pair.sender.GetNextAccounting(m_context->messages));
        return nullptr;
    }
    PacketUnit& unit = m_context->units.Allocate();
    unit.source = m_gpu;
    unit.destination = pair.GetRemote();
    unit.flowHash = pair.GetFlowHash();
    unit.packetPayload = static_cast<uint16_t>(pair.GetNumber());
    uint64_t resent = pair.sender.GetResent();
    pair.sender.Cut(unit, m_context->messages);
    if (pair.sender.GetResent() != resent)
    {
        m_retransmitTrace(m_gpu, pair.GetRemote(), pair.GetNumber(), unit.packets);
    }
    if (m_context->telemetry.IsEnabled())
    {
        m_context->telemetry[unit.index].hops = 0;
    }
    m_pointer = index + 1 == m_pairs.size() ? 0 : index + 1;
    PaceAfter(pair, unit);
    ArmTimer(pair);
    m_ready.Set(index, CanSend(pair));
    return &unit;
}

void
RdmaNic::PaceAfter(RdmaQueuePair& pair, const PacketUnit& unit)
{
    int64_t pacingPs = pair.GetControl().OnSend(m_context->kernel->NowPs(), m_ethernet->GetWireBytes(unit));
    if (pacingPs > 0)
    {
        NS_LOG_DEBUG("queue pair to GPU " << pair.GetRemote() << " waits " << pacingPs << " ps by its rate");
        pair.paced = true;
        m_context->kernel->ScheduleTimer(RecordKind::TIMER, pacingPs, m_id, IndexOf(pair) * 2 + PACING);
    }
}

void
RdmaNic::ArmTimer(RdmaQueuePair& pair)
{
    if (!m_context->mayLose || pair.timing || !pair.sender.IsOutstanding())
    {
        return;
    }
    int64_t nowPs = m_context->kernel->NowPs();
    int64_t waitPs = std::max<int64_t>(1, pair.sender.GetDuePs(nowPs) - nowPs);
    pair.timing = true;
    pair.timer = m_context->kernel->ScheduleTimer(RecordKind::TIMER, waitPs, m_id, IndexOf(pair) * 2 + RETRANSMIT);
}

void
RdmaNic::StopTimer(RdmaQueuePair& pair)
{
    if (pair.timing && !pair.sender.IsOutstanding())
    {
        m_context->kernel->CancelTimer(pair.timer);
        pair.timing = false;
    }
}

void
RdmaNic::OnRetransmitTimer(RdmaQueuePair& pair)
{
    pair.timing = false;
    int64_t nowPs = m_context->kernel->NowPs();
    if (pair.sender.IsOutstanding() && pair.sender.GetDuePs(nowPs) <= nowPs)
    {
        NS_LOG_INFO("queue pair to GPU " << pair.GetRemote() << " sends again after a timeout");
        if (!pair.sender.OnTimeout(nowPs))
        {
            std::ostringstream text;
            text << "queue pair " << pair.GetNumber() << " from GPU " << m_gpu << " to GPU " << pair.GetRemote()
                 << " gives up after " << m_transport.retries << " timeouts of " << m_timeout.As(Time::US) << ": "
                 << pair.sender.DescribeOldest(m_context->messages);
            throw std::runtime_error(text.str());
        }
    }
    ArmTimer(pair);
    UpdateReady(pair);
}

void
RdmaNic::OnRecord(RecordKind kind, uint32_t /* port */, uint32_t argument)
{
    if (kind == RecordKind::ARRIVAL)
    {
        QueueForNetwork(m_context->units.Get(argument));
        return;
    }
    NS_ABORT_MSG_IF(kind != RecordKind::TIMER, "a NIC has no records of kind " << static_cast<int>(kind));
    RdmaQueuePair& pair = *m_pairs[argument / 2];
    if (argument % 2 == RETRANSMIT)
    {
        OnRetransmitTimer(pair);
        return;
    }
    pair.paced = false;
    UpdateReady(pair);
}

bool
RdmaNic::HoldUntilGapless(FabricPort& in, FabricPort& out, PacketUnit& unit)
{
    if (unit.flags & UNIT_HELD)
    {
        unit.flags &= static_cast<uint8_t>(~UNIT_HELD);
        return false;
    }
    int64_t wait = out.GetGaplessStartPs(unit) - m_context->kernel->NowPs();
    if (wait <= 0)
    {
        return false;
    }
    unit.flags |= UNIT_HELD;
    m_context->kernel->Schedule(RecordKind::ARRIVAL, wait, in.GetId(), unit.index);
    return true;
}

void
RdmaNic::Arbitrate(uint32_t port)
{
    if (port == HOST_PORT)
    {
        SendToHost();
    }
    else
    {
        SendToNetwork();
    }
}

void
RdmaNic::SendToHost()
{
    if (m_toHostSending != 0)
    {
        // the port is free again: what it was sending has left the receive buffer
        uint32_t left = m_toHostSending;
        m_toHostSending = 0;
        if (m_buffer.Release(0, m_dataPriority, left))
        {
            m_ethernet->SendPause(m_dataPriority, false, m_toHostClass);
        }
    }
    if (m_toHost.IsEmpty())
    {
        return;
    }
    PacketUnit& unit = m_toHost.Front(m_context->units);
    if (!m_host->HasCredit(0, m_host->GetWireBytes(unit)))
    {
        m_host->NoteStall(unit.accounting);
        return;
    }
    m_toHost.Pop(m_context->units);
    m_host->AddQueued(unit, -static_cast<int64_t>(unit.wireBytes));
    m_toHostSending = unit.wireBytes;
    m_toHostClass = unit.accounting;
    unit.channel = 0;
    m_host->Transmit(unit);
}

void
RdmaNic::SendToNetwork()
{
    uint32_t priority = m_toNetwork.Select(m_ethernet->GetPaused());
    if (priority == PriorityQueues::PRIORITIES)
    {
        if (!m_toNetwork.IsEmpty())
        {
            m_ethernet->NotePaused(m_toNetwork.Front(m_context->units).accounting);
        }
        return;
    }
    PacketUnit& unit = m_toNetwork.Pop(m_context->units, priority);
    m_ethernet->AddQueued(unit, -static_cast<int64_t>(m_ethernet->GetWireBytes(unit)));
    bool fromHost = !(unit.flags & (UNIT_ACK | UNIT_RAW));
    uint32_t hostBytes = unit.wireBytes; // as it came over the host link
    m_ethernet->Transmit(unit);
    if (fromHost)
    {
        RdmaQueuePair& pair = *m_pairs[unit.destination * m_queuePairs + unit.packetPayload];
        pair.sender.OnWire(m_context->kernel->NowPs(), unit.sequence, unit.wireBytes);
        m_host->ReturnCredit(0, hostBytes, m_ethernet->GetTxTimePs(unit.wireBytes));
    }
}

void
RdmaNic::OnSent(uint32_t /* port */)
{
    // the buffer was given back, for this time, when the unit started
}

bool
RdmaNic::SendRaw(uint32_t port, PacketUnit& unit)
{
    if (port != ETHERNET_PORT || unit.destination >= m_gpus || unit.destination == m_gpu)
    {
        return false;
    }
    // the unit carries a copy with its Ethernet header, so that captures show the frame; the caller's packet stays as
    // it is
    Ptr<Packet> frame = unit.packet->Copy();
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(m_ethernet->GetAddress()));
    header.SetDestination(GpuEndpoint::MakeAddress(unit.destination, 0xff));
    header.SetLengthType(static_cast<uint16_t>(unit.sequence));
    frame->AddHeader(header);
    unit.packet->Unref();
    frame->Ref();
    unit.packet = PeekPointer(frame);
    unit.source = m_gpu;
    unit.flowHash = FlowHash(m_gpu, unit.destination, 1); // 0 is the queue pair between them
    unit.channel = m_dataPriority;
    QueueForNetwork(unit);
    return true;
}

void
RdmaNic::ReceiveRaw(PacketUnit& unit)
{
    EthernetHeader header(false);
    unit.packet->RemoveHeader(header);
    m_ethernet->DeliverRaw(unit);
    m_context->units.Free(unit);
}

} // namespace hbd
} // namespace ns3
