/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FABRIC_ELEMENT_H
#define HBD_FABRIC_ELEMENT_H

#include "hbd-message.h"
#include "hbd-packet-unit.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace hbd
{

class FabricPort;

/**
 * \ingroup hbd
 * What stands behind the ports of one node: a GPU, an NVLink switch, a NIC, an Ethernet switch. Ports call it; it decides what a port sends next.
 */
class FabricElement
{
  public:
    virtual ~FabricElement() = default;

    /**
     * A unit has arrived: at an end point its last byte, at a switch as much of it as is needed to forward it.
     * \param port index of the port in this element
     * \param unit the unit; the element owns it from here on
     */
    virtual void ReceiveUnit(uint32_t port, PacketUnit& unit) = 0;

    /**
     * The port is free. The element may call FabricPort::Transmit once.
     * \param port index of the port in this element
     */
    virtual void Arbitrate(uint32_t port) = 0;

    /// Whether units end here (the port's peer then schedules their arrival for the last byte).
    virtual bool IsEndPoint() const = 0;

    /// Fixes its random streams, from one number on. \return how many numbers it takes, the same whatever is random
    virtual int64_t AssignStreams(int64_t /* stream */)
    {
        return 0;
    }

    /// Appends everything that outlives a quiescent instant and can change what happens later (arbitration pointers, congestion state).
    virtual void SaveState(std::vector<uint32_t>& words) const = 0;
    /// Takes back what SaveState wrote. \param words advanced past what was read
    virtual void RestoreState(const uint32_t*& words) = 0;

    /// Whether it holds no unit. Checked at the end of a run.
    virtual bool IsDrained() const = 0;

    /// Whether a sink of the element itself, not of its ports, is connected.
    virtual bool IsTraced() const
    {
        return false;
    }

    /// Describes why units wait here, one line each (for the watchdog). Empty when nothing waits.
    virtual void DescribeBlocked(std::vector<std::string>& lines) const = 0;

    /**
     * Appends which blocked egress port waits for which: (a, b) = port a has a unit, and buffer at the other end frees only when
     * port b there sends. Ports by kernel id. The watchdog looks for a cycle in it.
     */
    virtual void GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& /* waits */) const
    {
    }
};

/**
 * \ingroup hbd
 * Where a GPU's host port takes its units from: the scheduler of the NIC behind it.
 */
class HostUnitSource
{
  public:
    virtual ~HostUnitSource() = default;
    /// The unit to fetch over the host link now, or null. The caller sends it at once.
    virtual PacketUnit* NextUnit() = 0;
};

/**
 * \ingroup hbd
 * Starts messages on one kind of path.
 */
class Transport
{
  public:
    virtual ~Transport() = default;
    /// \param message slot in the fabric's MessageTable, source, destination, bytes and channel filled in
    virtual void Start(uint32_t message) = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FABRIC_ELEMENT_H */
