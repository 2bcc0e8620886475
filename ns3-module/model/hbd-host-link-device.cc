/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-host-link-device.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(HostLinkDevice);

TypeId
HostLinkDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::HostLinkDevice")
            .SetParent<CreditPort>()
            .SetGroupName("Hbd")
            .AddConstructor<HostLinkDevice>()
            .AddAttribute("PacketPayload",
                          "Most payload bytes of the NIC's network packets; the same as on its Ethernet port.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&HostLinkDevice::m_payload),
                          MakeUintegerChecker<uint32_t>(256, 9000))
            .AddAttribute(
                "TlpPayload",
                "Most payload bytes of a transaction-layer packet (PCIe Max_Payload_Size; 256 is what servers usually "
                "negotiate).",
                UintegerValue(256),
                MakeUintegerAccessor(&HostLinkDevice::m_tlpPayload),
                MakeUintegerChecker<uint32_t>(64, 4096))
            .AddAttribute(
                "TlpOverhead",
                "Bytes of a transaction-layer packet beside its payload: framing, sequence number, header with 64-bit "
                "address, link CRC (PCIe Base Specification: 4 + 16 + 4).",
                UintegerValue(24),
                MakeUintegerAccessor(&HostLinkDevice::m_tlpOverhead),
                MakeUintegerChecker<uint32_t>(0, 256));
    return tid;
}

void
HostLinkDevice::Start()
{
    CreditPort::Start();
    CheckPacketFits(GetWireBytes(m_payload));
}

uint32_t
HostLinkDevice::GetWireBytes(uint32_t payloadBytes) const
{
    // each network packet is fetched by transaction-layer packets of its own, whatever unit it is part of
    uint32_t fullPackets = payloadBytes == 0 ? 0 : (payloadBytes - 1) / m_payload;
    uint32_t lastBytes = payloadBytes - fullPackets * m_payload;
    uint32_t tlps = fullPackets * ((m_payload + m_tlpPayload - 1) / m_tlpPayload) +
                    std::max(1U, (lastBytes + m_tlpPayload - 1) / m_tlpPayload);
    return payloadBytes + tlps * m_tlpOverhead;
}

uint32_t
HostLinkDevice::GetWireBytes(const PacketUnit& unit) const
{
    return GetWireBytes(unit.payloadBytes);
}

uint32_t
HostLinkDevice::GetHeadBytes(const PacketUnit& unit, uint32_t wireBytes) const
{
    return unit.packets == 1 ? wireBytes : GetWireBytes(m_payload);
}

Ptr<Packet>
HostLinkDevice::MakePacket(const PacketUnit& unit, uint32_t i) const
{
    uint32_t before = std::min(i * m_payload, unit.payloadBytes);
    uint32_t payload = std::min(m_payload, unit.payloadBytes - before);
    return Create<Packet>(GetWireBytes(payload));
}

uint32_t
HostLinkDevice::ResolveDestination(const Address& /* address */) const
{
    return NO_INDEX;
}

bool
HostLinkDevice::SendRaw(PacketUnit& /* unit */)
{
    return false;
}

} // namespace hbd
} // namespace ns3
