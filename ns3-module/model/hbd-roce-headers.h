/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ROCE_HEADERS_H
#define HBD_ROCE_HEADERS_H

#include "ns3/header.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{
namespace hbd
{

/// Sizes in bytes of what stands around the payload of a RoCEv2 packet (InfiniBand Architecture Specification 1.5,
/// annex A17; IEEE 802.3).
namespace roce
{
constexpr uint32_t ETHERNET_HEADER = 14;
constexpr uint32_t FRAME_CHECK = 4;
constexpr uint32_t IP_UDP = 20 + 8;
constexpr uint32_t BTH = 12;
constexpr uint32_t RETH = 16;
constexpr uint32_t AETH = 4;
constexpr uint32_t INVARIANT_CRC = 4;
constexpr uint32_t SMALLEST_FRAME = 64; ///< header and frame check included
constexpr uint16_t UDP_PORT = 4791;
constexpr uint16_t IPV4_TYPE = 0x0800;
constexpr uint16_t MAC_CONTROL_TYPE = 0x8808;

/**
 * \ingroup hbd
 * Operation codes of the reliable connection service that this model sends.
 */
enum Opcode : uint8_t
{
    WRITE_FIRST = 0x06,
    WRITE_MIDDLE = 0x07,
    WRITE_LAST = 0x08,
    WRITE_ONLY = 0x0a,
    ACKNOWLEDGE = 0x11,
    CONGESTION_NOTIFICATION = 0x81,
};

constexpr uint8_t ACK_SYNDROME = 0x1f; ///< of AETH: positive, credits not used
constexpr uint8_t NAK_SEQUENCE = 0x60; ///< of AETH: packet sequence error
constexpr uint32_t CNP_RESERVED = 16;  ///< what follows the BTH of a congestion notification packet
constexpr uint32_t SELECTIVE = 4;      ///< what selective repeat adds behind the AETH: the number of the packet that is here
} // namespace roce

/**
 * \ingroup hbd
 * IPv4 header without options and UDP header to the RoCEv2 port. Addresses are 10.0.0.0 + GPU + 1. The UDP checksum is
 * 0 (not used).
 */
class RoceIpUdpHeader : public Header
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    uint32_t source = 0;      ///< GPU
    uint32_t destination = 0; ///< GPU
    uint16_t sourcePort = 0;  ///< of UDP: spreads flows over paths
    uint16_t udpBytes = 0;    ///< UDP header and all behind it, invariant CRC included
    uint8_t priority = 0;     ///< DSCP = 8 x priority
    bool congestion = false;  ///< ECN field: CE instead of ECT(0)
};

/**
 * \ingroup hbd
 * Base transport header.
 */
class BthHeader : public Header
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    uint8_t opcode = 0;
    uint8_t padBytes = 0; ///< 0 .. 3 behind the payload
    bool askAck = false;
    bool backwardCongestion = false; ///< of a congestion notification packet (annex A17.9.3)
    uint32_t queuePair = 0; ///< at the destination, 24 bits
    uint32_t sequence = 0;  ///< packet sequence number, 24 bits
};

/**
 * \ingroup hbd
 * RDMA extended transport header: on the first packet of a write.
 */
class RethHeader : public Header
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    uint64_t address = 0;
    uint32_t key = 0;
    uint32_t bytes = 0; ///< of the message, as many as fit 32 bits
};

/**
 * \ingroup hbd
 * ACK extended transport header.
 */
class AethHeader : public Header
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    uint8_t syndrome = roce::ACK_SYNDROME;
    uint32_t messages = 0;   ///< message sequence number, 24 bits
};

/**
 * \ingroup hbd
 * MAC control frame of priority flow control (IEEE 802.1Qbb), behind the Ethernet header, padded to the smallest
 * frame.
 */
class PfcHeader : public Header
{
  public:
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    uint8_t enabled = 0;     ///< bit per priority whose quanta count
    uint16_t quanta[8] = {}; ///< of 512 bit times; 0 = go on
};

/**
 * Appends the invariant CRC to a packet that starts with the IPv4 header: CRC-32 with the fields that routers change
 * masked (annex A17.3.3).
 */
void AddInvariantCrc(Ptr<Packet> packet);

} // namespace hbd
} // namespace ns3

#endif /* HBD_ROCE_HEADERS_H */
