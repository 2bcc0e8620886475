/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_CREDIT_PORT_H
#define HBD_CREDIT_PORT_H

#include "hbd-fabric-port.h"

#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * A port with credit-based flow control per virtual channel: it sends a unit only when the buffer at the other end has room for all of it, so
 * nothing is ever dropped. Credits are wire bytes. The receiving side gives them back when the unit has left its buffer.
 */
class CreditPort : public FabricPort
{
  public:
    static TypeId GetTypeId();

    void Start() override;

    /// Whether `wireBytes` can be sent on a virtual channel now.
    bool HasCredit(uint32_t channel, uint32_t wireBytes) const
    {
        return m_credits[channel] >= static_cast<int64_t>(wireBytes);
    }
    /// Notes that a unit waits for credit; the time until the next transmission counts as PORT_STALL_PS of its class.
    void NoteStall(uint8_t accountingClass);
    /**
     * Gives the sender at the other end its credit back.
     * \param channel virtual channel
     * \param wireBytes what was freed
     * \param extraPs picoseconds from now until the buffer is free
     */
    void ReturnCredit(uint32_t channel, uint32_t wireBytes, int64_t extraPs);

    /// Looks again for something to send in a while, until which the fabric is not quiescent. \param delayPs picoseconds from now
    void WakeAfter(int64_t delayPs)
    {
        m_context->kernel->Schedule(RecordKind::CREDIT, delayPs, m_id, 0); // a credit of nothing
    }

    uint32_t GetVirtualChannels() const
    {
        return m_virtualChannels;
    }
    /// Receive buffer of this port, per virtual channel, in wire bytes.
    uint32_t GetCreditWindow() const
    {
        return m_window;
    }
    /// Whether all credits are back.
    bool IsIdle() const;

  protected:
    void OnCredit(uint32_t argument) override;
    int64_t OnTransmit(PacketUnit& unit, int64_t txPs) override;

    /**
     * Refuses a receive buffer at the other end that could never take a packet of this port.
     * \param packetBytes largest packet, in wire bytes
     * \throws std::invalid_argument
     */
    void CheckPacketFits(uint32_t packetBytes) const;
    /// Least time from an arrival here to the moment at which its credit is back, in picoseconds.
    int64_t GetCreditFlightPs() const
    {
        return m_delayPs + m_creditDelayPs;
    }

  private:
    static constexpr uint32_t CHANNEL_SHIFT = 28;
    uint32_t m_virtualChannels;
    uint32_t m_window;
    Time m_creditDelay;
    int64_t m_creditDelayPs = 0;
    std::vector<int64_t> m_credits;
    int64_t m_stalledSincePs = -1;
    uint8_t m_stalledClass = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_CREDIT_PORT_H */
