/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ECMP_LOAD_BALANCER_H
#define HBD_ECMP_LOAD_BALANCER_H

#include "hbd-load-balancer.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Equal-cost multi-path: the hash of a flow's 5-tuple, salted per switch, chooses the port, so that a flow keeps its
 * path and its order (RFC 2992).
 */
class EcmpLoadBalancer : public LoadBalancer
{
  public:
    static TypeId GetTypeId();

    void Setup(FabricContext& context, const std::vector<Ptr<EthernetDevice>>& ports, uint32_t salt) override;
    uint32_t Select(const PacketUnit& unit, const std::vector<uint16_t>& candidates) override;
    void SaveState(std::vector<uint32_t>& words) const override;
    void RestoreState(const uint32_t*& words) override;

  private:
    uint32_t m_salt = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_ECMP_LOAD_BALANCER_H */
