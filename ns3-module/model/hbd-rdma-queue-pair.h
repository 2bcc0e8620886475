/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RDMA_QUEUE_PAIR_H
#define HBD_RDMA_QUEUE_PAIR_H

#include "hbd-congestion-control.h"
#include "hbd-message.h"
#include "hbd-packet-unit.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * One end of a reliable connection between two NICs: sends RDMA writes in order under a window, acknowledges what it
 * receives.
 *
 * The acknowledgement number is the count of payload bytes received so far, modulo 2^32, in PacketUnit::payloadBytes of
 * the acknowledgement: cumulative, and only differences of it matter.
 */
class RdmaQueuePair
{
  public:
    /**
     * \param local GPU at this end
     * \param remote GPU at the other end
     * \param control of its own, set up
     */
    RdmaQueuePair(uint32_t local, uint32_t remote, Ptr<CongestionControl> control);

    uint32_t GetRemote() const
    {
        return m_remote;
    }

    /// Hash of its 5-tuple: all its packets have the same.
    uint32_t GetFlowHash() const
    {
        return m_flowHash;
    }

    CongestionControl& GetControl() const
    {
        return *m_control;
    }

    /// Adds a message behind those that wait.
    void Push(uint32_t message);
    /// Whether it has something to send and the window allows the next unit. \param mtu payload of a packet \param
    /// maxPackets most packets of a unit
    bool CanSend(const MessageTable& messages, uint32_t mtu, uint32_t maxPackets) const;
    /// Payload of the next unit, in bytes. There must be a message.
    uint32_t GetNextPayload(const MessageTable& messages, uint32_t mtu, uint32_t maxPackets) const;

    /// Counting class of the next unit. There must be a message.
    uint8_t GetNextAccounting(const MessageTable& messages) const
    {
        return messages[Front()].accounting;
    }

    /// Fills in the next unit and counts it as sent. \param unit cleared
    void Cut(PacketUnit& unit, const MessageTable& messages, uint32_t mtu, uint32_t maxPackets);
    /// An acknowledgement has come. \param nowPs kernel time \param number its acknowledgement number \param marked it
    /// reports congestion
    void OnAck(int64_t nowPs, uint32_t number, bool marked);

    /**
     * A data unit has come in.
     * \param ackEvery units per acknowledgement
     * \return whether an acknowledgement is due; it is at the end of each message and when the sender's window is full
     * \throws std::runtime_error when the unit is not the next in sequence
     */
    bool OnData(const PacketUnit& unit, uint32_t ackEvery);
    /// Fills in an acknowledgement of everything received so far. \param unit cleared
    void MakeAck(PacketUnit& unit) const;

    /// Payload sent and not acknowledged, in bytes.
    uint64_t GetUnacknowledged() const
    {
        return m_unacknowledged;
    }

    /// Messages that are not sent completely.
    uint64_t GetWaiting() const
    {
        return m_tail - m_head;
    }

    /// Whether nothing waits or is under way.
    bool IsIdle() const
    {
        return m_head == m_tail && m_unacknowledged == 0;
    }

    /// Set while pacing forbids it to send.
    bool paced = false;

  private:
    uint32_t Front() const
    {
        return m_ring[m_head & (m_ring.size() - 1)];
    }

    uint32_t m_local;
    uint32_t m_remote;
    uint32_t m_flowHash;
    Ptr<CongestionControl> m_control;
    std::vector<uint32_t> m_ring; ///< waiting messages, power of two
    uint64_t m_head = 0;
    uint64_t m_tail = 0;
    uint64_t m_offset = 0; ///< payload of the first waiting message that is sent
    uint64_t m_unacknowledged = 0;
    uint32_t m_acknowledged = 0;    ///< acknowledgement number last seen
    uint32_t m_sendSequence = 0;    ///< of the next packet sent
    uint32_t m_receiveSequence = 0; ///< of the next packet expected
    uint32_t m_receivedBytes = 0;   ///< payload, modulo 2^32
    uint32_t m_unitsSinceAck = 0;
    uint8_t m_ackAccounting = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_RDMA_QUEUE_PAIR_H */
