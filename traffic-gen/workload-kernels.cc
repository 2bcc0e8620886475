/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-kernels.h"

#include "collective-table.h"
#include "deployment.h"
#include "schedule-builder.h"
#include "token-exchange.h"

#include <numeric>
#include <set>

namespace hbd::traffic
{

namespace
{

ClusterShape
ShapeOf(const ClusterSpec& cluster)
{
    return ClusterShape(cluster.gpus, cluster.hbd.size, cluster.scaleOut.gpusPerServer);
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

void
ChooseAll(const Scenario& scenario)
{
    if (const auto& workload = scenario.workload.collective)
    {
        for (const Bytes size : workload->sizes)
        {
            ChooseKernel(QueryOf(*workload, scenario.cluster, size), scenario.library, scenario.cluster);
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
                ChooseKernel(QueryOf(exchange, request, shape), scenario.library, scenario.cluster);
            }
        }
    }
}

} // namespace

KernelQuery
QueryOf(const CollectiveWorkload& workload, const ClusterSpec& cluster, Bytes size)
{
    std::vector<uint32_t> ranks = workload.ranks;
    if (ranks.empty())
    {
        ranks.resize(cluster.gpus);
        std::iota(ranks.begin(), ranks.end(), 0);
    }
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
        ChooseAll(scenario);
    }
    catch (const KernelError& error)
    {
        return error.what();
    }
    return std::nullopt;
}

} // namespace hbd::traffic
