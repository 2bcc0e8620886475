/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_CONGESTION_CONTROL_H
#define HBD_CONGESTION_CONTROL_H

#include "hbd-telemetry.h"

#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What a congestion control knows of its queue pair from the start.
 */
struct CongestionSetup
{
    int64_t nowPs = 0;        ///< kernel time, picoseconds
    uint64_t lineBitRate = 0; ///< of the NIC, bit/s
    uint64_t windowBytes = 0; ///< most unacknowledged payload that the transport allows
    uint32_t mtu = 0;         ///< payload of a packet, bytes
    int64_t baseRttPs = 0;    ///< one full packet and its acknowledgement on an empty fabric, NIC port to NIC port
    uint32_t hops = 0;        ///< Ethernet links on the way
};

/**
 * \ingroup hbd
 * What an acknowledgement tells.
 */
struct CongestionAck
{
    int64_t nowPs = 0;       ///< kernel time, picoseconds
    uint64_t bytes = 0;      ///< newly acknowledged payload, may be 0
    uint64_t acked = 0;      ///< payload acknowledged since the queue pair began
    uint64_t sent = 0;       ///< payload sent for the first time since the queue pair began
    int64_t rttPs = -1;      ///< since the first bit of the acknowledged unit left the NIC; -1: not known (sent twice)
    uint32_t unitBytes = 0;  ///< wire bytes of that unit, whose serialisation rttPs contains
    bool marked = false;     ///< it echoes a congestion mark (ECN)
    const Telemetry* telemetry = nullptr; ///< what switches wrote into the data, when NeedsTelemetry()
};

/**
 * \ingroup hbd
 * Decides how much a queue pair may have under way and how fast it sends. One object a queue pair, holding that pair's
 * state, chosen by TypeId (as ns-3 does with TcpCongestionOps). A new one is a subclass in its own file.
 *
 * Every call that may change state carries the kernel time. State that depends on time (a timer, an averaged rate) is
 * kept as a time of the past and worked out when it is asked for; there are no callbacks.
 */
class CongestionControl : public Object
{
  public:
    static TypeId GetTypeId();

    /// Called once, before the first unit.
    virtual void Setup(const CongestionSetup& setup) = 0;
    /// Payload bytes that may be unacknowledged now. The transport always lets one unit go when nothing is under way.
    virtual uint64_t GetWindowBytes() const = 0;
    /**
     * A unit is sent now.
     * \param nowPs kernel time, picoseconds
     * \param wireBytes of the unit
     * \return picoseconds until this queue pair may send its next unit, 0 = at once
     */
    virtual int64_t OnSend(int64_t nowPs, uint32_t wireBytes) = 0;
    /// An acknowledgement has come.
    virtual void OnAck(const CongestionAck& ack) = 0;
    /// A congestion notification packet has come. \param nowPs kernel time, picoseconds
    virtual void OnCnp(int64_t /* nowPs */)
    {
    }
    /// Something was lost and is sent again. \param nowPs kernel time, picoseconds \param timeout nothing had come back
    virtual void OnLoss(int64_t /* nowPs */, bool /* timeout */)
    {
    }
    /// Nothing at all was under way in the fabric since the last call: what would be compared with before is forgotten, so that equal
    /// situations stay equal whatever went before them.
    virtual void OnRest()
    {
    }
    /// Whether the other end is to answer marked packets with congestion notification packets.
    virtual bool NeedsCnp() const
    {
        return false;
    }
    /// Whether it must hear of each unit, whatever RdmaNic::AckEvery.
    virtual bool NeedsEveryAck() const
    {
        return false;
    }
    /// Whether switches are to write telemetry into its packets.
    virtual bool NeedsTelemetry() const
    {
        return false;
    }
    /// Present sending rate, bit/s on the wire; the line rate when it does not limit it.
    virtual uint64_t GetBitRate() const = 0;

    /**
     * Appends the state that outlives a quiescent instant, nothing when it is as after Setup. Times are written
     * relative to the present, so that equal situations have equal words whenever they occur.
     * \param nowPs kernel time, picoseconds
     * \param words appended to
     */
    virtual void SaveState(int64_t nowPs, std::vector<uint32_t>& words) const = 0;
    /**
     * Takes SaveState's words back.
     * \param nowPs kernel time, picoseconds, that the times in the words are relative to
     * \param words of this object alone
     * \param count how many; 0 = as after Setup
     */
    virtual void RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count) = 0;

    /// Signature of the trace source Rate. \param oldBitRate before \param newBitRate now, bit/s on the wire
    typedef void (*RateTracedCallback)(uint64_t oldBitRate, uint64_t newBitRate);
    /// Signature of the trace source Window. \param oldBytes before \param newBytes now, payload
    typedef void (*WindowTracedCallback)(uint64_t oldBytes, uint64_t newBytes);

  protected:
    TracedCallback<uint64_t, uint64_t> m_rateTrace;
    TracedCallback<uint64_t, uint64_t> m_windowTrace;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_CONGESTION_CONTROL_H */
