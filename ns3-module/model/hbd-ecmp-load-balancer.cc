/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ecmp-load-balancer.h"

#include "hbd-hash.h"

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(EcmpLoadBalancer);

TypeId
EcmpLoadBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::EcmpLoadBalancer")
                            .SetParent<LoadBalancer>()
                            .SetGroupName("Hbd")
                            .AddConstructor<EcmpLoadBalancer>();
    return tid;
}

void
EcmpLoadBalancer::Setup(FabricContext& /* context */,
                        const std::vector<Ptr<EthernetDevice>>& /* ports */,
                        uint32_t salt)
{
    m_salt = salt;
}

uint32_t
EcmpLoadBalancer::Select(const PacketUnit& unit, const std::vector<uint16_t>& candidates)
{
    uint64_t hash = MixHash(unit.flowHash ^ m_salt);
    return candidates[hash * candidates.size() >> 32];
}

void
EcmpLoadBalancer::SaveState(std::vector<uint32_t>& /* words */) const
{
    // a flow's path never depends on what went before
}

void
EcmpLoadBalancer::RestoreState(const uint32_t*& /* words */)
{
    // see SaveState
}

} // namespace hbd
} // namespace ns3
