/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: every shipped library finds a kernel for any collective, or says that it has none; the kernel is one whose
// conditions hold and, where the library takes the cheapest, no other one that fits is cheaper; a kernel's least time
// holds on the fabric. Method: random sizes, groups and domains; a small network simulated.

#include "runner/simulation.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/preset-library.h"
#include "traffic-gen/scenario-reader.h"
#include "traffic-gen/workload-kernels.h"
#include "unit/scenario-fixture.h"
#include "unit/study-scenario.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace hbd::traffic
{

namespace
{

class KernelProperty : public ScenarioTest
{
  protected:
    LibrarySpec Library(const std::string& preset) const
    {
        return Good(kNetworkOnly, {"library=" + preset}).points[0].library;
    }
};

/// A random collective on a random cluster.
struct Draw
{
    explicit Draw(std::mt19937& random)
    {
        const uint32_t size = 1 + random() % 16;
        cluster = test::NetworkScenario(size * (1 + random() % 6), size).cluster;
        if (random() % 8 == 0)
        {
            cluster.hbd.topology = "mesh";
            cluster.hbd.planes = 0;
        }
        const char* operations[] =
            {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all", "dispatch", "combine"};
        workload.collective = operations[random() % 7];
        workload.algorithm = "auto";
        workload.ranks.resize(cluster.gpus);
        std::iota(workload.ranks.begin(), workload.ranks.end(), 0);
        std::shuffle(workload.ranks.begin(), workload.ranks.end(), random);
        workload.ranks.resize(1 + random() % cluster.gpus);
        query.operation = workload.collective;
        query.size = uint64_t{1} << random() % 34;
        query.size += random() % query.size;
        query.largestBlock = (query.size + workload.ranks.size() - 1) / workload.ranks.size();
        const ClusterShape shape(cluster.gpus, cluster.hbd.size, cluster.scaleOut.gpusPerServer);
        query.Add(SpreadOf(GroupLayout(workload.ranks, shape)));
    }

    ClusterSpec cluster;
    CollectiveWorkload workload;
    KernelQuery query;
};

/// Whether a kernel's conditions hold, written down once more.
bool
Holds(const KernelSpec& kernel, const Draw& draw)
{
    const KernelQuery& query = draw.query;
    const GroupSpread& spread = query.spreads[0];
    return query.size >= kernel.from.Count() && (kernel.until.IsZero() || query.size < kernel.until.Count()) &&
           query.largestBlock >= kernel.blockFrom.Count() &&
           (kernel.blockUntil.IsZero() || query.largestBlock < kernel.blockUntil.Count()) &&
           spread.ranks >= kernel.minRanks && (kernel.maxRanks == 0 || spread.ranks <= kernel.maxRanks) &&
           (kernel.placement == "any" || (kernel.placement == "one-domain") == (spread.domains == 1)) &&
           !(kernel.needsSwitches && draw.cluster.hbd.topology == "mesh");
}

Duration
Cost(const KernelSpec& kernel, const Draw& draw)
{
    const CollectiveEntry* entry = FindCollective(OpOfKernels(kernel.operation), kernel.algorithm);
    return EstimateKernel(kernel, entry->cost(entry->op, draw.query.spreads[0]), draw.query.size, draw.cluster);
}

TEST_F(KernelProperty, EveryShippedLibraryFindsAKernelOrSaysThatItHasNone)
{
    std::mt19937 random(20260303);
    for (const auto& preset : ListPresets())
    {
        if (preset.kind != "libraries")
        {
            continue;
        }
        const LibrarySpec library = Library(preset.name);
        uint32_t found = 0;
        for (int round = 0; round < 400; ++round)
        {
            const Draw draw(random);
            const bool fits = std::any_of(library.kernels.begin(), library.kernels.end(), [&](const auto& kernel) {
                const bool own = std::any_of(library.kernels.begin(), library.kernels.end(), [&](const auto& other) {
                    return other.operation == draw.query.operation;
                });
                const bool exchange = draw.query.operation == "dispatch" || draw.query.operation == "combine";
                return kernel.operation == (exchange && !own ? "all-to-all" : draw.query.operation) &&
                       Holds(kernel, draw);
            });
            try
            {
                const KernelSpec chosen = ChooseKernel(draw.query, library, draw.cluster);
                EXPECT_TRUE(fits) << preset.name;
                EXPECT_TRUE(Holds(chosen, draw)) << preset.name << ": " << KernelName(chosen);
                for (const auto& other : library.kernels)
                {
                    EXPECT_FALSE(chosen.fallback && !other.fallback && other.operation == chosen.operation &&
                                 Holds(other, draw))
                        << preset.name << ": " << KernelName(other);
                    const bool rival = library.choice == "cheapest" && other.operation == chosen.operation &&
                                       other.fallback == chosen.fallback && Holds(other, draw);
                    EXPECT_TRUE(!rival || Cost(chosen, draw) <= Cost(other, draw))
                        << preset.name << ": " << KernelName(other);
                }
                ++found;
            }
            catch (const KernelError& error)
            {
                EXPECT_FALSE(fits) << error.what();
                EXPECT_NE(std::string(error.what()).find("the library " + preset.name + " has no kernel"),
                          std::string::npos);
            }
        }
        EXPECT_GT(found, 0u) << preset.name;
    }
}

TEST_F(KernelProperty, LibrariesOfAllCollectivesServeEveryOneOnABoard)
{
    for (const std::string preset :
         {"nccl-like", "nccl-a100", "nccl-h100", "nccl-b200", "nccl-b200-rings", "trtllm-allreduce"})
    {
        Scenario scenario = test::NetworkScenario(8, 8);
        scenario.library = Library(preset);
        for (const char* operation : {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all"})
        {
            CollectiveWorkload workload;
            workload.collective = operation;
            workload.algorithm = "auto";
            for (uint64_t size = 1; size <= uint64_t{1} << 34; size *= 2)
            {
                workload.sizes.push_back(Bytes::FromBytes(size));
            }
            for (uint32_t ranks = 2; ranks <= 8; ++ranks)
            {
                workload.ranks.resize(ranks);
                std::iota(workload.ranks.begin(), workload.ranks.end(), 0);
                scenario.workload.collective = workload;
                EXPECT_EQ(KernelProblem(scenario), std::nullopt) << preset;
            }
        }
    }
}

TEST_F(KernelProperty, LibrariesWithSumsInSwitchesServeDomainsWithoutThem)
{
    Scenario scenario = test::NetworkScenario(8, 8);
    scenario.cluster.hbd.topology = "mesh";
    scenario.cluster.hbd.planes = 0;
    for (const std::string preset : {"nccl-h100", "nccl-b200", "trtllm-allreduce"})
    {
        scenario.library = Library(preset);
        for (const char* operation : {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all"})
        {
            scenario.workload.collective =
                CollectiveWorkload{operation, "auto", {}, {Bytes::FromKib(1), Bytes::FromMib(64)}};
            EXPECT_EQ(KernelProblem(scenario), std::nullopt) << preset;
        }
    }
}

TEST_F(KernelProperty, TheLeastTimeOfAKernelHoldsAndAddsNothingToWhatTakesMore)
{
    const auto seconds = [this](const std::string& minimum, const std::string& size) {
        const Scenario scenario =
            Good("cluster: {gpus: 8, hbd: {size: 8}}\nworkload: {collective: all-to-all, sizes: [" + size + "]}\n" +
                 "library: {kernels: [{for: all-to-all, algorithm: direct, minimum: " + minimum + "}]}\n")
                .points[0];
        const auto records = runner::Simulate(scenario, {});
        return records.collectives.at(0).endPs - records.collectives.at(0).startPs;
    };
    EXPECT_EQ(seconds("97us", "8KiB"), 97000000);
    const int64_t alone = seconds("0s", "256MiB");
    EXPECT_GT(alone, 97000000);
    EXPECT_EQ(seconds("97us", "256MiB"), alone);
}

} // namespace

} // namespace hbd::traffic
