/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-nvlink-device.h"

#include "hbd-gpu-endpoint.h"
#include "hbd-nvswitch.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdNvlinkDevice");

NS_OBJECT_ENSURE_REGISTERED(NvlinkHeader);
NS_OBJECT_ENSURE_REGISTERED(NvlinkDevice);

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
    return SIZE;
}

void
NvlinkHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(source);
    start.WriteHtonU32(destination);
    start.WriteU8(channel);
    start.WriteU8(flags);
    start.WriteHtonU16(payloadBytes);
    start.WriteHtonU32(number);
}

uint32_t
NvlinkHeader::Deserialize(Buffer::Iterator start)
{
    source = start.ReadNtohU32();
    destination = start.ReadNtohU32();
    channel = start.ReadU8();
    flags = start.ReadU8();
    payloadBytes = start.ReadNtohU16();
    number = start.ReadNtohU32();
    return SIZE;
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
                          UintegerValue(256),
                          MakeUintegerAccessor(&NvlinkDevice::m_payload),
                          MakeUintegerChecker<uint32_t>(16, 65520))
            .AddAttribute("FlitBytes",
                          "Bytes of a flit; packets are padded to whole flits (NVLink: 16).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&NvlinkDevice::m_flit),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("HeaderFlits",
                          "Flits of a packet beside its payload: 1 or 2 of the 1-18 flits a packet may have.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&NvlinkDevice::m_headerFlits),
                          MakeUintegerChecker<uint32_t>(1, 16));
    return tid;
}

void
NvlinkDevice::Start()
{
    CreditPort::Start();
    NS_ABORT_MSG_IF(m_payload % m_flit != 0, "PacketPayload " << m_payload << " is not a whole number of flits of " << m_flit << " B");
    m_headerBytes = m_headerFlits * m_flit;
    CheckPacketFits(m_payload + m_headerBytes);
}

uint32_t
NvlinkDevice::GetWireBytes(const PacketUnit& unit) const
{
    // every packet but the last is full, and a full one is whole flits
    return unit.packets * m_headerBytes + (unit.payloadBytes + m_flit - 1) / m_flit * m_flit;
}

uint32_t
NvlinkDevice::GetHeadBytes(const PacketUnit& /* unit */, uint32_t /* wireBytes */) const
{
    return m_headerBytes;
}

NvlinkHeader
NvlinkDevice::MakeHeader(const PacketUnit& unit, uint32_t i) const
{
    uint32_t before = i * m_payload;
    NvlinkHeader header;
    header.source = unit.source;
    header.destination = unit.destination;
    header.channel = unit.channel;
    header.flags = unit.flags;
    header.payloadBytes = static_cast<uint16_t>(std::min(m_payload, unit.payloadBytes - std::min(before, unit.payloadBytes)));
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
NvlinkDevice::SendRaw(PacketUnit& unit)
{
    auto gpu = dynamic_cast<GpuEndpoint*>(&GetElement());
    auto chip = dynamic_cast<NvSwitch*>(&GetPeer()->GetElement());
    if (!gpu || unit.destination == gpu->GetGpu() || !chip || !chip->Reaches(unit.destination))
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
