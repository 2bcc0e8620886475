/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-least-queue-load-balancer.h"

#include "ns3/boolean.h"

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(LeastQueueLoadBalancer);

TypeId
LeastQueueLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::LeastQueueLoadBalancer")
            .SetParent<LoadBalancer>()
            .SetGroupName("Hbd")
            .AddConstructor<LeastQueueLoadBalancer>()
            .AddAttribute("KeepPointers",
                          "Turns go on where they were when the fabric has been at rest, instead of at their start. "
                          "Kept pointers make spans of time repeat less often, so that less can be replayed.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&LeastQueueLoadBalancer::m_keep),
                          MakeBooleanChecker());
    return tid;
}

void
LeastQueueLoadBalancer::Setup(FabricContext& context, const std::vector<Ptr<EthernetDevice>>& ports, uint32_t salt)
{
    m_ports = ports;
    m_turns.Setup(context, salt, m_keep);
}

uint32_t
LeastQueueLoadBalancer::Select(const PacketUnit& /* unit */, const std::vector<uint16_t>& candidates)
{
    auto size = static_cast<uint32_t>(candidates.size());
    uint32_t first = m_turns.Next(candidates);
    uint32_t best = candidates[first];
    for (uint32_t i = 1; i < size; i++)
    {
        uint32_t other = candidates[first + i < size ? first + i : first + i - size];
        best = m_ports[other]->GetQueuedBytes() < m_ports[best]->GetQueuedBytes() ? other : best;
    }
    return best;
}

void
LeastQueueLoadBalancer::SaveState(std::vector<uint32_t>& words) const
{
    m_turns.SaveState(words);
}

void
LeastQueueLoadBalancer::RestoreState(const uint32_t*& words)
{
    m_turns.RestoreState(words);
}

} // namespace hbd
} // namespace ns3
