/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-table.h"
#include "item-builder.h"
#include "schedule-builder.h"
#include "workload-kernels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace hbd::traffic
{

namespace
{

/// Builds the program of a model.
class InferenceBuilder
{
  public:
    explicit InferenceBuilder(const Scenario& scenario)
        : m_scenario(scenario),
          m_deployment(scenario),
          m_shape(ShapeOf(scenario.cluster)),
          m_rates(scenario.cluster)
    {
        m_parts.ranks = scenario.cluster.gpus;
        m_parts.gpu = scenario.cluster.gpu;
        m_parts.precision = scenario.precision;
        m_parts.phaseNames = {"prefill", "decode"};
    }

    std::unique_ptr<Schedule> Build()
    {
        for (uint32_t step = 0; step < m_deployment.Workload().outputTokens; ++step)
        {
            AddStep(step);
        }
        return std::make_unique<BuiltSchedule>(std::move(m_parts));
    }

  private:
    /// One pass of the batch through the model.
    void AddStep(uint32_t step)
    {
        const Mapping& map = m_deployment.Map();
        const uint32_t stages = map.Spec().pp;
        if (stages > 1 && step > 0)
        {
            AddItem(UnitKind::TokenReturn, step, -1, stages - 1);
        }
        AddItem(UnitKind::Embedding, step, -1, 0);
        for (uint32_t stage = 0; stage < stages; ++stage)
        {
            const uint32_t end = map.FirstLayer(stage + 1, m_deployment.Model().layers);
            for (uint32_t layer = map.FirstLayer(stage, m_deployment.Model().layers); layer < end; ++layer)
            {
                const bool handsOver = layer + 1 == end && stage + 1 < stages;
                AddItem(handsOver ? UnitKind::LastLayerOfStage : UnitKind::Layer,
                        step,
                        static_cast<int32_t>(layer),
                        stage);
            }
            if (stage + 1 < stages)
            {
                AddItem(UnitKind::StageTransfer, step, -1, stage);
            }
        }
        AddItem(UnitKind::LmHead, step, -1, stages - 1);
        m_parts.items.back().lastOfStep = true;
    }

    void AddItem(UnitKind kind, uint32_t step, int32_t layer, uint32_t stage)
    {
        const Phase phase = step == 0 ? Phase::Prefill : Phase::Decode;
        const auto key = std::tuple(kind, phase, stage);
        auto entry = m_classes.find(key);
        if (entry == m_classes.end())
        {
            entry = m_classes.emplace(key, BuildClass(kind, phase, stage)).first;
        }
        Item item;
        item.phase = static_cast<uint8_t>(phase);
        item.step = step;
        item.layer = layer;
        item.layerClass = entry->second.second;
        m_parts.items.push_back(item);
        m_parts.classOfItem.push_back(entry->second.first);
    }

    /// \return index of the item class and of its name
    std::pair<uint16_t, uint16_t> BuildClass(UnitKind kind, Phase phase, uint32_t stage)
    {
        const Mapping& map = m_deployment.Map();
        ItemBuilder builder(m_parts, static_cast<uint8_t>(phase));
        for (const auto& entry : ProgramOf(kind, m_deployment.Model(), map.Spec(), m_deployment.Source().library))
        {
            if (entry.isExchange)
            {
                // What follows a stage transfer happens on its receiving side.
                const bool received = kind == UnitKind::StageTransfer && entry.exchange == Exchange::LayerAllGather;
                AddExchange(builder, entry.exchange, phase, stage + (received ? 1 : 0));
                continue;
            }
            for (uint32_t gpu = stage * map.StageGpus(); gpu < (stage + 1) * map.StageGpus(); ++gpu)
            {
                builder.AddStage(gpu, WorkOf(entry.stage, phase, m_deployment, gpu));
            }
        }
        return {builder.Finish(), NameIndex(ToText(kind, m_deployment.Model().experts > 0))};
    }

    uint16_t NameIndex(const std::string& name)
    {
        auto& names = m_parts.layerClassNames;
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end())
        {
            return static_cast<uint16_t>(found - names.begin());
        }
        names.push_back(name);
        return static_cast<uint16_t>(names.size() - 1);
    }

    void AddExchange(ItemBuilder& builder, Exchange exchange, Phase phase, uint32_t stage)
    {
        const ExchangeRequest request = RequestOf(exchange, phase, m_deployment, stage);
        const uint32_t label = LabelIndex(exchange, phase, stage, request);
        const KernelSpec& kernel = m_kernels[label];
        for (uint32_t group = 0; group < request.groups.size(); ++group)
        {
            const CollectiveRequest& one = request.groups[group];
            if (!request.pairwise && m_deployment.Map().StageOf(one.ranks[0]) != stage)
            {
                continue;
            }
            const CollectiveRequest exchange = request.pairwise ? PairExchange(one) : one;
            const Lowering lowering = LowerCollective(exchange, {m_shape, kernel, m_rates}, kernel.algorithm);
            builder.AddCollective(label, group, one.ranks, lowering);
        }
        builder.EndCollective();
    }

    uint32_t LabelIndex(Exchange exchange, Phase phase, uint32_t stage, const ExchangeRequest& request)
    {
        // Collectives have the groups of all pipeline stages, point-to-point exchanges the pairs of two.
        const auto key = std::tuple(exchange, phase, request.pairwise ? stage : 0);
        const auto [entry, isNew] = m_labels.emplace(key, static_cast<uint32_t>(m_parts.collectives.size()));
        if (isNew)
        {
            m_kernels.push_back(
                ChooseKernel(QueryOf(exchange, request, m_shape), m_scenario.library, m_scenario.cluster));
            m_parts.collectives.push_back(LabelOf(exchange, request));
            SetKernel(m_parts.collectives.back(), m_kernels.back());
        }
        return entry->second;
    }

    CollectiveLabel LabelOf(Exchange exchange, const ExchangeRequest& request) const
    {
        CollectiveLabel label;
        label.name = ToText(exchange);
        label.group = request.group;
        label.ranks = request.groups[0].Size();
        const CollectiveOp op = request.groups[0].op;
        label.op = request.pairwise ? "send-receive" : ToText(op);
        for (const auto& group : request.groups)
        {
            const uint64_t size = request.pairwise ? group.blockBytes[0] : CollectiveSize(group);
            label.sizeBytes = std::max(label.sizeBytes, size);
            label.members.push_back(group.ranks);
        }
        return label;
    }

    const Scenario& m_scenario;
    const Deployment m_deployment;
    const ClusterShape m_shape;
    const TierRates m_rates;
    ScheduleParts m_parts;
    std::vector<KernelSpec> m_kernels; ///< by label
    std::map<std::tuple<UnitKind, Phase, uint32_t>, std::pair<uint16_t, uint16_t>>
        m_classes; ///< item class and its name
    std::map<std::tuple<Exchange, Phase, uint32_t>, uint32_t> m_labels;
};

} // namespace

std::unique_ptr<Schedule>
BuildInferenceSchedule(const Scenario& scenario)
{
    return InferenceBuilder(scenario).Build();
}

} // namespace hbd::traffic
