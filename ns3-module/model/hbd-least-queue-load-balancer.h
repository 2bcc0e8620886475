/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_LEAST_QUEUE_LOAD_BALANCER_H
#define HBD_LEAST_QUEUE_LOAD_BALANCER_H

#include "hbd-load-balancer.h"
#include "hbd-path-turns.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Per-packet adaptive routing: each unit takes the port of which the fewest bytes wait; among equals, those in turn.
 * Packets of a flow overtake one another.
 */
class LeastQueueLoadBalancer : public LoadBalancer
{
  public:
    static TypeId GetTypeId();

    void Setup(FabricContext& context, const std::vector<Ptr<EthernetDevice>>& ports, uint32_t salt) override;
    bool IsPerPacket() const override
    {
        return true;
    }

    uint32_t Select(const PacketUnit& unit, const std::vector<uint16_t>& candidates) override;
    void SaveState(std::vector<uint32_t>& words) const override;
    void RestoreState(const uint32_t*& words) override;

  private:
    bool m_keep;
    std::vector<Ptr<EthernetDevice>> m_ports;
    PathTurns m_turns;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_LEAST_QUEUE_LOAD_BALANCER_H */
