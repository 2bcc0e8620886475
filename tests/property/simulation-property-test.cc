/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: whatever the cluster, the network's parameters, the model, the mapping and the collectives, a simulation loses
// nothing, ends with empty queues and all credits back, is the same every time, with and without replay and whatever
// the order of insertion, and is never faster than its ideal bound. Method: random small scenarios with fixed seeds.
// RunSource checks that everything is delivered and drained, the recorder that no message is faster than alone,
// Simulate that no collective is faster than its bound.

#include "analysis/record-rows.h"
#include "runner/fabric-config.h"
#include "runner/schedule-source.h"
#include "runner/simulation.h"
#include "sim/player-fixture.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/scenario-reader.h"
#include "traffic-gen/schedule-builder.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>
#include <unistd.h>

namespace
{

using namespace hbd;
using player_test::ExpectSame;
using player_test::Outcome;

/// Draws scenarios as text. Some do not fit together; the reader refuses those.
class ScenarioWriter
{
  public:
    explicit ScenarioWriter(uint32_t seed)
        : m_random(seed)
    {
    }

    std::string Write()
    {
        uint32_t size = 1 + m_random() % 6;
        uint32_t gpus = size * (1 + m_random() % 3);
        std::ostringstream text;
        text << "name: random\n"
             << "burst-size: " << Pick({"1B", "1KiB", "4KiB", "64KiB"}) << "\n"
             << "cluster:\n"
             << "  gpus: " << gpus << "\n"
             << "  hbd: {size: " << size << ", link-rate: " << Pick({"1.8TB/s", "1.7TB/s", "300GB/s", "777GB/s"})
             << Layout(size) << ", packets-per-ack: " << Pick({"0", "1", "8"})
             << ", bit-error-rate: " << Pick({"0", "0", "0", "0.000001"})
             << ", link-delay: " << Pick({"0s", "37ns", "100ns"}) << ", switch-delay: " << Pick({"0s", "200ns"})
             << ", credit-window: " << Pick({"600B", "4KiB", "1MiB"}) << ", credit-delay: " << Pick({"0s", "100ns"})
             << "}\n"
             << "  scale-out: {topology: " << Pick({"single-switch", "rail-optimized"})
             << ", nic-rate: " << Pick({"400Gbps", "190Gbps"}) << ", host-rate: " << Pick({"512Gbps", "300Gbps"})
             << ", gpus-per-server: " << Pick({"1", "2", "4", "8"}) << ", servers-per-leaf: " << Pick({"auto", "1"})
             << ", spines: " << Pick({"auto", "1"}) << ", mtu: " << Pick({"4KiB", "1KiB"})
             << ", window: " << Pick({"4KiB", "64KiB", "1MiB"}) << ", ack-every: " << Pick({"1", "3"}) << "}\n"
             << "library:\n"
             << "  reduce-rate: " << Pick({"0B/s", "1TB/s"}) << "\n"
             << "  launch: " << Pick({"0s", "1us"}) << "\n";
        WriteKernels(text);
        WriteWorkload(gpus, text);
        return text.str();
    }

  private:
    /// One of the layouts of a domain, perhaps with something down that can be gone around.
    std::string Layout(uint32_t size)
    {
        const std::string links =
            "planes: " + Pick({"2", "3", "9"}) + ", links-per-plane: " + Pick({"1", "1", "2", "3"});
        switch (m_random() % 6)
        {
        case 0:
            return ", planes: " + Pick({"2", "4"}) + ", links: " + Pick({"5", "7", "18"});
        case 1:
            return ", topology: two-tier, " + links + ", leaf-size: " + std::to_string(Divisor(size)) +
                   ", spines: " + Pick({"1", "2"}) + ", trunks: " + Pick({"1", "2"}) +
                   ", trunk-rate: " + Pick({"auto", "100Gbps", "1Tbps"}) +
                   ", path-choice: " + Pick({"round-robin", "hash", "least-queued"}) +
                   (size > 1 ? ", broken: " + Pick({"none", "hbd0.plane1"}) : "");
        case 2:
            return ", topology: mesh, planes: 0, links-per-peer: " + Pick({"1", "3"});
        case 3:
            return ", " + links +
                   (size > 1 ? ", broken: " + Pick({"hbd0.plane1", "gpu0.link1", "'gpu0.link1, hbd0.plane1'"}) : "");
        default:
            return ", planes: " + Pick({"1", "2", "3", "9"}) + ", links-per-plane: " + Pick({"1", "1", "2", "3"});
        }
    }

    std::string Pick(const std::vector<std::string>& choices)
    {
        return choices[m_random() % choices.size()];
    }

    uint32_t Divisor(uint32_t number)
    {
        uint32_t divisor = 0;
        do
        {
            divisor = 1 + m_random() % number;
        } while (number % divisor != 0);
        return divisor;
    }

    void WriteKernels(std::ostringstream& text)
    {
        const std::string until = Pick({"1B", "1025B", "262145B"});
        const std::string large = Pick({"ring", "hierarchical"});
        text << "  choice: " << Pick({"first", "cheapest"}) << "\n  kernels:\n";
        for (const char* operation : {"all-reduce", "reduce-scatter", "all-gather", "broadcast"})
        {
            text << "    - {for: " << operation << ", algorithm: direct, block-until: " << until << "}\n"
                 << "    - {for: " << operation << ", algorithm: " << large << "}\n";
        }
        text << "    - {for: all-to-all, algorithm: " << Pick({"direct", "hierarchical"}) << "}\n";
    }

    void WriteWorkload(uint32_t gpus, std::ostringstream& text)
    {
        if (m_random() % 4 == 0)
        {
            const std::string collective =
                Pick({"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast"});
            traffic::CollectiveOp op{};
            traffic::ParseCollectiveOp(collective, op);
            auto algorithms = traffic::AlgorithmsOf(op);
            algorithms.push_back("auto");
            text << "workload: {collective: " << collective << ", algorithm: " << Pick(algorithms)
                 << ", sizes: [1000B, " << Pick({"1B", "4097B", "100KiB", "300KiB"}) << ", 64KiB, 64KiB]}\n";
            return;
        }
        bool moe = m_random() % 3 != 0;
        uint32_t pp = m_random() % 2 == 0 ? 1 : Divisor(gpus);
        text << "model: " << (moe ? "tiny-moe" : "tiny-dense") << "\n"
             << "mapping: {pp: " << pp << ", tp: " << Divisor(gpus / pp);
        if (moe)
        {
            text << ", ep: " << Divisor(gpus / pp);
        }
        text << "}\n"
             << "precision: " << Pick({"fp16", "fp8"}) << "\n"
             << "workload: {batch: " << 1 + m_random() % 6 << ", input-tokens: " << 1 + m_random() % 30
             << ", output-tokens: " << 1 + m_random() % 6 << "}\n";
    }

    std::mt19937 m_random;
};

/// One random scenario a seed.
class SimulationProperty : public testing::TestWithParam<uint32_t>
{
  protected:
    void SetUp() override
    {
        m_folder = std::filesystem::temp_directory_path() / ("hbd-simulation-property-" + std::to_string(getpid()));
        std::filesystem::create_directories(m_folder);
        ScenarioWriter writer(GetParam());
        for (int draw = 0; draw < 200 && !m_scenario; draw++)
        {
            std::string text = writer.Write();
            std::string path = (m_folder / "scenario.yaml").string();
            std::ofstream(path) << text;
            std::vector<traffic::Problem> problems;
            auto file = traffic::ReadScenario(path, {}, problems);
            if (problems.empty())
            {
                m_text = text;
                m_scenario = std::make_unique<traffic::Scenario>(file.points.front());
            }
        }
        ASSERT_TRUE(m_scenario) << "no scenario fits together";
        SCOPED_TRACE(m_text);
    }

    void TearDown() override
    {
        std::filesystem::remove_all(m_folder);
    }

    Outcome Run(bool replay, uint64_t shuffleSeed) const
    {
        auto config = runner::MakeFabricConfig(*m_scenario);
        config.kernel.Set("ShuffleSeed", ns3::UintegerValue(shuffleSeed));
        auto schedule = traffic::BuildSchedule(*m_scenario);
        runner::ScheduleSource source(*schedule, {});
        auto cache = replay ? std::make_shared<ns3::hbd::SpanCache>() : nullptr;
        return player_test::RunSource(config, source, cache, [](ns3::hbd::Fabric& fabric) { fabric.AssignStreams(0); });
    }

    /// All records of the point but what it cost, as text.
    std::string Records(bool replay) const
    {
        traffic::Scenario scenario = *m_scenario;
        scenario.acceleration.replay = replay;
        analysis::PointRecords records = runner::Simulate(scenario, {});
        for (const auto& phase : records.phases)
        {
            for (const auto& rank : phase.ranks)
            {
                EXPECT_LE(rank.computePs + rank.commPs + rank.skewPs, phase.endPs - phase.startPs) << phase.name;
            }
        }
        std::set<std::pair<std::string, std::string>> links;
        for (const auto& row : records.links)
        {
            EXPECT_TRUE(links.emplace(row.link, row.phase).second) << row.link << " twice";
        }
        for (const auto& row : records.collectives)
        {
            EXPECT_GE(row.DurationPs(), row.IdealPs()) << row.name;
        }
        records.metadata.workload =
            scenario.workload.inference ? analysis::WorkloadKind::Inference : analysis::WorkloadKind::Network;
        if (scenario.workload.inference)
        {
            records.metadata.batch = scenario.workload.inference->batch;
            records.metadata.outputTokens = scenario.workload.inference->outputTokens;
        }
        return analysis::SummaryJson(records).dump() + analysis::StagesText(records.stages) +
               analysis::CollectivesText(records.collectives) + analysis::LinksText(records.links, records.phases) +
               analysis::MoeLoadText(records.moeLoad);
    }

    std::filesystem::path m_folder;
    std::unique_ptr<traffic::Scenario> m_scenario;
    std::string m_text;
};

TEST_P(SimulationProperty, IsCompleteAndTheSameEveryTimeReplayedOrShuffled)
{
    SCOPED_TRACE(m_text);
    Outcome first = Run(false, 0);
    ExpectSame(first, Run(false, 0), "second run");
    ExpectSame(first, Run(true, 0), "replay");
    ExpectSame(first, Run(false, 1 + GetParam()), "shuffled");
    ExpectSame(first, Run(true, 77 + GetParam()), "replayed and shuffled");
    EXPECT_GT(first.blocks.size(), 0U);
}

TEST_P(SimulationProperty, LeavesTheSameRecordsReplayedAndIsNeverFasterThanItsBound)
{
    SCOPED_TRACE(m_text);
    EXPECT_EQ(Records(true), Records(false));
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulationProperty, testing::Range(0U, 60U));
INSTANTIATE_TEST_SUITE_P(LongSeeds, SimulationProperty, testing::Range(60U, 460U));

} // namespace
