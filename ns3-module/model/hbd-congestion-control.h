/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_CONGESTION_CONTROL_H
#define HBD_CONGESTION_CONTROL_H

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

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

    /**
     * Called once, before the first unit.
     * \param nowPs kernel time, picoseconds
     * \param lineBitRate of the NIC, bit/s
     * \param windowBytes most unacknowledged payload that the transport allows
     */
    virtual void Setup(int64_t nowPs, uint64_t lineBitRate, uint64_t windowBytes) = 0;
    /// Payload bytes that may be unacknowledged now. The transport always lets one unit go when nothing is under way.
    virtual uint64_t GetWindowBytes() const = 0;
    /**
     * \param wireBytes of the unit that is sent now
     * \return picoseconds until this queue pair may send its next unit, 0 = at once
     */
    virtual int64_t GetPacingPs(uint32_t wireBytes) const = 0;
    /**
     * An acknowledgement has come.
     * \param nowPs kernel time, picoseconds
     * \param bytes newly acknowledged payload, may be 0
     * \param marked it reports congestion (ECN echo)
     */
    virtual void OnAck(int64_t nowPs, uint64_t bytes, bool marked) = 0;

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
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_CONGESTION_CONTROL_H */
