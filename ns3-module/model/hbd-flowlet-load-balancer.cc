/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-flowlet-load-balancer.h"

#include "hbd-hash.h"
#include "hbd-state-words.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(FlowletLoadBalancer);

TypeId
FlowletLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::FlowletLoadBalancer")
            .SetParent<LoadBalancer>()
            .SetGroupName("Hbd")
            .AddConstructor<FlowletLoadBalancer>()
            .AddAttribute("Gap",
                          "Silence of a flow after which it may take another port. Default: inactivity interval of "
                          "Juniper's flowlet mode.",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&FlowletLoadBalancer::m_gap),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "TableSize",
                "Entries of the flow table. Default: flowset table of Juniper's AI/ML switches, 32768 entries.",
                UintegerValue(32768),
                MakeUintegerAccessor(&FlowletLoadBalancer::m_tableSize),
                MakeUintegerChecker<uint32_t>(1, 1U << 24))
            .AddAttribute(
                "RandomChoice",
                "A new flowlet takes a port at random, as in LetFlow, instead of the one with the shortest queue.",
                BooleanValue(false),
                MakeBooleanAccessor(&FlowletLoadBalancer::m_randomChoice),
                MakeBooleanChecker());
    return tid;
}

void
FlowletLoadBalancer::Setup(FabricContext& context, const std::vector<Ptr<EthernetDevice>>& ports, uint32_t salt)
{
    m_context = &context;
    m_ports = ports;
    m_salt = salt;
    m_table.assign((m_tableSize + CHUNK - 1) / CHUNK, {});
    m_random = CreateObject<UniformRandomVariable>();
}

bool
FlowletLoadBalancer::IsAlive(const Flowlet& flowlet, int64_t nowPs) const
{
    return flowlet.port != NO_INDEX && nowPs - flowlet.lastPs < m_gap.GetPicoSeconds();
}

uint32_t
FlowletLoadBalancer::Choose(uint32_t hash, const std::vector<uint16_t>& candidates)
{
    auto size = static_cast<uint32_t>(candidates.size());
    if (m_randomChoice)
    {
        m_context->randomDraws++;
        return candidates[m_random->GetInteger(0, size - 1)];
    }
    auto first = static_cast<uint32_t>(static_cast<uint64_t>(hash) * size >> 32);
    uint32_t best = candidates[first];
    for (uint32_t i = 1; i < size; i++)
    {
        uint32_t other = candidates[first + i < size ? first + i : first + i - size];
        best = m_ports[other]->GetQueuedBytes() < m_ports[best]->GetQueuedBytes() ? other : best;
    }
    return best;
}

uint32_t
FlowletLoadBalancer::Select(const PacketUnit& unit, const std::vector<uint16_t>& candidates)
{
    int64_t nowPs = m_context->kernel->NowPs();
    uint32_t hash = MixHash(unit.flowHash ^ m_salt);
    uint32_t entry = hash % m_tableSize;
    auto& chunk = m_table[entry / CHUNK];
    if (chunk.empty())
    {
        chunk.resize(CHUNK);
    }
    Flowlet& flowlet = chunk[entry % CHUNK];
    // the ports change with the destination when hashes meet, and when routes are computed again
    bool keeps = IsAlive(flowlet, nowPs) &&
                 std::binary_search(candidates.begin(), candidates.end(), static_cast<uint16_t>(flowlet.port));
    flowlet.port = keeps ? flowlet.port : Choose(hash, candidates);
    flowlet.lastPs = nowPs;
    return flowlet.port;
}

int64_t
FlowletLoadBalancer::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
FlowletLoadBalancer::SaveState(std::vector<uint32_t>& words) const
{
    int64_t nowPs = m_context->kernel->NowPs();
    size_t count = words.size();
    words.push_back(0);
    StateWriter writer(words);
    for (size_t entry = 0; entry < m_table.size() * CHUNK; entry++)
    {
        const auto& chunk = m_table[entry / CHUNK];
        if (chunk.empty())
        {
            entry += CHUNK - 1;
            continue;
        }
        const Flowlet& flowlet = chunk[entry % CHUNK];
        if (IsAlive(flowlet, nowPs))
        {
            writer.Put(static_cast<uint32_t>(entry)).Put(flowlet.port).Put(nowPs - flowlet.lastPs);
            words[count]++;
        }
    }
}

void
FlowletLoadBalancer::RestoreState(const uint32_t*& words)
{
    int64_t nowPs = m_context->kernel->NowPs();
    for (auto& chunk : m_table)
    {
        std::fill(chunk.begin(), chunk.end(), Flowlet());
    }
    uint32_t count = *words++;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t entry;
        uint32_t port;
        int64_t age;
        StateReader(words).Get(entry).Get(port).Get(age);
        words += 4;
        auto& chunk = m_table[entry / CHUNK];
        chunk.resize(CHUNK);
        chunk[entry % CHUNK].port = port;
        chunk[entry % CHUNK].lastPs = nowPs - age;
    }
}

} // namespace hbd
} // namespace ns3
