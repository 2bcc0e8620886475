/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/estimate.h"
#include "traffic-gen/kernel-choice.h"

#include <gtest/gtest.h>

using namespace hbd::traffic;
using namespace hbd::test;

namespace
{

Scenario
OneCollective(const char* name, uint32_t gpus, uint32_t hbd, Bytes size)
{
    Scenario scenario = NetworkScenario(gpus, hbd);
    scenario.workload.collective = CollectiveWorkload{name, "direct", {}, {size}};
    scenario.cluster.hbd.linkDelay = Duration::FromNanoseconds(100);
    scenario.cluster.hbd.switchDelay = Duration::FromNanoseconds(50);
    scenario.cluster.scaleOut.topology = "rail-optimized";
    scenario.cluster.scaleOut.hostDelay = Duration::FromNanoseconds(200);
    scenario.cluster.scaleOut.linkDelay = Duration::FromNanoseconds(10);
    scenario.cluster.scaleOut.switchDelay = Duration::FromNanoseconds(300);
    return scenario;
}

} // namespace

TEST(Estimate, OfOneStepInsideADomainIsLatencyPlusBytesOverRate)
{
    // All-gather of 4 blocks of 9 MB: 27 MB leave and reach each GPU at 900 GB/s x 256 / 272.
    const Scenario scenario = OneCollective("all-gather", 4, 4, Bytes::FromBytes(36000000));
    const double wire = 27e6 * 272 / 256 / 900e9;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + wire + 250e-9, 1e-12);
    EXPECT_FALSE(EstimateOf(scenario).tpotS.has_value());
}

TEST(Estimate, OfTheNicCountsTheSwitchesOfThePath)
{
    // Two servers of one GPU on the same rail: one switch. 5 MB at 50 GB/s x 4096 / 4194.
    Scenario scenario = OneCollective("all-gather", 2, 1, Bytes::FromBytes(10000000));
    scenario.cluster.scaleOut.gpusPerServer = 1;
    const double wire = 5e6 * 4194 / 4096 / 50e9;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 4e-6 + wire + 400e-9 + 20e-9 + 300e-9, 1e-12);
    // Two rails: leaf, spine, leaf.
    scenario.cluster.scaleOut.gpusPerServer = 2;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 4e-6 + wire + 400e-9 + 40e-9 + 900e-9, 1e-12);
}

TEST(Estimate, LetsBothTiersWorkAtTheSameTime)
{
    const Scenario both = OneCollective("all-to-all", 16, 8, Bytes::FromMib(64));
    const Scenario inside = OneCollective("all-to-all", 8, 8, Bytes::FromMib(32));
    const double nic = 8.0 * 4 * (1 << 20) * 4194 / 4096 / 50e9;
    EXPECT_GT(EstimateOf(both).ttftS, nic);
    EXPECT_LT(EstimateOf(both).ttftS, nic + 10e-6);
    EXPECT_LT(EstimateOf(inside).ttftS, nic / 5);
}

TEST(Estimate, OfAPipelinedBroadcastIsBytesOverRateWhateverTheStepLatency)
{
    // 1 GiB around 8 GPUs at 900 GB/s x 256 / 272: the pipeline is filled n - 2 times.
    for (const char* algorithm : {"ring", "tree"})
    {
        for (int64_t step : {700, 3000, 10000})
        {
            Scenario scenario = OneCollective("broadcast", 8, 8, Bytes::FromMib(1024));
            scenario.workload.collective->algorithm = algorithm;
            scenario.library.scaleUpStep = Duration::FromNanoseconds(step);
            for (auto& kernel : scenario.library.kernels)
            {
                kernel.scaleUpStep = Duration::FromNanoseconds(step);
            }
            const double rate = 900e9 * 256 / 272;
            const double least = static_cast<double>(1ull << 30) / rate;
            EXPECT_GT(EstimateOf(scenario).ttftS, least) << algorithm << step;
            EXPECT_LT(EstimateOf(scenario).ttftS, least * 1.1 + 6 * 4 * static_cast<double>(step) * 1e-9) << algorithm << step;
        }
    }
}

TEST(Estimate, CountsPacketsByLinksAndUnitsByBurst)
{
    // Each of 2 GPUs sends 1 MiB over 2 links: 4096 packets of 256 B.
    Scenario scenario = OneCollective("all-gather", 2, 2, Bytes::FromMib(2));
    Estimate estimate = EstimateOf(scenario);
    EXPECT_EQ(estimate.packets, 2u * 2 * 4096);
    // A unit is at most a message / (2 x 18 links) = 29127 bytes: 37 units.
    EXPECT_EQ(estimate.unitHops, 2u * 2 * 37);
    scenario.burst = Bytes::FromBytes(256);
    EXPECT_EQ(EstimateOf(scenario).unitHops, estimate.packets);
    EXPECT_NEAR(estimate.simulationSecondsGuess, 148 / kUnitHopsPerSecond, 1e-12);
}

TEST(Estimate, OfAMeshUsesTheLinksOfEachPairAtTheSameTime)
{
    // Blocks of 9 MB. 12 links share 900 GB/s, 4 of them lead to each peer: 300 GB/s a pair, all pairs at once, one link and no switch on the way.
    Scenario scenario = OneCollective("all-gather", 4, 4, Bytes::FromBytes(36000000));
    HbdSpec& hbd = scenario.cluster.hbd;
    hbd.topology = "mesh";
    hbd.planes = 0;
    hbd.linksPerPeer = 4;
    const double wire = 9e6 * 272 / 256 / 300e9;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + wire + 100e-9, 1e-12);
    EXPECT_EQ(EstimateOf(scenario).packets, 12u * 35157) << "9 MB in packets of 256 B, each over one link";
    // Two of the GPUs: 8 of the 12 links are not used.
    scenario = OneCollective("all-gather", 2, 2, Bytes::FromBytes(18000000));
    scenario.cluster.hbd.topology = "mesh";
    scenario.cluster.hbd.planes = 0;
    scenario.cluster.hbd.linksPerPeer = 4;
    scenario.cluster.hbd.links = 12;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + wire + 100e-9, 1e-12);
    EXPECT_NEAR(LinkPayloadRate(scenario.cluster.hbd, {}).BytesPerSecond(), 300e9 * 256 / 272, 1) << "what libraries choose kernels by";
}

TEST(Estimate, OverSpinesIsThatOfTheShareOfTheTrunks)
{
    // Each GPU has a leaf of its own, with 18 planes of one trunk of 25 GB/s for its 900 GB/s; leaf, spine and leaf on the way.
    Scenario scenario = OneCollective("all-gather", 4, 4, Bytes::FromBytes(36000000));
    HbdSpec& hbd = scenario.cluster.hbd;
    hbd.topology = "two-tier";
    hbd.planes = 18;
    hbd.linksPerPlane = 1;
    hbd.leafSize = 1;
    hbd.trunkRate = BitRate::FromGbps(200);
    const double wire = 27e6 * 272 / 256 / 450e9;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + wire + 4 * 100e-9 + 3 * 50e-9, 1e-12);
    EXPECT_EQ(EstimateOf(scenario).packets, 12u * 4 * 35157);
    // Two trunks for each link: the GPU's links decide.
    hbd.trunks = 4;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + wire / 2 + 4 * 100e-9 + 3 * 50e-9, 1e-12);
    // One leaf for all: no spine on the way.
    hbd.leafSize = 4;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + wire / 2 + 2 * 100e-9 + 50e-9, 1e-12);
}

TEST(Estimate, CountsTheLinksThatAreLeft)
{
    // Blocks of 9 MB. Between GPUs 0 and 1 a third of 18 links is left, all others have theirs: the ways between those two decide.
    const Scenario scenario = OneCollective("all-gather", 3, 3, Bytes::FromBytes(27000000));
    const auto left = [](uint32_t a, uint32_t b) { return a + b == 1 ? 6U : 18U; };
    const double wire = 9e6 * 272 / 256 / 900e9;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + 2 * wire + 250e-9, 1e-12);
    EXPECT_NEAR(EstimateOf(scenario, left).ttftS, 1.7e-6 + (3 + 1) * wire + 250e-9, 1e-12);
    // A mesh of 4 links a pair, of which one pair has lost two.
    Scenario mesh = OneCollective("all-gather", 4, 4, Bytes::FromBytes(36000000));
    mesh.cluster.hbd.topology = "mesh";
    mesh.cluster.hbd.planes = 0;
    mesh.cluster.hbd.linksPerPeer = 4;
    const auto pair = [](uint32_t a, uint32_t b) { return a + b == 1 ? 2U : 4U; };
    EXPECT_NEAR(EstimateOf(mesh, pair).ttftS, 1.7e-6 + 2 * 9e6 * 272 / 256 / 300e9 + 100e-9, 1e-12);
}

TEST(Estimate, OfAMulticastIsThatOfOneMessage)
{
    Scenario scenario = OneCollective("broadcast", 6, 6, Bytes::FromBytes(9000000));
    scenario.workload.collective->algorithm = "nvls";
    const Estimate estimate = EstimateOf(scenario);
    EXPECT_NEAR(estimate.ttftS, 1.7e-6 + 9e6 * 272 / 256 / 900e9 + 250e-9, 1e-12);
    // Up on one link, down on six: 35157 packets of at most 256 B.
    EXPECT_EQ(estimate.packets, 7u * 35157);
}

TEST(Estimate, OfAReductionInTheSwitchWaitsForAllThatLeavesEachGpu)
{
    // Flags, the way of the requests, 4 blocks of 1 MB out of each GPU, the way of the sum.
    Scenario scenario = OneCollective("reduce-scatter", 4, 4, Bytes::FromBytes(4000000));
    scenario.workload.collective->algorithm = "nvls";
    const double wire = 4e6 * 272 / 256 / 900e9;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + 250e-9 + 250e-9 + wire + 250e-9, 1e-9);
}

TEST(Estimate, OfAReadAsksFirst)
{
    // Flags, the way of the requests, 3 MB into each GPU, the way of the data.
    Scenario scenario = OneCollective("all-to-all", 4, 4, Bytes::FromBytes(4000000));
    scenario.workload.collective->algorithm = "one-sided-read";
    const double wire = 3e6 * 272 / 256 / 900e9;
    EXPECT_NEAR(EstimateOf(scenario).ttftS, 1.7e-6 + 250e-9 + 250e-9 + wire + 250e-9, 1e-9);
}

TEST(Estimate, OfAModelOnOneGpuIsTheSumOfItsStages)
{
    Scenario scenario = SmallScenario(1, 1, 4);
    scenario.mapping = {1, 1, 1, 1, 1};
    const Estimate estimate = EstimateOf(scenario);
    // 1 embedding, 4 layers of 8 stages, 4 in the head: each 2 us launch and tiny work.
    EXPECT_NEAR(estimate.ttftS, 37 * 2e-6, 2e-6);
    ASSERT_TRUE(estimate.tpotS.has_value());
    EXPECT_NEAR(*estimate.tpotS, 37 * 2e-6, 2e-6);
    EXPECT_NEAR(estimate.prefillCommS, 0, 1e-12);
    EXPECT_EQ(estimate.packets, 0u);
}

TEST(Estimate, OfTheStudyGainsFromALargerDomain)
{
    double last = 1e9;
    for (uint32_t hbd : {8u, 16u, 32u, 64u})
    {
        const Estimate estimate = EstimateOf(StudyScenario(64, hbd, 512));
        EXPECT_LT(estimate.ttftS, last);
        last = estimate.ttftS;
    }
}

TEST(Estimate, SimulatesEverythingWithoutReplay)
{
    Scenario scenario = StudyScenario(64, 8, 3);
    const Estimate replay = EstimateOf(scenario);
    scenario.acceleration.replay = false;
    const Estimate all = EstimateOf(scenario);
    EXPECT_EQ(all.packets, replay.packets);
    EXPECT_EQ(all.ttftS, replay.ttftS);
    EXPECT_GT(all.unitHops, 50 * replay.unitHops);
}
