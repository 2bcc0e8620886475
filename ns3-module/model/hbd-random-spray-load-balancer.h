/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RANDOM_SPRAY_LOAD_BALANCER_H
#define HBD_RANDOM_SPRAY_LOAD_BALANCER_H

#include "hbd-load-balancer.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Per-packet spraying: each unit takes a port at random (Dixit et al., "On the Impact of Packet Spraying in Data Center
 * Networks", INFOCOM 2013). Packets of a flow overtake one another.
 */
class RandomSprayLoadBalancer : public LoadBalancer
{
  public:
    static TypeId GetTypeId();

    void Setup(FabricContext& context, const std::vector<Ptr<EthernetDevice>>& ports, uint32_t salt) override;
    bool IsPerPacket() const override
    {
        return true;
    }

    uint32_t Select(const PacketUnit& unit, const std::vector<uint16_t>& candidates) override;
    int64_t AssignStreams(int64_t stream) override;
    void SaveState(std::vector<uint32_t>& words) const override;
    void RestoreState(const uint32_t*& words) override;

  private:
    FabricContext* m_context = nullptr;
    Ptr<UniformRandomVariable> m_random;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_RANDOM_SPRAY_LOAD_BALANCER_H */
