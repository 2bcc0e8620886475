/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-gpu-endpoint.h"

#include "ns3/abort.h"
#include "ns3/log.h"

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
        TypeId("ns3::hbd::GpuEndpoint").SetParent<Object>().SetGroupName("Hbd").AddConstructor<GpuEndpoint>();
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
    m_queues.assign(links.size() * m_channels, StreamQueue());
    m_channelPointer.assign(links.size(), 0);
    for (uint32_t i = 0; i < links.size(); i++)
    {
        links[i]->SetAddress(MakeAddress(gpu, i));
    }
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
    uint32_t payload = m_links.front()->GetPacketPayload();
    uint64_t packets = message.bytes == 0 ? 1 : (message.bytes + payload - 1) / payload;
    auto links = static_cast<uint32_t>(m_links.size());
    uint32_t first = (5 * message.source + 7 * message.destination) % links;
    for (uint32_t position = 0; position < links && position < packets; position++)
    {
        AddStream((first + position) % links, slot, packets, position);
    }
}

void
GpuEndpoint::AddStream(uint32_t link, uint32_t slot, uint64_t packets, uint64_t position)
{
    const Message& message = m_context->messages[slot];
    uint64_t links = m_links.size();
    uint32_t payload = m_links[link]->GetPacketPayload();
    uint32_t number = AllocateStream();
    Stream& stream = m_streams[number];
    stream.message = slot;
    stream.unit = NO_INDEX;
    stream.packets = (packets - position + links - 1) / links;
    stream.first = true;
    stream.carriesFirst = position == 0;
    stream.carriesLast = (packets - 1) % links == position;
    stream.lastBytes = stream.carriesLast ? static_cast<uint32_t>(message.bytes - (packets - 1) * payload) : payload;
    PushStream(GetQueue(link, message.channel), number);
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
    uint32_t number = AllocateStream();
    Stream& stream = m_streams[number];
    stream = Stream{NO_INDEX, unit.index, NO_INDEX, unit.packets, 0, true, true, true};
    PushStream(GetQueue(link, unit.channel), number);
    m_links[link]->RequestArbitration();
    return true;
}

uint32_t
GpuEndpoint::PeekPayload(const Stream& stream, uint32_t link, uint32_t packets) const
{
    uint32_t payload = m_links[link]->GetPacketPayload();
    return packets == stream.packets ? (packets - 1) * payload + stream.lastBytes : packets * payload;
}

PacketUnit&
GpuEndpoint::CutUnit(Stream& stream, uint32_t link, uint32_t packets)
{
    if (stream.message == NO_INDEX)
    {
        stream.packets = 0;
        return m_context->units.Get(stream.unit);
    }
    const Message& message = m_context->messages[stream.message];
    PacketUnit& unit = m_context->units.Allocate();
    unit.message = stream.message;
    unit.source = message.source;
    unit.destination = message.destination;
    unit.payloadBytes = PeekPayload(stream, link, packets);
    unit.packets = static_cast<uint16_t>(packets);
    unit.channel = message.channel;
    unit.accounting = message.accounting;
    if (stream.first && stream.carriesFirst)
    {
        unit.flags |= UNIT_FIRST;
    }
    stream.packets -= packets;
    stream.first = false;
    if (stream.packets == 0 && stream.carriesLast)
    {
        unit.flags |= UNIT_LAST;
    }
    return unit;
}

bool
GpuEndpoint::SendFrom(uint32_t link, uint32_t channel)
{
    StreamQueue& queue = GetQueue(link, channel);
    Stream& stream = m_streams[queue.head];
    NvlinkDevice& device = *m_links[link];
    PacketUnit look{};
    if (stream.message == NO_INDEX)
    {
        look = m_context->units.Get(stream.unit);
    }
    else
    {
        const Message& message = m_context->messages[stream.message];
        look.packets = static_cast<uint16_t>(std::min<uint64_t>(message.burstPackets, stream.packets));
        look.payloadBytes = PeekPayload(stream, link, look.packets);
        look.accounting = message.accounting;
    }
    if (!device.HasCredit(channel, device.GetWireBytes(look)))
    {
        device.NoteStall(look.accounting);
        return false;
    }
    uint32_t number = PopStream(queue);
    PacketUnit& unit = CutUnit(m_streams[number], link, look.packets);
    if (m_streams[number].packets == 0)
    {
        m_streams[number].next = m_freeStreams;
        m_freeStreams = number;
        m_activeStreams--;
    }
    else
    {
        PushStream(queue, number);
    }
    device.Transmit(unit);
    return true;
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
    for (uint32_t i = 0; i < m_channels; i++)
    {
        uint32_t channel = (m_channelPointer[port] + i) % m_channels;
        if (GetQueue(port, channel).head != NO_INDEX && SendFrom(port, channel))
        {
            m_channelPointer[port] = (channel + 1) % m_channels;
            return;
        }
    }
}

void
GpuEndpoint::ReceiveUnit(uint32_t port, PacketUnit& unit)
{
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
    }
    Deliver(unit);
}

void
GpuEndpoint::Deliver(PacketUnit& unit)
{
    uint32_t slot = unit.message;
    uint32_t payload = unit.payloadBytes;
    m_context->units.Free(unit);
    if (slot == NO_INDEX)
    {
        return;
    }
    Message& message = m_context->messages[slot];
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
    words.insert(words.end(), m_channelPointer.begin(), m_channelPointer.end());
}

void
GpuEndpoint::RestoreState(const uint32_t*& words)
{
    for (auto& pointer : m_channelPointer)
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

void
GpuEndpoint::DescribeBlocked(std::vector<std::string>& lines) const
{
    for (uint32_t link = 0; link < m_links.size(); link++)
    {
        for (uint32_t channel = 0; channel < m_channels; channel++)
        {
            if (m_queues[link * m_channels + channel].head != NO_INDEX)
            {
                std::ostringstream line;
                line << "gpu" << m_gpu << " NVLink " << link << " (port " << m_links[link]->GetId() << "), virtual channel " << channel
                     << ": waits for credit";
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
