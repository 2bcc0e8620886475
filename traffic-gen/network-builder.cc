/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-table.h"
#include "item-builder.h"
#include "message-file.h"
#include "schedule-builder.h"
#include "shares.h"
#include "token-exchange.h"
#include "workload-kernels.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hbd::traffic
{

namespace
{

ScheduleParts
NetworkParts(const Scenario& scenario, const std::string& className)
{
    ScheduleParts parts;
    parts.ranks = scenario.cluster.gpus;
    parts.gpu = scenario.cluster.gpu;
    parts.precision = scenario.precision;
    parts.phaseNames = {"network"};
    parts.layerClassNames = {className};
    return parts;
}

void
AddItem(ScheduleParts& parts, uint32_t step, uint16_t itemClass)
{
    Item item;
    item.step = step;
    item.afterAll = step > 0; // as nccl-tests has a barrier between sizes
    item.lastOfStep = true;
    parts.items.push_back(item);
    parts.classOfItem.push_back(itemClass);
}

} // namespace

CollectiveRequest
RequestOfSize(const CollectiveWorkload& workload, uint32_t gpus, Bytes size)
{
    CollectiveRequest request;
    request.op = CollectiveOp::AllToAll;
    if (!IsExchange(workload) && !ParseCollectiveOp(workload.collective, request.op))
    {
        throw std::invalid_argument("unknown collective '" + workload.collective + "'");
    }
    request.ranks = workload.ranks;
    if (request.ranks.empty())
    {
        request.ranks.resize(gpus);
        std::iota(request.ranks.begin(), request.ranks.end(), 0);
    }
    if (IsExchange(workload))
    {
        request.pairBytes = ExchangedBytes(workload, request.Size());
        return request;
    }
    const uint64_t n = request.ranks.size();
    for (uint64_t member = 0; member < n; ++member)
    {
        if (request.op != CollectiveOp::AllToAll)
        {
            request.blockBytes.push_back(ShareOf(size.Count(), n, member));
            continue;
        }
        for (uint64_t peer = 0; peer < n; ++peer)
        {
            request.pairBytes.push_back(ShareOf(size.Count(), n, peer));
        }
    }
    return request;
}

std::unique_ptr<Schedule>
BuildCollectiveSchedule(const Scenario& scenario)
{
    const CollectiveWorkload& workload = *scenario.workload.collective;
    const ClusterShape shape = ShapeOf(scenario.cluster);
    ScheduleParts parts = NetworkParts(scenario, "collective");
    for (uint32_t step = 0; step < workload.sizes.size(); ++step)
    {
        const auto request = RequestOfSize(workload, scenario.cluster.gpus, workload.sizes[step]);
        const KernelSpec kernel = ChooseKernel(QueryOf(workload, scenario.cluster, workload.sizes[step]),
                                               scenario.library,
                                               scenario.cluster);
        CollectiveLabel label;
        label.name = workload.collective;
        label.op = ToText(request.op);
        SetKernel(label, kernel);
        label.group = workload.ranks.empty() ? "world" : "ranks";
        label.ranks = request.Size();
        label.sizeBytes = CollectiveSize(request);
        label.members = {request.ranks};
        ItemBuilder builder(parts, 0);
        const auto index = static_cast<uint32_t>(parts.collectives.size());
        builder.AddCollective(index,
                              0,
                              request.ranks,
                              LowerCollective(request, {shape, kernel, TierRates(scenario.cluster)}, kernel.algorithm));
        parts.collectives.push_back(std::move(label));
        AddItem(parts, step, builder.Finish());
    }
    return std::make_unique<BuiltSchedule>(std::move(parts));
}

namespace
{

/// Messages as a lowering over all ranks: a delay for each different time of a source, sends after it, receives posted
/// from the start.
Lowering
LowerMessages(const std::vector<Message>& messages, uint32_t ranks)
{
    Lowering lowering;
    lowering.members.resize(ranks);
    std::map<std::pair<uint32_t, int64_t>, uint32_t> delays;   // source and time -> operation
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> matches; // source and destination -> messages so far
    for (const auto& message : messages)
    {
        auto& ops = lowering.members[message.source];
        LoweredOp op;
        op.kind = OpKind::Send;
        op.peer = message.destination;
        op.match = matches[{message.source, message.destination}]++;
        op.bytes = message.bytes.Count();
        lowering.matchCount = std::max(lowering.matchCount, op.match + 1);
        if (!message.time.IsZero())
        {
            const auto [delay, isNew] = delays.emplace(std::pair(message.source, message.time.Picoseconds()),
                                                       static_cast<uint32_t>(ops.size()));
            if (isNew)
            {
                LoweredOp wait;
                wait.kind = OpKind::Delay;
                wait.delayPs = message.time.Picoseconds();
                ops.push_back(wait);
            }
            op.dependencies = {delay->second};
        }
        ops.push_back(op);
        op.kind = OpKind::Receive;
        op.peer = message.source;
        op.dependencies.clear();
        lowering.members[message.destination].push_back(std::move(op));
    }
    return lowering;
}

} // namespace

std::unique_ptr<Schedule>
BuildMessagesSchedule(const Scenario& scenario)
{
    std::vector<Problem> problems;
    const auto messages = ReadMessageFile(scenario.workload.messages->file, scenario.cluster.gpus, problems);
    if (!problems.empty())
    {
        throw ScheduleError(std::move(problems));
    }
    ScheduleParts parts = NetworkParts(scenario, "messages");
    CollectiveLabel label;
    label.name = "messages";
    label.op = "messages";
    label.algorithm = "direct";
    label.group = "world";
    label.ranks = parts.ranks;
    label.members.emplace_back(parts.ranks);
    std::iota(label.members[0].begin(), label.members[0].end(), 0);
    for (const auto& message : messages)
    {
        label.sizeBytes += message.bytes.Count();
    }
    ItemBuilder builder(parts, 0);
    builder.AddCollective(0, 0, label.members[0], LowerMessages(messages, parts.ranks));
    parts.collectives.push_back(std::move(label));
    AddItem(parts, 0, builder.Finish());
    return std::make_unique<BuiltSchedule>(std::move(parts));
}

} // namespace hbd::traffic
