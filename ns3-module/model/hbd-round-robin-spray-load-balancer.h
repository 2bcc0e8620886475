/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ROUND_ROBIN_SPRAY_LOAD_BALANCER_H
#define HBD_ROUND_ROBIN_SPRAY_LOAD_BALANCER_H

#include "hbd-load-balancer.h"
#include "hbd-path-turns.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Per-packet spraying in turns: the units for one set of equal-cost ports take them round robin, whatever their flows,
 * so that the numbers of units on any two of them differ by at most one. Packets of a flow overtake one another.
 */
class RoundRobinSprayLoadBalancer : public LoadBalancer
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
    PathTurns m_turns;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_ROUND_ROBIN_SPRAY_LOAD_BALANCER_H */
