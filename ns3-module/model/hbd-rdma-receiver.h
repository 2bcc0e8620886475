/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RDMA_RECEIVER_H
#define HBD_RDMA_RECEIVER_H

#include "hbd-packet-unit.h"
#include "hbd-rdma-transport.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * The receiving half of a queue pair: which packets are here, what the sender is told.
 *
 * Acknowledgements are cumulative: `sequence` of the unit is the number of the last packet of those that are here
 * without a gap, `payloadBytes` that of the packet that caused it (what selective repeat adds).
 */
class RdmaReceiver
{
  public:
    /// What follows from a data unit.
    struct Verdict
    {
        bool accepted = false; ///< it is new, and goes on to the GPU
        bool answer = false;   ///< an acknowledgement is due
        bool notice = false;   ///< a congestion notification packet is due
        UnitKind kind = UnitKind::ACKNOWLEDGEMENT;
    };

    explicit RdmaReceiver(const RdmaTransport& transport)
        : m_transport(transport)
    {
    }

    /**
     * A data unit has come in.
     * \param nowPs kernel time
     * \param unit it
     * \param everyUnit acknowledge each, whatever RdmaTransport::ackEvery
     */
    Verdict OnData(int64_t nowPs, const PacketUnit& unit, bool everyUnit);
    /// Fills in what is told of the data unit that came last. \param unit cleared; addresses are the caller's
    void MakeAck(PacketUnit& unit, const PacketUnit& data, UnitKind kind) const;

    /// Units that came twice, or behind a gap that go-back-N does not keep.
    uint64_t GetDiscarded() const
    {
        return m_discarded;
    }

    /// Kernel time of the last congestion notification, negative when there was none.
    int64_t GetLastNoticePs() const
    {
        return m_lastNoticePs;
    }

    /// Part of what outlives a quiescent instant: time until the next notification is allowed, 0 = now.
    int64_t GetNoticeWaitPs(int64_t nowPs) const
    {
        return m_lastNoticePs < 0 ? 0 : std::max<int64_t>(0, m_lastNoticePs + m_transport.cnpIntervalPs - nowPs);
    }

    void SetNoticeWaitPs(int64_t nowPs, int64_t waitPs)
    {
        m_lastNoticePs = waitPs == 0 ? -1 : nowPs + waitPs - m_transport.cnpIntervalPs;
    }

  private:
    enum Mark : uint8_t
    {
        HERE = 1,
        ENDS_MESSAGE = 2,
    };

    bool NoteOutOfTurn(const PacketUnit& unit);
    void Advance(const PacketUnit& unit);
    uint8_t& At(uint32_t sequence)
    {
        return m_marks[sequence & (m_marks.size() - 1)];
    }

    const RdmaTransport& m_transport;
    uint32_t m_expected = 0;      ///< number of the next packet without a gap
    uint32_t m_messages = 0;      ///< message sequence number: messages complete in turn
    uint32_t m_unitsSinceAck = 0;
    bool m_told = false;          ///< go-back-N: of the present gap
    uint32_t m_beyond = 0;        ///< packets behind a gap that are here
    std::vector<uint8_t> m_marks; ///< by sequence number, power of two; empty until something is out of turn
    int64_t m_lastNoticePs = -1;
    uint64_t m_discarded = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_RDMA_RECEIVER_H */
