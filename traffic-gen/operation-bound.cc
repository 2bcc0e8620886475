/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "operation-bound.h"

#include "collective-table.h"
#include "workload-kernels.h"

#include <algorithm>
#include <fmt/format.h>

namespace hbd::traffic
{

namespace
{

/// The operations of one size, in words, when they are too many.
std::optional<std::string>
SizeProblem(const Scenario& scenario, Bytes size)
{
    const CollectiveWorkload& workload = *scenario.workload.collective;
    const uint64_t ranks = workload.ranks.empty() ? scenario.cluster.gpus : workload.ranks.size();
    const KernelSpec kernel =
        ChooseKernel(QueryOf(workload, scenario.cluster, size), scenario.library, scenario.cluster);
    const CollectiveEntry* entry = FindCollective(OpOfKernels(workload.collective), kernel.algorithm);
    const uint64_t operations =
        entry ? entry->mostOperations({ranks, size.Count(), scenario.cluster.hbd.size, kernel}) : 0;
    if (operations <= kMostOperations)
    {
        return std::nullopt;
    }
    return fmt::format("{} ({}) of {}, {} ranks: up to {} operations",
                       workload.collective,
                       KernelName(kernel),
                       ToText(size),
                       ranks,
                       operations);
}

std::optional<std::string>
CollectiveProblem(const Scenario& scenario)
{
    for (const Bytes size : scenario.workload.collective->sizes)
    {
        try
        {
            if (auto problem = SizeProblem(scenario, size))
            {
                return problem;
            }
        }
        catch (const KernelError&)
        {
            continue; // nothing is built
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
