/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-rdma-nic.h"

#include "hbd-fixed-window.h"
#include "hbd-gpu-endpoint.h"
#include "hbd-hash.h"
#include "hbd-roce-headers.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

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
                          MakeUintegerAccessor(&RdmaNic::m_ackEvery),
                          MakeUintegerChecker<uint32_t>(1))
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
                          MakeTypeIdChecker());
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
    m_maxPackets = maxPackets;
    m_mtu = ethernet->GetPacketPayload();
    if (host->GetPacketPayload() != m_mtu || gpuPort->GetPacketPayload() != m_mtu)
    {
        throw std::invalid_argument("the host link and the Ethernet port of a NIC need the same PacketPayload");
    }
    if (m_dataPriority == m_controlPriority)
    {
        throw std::invalid_argument("data and acknowledgements need different priorities");
    }
    if (m_window < m_mtu)
    {
        throw std::invalid_argument("a window of " + std::to_string(m_window) + " B is smaller than one packet of " +
                                    std::to_string(m_mtu) + " B");
    }
    m_id = context.kernel->Register(this);
    m_pairs.resize(gpus);
    m_ready.Resize(gpus);
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

RdmaQueuePair&
RdmaNic::GetQueuePair(uint32_t remote)
{
    std::unique_ptr<RdmaQueuePair>& pair = m_pairs[remote];
    if (!pair)
    {
        ObjectFactory factory;
        factory.SetTypeId(m_congestionControl);
        Ptr<CongestionControl> control = factory.Create<CongestionControl>();
        CongestionSetup setup;
        setup.nowPs = m_context->kernel->NowPs();
        setup.lineBitRate = m_lineBitRate;
        setup.windowBytes = m_window;
        setup.mtu = m_mtu;
        control->Setup(setup);
        pair = std::make_unique<RdmaQueuePair>(m_gpu, remote, control);
    }
    return *pair;
}

void
RdmaNic::Start(uint32_t message)
{
    RdmaQueuePair& pair = GetQueuePair(m_context->messages[message].destination);
    NS_LOG_LOGIC("message " << message << ", " << m_context->messages[message].bytes << " B, waits its turn on the queue pair to GPU "
                           << pair.GetRemote());
    pair.Push(message);
    UpdateReady(pair);
}

void
RdmaNic::UpdateReady(RdmaQueuePair& pair)
{
    bool ready = pair.CanSend(m_context->messages, m_mtu, m_maxPackets);
    m_ready.Set(pair.GetRemote(), ready);
    if (ready)
    {
        m_gpuPort->RequestArbitration();
    }
}

PacketUnit*
RdmaNic::NextUnit()
{
    uint32_t remote = m_ready.Next(m_pointer);
    if (remote == RoundRobinSet::NONE)
    {
        return nullptr;
    }
    RdmaQueuePair& pair = *m_pairs[remote];
    uint32_t wireBytes = m_gpuPort->GetWireBytes(pair.GetNextPayload(m_context->messages, m_mtu, m_maxPackets));
    if (!m_gpuPort->HasCredit(0, wireBytes))
    {
        m_gpuPort->NoteStall(pair.GetNextAccounting(m_context->messages));
        return nullptr;
    }
    PacketUnit& unit = m_context->units.Allocate();
    pair.Cut(unit, m_context->messages, m_mtu, m_maxPackets);
    m_pointer = remote + 1 == m_gpus ? 0 : remote + 1;
    PaceAfter(pair, unit);
    m_ready.Set(remote, pair.CanSend(m_context->messages, m_mtu, m_maxPackets));
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
        m_context->kernel->ScheduleTimer(RecordKind::TIMER, pacingPs, m_id, pair.GetRemote());
    }
}

void
RdmaNic::OnRecord(RecordKind kind, uint32_t /* port */, uint32_t argument)
{
    if (kind == RecordKind::ARRIVAL)
    {
        SendAck(argument);
        return;
    }
    NS_ABORT_MSG_IF(kind != RecordKind::TIMER, "a NIC has no records of kind " << static_cast<int>(kind));
    RdmaQueuePair& pair = *m_pairs[argument];
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
        RdmaQueuePair& pair = *m_pairs[unit.source];
        pair.OnAck(m_context->kernel->NowPs(), unit.payloadBytes, (unit.flags & UNIT_ECN_MARKED) != 0);
        m_context->units.Free(unit);
        UpdateReady(pair);
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
RdmaNic::ReceiveData(PacketUnit& unit)
{
    if (!(unit.flags & UNIT_HELD))
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
        if (GetQueuePair(unit.source).OnData(unit, m_ackEvery))
        {
            AcknowledgeAt(unit.tailPs, unit.source);
        }
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
RdmaNic::AcknowledgeAt(int64_t tailPs, uint32_t remote)
{
    int64_t untilTail = tailPs - m_context->kernel->NowPs();
    if (untilTail > 0)
    {
        m_context->kernel->Schedule(RecordKind::ARRIVAL, untilTail, m_id, remote);
        return;
    }
    SendAck(remote);
}

void
RdmaNic::SendAck(uint32_t remote)
{
    PacketUnit& unit = m_context->units.Allocate();
    m_pairs[remote]->MakeAck(unit);
    unit.channel = m_controlPriority;
    QueueForNetwork(unit);
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

void
RdmaNic::SaveState(std::vector<uint32_t>& words) const
{
    words.push_back(m_pointer);
    words.push_back(m_toNetwork.GetPointer());
    size_t count = words.size();
    words.push_back(0);
    for (uint32_t remote = 0; remote < m_gpus; remote++)
    {
        // a queue pair whose state is as after its set-up counts as none: which pairs exist is history
        size_t start = words.size();
        if (m_pairs[remote])
        {
            words.push_back(remote);
            words.push_back(0);
            m_pairs[remote]->GetControl().SaveState(m_context->kernel->NowPs(), words);
            auto length = static_cast<uint32_t>(words.size() - start - 2);
            words[start + 1] = length;
            if (length == 0)
            {
                words.resize(start);
                continue;
            }
            words[count]++;
        }
    }
}

void
RdmaNic::RestoreState(const uint32_t*& words)
{
    m_pointer = *words++;
    m_toNetwork.SetPointer(*words++);
    uint32_t count = *words++;
    uint32_t remote = 0;
    int64_t nowPs = m_context->kernel->NowPs();
    for (uint32_t i = 0; i <= count; i++)
    {
        uint32_t next = i < count ? words[0] : m_gpus;
        for (; remote < next; remote++)
        {
            if (m_pairs[remote])
            {
                m_pairs[remote]->GetControl().RestoreState(nowPs, nullptr, 0);
            }
        }
        if (i < count)
        {
            GetQueuePair(next).GetControl().RestoreState(nowPs, words + 2, words[1]);
            words += 2 + words[1];
            remote = next + 1;
        }
    }
}

bool
RdmaNic::IsDrained() const
{
    for (const auto& pair : m_pairs)
    {
        if (pair && !pair->IsIdle())
        {
            return false;
        }
    }
    return m_toNetwork.IsEmpty() && m_toHost.IsEmpty() && m_buffer.IsEmpty() && m_host->IsIdle() &&
           m_ethernet->IsIdle();
}

void
RdmaNic::DescribeBlocked(std::vector<std::string>& lines) const
{
    for (const auto& pair : m_pairs)
    {
        if (pair && !pair->IsIdle())
        {
            std::ostringstream line;
            line << "queue pair to gpu" << pair->GetRemote() << ": " << pair->GetWaiting() << " messages wait, "
                 << pair->GetUnacknowledged() << " B are not acknowledged";
            lines.push_back(line.str());
        }
    }
    uint32_t ready = m_ready.Next(m_pointer);
    if (ready != RoundRobinSet::NONE)
    {
        uint32_t payload = m_pairs[ready]->GetNextPayload(m_context->messages, m_mtu, m_maxPackets);
        uint32_t bytes = m_gpuPort->GetWireBytes(payload);
        std::ostringstream line;
        line << "the GPU's end of the host link (port " << m_gpuPort->GetId() << ") has "
             << (m_gpuPort->HasCredit(0, bytes) ? "credit" : "no credit") << " for the next " << bytes << " B";
        lines.push_back(line.str());
    }
    if (!m_toNetwork.IsEmpty())
    {
        std::ostringstream line;
        line << m_toNetwork.GetUnits() << " units, " << m_ethernet->GetQueuedBytes()
             << " B wait for the Ethernet port (port " << m_ethernet->GetId() << ")"
             << (m_ethernet->GetPaused() != 0 ? ", paused by the switch" : "");
        lines.push_back(line.str());
    }
    if (!m_toHost.IsEmpty())
    {
        std::ostringstream line;
        line << m_host->GetQueuedBytes() << " B wait for the host link (port " << m_host->GetId() << ")";
        lines.push_back(line.str());
    }
}

void
RdmaNic::GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const
{
    if (!m_toNetwork.IsEmpty())
    {
        waits.emplace_back(m_gpuPort->GetId(), m_ethernet->GetId());
    }
    if (!m_toHost.IsEmpty() && m_buffer.IsPaused(0, m_dataPriority))
    {
        waits.emplace_back(m_ethernet->GetPeer()->GetId(), m_host->GetId());
    }
}

} // namespace hbd
} // namespace ns3
