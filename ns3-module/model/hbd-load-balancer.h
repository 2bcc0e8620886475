/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_LOAD_BALANCER_H
#define HBD_LOAD_BALANCER_H

#include "hbd-ethernet-device.h"

#include "ns3/object.h"

#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Chooses among the equal-cost ports of a switch. One object a switch, chosen by TypeId.
 */
class LoadBalancer : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * \param context the fabric: its time, and the count of random draws that a balancer adds its own to
     * \param ports all ports of the switch, whose queues (FabricPort::GetQueuedBytes) it may look at
     * \param salt differs between switches, the same in every run
     */
    virtual void Setup(FabricContext& context, const std::vector<Ptr<EthernetDevice>>& ports, uint32_t salt) = 0;
    /**
     * \param unit what is to be sent
     * \param candidates at least two equal-cost egress ports, in port order
     * \return one of them
     */
    virtual uint32_t Select(const PacketUnit& unit, const std::vector<uint16_t>& candidates) = 0;

    /// Whether it chooses anew for each packet, so that units must be single packets.
    virtual bool IsPerPacket() const
    {
        return false;
    }

    /// Fixes its random stream. \param stream its number \return streams used
    virtual int64_t AssignStreams(int64_t /* stream */)
    {
        return 0;
    }

    /// Appends what outlives a quiescent instant.
    virtual void SaveState(std::vector<uint32_t>& words) const = 0;
    /// Takes back what SaveState wrote. \param words advanced past what was read
    virtual void RestoreState(const uint32_t*& words) = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_LOAD_BALANCER_H */
