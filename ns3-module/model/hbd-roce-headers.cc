/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-roce-headers.h"

#include <array>
#include <boost/crc.hpp>
#include <vector>

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(RoceIpUdpHeader);
NS_OBJECT_ENSURE_REGISTERED(BthHeader);
NS_OBJECT_ENSURE_REGISTERED(RethHeader);
NS_OBJECT_ENSURE_REGISTERED(AethHeader);
NS_OBJECT_ENSURE_REGISTERED(PfcHeader);

namespace
{

constexpr uint32_t NETWORK = 10U << 24;
constexpr uint32_t MASK_24 = 0xffffff;

void
Write24(Buffer::Iterator& at, uint32_t value)
{
    at.WriteU8(static_cast<uint8_t>(value >> 16));
    at.WriteHtonU16(static_cast<uint16_t>(value));
}

uint32_t
Read24(Buffer::Iterator& at)
{
    uint32_t high = at.ReadU8();
    return high << 16 | at.ReadNtohU16();
}

} // namespace

TypeId
RoceIpUdpHeader::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::RoceIpUdpHeader").SetParent<Header>().SetGroupName("Hbd").AddConstructor<RoceIpUdpHeader>();
    return tid;
}

TypeId
RoceIpUdpHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
RoceIpUdpHeader::GetSerializedSize() const
{
    return roce::IP_UDP;
}

void
RoceIpUdpHeader::Serialize(Buffer::Iterator start) const
{
    Buffer::Iterator header = start;
    start.WriteU8(0x45);
    start.WriteU8(static_cast<uint8_t>(priority << 5 | (congestion ? 3 : 2)));
    start.WriteHtonU16(static_cast<uint16_t>(20 + udpBytes));
    start.WriteHtonU16(0);
    start.WriteHtonU16(0x4000); // do not fragment
    start.WriteU8(64);
    start.WriteU8(17);
    start.WriteHtonU16(0);
    start.WriteHtonU32(NETWORK + source + 1);
    start.WriteHtonU32(NETWORK + destination + 1);
    Buffer::Iterator sum = header;
    uint16_t checksum = sum.CalculateIpChecksum(20);
    header.Next(10);
    header.WriteU16(checksum);
    start.WriteHtonU16(sourcePort);
    start.WriteHtonU16(roce::UDP_PORT);
    start.WriteHtonU16(udpBytes);
    start.WriteHtonU16(0);
}

uint32_t
RoceIpUdpHeader::Deserialize(Buffer::Iterator start)
{
    start.Next(1);
    uint8_t service = start.ReadU8();
    priority = service >> 5;
    congestion = (service & 3) == 3;
    start.Next(10);
    source = start.ReadNtohU32() - NETWORK - 1;
    destination = start.ReadNtohU32() - NETWORK - 1;
    sourcePort = start.ReadNtohU16();
    start.Next(2);
    udpBytes = start.ReadNtohU16();
    return roce::IP_UDP;
}

void
RoceIpUdpHeader::Print(std::ostream& os) const
{
    os << "gpu " << source << " > " << destination << " udp " << sourcePort << " > " << roce::UDP_PORT;
}

TypeId
BthHeader::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::BthHeader").SetParent<Header>().SetGroupName("Hbd").AddConstructor<BthHeader>();
    return tid;
}

TypeId
BthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
BthHeader::GetSerializedSize() const
{
    return roce::BTH;
}

void
BthHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(opcode);
    start.WriteU8(static_cast<uint8_t>(padBytes << 4));
    start.WriteHtonU16(0xffff);
    start.WriteU8(backwardCongestion ? 0x40 : 0);
    Write24(start, queuePair & MASK_24);
    start.WriteU8(askAck ? 0x80 : 0);
    Write24(start, sequence & MASK_24);
}

uint32_t
BthHeader::Deserialize(Buffer::Iterator start)
{
    opcode = start.ReadU8();
    padBytes = (start.ReadU8() >> 4) & 3;
    start.Next(2);
    backwardCongestion = (start.ReadU8() & 0x40) != 0;
    queuePair = Read24(start);
    askAck = (start.ReadU8() & 0x80) != 0;
    sequence = Read24(start);
    return roce::BTH;
}

void
BthHeader::Print(std::ostream& os) const
{
    os << "opcode " << static_cast<uint32_t>(opcode) << " qp " << queuePair << " psn " << sequence;
}

TypeId
RethHeader::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::RethHeader").SetParent<Header>().SetGroupName("Hbd").AddConstructor<RethHeader>();
    return tid;
}

TypeId
RethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
RethHeader::GetSerializedSize() const
{
    return roce::RETH;
}

void
RethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU64(address);
    start.WriteHtonU32(key);
    start.WriteHtonU32(bytes);
}

uint32_t
RethHeader::Deserialize(Buffer::Iterator start)
{
    address = start.ReadNtohU64();
    key = start.ReadNtohU32();
    bytes = start.ReadNtohU32();
    return roce::RETH;
}

void
RethHeader::Print(std::ostream& os) const
{
    os << "write of " << bytes << " B";
}

TypeId
AethHeader::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::AethHeader").SetParent<Header>().SetGroupName("Hbd").AddConstructor<AethHeader>();
    return tid;
}

TypeId
AethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
AethHeader::GetSerializedSize() const
{
    return roce::AETH;
}

void
AethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(syndrome);
    Write24(start, messages & MASK_24);
}

uint32_t
AethHeader::Deserialize(Buffer::Iterator start)
{
    syndrome = start.ReadU8();
    messages = Read24(start);
    return roce::AETH;
}

void
AethHeader::Print(std::ostream& os) const
{
    os << (syndrome == roce::NAK_SEQUENCE ? "nak" : "ack") << ", messages " << messages;
}

TypeId
PfcHeader::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::PfcHeader").SetParent<Header>().SetGroupName("Hbd").AddConstructor<PfcHeader>();
    return tid;
}

TypeId
PfcHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
PfcHeader::GetSerializedSize() const
{
    return roce::SMALLEST_FRAME - roce::ETHERNET_HEADER - roce::FRAME_CHECK;
}

void
PfcHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(0x0101);
    start.WriteHtonU16(enabled);
    for (uint16_t value : quanta)
    {
        start.WriteHtonU16(value);
    }
    start.WriteU8(0, GetSerializedSize() - 20);
}

uint32_t
PfcHeader::Deserialize(Buffer::Iterator start)
{
    start.Next(2);
    enabled = static_cast<uint8_t>(start.ReadNtohU16());
    for (uint16_t& value : quanta)
    {
        value = start.ReadNtohU16();
    }
    return GetSerializedSize();
}

void
PfcHeader::Print(std::ostream& os) const
{
    os << "pfc";
    for (uint32_t priority = 0; priority < 8; priority++)
    {
        if (enabled >> priority & 1)
        {
            os << " " << priority << ":" << quanta[priority];
        }
    }
}

void
AddInvariantCrc(Ptr<Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    constexpr std::array<uint32_t, 7> masked = {1, 8, 10, 11, 26, 27, roce::IP_UDP + 4};
    for (uint32_t position : masked)
    {
        bytes[position] = 0xff;
    }
    boost::crc_32_type crc;
    const std::array<uint8_t, 8> link = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    crc.process_bytes(link.data(), link.size());
    crc.process_bytes(bytes.data(), bytes.size());
    uint32_t sum = crc.checksum();
    std::array<uint8_t, 4> trailer = {static_cast<uint8_t>(sum),
                                      static_cast<uint8_t>(sum >> 8),
                                      static_cast<uint8_t>(sum >> 16),
                                      static_cast<uint8_t>(sum >> 24)};
    packet->AddAtEnd(Create<Packet>(trailer.data(), static_cast<uint32_t>(trailer.size())));
}

} // namespace hbd
} // namespace ns3
