/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "operation-bound.h"

#include "collective-table.h"
#include "collectives/phases.h"

#include <algorithm>
#include <fmt/format.h>

namespace hbd::traffic
{

namespace
{

/// Messages between each two ranks of a collective, at most.
uint64_t
MessagesOfPair(CollectiveOp op, const std::string& algorithm, uint64_t ranks, uint64_t bytes, uint32_t domain)
{
    const uint64_t phases = op == CollectiveOp::AllReduce ? 2 : 1;
    if (algorithm == "ring")
    {
        return phases * std::min(kMaxRings, domain); // steps of each ring
    }
    if (algorithm == "hierarchical")
    {
        // to the relay and on, or the parts of a block
        return op == CollectiveOp::AllToAll
                   ? 2
                   : phases * std::clamp<uint64_t>(bytes / ranks / kMinChunkBytes, 1, kMaxChunks);
    }
    return phases;
}

std::optional<std::string>
CollectiveProblem(const Scenario& scenario)
{
    const CollectiveWorkload& workload = *scenario.workload.collective;
    const uint64_t ranks = workload.ranks.empty() ? scenario.cluster.gpus : workload.ranks.size();
    CollectiveOp op = CollectiveOp::AllReduce;
    ParseCollectiveOp(workload.collective, op);
    for (const Bytes size : workload.sizes)
    {
        const bool chosen = workload.algorithm.empty() || workload.algorithm == "auto";
        const std::string algorithm =
            chosen ? ChooseAlgorithm(op, size.Count() / ranks + 1, scenario.library) : workload.algorithm;
        const uint64_t messages = MessagesOfPair(op, algorithm, ranks, size.Count(), scenario.cluster.hbd.size);
        const uint64_t operations = 2 * messages * ranks * (ranks - 1);
        if (operations > kMostOperations)
        {
            return fmt::format("{} ({}): {} ranks x {} others x {} message(s) x 2 (send and receive) = {}",
                               workload.collective,
                               algorithm,
                               ranks,
                               ranks - 1,
                               messages,
                               operations);
        }
    }
    return std::nullopt;
}

std::optional<std::string>
LayerProblem(const Scenario& scenario)
{
    constexpr uint64_t kTensorCollectives = 4; // two reduce-scatters and two all-gathers
    constexpr uint64_t kExpertCollectives = 2; // dispatch and combine; the same number over the experts' tensor groups
    const MappingSpec& mapping = scenario.mapping;
    const uint64_t gpus = scenario.cluster.gpus / mapping.pp;
    const uint64_t messages = kTensorCollectives * (mapping.tp - 1) + kExpertCollectives * (mapping.ep - 1) +
                              kExpertCollectives * (mapping.expertTp - 1);
    const uint64_t operations = 2 * gpus * messages;
    if (operations <= kMostOperations)
    {
        return std::nullopt;
    }
    return fmt::format("a layer: {} GPUs x (4 x (tp {} - 1) + 2 x (ep {} - 1) + 2 x (expert-tp {} - 1)) messages x 2 "
                       "(send and receive) = {}",
                       gpus,
                       mapping.tp,
                       mapping.ep,
                       mapping.expertTp,
                       operations);
}

} // namespace

std::optional<std::string>
OperationProblem(const Scenario& scenario)
{
    if (scenario.workload.collective)
    {
        return CollectiveProblem(scenario);
    }
    return scenario.workload.inference ? LayerProblem(scenario) : std::nullopt;
}

} // namespace hbd::traffic
