/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RDMA_SENDER_H
#define HBD_RDMA_SENDER_H

#include "hbd-congestion-control.h"
#include "hbd-message.h"
#include "hbd-packet-unit.h"
#include "hbd-rdma-transport.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * The sending half of a queue pair: cuts messages into units under a window, remembers what is not acknowledged, sends
 * again what is lost.
 *
 * Sequence numbers count packets, modulo 2^32; packets show 24 bits of them.
 */
class RdmaSender
{
  public:
    /// \param transport of the NIC; outlives this \param control of its own, set up
    RdmaSender(const RdmaTransport& transport, Ptr<CongestionControl> control);

    CongestionControl& GetControl() const
    {
        return *m_control;
    }

    /// Adds a message behind those that wait.
    void Push(uint32_t message);
    /// Whether it has something to send and the window allows the next unit.
    bool CanSend(const MessageTable& messages) const;
    /// Payload of the next unit, in bytes. There must be one.
    uint32_t GetNextPayload(const MessageTable& messages) const;
    /// Counting class of the next unit. There must be one.
    uint8_t GetNextAccounting(const MessageTable& messages) const;
    /// Fills in the next unit (new or again) and counts it as under way. \param unit cleared; source, destination and hash are the caller's
    void Cut(PacketUnit& unit, const MessageTable& messages);
    /// A unit of it leaves the NIC now. \param wireBytes of it on the Ethernet link
    void OnWire(int64_t nowPs, uint32_t sequence, uint32_t wireBytes);
    /**
     * An acknowledgement, positive or negative, has come.
     * \param nowPs kernel time
     * \param unit it; see RdmaReceiver::MakeAck
     * \param telemetry that came with it, or null
     * \return whether something turned out to be lost
     * \throws std::runtime_error when it acknowledges what was not sent
     */
    bool OnAck(int64_t nowPs, const PacketUnit& unit, const Telemetry* telemetry);
    /**
     * Nothing has come back for RdmaTransport::timeoutPs: everything that is not acknowledged is sent again.
     * \return false when that happened too often in a row
     */
    bool OnTimeout(int64_t nowPs);

    /// Payload sent, not acknowledged and not known to be lost, in bytes.
    uint64_t GetInFlight() const
    {
        return m_inFlight;
    }

    /// Whether anything waits for its acknowledgement.
    bool IsOutstanding() const
    {
        return m_unacknowledged != m_next;
    }

    /// Kernel time at which what is outstanding times out, when nothing comes back until then.
    int64_t GetDuePs(int64_t nowPs) const;

    /// Messages that are not sent completely.
    uint64_t GetWaiting() const
    {
        return m_tail - m_head;
    }

    /// Whether nothing waits or is under way.
    bool IsIdle() const
    {
        return m_head == m_tail && !IsOutstanding();
    }

    /// What has waited longest: a message and how much of it is not acknowledged.
    std::string DescribeOldest(const MessageTable& messages) const;

    /// Units sent more than once so far.
    uint64_t GetResent() const
    {
        return m_resent;
    }

  private:
    /// One unit that is not acknowledged.
    struct Sent
    {
        uint32_t sequence;
        uint32_t payload;
        uint32_t message;
        uint32_t wireBytes;
        uint64_t order; ///< number of its last transmission
        int64_t sentPs; ///< when its last transmission left the NIC; -1: not yet
        uint16_t packets;
        uint8_t flags; ///< UNIT_FIRST, UNIT_LAST
        uint8_t accounting;
        bool acknowledged; ///< out of turn
        bool flying;       ///< counts in m_inFlight
        bool lost;         ///< to be sent again
        bool again;        ///< sent more than once
    };

    uint32_t Front() const
    {
        return m_ring[m_head & (m_ring.size() - 1)];
    }

    Sent& At(uint64_t index)
    {
        return m_sent[index & (m_sent.size() - 1)];
    }

    const Sent& At(uint64_t index) const
    {
        return m_sent[index & (m_sent.size() - 1)];
    }

    uint64_t FirstLost() const;
    uint64_t Find(uint32_t sequence) const;
    void CutNew(PacketUnit& unit, const MessageTable& messages);
    void CutAgain(PacketUnit& unit);
    void Remember(const PacketUnit& unit);
    void Ground(Sent& sent);
    uint64_t Acknowledge(Sent& sent);
    void Lose(uint64_t index);
    void NoteRtt(const Sent& sent, CongestionAck& ack) const;
    uint64_t TakeCumulative(uint32_t expected, uint32_t trigger, CongestionAck& ack);
    uint64_t TakeSelective(uint32_t trigger, CongestionAck& ack);
    void LoseAll();

    const RdmaTransport& m_transport;
    Ptr<CongestionControl> m_control;
    std::vector<uint32_t> m_ring; ///< waiting messages, power of two
    uint64_t m_head = 0;
    uint64_t m_tail = 0;
    uint64_t m_offset = 0;     ///< payload of the first waiting message that is sent
    std::vector<Sent> m_sent;  ///< power of two
    uint64_t m_unacknowledged = 0; ///< first of m_sent that is
    uint64_t m_next = 0;       ///< end of them
    uint64_t m_stamp = 0;      ///< where the next one to leave is looked for
    uint64_t m_lost = 0;       ///< how many are to be sent again
    uint64_t m_firstLost = 0;  ///< none before it is
    uint64_t m_inFlight = 0;
    uint64_t m_order = 0;
    uint64_t m_payloadSent = 0;  ///< for the first time
    uint64_t m_payloadAcked = 0;
    uint64_t m_resent = 0;
    uint32_t m_sequence = 0;   ///< of the next new packet
    uint32_t m_timeouts = 0;   ///< in a row
    int64_t m_progressPs = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_RDMA_SENDER_H */
