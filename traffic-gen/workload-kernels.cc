/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-kernels.h"

#include "collective-lowering.h"
#include "collective-table.h"
#include "deployment.h"
#include "schedule-builder.h"
#include "token-exchange.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace hbd::traffic
{

namespace
{

std::vector<uint32_t>
RanksOf(const CollectiveWorkload& workload, const ClusterSpec& cluster)
{
    std::vector<uint32_t> ranks = workload.ranks;
    if (ranks.empty())
    {
        ranks.resize(cluster.gpus);
        std::iota(ranks.begin(), ranks.end(), 0);
    }
    return ranks;
}

/// The exchanges of all units of a model.
std::set<Exchange>
ExchangesOf(const Scenario& scenario)
{
    std::set<Exchange> exchanges;
    for (const UnitKind kind : {UnitKind::Embedding,
                                UnitKind::Layer,
                                UnitKind::LastLayerOfStage,
                                UnitKind::StageTransfer,
                                UnitKind::LmHead,
                                UnitKind::TokenReturn})
    {
        const bool ofStages = kind == UnitKind::LastLayerOfStage || kind == UnitKind::StageTransfer ||
                              kind == UnitKind::TokenReturn;
        if (ofStages && scenario.mapping.pp == 1)
        {
            continue;
        }
        for (const auto& entry : ProgramOf(kind, *scenario.model, scenario.mapping, scenario.library))
        {
            if (entry.isExchange)
            {
                exchanges.insert(entry.exchange);
            }
        }
    }
    return exchanges;
}

/// Told of each kernel that the library chooses, with the ranks of the groups that use it.
using ChoiceVisitor = std::function<void(const KernelSpec&, const std::vector<std::vector<uint32_t>>&)>;

void
ChooseAll(const Scenario& scenario, const ChoiceVisitor& visit)
{
    if (const auto& workload = scenario.workload.collective)
    {
        for (const Bytes size : workload->sizes)
        {
            visit(ChooseKernel(QueryOf(*workload, scenario.cluster, size), scenario.library, scenario.cluster),
                  {RanksOf(*workload, scenario.cluster)});
        }
        return;
    }
    const Deployment deployment(scenario);
    const ClusterShape shape = ShapeOf(scenario.cluster);
    for (const Exchange exchange : ExchangesOf(scenario))
    {
        for (const Phase phase : {Phase::Prefill, Phase::Decode})
        {
            const bool transfer = exchange == Exchange::StageTransfer;
            for (uint32_t stage = 0; stage < (transfer ? scenario.mapping.pp - 1 : 1); ++stage)
            {
                const ExchangeRequest request = RequestOf(exchange, phase, deployment, stage);
                std::vector<std::vector<uint32_t>> groups;
                for (const auto& group : request.groups)
                {
                    groups.push_back(group.ranks);
                }
                visit(ChooseKernel(QueryOf(exchange, request, shape), scenario.library, scenario.cluster), groups);
            }
        }
    }
}

} // namespace

KernelQuery
QueryOf(const CollectiveWorkload& workload, const ClusterSpec& cluster, Bytes size)
{
    const std::vector<uint32_t> ranks = RanksOf(workload, cluster);
    KernelQuery query;
    query.operation = workload.collective;
    const CollectiveEntry* named = FindCollective(OpOfKernels(query.operation), workload.algorithm);
    query.algorithm = named != nullptr ? named->algorithm : workload.algorithm;
    query.protocol = workload.protocol;
    if (IsExchange(workload))
    {
        query.Add(RequestOfSize(workload, cluster.gpus, size), ShapeOf(cluster));
        return query;
    }
    query.size = size.Count();
    query.largestBlock = (size.Count() + ranks.size() - 1) / ranks.size();
    query.Add(SpreadOf(GroupLayout(ranks, ShapeOf(cluster))));
    return query;
}

KernelQuery
QueryOf(Exchange exchange, const ExchangeRequest& request, const ClusterShape& shape)
{
    KernelQuery query;
    const bool ofExperts = exchange == Exchange::Dispatch || exchange == Exchange::Combine;
    query.operation = ofExperts ? ToText(exchange) : ToText(request.groups[0].op);
    if (request.pairwise)
    {
        query.operation = ToText(CollectiveOp::AllToAll);
        query.algorithm = "direct";
    }
    for (const auto& group : request.groups)
    {
        query.Add(request.pairwise ? PairExchange(group) : group, shape);
    }
    return query;
}

CollectiveRequest
PairExchange(const CollectiveRequest& pair)
{
    CollectiveRequest exchange;
    exchange.op = CollectiveOp::AllToAll;
    exchange.ranks = pair.ranks;
    exchange.pairBytes = {0, pair.blockBytes[0], 0, 0};
    return exchange;
}

void
SetKernel(CollectiveLabel& label, const KernelSpec& kernel)
{
    label.algorithm = kernel.algorithm;
    label.protocol = kernel.protocol == kNoProtocol ? "" : kernel.protocol;
}

std::optional<std::string>
KernelProblem(const Scenario& scenario)
{
    if (scenario.workload.messages)
    {
        return std::nullopt;
    }
    try
    {
        ChooseAll(scenario, [](const auto&, const auto&) {});
    }
    catch (const KernelError& error)
    {
        return error.what();
    }
    return std::nullopt;
}

uint32_t
CountSwitchGroups(const Scenario& scenario)
{
    if (scenario.workload.messages)
    {
        return 0;
    }
    std::map<uint32_t, std::set<std::vector<uint32_t>>> groups; // by domain
    ChooseAll(scenario, [&](const KernelSpec& kernel, const std::vector<std::vector<uint32_t>>& ranksOfGroups) {
        for (const auto& ranks : kernel.algorithm == "nvls" ? ranksOfGroups : std::vector<std::vector<uint32_t>>())
        {
            for (auto domain : GroupLayout(ranks, ShapeOf(scenario.cluster)).domains)
            {
                if (domain.size() > 1)
                {
                    const uint32_t number = ranks[domain.front()] / scenario.cluster.hbd.size;
                    std::transform(domain.begin(), domain.end(), domain.begin(), [&](uint32_t member) { return ranks[member]; });
                    std::sort(domain.begin(), domain.end());
                    groups[number].insert(std::move(domain));
                }
            }
        }
    });
    size_t most = 0;
    for (const auto& [domain, ofDomain] : groups)
    {
        most = std::max(most, ofDomain.size());
    }
    return static_cast<uint32_t>(most);
}

} // namespace hbd::traffic
