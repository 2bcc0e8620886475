/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-gpu-endpoint.h"

#include "hbd-hash.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdGpuEndpoint");

NS_OBJECT_ENSURE_REGISTERED(GpuEndpoint);

TypeId
GpuEndpoint::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::GpuEndpoint")
            .SetParent<Object>()
            .SetGroupName("Hbd")
            .AddConstructor<GpuEndpoint>()
            .AddAttribute("ReadLatency",
                          "Time that the memory of a GPU takes to answer a request that came over an NVLink: from its last byte's arrival to the "
                          "first byte of the answer. Not published; an assumption, 100 ns to 1 us are plausible (a miss in the L2 cache of recent "
                          "GPUs takes 300 to 500 ns as microbenchmarks measure it on the GPU itself).",
                          TimeValue(NanoSeconds(300)),
                          MakeTimeAccessor(&GpuEndpoint::m_readLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReadWindow",
                          "Most payload, in bytes, that a GPU has asked for on one NVLink and that is not here yet (reads, reductions in "
                          "switches); 0 = no limit. Not published; an assumption, 64 KiB to 4 MiB are plausible. It bounds the rate to this over the "
                          "round trip.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&GpuEndpoint::m_readWindow),
                          MakeUintegerChecker<uint32_t>(0, 1 << 26));
    return tid;
}

void
GpuEndpoint::DoDispose()
{
    m_links.clear();
    m_hostPort = nullptr;
    m_host = nullptr;
    Object::DoDispose();
}

void
GpuEndpoint::Setup(FabricContext& context,
                   uint32_t gpu,
                   const std::vector<Ptr<NvlinkDevice>>& links,
                   Ptr<CreditPort> hostPort,
                   HostUnitSource* host)
{
    m_context = &context;
    m_gpu = gpu;
    m_links = links;
    m_hostPort = hostPort;
    m_host = host;
    m_channels = links.empty() ? 1 : links.front()->GetVirtualChannels();
    NS_ABORT_MSG_IF(links.size() > AskedUnit::MOST_LINKS, "GPU " << gpu << " has more than " << AskedUnit::MOST_LINKS << " NVLinks");
    m_classes = 2 * m_channels;
    m_queues.assign(links.size() * m_classes, StreamQueue());
    m_classPointer.assign(links.size(), 0);
    m_turns.assign(links.size() * m_classes, KernelTurn());
    m_answers.assign(links.size(), {});
    m_askedBytes.assign(links.size(), 0);
    m_askWaits.assign(links.size(), false);
    for (uint32_t i = 0; i < links.size(); i++)
    {
        links[i]->SetAddress(MakeAddress(gpu, i));
    }
    m_stripes.lists.assign(1, std::vector<uint32_t>(links.size()));
    std::iota(m_stripes.lists.front().begin(), m_stripes.lists.front().end(), 0);
}

void
GpuEndpoint::SetStripes(const GpuStripes& stripes)
{
    m_stripes = stripes;
}

const std::vector<uint32_t>&
GpuEndpoint::GetStripe(uint32_t destination) const
{
    if (m_stripes.of.empty() || destination == NO_INDEX)
    {
        return m_stripes.lists.front();
    }
    return m_stripes.lists[m_stripes.of[destination - m_stripes.firstGpu]];
}

Mac48Address
GpuEndpoint::MakeAddress(uint32_t gpu, uint32_t port)
{
    // 02 = locally administered, unicast
    uint8_t bytes[6] = {0x02,
                        static_cast<uint8_t>(port),
                        static_cast<uint8_t>(gpu >> 24),
                        static_cast<uint8_t>(gpu >> 16),
                        static_cast<uint8_t>(gpu >> 8),
                        static_cast<uint8_t>(gpu)};
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

uint32_t
GpuEndpoint::ResolveAddress(const Address& address)
{
    if (!Mac48Address::IsMatchingType(address))
    {
        return NO_INDEX;
    }
    uint8_t bytes[6];
    Mac48Address::ConvertFrom(address).CopyTo(bytes);
    if (bytes[0] != 0x02)
    {
        return NO_INDEX;
    }
    return static_cast<uint32_t>(bytes[2]) << 24 | static_cast<uint32_t>(bytes[3]) << 16 | static_cast<uint32_t>(bytes[4]) << 8 |
           bytes[5];
}

uint32_t
GpuEndpoint::AllocateStream()
{
    m_activeStreams++;
    if (m_freeStreams == NO_INDEX)
    {
        m_streams.emplace_back();
        return static_cast<uint32_t>(m_streams.size() - 1);
    }
    uint32_t stream = m_freeStreams;
    m_freeStreams = m_streams[stream].next;
    return stream;
}

void
GpuEndpoint::FreeStream(uint32_t stream)
{
    m_streams[stream].next = m_freeStreams;
    m_freeStreams = stream;
    m_activeStreams--;
}

void
GpuEndpoint::PushStream(StreamQueue& queue, uint32_t stream)
{
    m_streams[stream].next = NO_INDEX;
    if (queue.tail == NO_INDEX)
    {
        queue.head = stream;
    }
    else
    {
        m_streams[queue.tail].next = stream;
    }
    queue.tail = stream;
}

uint32_t
GpuEndpoint::PopStream(StreamQueue& queue)
{
    uint32_t stream = queue.head;
    queue.head = m_streams[stream].next;
    if (queue.head == NO_INDEX)
    {
        queue.tail = NO_INDEX;
    }
    return stream;
}

void
GpuEndpoint::Start(uint32_t slot)
{
    const Message& message = m_context->messages[slot];
    NS_ABORT_MSG_IF(m_links.empty(), "GPU " << m_gpu << " has no NVLink");
    uint32_t payload = m_links.front()->GetPacketPayload(message.packetPayload);
    uint64_t packets = message.bytes == 0 ? 1 : (message.bytes + payload - 1) / payload;
    const std::vector<uint32_t>& stripe = GetStripe(message.source == m_gpu ? message.destination : message.source);
    NS_ABORT_MSG_IF(stripe.empty(), "GPU " << m_gpu << " has no link that leads to the other end of the message");
    auto links = static_cast<uint32_t>(stripe.size());
    uint32_t source = message.source == NO_INDEX ? m_gpu : message.source;
    uint32_t destination = message.destination == NO_INDEX ? m_gpu : message.destination;
    uint32_t first = (5 * source + 7 * destination) % links;
    for (uint32_t position = 0; position < links && position < packets; position++)
    {
        AddStream(stripe[(first + position) % links], slot, packets, position, links);
    }
}

void
GpuEndpoint::AddStream(uint32_t link, uint32_t slot, uint64_t packets, uint64_t position, uint64_t links)
{
    const Message& message = m_context->messages[slot];
    uint32_t payload = m_links[link]->GetPacketPayload(message.packetPayload);
    uint32_t number = AllocateStream();
    Stream& stream = m_streams[number];
    stream.message = slot;
    stream.units = PacketUnitQueue();
    stream.packets = (packets - position + links - 1) / links;
    stream.links = static_cast<uint32_t>(links);
    stream.first = true;
    stream.carriesFirst = position == 0;
    stream.carriesLast = (packets - 1) % links == position;
    stream.lastBytes = stream.carriesLast ? static_cast<uint32_t>(message.bytes - (packets - 1) * payload) : payload;
    PushStream(GetQueue(link, GetClass(message.channel, message.copyRate != 0)), number);
    m_links[link]->RequestArbitration();
}

bool
GpuEndpoint::QueueRaw(uint32_t link, PacketUnit& unit)
{
    if (link >= m_links.size())
    {
        return false;
    }
    unit.source = m_gpu;
    QueueUnit(link, unit);
    return true;
}

void
GpuEndpoint::QueueUnit(uint32_t link, PacketUnit& unit)
{
    auto& answers = m_answers[link];
    auto known = std::find_if(answers.begin(), answers.end(), [&unit](const auto& answer) { return answer.message == unit.message; });
    if (known != answers.end())
    {
        m_streams[known->stream].units.Push(m_context->units, unit);
        return;
    }
    uint32_t number = AllocateStream();
    m_streams[number] = Stream{unit.message, PacketUnitQueue(), NO_INDEX, 0, 0, 0, false, false, false};
    m_streams[number].units.Push(m_context->units, unit);
    answers.push_back(AnswerStream{unit.message, number});
    PushStream(GetQueue(link, GetClass(unit.channel, false)), number);
    m_links[link]->RequestArbitration();
}

PacketUnit&
GpuEndpoint::TakeUnit(uint32_t link, uint32_t number)
{
    PacketUnit& unit = m_streams[number].units.Pop(m_context->units);
    if (m_streams[number].units.IsEmpty())
    {
        auto& answers = m_answers[link];
        auto at = std::find_if(answers.begin(), answers.end(), [number](const auto& answer) { return answer.stream == number; });
        *at = answers.back();
        answers.pop_back();
    }
    return unit;
}

uint32_t
GpuEndpoint::PeekPayload(const Stream& stream, uint32_t packets, uint32_t packetPayload) const
{
    return packets == stream.packets ? (packets - 1) * packetPayload + stream.lastBytes : packets * packetPayload;
}

PacketUnit
GpuEndpoint::LookAt(const Stream& stream, uint32_t link) const
{
    if (!stream.units.IsEmpty())
    {
        return stream.units.Front(m_context->units);
    }
    const Message& message = m_context->messages[stream.message];
    PacketUnit look{};
    look.message = stream.message;
    look.source = m_gpu;
    look.destination = message.kind == MessageKind::READ ? message.source : message.destination;
    look.packets = static_cast<uint16_t>(std::min<uint64_t>(message.burstPackets, stream.packets));
    look.packetPayload = static_cast<uint16_t>(m_links[link]->GetPacketPayload(message.packetPayload));
    look.payloadBytes = PeekPayload(stream, look.packets, look.packetPayload);
    look.channel = message.channel;
    look.accounting = message.accounting;
    if (message.kind == MessageKind::MULTICAST)
    {
        look.kind = UnitKind::MULTICAST;
    }
    else if (message.IsAsking())
    {
        look.kind = message.kind == MessageKind::READ ? UnitKind::READ_REQUEST : UnitKind::REDUCE_REQUEST;
        look.destination = message.kind == MessageKind::READ ? message.source : NO_INDEX;
        look.sequence = AskedUnit::Pack(link, look.payloadBytes);
        look.payloadBytes = 0;
    }
    return look;
}

PacketUnit&
GpuEndpoint::CutUnit(Stream& stream, const PacketUnit& look)
{
    PacketUnit& unit = m_context->units.Copy(look);
    if (stream.first && stream.carriesFirst)
    {
        unit.flags |= UNIT_FIRST;
    }
    if (unit.kind < UnitKind::MULTICAST)
    {
        unit.flowHash = FlowHash(unit.source, unit.destination, static_cast<uint32_t>(stream.packets));
    }
    stream.packets -= look.packets;
    stream.first = false;
    if (stream.packets == 0 && stream.carriesLast)
    {
        unit.flags |= UNIT_LAST;
    }
    return unit;
}

bool
GpuEndpoint::SendFrom(uint32_t link, uint32_t trafficClass)
{
    StreamQueue& queue = GetQueue(link, trafficClass);
    bool paced = trafficClass % 2 != 0;
    NvlinkDevice& device = *m_links[link];
    PacketUnit look = LookAt(m_streams[queue.head], link);
    bool asks = IsRequest(look);
    uint32_t asked = asks ? AskedUnit::GetBytes(look) : 0;
    if (paced && !HasTurn(link, trafficClass, asks ? asked : look.payloadBytes))
    {
        return false;
    }
    if (asks && !MayAsk(link, asked))
    {
        m_askWaits[link] = true;
        return false;
    }
    if (!device.HasCredit(look.channel, device.GetWireBytes(look)))
    {
        device.NoteStall(look.accounting);
        return false;
    }
    uint32_t number = PopStream(queue);
    Stream& stream = m_streams[number];
    PacketUnit& unit = stream.units.IsEmpty() ? CutUnit(stream, look) : TakeUnit(link, number);
    if (stream.packets == 0 && stream.units.IsEmpty())
    {
        FreeStream(number);
    }
    else
    {
        PushStream(queue, number);
    }
    m_askedBytes[link] += asked;
    device.Transmit(unit);
    if (paced)
    {
        EndTurn(link, trafficClass, device.GetTxTimePs(unit.wireBytes));
    }
    return true;
}

bool
GpuEndpoint::HasTurn(uint32_t link, uint32_t trafficClass, uint64_t payload)
{
    constexpr uint64_t SECOND = 1000000000000;
    int64_t now = m_context->kernel->NowPs();
    KernelTurn& turn = m_turns[link * m_classes + trafficClass];
    if (turn.startPs == NO_TURN)
    {
        const Stream& stream = m_streams[GetQueue(link, trafficClass).head];
        uint64_t copyRate = m_context->messages[stream.message].copyRate;
        turn.takesPs = static_cast<int64_t>((static_cast<WideInteger>(payload) * SECOND + copyRate - 1) / copyRate);
        turn.startPs = std::max(now, m_kernelFreePs - (stream.links - 1) * turn.takesPs);
        m_kernelFreePs = std::max(now, m_kernelFreePs) + turn.takesPs;
        if (turn.startPs > now)
        {
            m_links[link]->WakeAfter(turn.startPs - now);
        }
    }
    return turn.startPs <= now;
}

void
GpuEndpoint::EndTurn(uint32_t link, uint32_t trafficClass, int64_t txPs)
{
    int64_t now = m_context->kernel->NowPs();
    KernelTurn& turn = m_turns[link * m_classes + trafficClass];
    // the kernels did not wait for a link that was late, unless they had nothing else to do
    m_kernelFreePs = std::max(m_kernelFreePs, now + turn.takesPs);
    turn.startPs = NO_TURN;
    if (m_kernelFreePs - now > txPs && GetQueue(link, trafficClass).head == NO_INDEX)
    {
        // so that m_kernelFreePs is past at every quiescent instant, and is no state to save
        m_links[link]->WakeAfter(m_kernelFreePs - now);
    }
}

void
GpuEndpoint::Arbitrate(uint32_t port)
{
    if (port == m_links.size())
    {
        if (PacketUnit* unit = m_host->NextUnit())
        {
            m_hostPort->Transmit(*unit);
        }
        return;
    }
    for (uint32_t i = 0; i < m_classes; i++)
    {
        uint32_t trafficClass = (m_classPointer[port] + i) % m_classes;
        if (GetQueue(port, trafficClass).head != NO_INDEX && SendFrom(port, trafficClass))
        {
            m_classPointer[port] = (trafficClass + 1) % m_classes;
            return;
        }
    }
}

void
GpuEndpoint::ReceiveUnit(uint32_t port, PacketUnit& unit)
{
    if (unit.flags & UNIT_HELD)
    {
        Answer(port, unit);
        return;
    }
    if (port == m_links.size())
    {
        m_hostPort->ReturnCredit(unit.channel, unit.wireBytes, 0);
    }
    else
    {
        m_links[port]->ReturnCredit(unit.channel, unit.wireBytes, 0);
        if (unit.flags & UNIT_RAW)
        {
            m_links[port]->DeliverUsersPacket(unit);
        }
        if (unit.kind == UnitKind::READ_REQUEST || unit.kind == UnitKind::REDUCE_PULL)
        {
            unit.flags |= UNIT_HELD;
            m_context->kernel->Schedule(RecordKind::ARRIVAL, m_readLatency.GetPicoSeconds(), m_links[port]->GetId(), unit.index);
            return;
        }
    }
    Deliver(unit);
}

void
GpuEndpoint::Deliver(PacketUnit& unit)
{
    uint32_t slot = unit.message;
    uint32_t payload = unit.payloadBytes;
    if (unit.kind == UnitKind::READ_RESPONSE || unit.kind == UnitKind::REDUCE_RESULT)
    {
        NoteAnswer(unit);
    }
    m_context->units.Free(unit);
    if (slot == NO_INDEX)
    {
        return;
    }
    Message& message = m_context->messages[slot];
    if (message.kind == MessageKind::MULTICAST)
    {
        DeliverCopy(slot, payload);
        return;
    }
    NS_ABORT_MSG_IF(message.destination != m_gpu || !message.inUse, "a unit for GPU " << message.destination << " reached GPU " << m_gpu);
    message.delivered += payload;
    NS_ABORT_MSG_IF(message.delivered > message.bytes, "more bytes delivered than sent");
    m_context->statistics.sums[m_context->globalSums + SUM_BYTES_DELIVERED] += payload;
    if (message.delivered == message.bytes)
    {
        m_context->listener->OnDelivered(slot);
    }
}

void
GpuEndpoint::SaveState(std::vector<uint32_t>& words) const
{
    words.insert(words.end(), m_classPointer.begin(), m_classPointer.end());
}

void
GpuEndpoint::RestoreState(const uint32_t*& words)
{
    for (auto& pointer : m_classPointer)
    {
        pointer = *words++;
    }
}

bool
GpuEndpoint::IsDrained() const
{
    for (const auto& link : m_links)
    {
        if (!link->IsIdle())
        {
            return false;
        }
    }
    return m_activeStreams == 0 && (!m_hostPort || m_hostPort->IsIdle());
}

const char*
GpuEndpoint::GetObstacle(uint32_t link, uint32_t trafficClass) const
{
    const KernelTurn& turn = m_turns[link * m_classes + trafficClass];
    if (turn.startPs != NO_TURN && m_context->kernel->NowPs() < turn.startPs)
    {
        return "is held by its copy rate";
    }
    PacketUnit look = LookAt(m_streams[m_queues[link * m_classes + trafficClass].head], link);
    if (IsRequest(look) && !MayAsk(link, AskedUnit::GetBytes(look)))
    {
        return "waits for answers to what it asked for";
    }
    bool hasCredit = m_links[link]->HasCredit(look.channel, m_links[link]->GetWireBytes(look));
    return hasCredit ? "waits for its link" : "waits for credit";
}

void
GpuEndpoint::DescribeBlocked(std::vector<std::string>& lines) const
{
    for (uint32_t link = 0; link < m_links.size(); link++)
    {
        for (uint32_t trafficClass = 0; trafficClass < m_classes; trafficClass++)
        {
            if (m_queues[link * m_classes + trafficClass].head != NO_INDEX)
            {
                std::ostringstream line;
                line << "gpu" << m_gpu << " NVLink " << link << " (port " << m_links[link]->GetId() << "), virtual channel "
                     << trafficClass / 2 << ": " << GetObstacle(link, trafficClass);
                lines.push_back(line.str());
            }
        }
    }
}

void
GpuEndpoint::GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& /* waits */) const
{
    // arrivals are consumed at once: nobody waits for a GPU's own ports
}

} // namespace hbd
} // namespace ns3
