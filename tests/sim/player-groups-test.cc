/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: ranks read, and have switches copy and sum; what they wait for, what is counted, and what is refused. Method: closed forms, and programs with and
// without replay and with shuffled insertion.

#include "group-programs.h"
#include "ns3-module/helper/hbd-collective-helper.h"
#include "ns3-module/helper/hbd-traffic-helper.h"

#include "ns3/data-rate.h"

#include <gmock/gmock.h>

namespace
{

using namespace replay_test;
using testing::HasSubstr;

/// A domain of GPUs with `links` links over `planes` switches.
FabricConfig
Planes(uint32_t gpus, uint32_t planes, uint32_t linksPerPlane)
{
    FabricConfig config = OneDomain(gpus);
    config.scaleUp.planes = planes;
    config.scaleUp.linksPerPlane = linksPerPlane;
    return config;
}

/// Payload that a GPU's links carried: away from it, and to it.
struct LinkPayload
{
    std::vector<uint64_t> out;
    std::vector<uint64_t> in;
};

/// Runs a program and looks at the links of a GPU.
LinkPayload
RunAndCount(const FabricConfig& config, const Program& program, uint32_t gpu)
{
    LinkPayload payload;
    ProgramSource source(program);
    SimulatorGuard guard;
    auto fabric = ns3::CreateObject<Fabric>();
    fabric->Build(config);
    auto player = ns3::CreateObject<Player>();
    player->Setup(fabric, &source, nullptr, nullptr);
    player->Start();
    ns3::Simulator::Run();
    player->Finish();
    const FabricGraph& graph = fabric->GetGraph();
    const auto& sums = fabric->GetContext().statistics.sums;
    for (uint32_t link : graph.nodes[gpu].ports)
    {
        uint32_t end = graph.links[link].node[0] == gpu ? 0 : 1;
        payload.out.push_back(sums[fabric->GetPort(link, end).GetSums(0) + PORT_TX_PAYLOAD]);
        payload.in.push_back(sums[fabric->GetPort(link, 1 - end).GetSums(0) + PORT_TX_PAYLOAD]);
    }
    player->Dispose();
    fabric->Dispose();
    return payload;
}

/// GPUs, planes, links a plane.
class SwitchAllReduce : public testing::TestWithParam<std::tuple<uint32_t, uint32_t, uint32_t>>
{
};

TEST_P(SwitchAllReduce, EachLinkCarriesNPlusOneOverNOfThePayloadEachWay)
{
    auto [ranks, planes, perPlane] = GetParam();
    uint64_t links = static_cast<uint64_t>(planes) * perPlane;
    uint64_t bytes = ranks * links * 256 * 3; // of a share, three packets a link
    Program program(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        BlockWriter writer;
        AddSwitchAllReduce(writer, rank, ranks, bytes, {});
        program[rank].push_back(Use(writer.Write(), {}, 0));
    }
    for (uint32_t gpu : {0U, ranks - 1})
    {
        LinkPayload payload = RunAndCount(Planes(ranks, planes, perPlane), program, gpu);
        EXPECT_EQ(payload.out, std::vector<uint64_t>(links, bytes / ranks * (ranks + 1) / links));
        EXPECT_EQ(payload.in, payload.out);
    }
}

INSTANTIATE_TEST_SUITE_P(Domains,
                         SwitchAllReduce,
                         testing::Values(std::make_tuple(2, 1, 1),
                                         std::make_tuple(7, 3, 2),
                                         std::make_tuple(8, 2, 9),
                                         std::make_tuple(72, 18, 1)));

TEST(PlayerGroups, AMulticastIsAMessageForEachRankThatReceives)
{
    Program program(4);
    std::vector<uint32_t> group{0, 1, 3};
    BlockWriter source;
    source.Multicast(group, 1000, 5);
    program[3].push_back(Use(source.Write(), {}, 0));
    for (uint32_t rank : {0, 1})
    {
        BlockWriter writer;
        writer.Receive(3, 1000, 5);
        program[rank].push_back(Use(writer.Write(), {}, 0, rank));
    }
    Outcome outcome = RunProgram(OneDomain(4), program);
    ASSERT_EQ(outcome.messages.size(), 1U);
    EXPECT_EQ(outcome.messages.begin()->second, 2U);
    EXPECT_EQ(outcome.postedBytes, 2000U);
    // 4 packets of 1000 B: 1064 B on the wire and the header once more, at 20 ps a byte; 400 ns on the way
    int64_t end = (4 * 16 + 1008 + 16) * 20 + 400 * NS;
    EXPECT_EQ(outcome.endPs, end);
    EXPECT_THAT(outcome.blocks, testing::Contains(BlockDone(1, 1, end)));
    EXPECT_THAT(outcome.blocks, testing::Contains(BlockDone(3, 0, 0))); // who writes goes on at once
}

TEST(PlayerGroups, WhoReadsOrSumsWaitsForIt)
{
    Program program(2);
    BlockWriter writer;
    writer.Collective(9, 0, 1);
    uint32_t read = writer.Read(1, 512);
    writer.SwitchReduce({0, 1}, 256, {read});
    program[0].push_back(Use(writer.Write(), {}, 0, 7));
    FabricConfig config = OneDomain(2);
    config.gpu.Set("ReadLatency", ns3::TimeValue(ns3::NanoSeconds(300)));
    config.nvswitch.Set("ReductionDelay", ns3::TimeValue(ns3::NanoSeconds(50)));
    Outcome outcome = RunProgram(config, program);
    // request, memory, answer of two packets; then request, memory, answer, sum of one packet
    int64_t readPs = 2 * 320 + 400 * NS + 300 * NS + 320 + 2 * 5440 + 400 * NS;
    int64_t sumPs = 2 * 320 + 400 * NS + 300 * NS + 320 + 5440 + 400 * NS + 50 * NS;
    EXPECT_EQ(outcome.endPs, readPs + sumPs);
    EXPECT_THAT(outcome.blocks, testing::ElementsAre(BlockDone(0, 7, readPs + sumPs)));
    ASSERT_EQ(outcome.collectives.size(), 1U);
    EXPECT_EQ(std::get<6>(outcome.collectives.front()), readPs + sumPs);
    EXPECT_EQ(outcome.postedBytes, 768U);
}

TEST(PlayerGroups, ReplayChangesNothing)
{
    for (uint64_t burst : {0, 8192})
    {
        FabricConfig config = Planes(5, 2, 2);
        config.burstBytes = burst;
        Outcome outcome = ExpectReplayChangesNothing(config, GroupLayerProgram(5, 30, 50000, Uniform));
        EXPECT_GT(outcome.replay.replayed, 40U);
        ExpectReplayChangesNothing(config, GroupLayerProgram(5, 30, 50000, Skewed));
        config.nvlink.Set("CreditWindow", ns3::UintegerValue(2 * 272));
        config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(3));
        config.nvswitch.Set("ReductionTableSize", ns3::UintegerValue(1024));
        config.nvswitch.Set("ReductionRate", ns3::DataRateValue(ns3::DataRate("300Gbps")));
        config.gpu.Set("ReadWindow", ns3::UintegerValue(1000));
        ExpectReplayChangesNothing(config, GroupLayerProgram(5, 20, 50000, Reversed));
    }
}

TEST(PlayerGroups, RandomProgramsAreCompleteAndTheSameReplayedOrShuffled)
{
    for (uint32_t seed = 1; seed <= 40; seed++)
    {
        std::mt19937 random(seed);
        auto draw = [&random](uint32_t below) { return std::uniform_int_distribution<uint32_t>(0, below - 1)(random); };
        uint32_t ranks = 2 + draw(8);
        FabricConfig config = Planes(ranks, 1 + draw(4), 1 + draw(3));
        config.burstBytes = draw(2) * 4096;
        config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(draw(2) * 8));
        config.nvlink.Set("CreditWindow", ns3::UintegerValue(272 << draw(8)));
        config.nvswitch.Set("ReductionTableSize", ns3::UintegerValue(256 << draw(8)));
        config.nvswitch.Set("ReductionRate", ns3::DataRateValue(ns3::DataRate(draw(2) * 200000000000ULL)));
        config.gpu.Set("ReadWindow", ns3::UintegerValue(draw(2) * 1500));
        Program program = RandomGroupProgram(random, ranks, 6);
        Outcome plain = RunProgram(config, program); // checks conservation, credits, and each message's time
        ExpectSame(plain, RunProgram(config, program, std::make_shared<SpanCache>()), "replayed, seed " + std::to_string(seed));
        config.kernel.Set("ShuffleSeed", ns3::UintegerValue(seed));
        ExpectSame(plain, RunProgram(config, program), "shuffled, seed " + std::to_string(seed));
    }
}

/// The error of a program of one operation of rank 0.
std::string
ErrorOf(const BlockWriter& writer, const FabricConfig& config)
{
    Program program(config.scaleUp.gpus);
    BlockWriter copy = writer;
    program[0].push_back(Use(copy.Write(), {}, 0));
    try
    {
        RunProgram(config, program);
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return {};
}

TEST(PlayerGroups, WhatSwitchesCannotServeIsAnError)
{
    FabricConfig config = OneDomain(4);
    config.scaleUp.hbdSize = 2;
    BlockWriter alone;
    alone.SwitchReduce({0}, 100);
    EXPECT_THAT(ErrorOf(alone, config), HasSubstr("at least two"));
    BlockWriter across;
    across.SwitchReduce({0, 2}, 100);
    EXPECT_THAT(ErrorOf(across, config), HasSubstr("GPU 2"));
    BlockWriter read;
    read.Read(3, 100);
    EXPECT_THAT(ErrorOf(read, config), testing::AllOf(HasSubstr("GPU 0"), HasSubstr("GPU 3")));
    BlockWriter most;
    most.SwitchReduce({0, 1}, 100);
    EXPECT_EQ(ErrorOf(most, config), "");
    config.nvswitch.Set("MulticastGroups", ns3::UintegerValue(0));
    EXPECT_THAT(ErrorOf(most, config), HasSubstr("MulticastGroups 0"));
}

TEST(PlayerGroups, AGroupThatNoOperationNamesNeedNotBeServed)
{
    FabricConfig config = OneDomain(4);
    config.scaleUp.hbdSize = 2;
    config.nvswitch.Set("MulticastGroups", ns3::UintegerValue(1));
    auto block = std::make_shared<OperationBlock>();
    block->groups = {{0, 1, 2, 3}, {0, 1}, {1, 2}}; // the first and the last are of two domains
    Operation operation{};
    operation.kind = OperationKind::SWITCH_REDUCE;
    operation.collective = NO_COLLECTIVE;
    operation.peer = 1;
    operation.bytes = 100;
    block->operations = {operation};
    Program program(4);
    program[0].push_back(Use(block, {}, 0));
    EXPECT_EQ(RunProgram(config, program).postedBytes, 100U);
}

/// Domains whose switches, if there are any, do not serve all GPUs together.
std::vector<std::pair<std::string, FabricConfig>>
DomainsWithoutGroups()
{
    FabricConfig mesh = OneDomain(4);
    mesh.scaleUp.name = "mesh";
    mesh.scaleUp.planes = 0;
    mesh.scaleUp.linksPerPeer = 1;
    FabricConfig broken = Planes(4, 2, 1);
    broken.scaleUp.broken = {"gpu1.link0"};
    FabricConfig full = OneDomain(4);
    full.nvswitch.Set("MulticastGroups", ns3::UintegerValue(0));
    FabricConfig leaves = OneDomain(4);
    leaves.scaleUp.name = "two-tier";
    leaves.scaleUp.leafSize = 2;
    leaves.scaleUp.trunkRate = leaves.scaleUp.linkRate;
    return {{"mesh", mesh}, {"broken link", broken}, {"no groups", full}, {"two tiers", leaves}};
}

TEST(PlayerGroups, AnAllReduceWithoutSwitchesRunsWhereTheyServeNoGroup)
{
    constexpr uint64_t BYTES = 40000;
    for (auto& [name, config] : DomainsWithoutGroups())
    {
        for (const char* algorithm : {"ring", "direct"})
        {
            AllReduceProgram program(algorithm, 4, BYTES, 4096);
            // every share leaves each rank once summed in part and once summed, whatever the way
            EXPECT_EQ(RunSource(config, program).postedBytes, 2 * 3 * BYTES) << name << " " << algorithm;
        }
        AllReduceProgram program("nvls", 4, BYTES, 4096);
        EXPECT_THROW(RunSource(config, program), std::invalid_argument) << name;
    }
}

TEST(ProgramHelpers, LeaveTheRanksOfALargerFabricAlone)
{
    for (const char* algorithm : {"ring", "direct", "nvls"})
    {
        AllReduceProgram program(algorithm, 3, 3000, 4096);
        EXPECT_GT(RunSource(OneDomain(200), program).postedBytes, 0U) << algorithm;
    }
    MessageProgram messages(2);
    messages.Add(0, 1, 1000);
    EXPECT_EQ(RunSource(OneDomain(200), messages).postedBytes, 1000U);
}

TEST(ProgramHelpers, ReadNumbersOfBytesAndRefuseThoseThatDoNotFit)
{
    EXPECT_EQ(ParseByteCount("16"), 16U);
    EXPECT_EQ(ParseByteCount("1MB"), 1000000U);
    EXPECT_EQ(ParseByteCount("16777215TiB"), 0xffffff0000000000U);
    EXPECT_THROW(ParseByteCount("16777216TiB"), std::invalid_argument); // 2^64 B
    EXPECT_THROW(ParseByteCount("999999999TiB"), std::invalid_argument);
    for (const char* text : {"", "KiB", "-1", "1.5GiB", "1 GiB", "1234567890"})
    {
        EXPECT_THROW(ParseByteCount(text), std::invalid_argument) << text;
    }
}

TEST(PlayerGroups, AProgramThatWaitsForACopySaysSo)
{
    Program program(3);
    BlockWriter writer;
    writer.Multicast({0, 1, 2}, 100, 1);
    program[0].push_back(Use(writer.Write(), {}, 0));
    BlockWriter receiver;
    receiver.Receive(0, 100, 2); // another number
    program[1].push_back(Use(receiver.Write(), {}, 0));
    EXPECT_THROW(RunProgram(OneDomain(3), program), FabricError);
}

} // namespace
