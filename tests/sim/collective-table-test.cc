/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: every algorithm of the table runs on a fabric to the end, in one domain, over two and over unequal parts of
// two, the same with and without replay, and with the bytes on the links that its closed form says. Method: small
// scenarios as text; RunSource checks that all is delivered and drained and no message faster than alone, Simulate that
// no collective is faster than its bound.

#include "ns3-module/model/hbd-nvlink-device.h"
#include "player-fixture.h"
#include "runner/fabric-config.h"
#include "runner/schedule-source.h"
#include "runner/simulation.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/scenario-reader.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/schedule-validator.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace
{

using namespace hbd;
using player_test::ExpectSame;
using player_test::Outcome;

traffic::Scenario
Read(const std::string& text)
{
    const auto path = std::filesystem::temp_directory_path() / ("hbd-table-test-" + std::to_string(getpid()) + ".yaml");
    std::ofstream(path) << text;
    std::vector<traffic::Problem> problems;
    auto file = traffic::ReadScenario(path.string(), {}, problems);
    std::filesystem::remove(path);
    for (const auto& problem : problems)
    {
        ADD_FAILURE() << ToText(problem);
    }
    return file.points.at(0);
}

/// \param cluster GPUs and domains \param workload op, algorithm, ranks, sizes
traffic::Scenario
MakeScenario(const std::string& cluster, const std::string& workload)
{
    return Read("burst-size: 4KiB\n"
                "cluster: {" +
                cluster + "}\nworkload: {" + workload + "}\n");
}

Outcome
RunScenario(const traffic::Scenario& scenario, bool replay, const player_test::Preparation& prepare = nullptr)
{
    auto schedule = traffic::BuildSchedule(scenario);
    runner::ScheduleSource source(*schedule, {});
    return player_test::RunSource(runner::MakeFabricConfig(scenario),
                                  source,
                                  replay ? std::make_shared<ns3::hbd::SpanCache>() : nullptr,
                                  prepare);
}

class EveryCollectiveOnAFabric : public testing::TestWithParam<traffic::CollectiveEntry>
{
};

std::string
NameOf(const testing::TestParamInfo<traffic::CollectiveEntry>& info)
{
    std::string name = std::string(ToText(info.param.op)) + "_" + info.param.algorithm;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

TEST_P(EveryCollectiveOnAFabric, DeliversAllReplayedOrNotAndIsNotFasterThanItsBound)
{
    const std::string what =
        std::string("collective: ") + ToText(GetParam().op) + ", algorithm: " + GetParam().algorithm;
    for (const auto& [cluster, ranks] : {std::pair<std::string, std::string>{"gpus: 5, hbd: {size: 5}", "all"},
                                         {"gpus: 6, hbd: {size: 3}", "all"},
                                         {"gpus: 8, hbd: {size: 4}", "[0, 1, 2, 6, 7]"},
                                         {"gpus: 4, hbd: {size: 2}", "[3, 0]"}})
    {
        SCOPED_TRACE(cluster + " " + ranks);
        const auto scenario = MakeScenario(cluster, what + ", ranks: " + ranks + ", sizes: [3B, 64KiB, 64KiB, 64KiB]");
        const traffic::ClusterShape shape(scenario.cluster.gpus, scenario.cluster.hbd.size, 8);
        EXPECT_EQ(traffic::ValidateSchedule(*traffic::BuildSchedule(scenario), shape), std::vector<std::string>{});
        const Outcome first = RunScenario(scenario, false);
        ExpectSame(first, RunScenario(scenario, true), "replay");
        EXPECT_GT(first.deliveredBytes, 0U);
        const auto records = runner::Simulate(scenario, {});
        ASSERT_EQ(records.collectives.size(), 4U);
        for (const auto& row : records.collectives)
        {
            EXPECT_EQ(row.algorithm, GetParam().algorithm);
            EXPECT_GE(row.DurationPs(), row.IdealPs());
        }
    }
}

/// When the members of each size begin, have all begun, and end, after the first of them began.
using SizeTimes = std::vector<std::tuple<uint64_t, int64_t, int64_t>>;

/// \param cluster GPUs and domains \param rest library and collective
SizeTimes
TimesOf(const std::string& cluster, const std::string& library, const std::string& workload, bool replay)
{
    traffic::Scenario scenario = Read("cluster: {" + cluster + "}\nlibrary: {" + library + "}\nworkload: {" + workload + "}\n");
    scenario.acceleration.replay = replay;
    SizeTimes times;
    int64_t over = 0;
    for (const auto& row : runner::Simulate(scenario, {}).collectives)
    {
        EXPECT_GE(row.startPs, over) << "begins before the size before is over";
        over = row.endPs;
        times.emplace_back(row.sizeBytes, row.readyPs - row.startPs, row.endPs - row.startPs);
    }
    return times;
}

TEST_P(EveryCollectiveOnAFabric, TakesAsLongInAListOfSizesAsAlone)
{
    const std::string name = GetParam().algorithm;
    const std::string two = "topology: two-tier, leaf-size: 3, spines: 2, trunks: 5";
    const std::vector<std::string> clusters = {"gpus: 5, hbd: {size: 5}",
                                               "gpus: 8, hbd: {size: 4}, scale-out: {gpus-per-server: 2, servers-per-leaf: 1}",
                                               "gpus: 6, hbd: {size: 6, " + two + "}"};
    const std::string what = std::string("collective: ") + ToText(GetParam().op) + ", algorithm: " + name + ", sizes: ";
    for (const auto& cluster : clusters)
    {
        if (name == "nvls" && cluster == clusters.back())
        {
            continue;
        }
        // without software times the next size would meet the credits of the one before
        for (const std::string library : {"preset: nccl-like", "preset: nccl-like, launch: 0s, scale-up-step: 0s, scale-out-step: 0s"})
        {
            SCOPED_TRACE(cluster + " " + library);
            for (bool replay : {false, true})
            {
                const auto list = TimesOf(cluster, library, what + "[100KiB, 7B, 33KiB]", replay);
                SizeTimes alone;
                for (const std::string size : {"100KiB", "7B", "33KiB"})
                {
                    alone.push_back(TimesOf(cluster, library, what + "[" + size + "]", replay).at(0));
                }
                EXPECT_EQ(list, alone);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCollectiveOnAFabric, testing::ValuesIn(traffic::CollectiveTable()), NameOf);

/// Payload on the links of each GPU, all links of it added.
struct GpuPayload
{
    std::vector<uint64_t> out;
    std::vector<uint64_t> in;
};

GpuPayload
PayloadOf(const traffic::Scenario& scenario)
{
    std::vector<std::pair<uint32_t, std::pair<size_t, size_t>>> places; // GPU, where its out and in counters are
    const auto remember = [&](ns3::hbd::Fabric& fabric) {
        const auto& graph = fabric.GetGraph();
        for (uint32_t node = 0; node < graph.nodes.size(); ++node)
        {
            if (graph.nodes[node].kind != ns3::hbd::FabricNodeKind::GPU)
            {
                continue;
            }
            for (uint32_t i = 0; i < fabric.GetNodes().Get(node)->GetNDevices(); ++i)
            {
                auto port = ns3::DynamicCast<ns3::hbd::NvlinkDevice>(fabric.GetNodes().Get(node)->GetDevice(i));
                if (port)
                {
                    places.push_back({graph.nodes[node].gpu,
                                      {port->GetSums(0) + ns3::hbd::PORT_TX_PAYLOAD,
                                       port->GetPeer()->GetSums(0) + ns3::hbd::PORT_TX_PAYLOAD}});
                }
            }
        }
    };
    const Outcome outcome = RunScenario(scenario, false, remember);
    GpuPayload payload;
    payload.out.assign(scenario.cluster.gpus, 0);
    payload.in.assign(scenario.cluster.gpus, 0);
    for (const auto& [gpu, place] : places)
    {
        payload.out[gpu] += outcome.sums.at(place.first);
        payload.in[gpu] += outcome.sums.at(place.second);
    }
    return payload;
}

TEST(NvlsOnAFabric, CarriesNPlusOneOverNOfAnAllReduceOnEachGpusLinksBothWays)
{
    for (uint32_t n : {4U, 8U})
    {
        const uint64_t size = n * 96 * 1024;
        const std::string gpus = std::to_string(n);
        const auto payload =
            PayloadOf(MakeScenario("gpus: " + gpus + ", hbd: {size: " + gpus + "}",
                                   "collective: all-reduce, algorithm: nvls, sizes: [" + std::to_string(size) + "B]"));
        // and a flag of 16 B to all, which comes back from all
        EXPECT_EQ(payload.out, std::vector<uint64_t>(n, size / n * (n + 1) + 16));
        EXPECT_EQ(payload.in, std::vector<uint64_t>(n, size / n * (n + 1) + 16 * n));
    }
}

TEST(OneSidedReadOnAFabric, BringsEachGpuItsPartsAndAFlagOfEachOther)
{
    const auto payload = PayloadOf(
        MakeScenario("gpus: 6, hbd: {size: 6}", "collective: all-to-all, algorithm: one-sided-read, sizes: [60000B]"));
    EXPECT_EQ(payload.out, std::vector<uint64_t>(6, 5 * (10000 + 16)));
    EXPECT_EQ(payload.in, std::vector<uint64_t>(6, 5 * (10000 + 16)));
}

} // namespace
