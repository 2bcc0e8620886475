/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "deployment.h"

#include "model-shape.h"
#include "shares.h"

namespace hbd::traffic
{

namespace
{

BalancedRouting
RoutingOf(const Scenario& scenario)
{
    const ModelSpec& model = *scenario.model;
    return model.experts == 0 ? BalancedRouting() : BalancedRouting(model.experts, model.topK, scenario.mapping.ep);
}

} // namespace

Deployment::Deployment(const Scenario& scenario)
    : m_scenario(scenario),
      m_mapping(scenario.cluster.gpus, scenario.mapping, scenario.model.value().experts > 0),
      m_routing(RoutingOf(scenario))
{
}

const Scenario&
Deployment::Source() const
{
    return m_scenario;
}

const ModelSpec&
Deployment::Model() const
{
    return *m_scenario.model;
}

const InferenceWorkload&
Deployment::Workload() const
{
    return m_scenario.workload.inference.value();
}

const Mapping&
Deployment::Map() const
{
    return m_mapping;
}

uint64_t
Deployment::Sequences(uint32_t gpu) const
{
    return ShareOf(Workload().batch, m_mapping.Spec().dp, m_mapping.DpIndex(gpu));
}

TokenRange
Deployment::GroupTokens(Phase phase, uint32_t gpu) const
{
    const uint64_t perSequence = phase == Phase::Prefill ? Workload().inputTokens : 1;
    const uint64_t first = ShareOffset(Workload().batch, m_mapping.Spec().dp, m_mapping.DpIndex(gpu));
    return {first * perSequence, Sequences(gpu) * perSequence};
}

TokenRange
Deployment::AllTokens(Phase phase) const
{
    const uint64_t perSequence = phase == Phase::Prefill ? Workload().inputTokens : 1;
    return {0, Workload().batch * perSequence};
}

Shard
Deployment::ShardOf(Phase phase, uint32_t gpu) const
{
    const TokenRange group = GroupTokens(phase, gpu);
    const uint32_t tp = m_mapping.Spec().tp;
    const uint32_t index = m_mapping.TpIndex(gpu);
    if (group.count < tp)
    {
        return {group, ShareOf(Model().hidden, tp, index)};
    }
    return {{group.first + ShareOffset(group.count, tp, index), ShareOf(group.count, tp, index)}, Model().hidden};
}

uint64_t
Deployment::ShardWireBytes(Phase phase, uint32_t gpu) const
{
    const Shard shard = ShardOf(phase, gpu);
    return shard.tokens.count * BytesOf(shard.slice, m_scenario.precision.wire);
}

uint64_t
Deployment::Heads(uint32_t gpu) const
{
    return ShareOf(Model().heads, m_mapping.Spec().tp, m_mapping.TpIndex(gpu));
}

uint64_t
Deployment::KvHeads(uint32_t gpu) const
{
    const uint64_t count = Heads(gpu);
    if (count == 0)
    {
        return 0;
    }
    // Query head q uses KV head q x kvHeads / heads.
    const uint64_t first = ShareOffset(Model().heads, m_mapping.Spec().tp, m_mapping.TpIndex(gpu));
    const uint64_t firstKv = first * Model().kvHeads / Model().heads;
    const uint64_t lastKv = (first + count - 1) * Model().kvHeads / Model().heads;
    return lastKv - firstKv + 1;
}

uint64_t
Deployment::FfnShare(uint32_t gpu) const
{
    const MappingSpec& spec = m_mapping.Spec();
    return Model().experts == 0 ? ShareOf(Model().ffn, spec.tp, m_mapping.TpIndex(gpu))
                                : ShareOf(Model().ffn, spec.expertTp, m_mapping.ExpertTpIndex(gpu));
}

uint64_t
Deployment::Vocabulary(uint32_t gpu) const
{
    return ShareOf(Model().vocabulary, m_mapping.Spec().tp, m_mapping.TpIndex(gpu));
}

uint64_t
Deployment::Layers(uint32_t gpu) const
{
    return ShareOf(Model().layers, m_mapping.Spec().pp, m_mapping.StageOf(gpu));
}

uint32_t
Deployment::FirstExpert(uint32_t epRank) const
{
    return static_cast<uint32_t>(ShareOffset(Model().experts, m_mapping.Spec().ep, epRank));
}

std::vector<uint64_t>
Deployment::ExpertCopies(Phase phase, uint32_t gpu) const
{
    std::vector<uint64_t> copies;
    if (Model().experts > 0)
    {
        const uint32_t rank = m_mapping.EpIndex(gpu);
        for (uint32_t expert = FirstExpert(rank); expert < FirstExpert(rank + 1); ++expert)
        {
            copies.push_back(m_routing.Copies(AllTokens(phase), expert));
        }
    }
    return copies;
}

const BalancedRouting&
Deployment::Routing() const
{
    return m_routing;
}

std::vector<uint64_t>
Deployment::DispatchBytes(Phase phase, uint32_t gpu) const
{
    const Shard shard = ShardOf(phase, gpu);
    const uint64_t copyBytes = BytesOf(shard.slice, m_scenario.precision.wire);
    std::vector<uint64_t> bytes(m_mapping.Spec().ep, 0);
    for (uint32_t rank = 0; rank < bytes.size(); ++rank)
    {
        for (uint32_t expert = FirstExpert(rank); expert < FirstExpert(rank + 1); ++expert)
        {
            bytes[rank] += m_routing.Copies(shard.tokens, expert) * copyBytes;
        }
    }
    return bytes;
}

} // namespace hbd::traffic
