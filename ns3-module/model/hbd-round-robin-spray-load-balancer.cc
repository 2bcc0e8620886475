/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-round-robin-spray-load-balancer.h"

#include "ns3/boolean.h"

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(RoundRobinSprayLoadBalancer);

TypeId
RoundRobinSprayLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::RoundRobinSprayLoadBalancer")
            .SetParent<LoadBalancer>()
            .SetGroupName("Hbd")
            .AddConstructor<RoundRobinSprayLoadBalancer>()
            .AddAttribute("KeepPointers",
                          "Turns go on where they were when the fabric has been at rest, instead of at their start. "
                          "Kept pointers make spans of time repeat less often, so that less can be replayed.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoundRobinSprayLoadBalancer::m_keep),
                          MakeBooleanChecker());
    return tid;
}

void
RoundRobinSprayLoadBalancer::Setup(FabricContext& context,
                                   const std::vector<Ptr<EthernetDevice>>& /* ports */,
                                   uint32_t salt)
{
    m_turns.Setup(context, salt, m_keep);
}

uint32_t
RoundRobinSprayLoadBalancer::Select(const PacketUnit& /* unit */, const std::vector<uint16_t>& candidates)
{
    return candidates[m_turns.Next(candidates)];
}

void
RoundRobinSprayLoadBalancer::SaveState(std::vector<uint32_t>& words) const
{
    m_turns.SaveState(words);
}

void
RoundRobinSprayLoadBalancer::RestoreState(const uint32_t*& words)
{
    m_turns.RestoreState(words);
}

} // namespace hbd
} // namespace ns3
