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
 * Decides how much a queue pair may have under way and how fast it sends. One object a queue pair, holding that pair's
 * state, chosen by TypeId (as ns-3 does with TcpCongestionOps). A new one is a subclass in its own file.
 */
class CongestionControl : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Called once, before the first unit.
     * \param lineBitRate of the NIC, bit/s
     * \param windowBytes most unacknowledged payload that the transport allows
     */
    virtual void Setup(uint64_t lineBitRate, uint64_t windowBytes) = 0;
    /// Payload bytes that may be unacknowledged now. The transport always lets one unit go when nothing is under way.
    virtual uint64_t GetWindowBytes() const = 0;
    /**
     * \param wireBytes of the unit that is sent now
     * \return picoseconds until this queue pair may send its next unit, 0 = at once
     */
    virtual int64_t GetPacingPs(uint32_t wireBytes) const = 0;
    /**
     * An acknowledgement has come.
     * \param bytes newly acknowledged payload, may be 0
     * \param marked it reports congestion (ECN echo)
     */
    virtual void OnAck(uint64_t bytes, bool marked) = 0;

    /// Appends the state that outlives a quiescent instant, nothing when it is as after Setup.
    virtual void SaveState(std::vector<uint32_t>& words) const = 0;
    /// Takes SaveState's words back. \param words of this object alone \param count how many; 0 = as after Setup
    virtual void RestoreState(const uint32_t* words, uint32_t count) = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_CONGESTION_CONTROL_H */
