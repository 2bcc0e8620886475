/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_HOST_LINK_DEVICE_H
#define HBD_HOST_LINK_DEVICE_H

#include "hbd-credit-port.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * One end of the PCIe-like link between a GPU and its NIC: transaction-layer packets with a fixed overhead each,
 * credit-based flow control. Units on it consist of the NIC's network packets, each carried by as many
 * transaction-layer packets as it needs; the head that the NIC needs before it can send a unit on is its first network
 * packet. Everything goes on virtual channel 0.
 */
class HostLinkDevice : public CreditPort
{
  public:
    static TypeId GetTypeId();

    /// \throws std::invalid_argument when the other end's CreditWindow is smaller than a packet
    void Start() override;
    uint32_t GetWireBytes(const PacketUnit& unit) const override;
    uint32_t GetHeadBytes(const PacketUnit& unit, uint32_t wireBytes) const override;

    uint32_t GetPacketPayload() const override
    {
        return m_payload;
    }

    uint32_t GetTlpPayload() const
    {
        return m_tlpPayload;
    }

    uint32_t GetTlpOverhead() const
    {
        return m_tlpOverhead;
    }

    /// Wire bytes of so many payload bytes of one message: full network packets and a last one.
    uint32_t GetWireBytes(uint32_t payloadBytes) const;

  protected:
    Ptr<Packet> MakePacket(const PacketUnit& unit, uint32_t i) const override;
    uint32_t ResolveDestination(const Address& address) const override;
    bool SendRaw(PacketUnit& unit) override;

  private:
    uint32_t m_payload;
    uint32_t m_tlpPayload;
    uint32_t m_tlpOverhead;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_HOST_LINK_DEVICE_H */
