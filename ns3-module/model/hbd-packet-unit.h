/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_PACKET_UNIT_H
#define HBD_PACKET_UNIT_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace hbd
{

/// No unit, no message, no port.
constexpr uint32_t NO_INDEX = 0xffffffff;

/**
 * \ingroup hbd
 * Bits of PacketUnit::flags.
 */
enum PacketUnitFlag : uint8_t
{
    UNIT_ACK = 1,          ///< RoCE without payload, for the sender: UnitKind says which
    UNIT_PAUSE = 2,        ///< priority flow control frame
    UNIT_LAST = 4,         ///< carries the last byte of its message
    UNIT_FIRST = 8,        ///< carries the first byte of its message; with UNIT_ACK: names the packet that caused it
    UNIT_ECN_MARKED = 16,  ///< congestion experienced
    UNIT_HELD = 32,        ///< waits in a switch until it can be sent on without a gap
    UNIT_RAW = 64,         ///< a Packet that a user gave to NetDevice::Send
    UNIT_ACK_REQUEST = 128, ///< to be acknowledged at once: the sender's window is full
};

/**
 * \ingroup hbd
 * What a unit is for. From MULTICAST to REDUCE_RESULT, NVLink switches do more than pass it on.
 */
enum class UnitKind : uint8_t
{
    WRITE,               ///< data into the memory of `destination`
    READ_REQUEST,        ///< asks `destination` for data; headers only
    READ_RESPONSE,       ///< data that answer it
    MULTICAST,           ///< data for a group: to the switch without a destination, from there to each member
    REDUCE_REQUEST,      ///< asks a switch for the sum over a group; headers only, no destination
    REDUCE_PULL,         ///< the switch asks a member for its part; headers only
    REDUCE_CONTRIBUTION, ///< the member's part, to the switch
    REDUCE_RESULT,       ///< the sum, from the switch to `destination`
    // of the scale-out fabric, with UNIT_ACK:
    ACKNOWLEDGEMENT,
    SEQUENCE_ERROR,      ///< negative acknowledgement: something is missing
    CONGESTION_NOTICE,   ///< congestion notification packet (CNP)
};

/**
 * \ingroup hbd
 * The unit of simulation: one burst, that is one or more consecutive packets of one message on one link. A descriptor; headers and an
 * ns3::Packet are only made where something looks.
 */
struct PacketUnit
{
    uint32_t index;        ///< its own place in the pool
    uint32_t next;         ///< link of the queue it stands in
    uint32_t message;      ///< message slot, or NO_INDEX
    uint32_t source;       ///< GPU that sent it; NO_INDEX: a switch did
    uint32_t destination;  ///< GPU that it goes to; NO_INDEX: the switch at the other end of the link
    uint32_t payloadBytes; ///< user bytes of all its packets
    uint32_t wireBytes;    ///< bytes on the link it was last sent on, all overhead included
    uint32_t ingress;      ///< port (index in the element) through which it entered the present element
    uint32_t flowHash;     ///< of the 5-tuple, for path choice. MULTICAST, REDUCE_...: the switch's note on it
    uint32_t sequence;     ///< transport: number of its first packet in its queue pair. Requests, answers: see AskedUnit
    int64_t tailPs;        ///< kernel time at which its last byte reaches the present element
    Packet* packet;        ///< owning; set when a device on its way is watched or a user gave it
    uint16_t packets;      ///< wire packets in it, >= 1
    uint16_t packetPayload; ///< NVLink: payload of each of them but the last; 0: what the link allows. RoCE: free for the transport
    uint8_t channel;       ///< virtual channel (scale-up) or priority (scale-out)
    uint8_t flags;         ///< PacketUnitFlag
    uint8_t accounting;    ///< set of counters (OperationBlock::accountingClass)
    UnitKind kind;
};

static_assert(sizeof(PacketUnit) <= 64, "a packet unit fits one cache line");

/**
 * \ingroup hbd
 * What requests and their answers carry in PacketUnit::sequence: the payload asked for, and the link on which the GPU that asked keeps account of it.
 */
struct AskedUnit
{
    static constexpr uint32_t BYTES_BITS = 26;                ///< a unit is at most a quarter of the largest CreditWindow
    static constexpr uint32_t MOST_LINKS = 1U << (32 - BYTES_BITS);

    static uint32_t Pack(uint32_t link, uint32_t bytes)
    {
        return link << BYTES_BITS | bytes;
    }
    static uint32_t GetBytes(const PacketUnit& unit)
    {
        return unit.sequence & ((1U << BYTES_BITS) - 1);
    }
    static uint32_t GetLink(const PacketUnit& unit)
    {
        return unit.sequence >> BYTES_BITS;
    }
};

/**
 * \ingroup hbd
 * Units in chunks: indices and addresses stay valid; nothing is allocated once the pool is warm.
 */
class PacketUnitPool
{
  public:
    PacketUnitPool() = default;
    ~PacketUnitPool();
    PacketUnitPool(const PacketUnitPool&) = delete;
    PacketUnitPool& operator=(const PacketUnitPool&) = delete;

    /// A cleared unit.
    PacketUnit& Allocate();
    /// A copy of a unit, without its Packet.
    PacketUnit& Copy(const PacketUnit& unit);
    /// Gives back the Packet that a unit owns, for example because its header would be another one now.
    static void DropPacket(PacketUnit& unit);
    /// Gives a unit (and the Packet it owns) back.
    void Free(PacketUnit& unit);

    PacketUnit& Get(uint32_t index)
    {
        return m_chunks[index >> CHUNK_BITS][index & (CHUNK - 1)];
    }
    /// Units in use.
    uint64_t GetInUse() const
    {
        return m_inUse;
    }
    /// Most units in use at a time.
    uint64_t GetPeak() const
    {
        return m_peak;
    }

  private:
    static constexpr uint32_t CHUNK_BITS = 12;
    static constexpr uint32_t CHUNK = 1u << CHUNK_BITS;
    void Grow();
    std::vector<std::unique_ptr<PacketUnit[]>> m_chunks;
    uint32_t m_free = NO_INDEX;
    uint64_t m_inUse = 0;
    uint64_t m_peak = 0;
};

/**
 * \ingroup hbd
 * A first-in first-out queue threaded through PacketUnit::next.
 */
struct PacketUnitQueue
{
    uint32_t head = NO_INDEX;
    uint32_t tail = NO_INDEX;

    bool IsEmpty() const
    {
        return head == NO_INDEX;
    }
    void Push(PacketUnitPool& pool, PacketUnit& unit)
    {
        unit.next = NO_INDEX;
        if (tail == NO_INDEX)
        {
            head = unit.index;
        }
        else
        {
            pool.Get(tail).next = unit.index;
        }
        tail = unit.index;
    }
    PacketUnit& Front(PacketUnitPool& pool) const
    {
        return pool.Get(head);
    }
    PacketUnit& Pop(PacketUnitPool& pool)
    {
        PacketUnit& unit = pool.Get(head);
        head = unit.next;
        if (head == NO_INDEX)
        {
            tail = NO_INDEX;
        }
        return unit;
    }
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_PACKET_UNIT_H */
