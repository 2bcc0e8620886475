/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-random-spray-load-balancer.h"

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(RandomSprayLoadBalancer);

TypeId
RandomSprayLoadBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::RandomSprayLoadBalancer")
                            .SetParent<LoadBalancer>()
                            .SetGroupName("Hbd")
                            .AddConstructor<RandomSprayLoadBalancer>();
    return tid;
}

void
RandomSprayLoadBalancer::Setup(FabricContext& context,
                               const std::vector<Ptr<EthernetDevice>>& /* ports */,
                               uint32_t /* salt */)
{
    m_context = &context;
    m_random = CreateObject<UniformRandomVariable>();
}

uint32_t
RandomSprayLoadBalancer::Select(const PacketUnit& /* unit */, const std::vector<uint16_t>& candidates)
{
    m_context->randomDraws++;
    return candidates[m_random->GetInteger(0, static_cast<uint32_t>(candidates.size()) - 1)];
}

int64_t
RandomSprayLoadBalancer::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
RandomSprayLoadBalancer::SaveState(std::vector<uint32_t>& /* words */) const
{
    // the random stream is counted by FabricContext::randomDraws
}

void
RandomSprayLoadBalancer::RestoreState(const uint32_t*& /* words */)
{
    // see SaveState
}

} // namespace hbd
} // namespace ns3
