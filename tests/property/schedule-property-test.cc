/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-gen/collective-checker.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/deployment.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/schedule-validator.h"
#include "traffic-gen/schedule-walk.h"
#include "traffic-gen/stage-program.h"
#include "unit/study-scenario.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

// Goal: whatever the cluster, model, mapping and batch, the schedule is executable and moves exactly the bytes that the
// layers need. Method: random small scenarios, uneven on purpose; the validator and sums over the schedule.

using namespace hbd::traffic;
using namespace hbd::test;

namespace
{

uint32_t
RandomDivisor(uint32_t number, std::mt19937& random)
{
    uint32_t divisor = 0;
    do
    {
        divisor = 1 + random() % number;
    } while (number % divisor != 0);
    return divisor;
}

Scenario
RandomScenario(std::mt19937& random)
{
    const uint32_t sizes[] = {1, 2, 4, 6, 8, 12, 16};
    const uint32_t gpus = sizes[random() % 7];
    const uint32_t experts = random() % 3 == 0 ? 0 : 2 + random() % 6;
    Scenario scenario = SmallScenario(gpus, RandomDivisor(gpus, random), experts);
    const uint32_t pp = random() % 2 == 0 ? 1 : RandomDivisor(gpus, random);
    const uint32_t tp = RandomDivisor(gpus / pp, random);
    const uint32_t ep = RandomDivisor(gpus / pp, random);
    scenario.mapping = {tp, gpus / pp / tp, pp, ep, gpus / pp / ep};
    scenario.workload.inference =
        InferenceWorkload{1 + uint32_t(random() % 9), 1 + uint32_t(random() % 20), 1 + uint32_t(random() % 4)};
    scenario.model->layers = pp + random() % 3;
    const Precision precisions[] = {Precision::Fp16, Precision::Fp8, Precision::Fp4};
    scenario.precision.wire = precisions[random() % 3];
    scenario.precision.weights = precisions[random() % 3];
    const Bytes limit = Bytes::FromBytes(random() % 2 == 0 ? 0 : 1000);
    const char* large = random() % 2 == 0 ? "ring" : "hierarchical";
    const char* allToAll = random() % 2 == 0 ? "direct" : "hierarchical";
    scenario.library.reduceRate = ByteRate::FromBytesPerSecond(random() % 2 == 0 ? 0 : 1e12);
    SetKernels(scenario.library, limit, large, allToAll);
    return scenario;
}

std::string
Describe(const Scenario& scenario)
{
    const MappingSpec& map = scenario.mapping;
    return testing::PrintToString(std::vector<uint32_t>{scenario.cluster.gpus,
                                                        scenario.cluster.hbd.size,
                                                        map.tp,
                                                        map.dp,
                                                        map.pp,
                                                        map.ep,
                                                        map.expertTp,
                                                        scenario.model->experts,
                                                        scenario.workload.inference->batch});
}

} // namespace

TEST(ScheduleProperty, EveryRandomScenarioIsExecutable)
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round)
    {
        const Scenario scenario = RandomScenario(random);
        const auto schedule = BuildSchedule(scenario);
        const ClusterShape shape(scenario.cluster.gpus, scenario.cluster.hbd.size, 8);
        ASSERT_EQ(ValidateSchedule(*schedule, shape), std::vector<std::string>{})
            << Describe(scenario) << " round " << round;
        const ScheduleTotals totals = TotalsOf(*schedule);
        EXPECT_EQ(totals.sendBytes, totals.receiveBytes);
        EXPECT_GT(totals.blocks, 0u);
    }
}

TEST(ScheduleProperty, EveryRankRunsEveryStepOfItsPipelineStage)
{
    std::mt19937 random(8);
    for (int round = 0; round < 50; ++round)
    {
        Scenario scenario = RandomScenario(random);
        scenario.workload.inference->batch = 16 * scenario.mapping.dp; // work for everybody
        const auto schedule = BuildSchedule(scenario);
        std::map<uint32_t, uint32_t> layers; // by rank
        ScheduleWalk walk(*schedule);
        std::vector<Participant> participants;
        while (walk.Next(participants))
        {
            for (const auto& participant : participants)
            {
                layers[participant.rank] += schedule->Items()[participant.instance.item].layer >= 0;
            }
        }
        const Deployment deployment(scenario);
        for (uint32_t gpu = 0; gpu < scenario.cluster.gpus; ++gpu)
        {
            EXPECT_EQ(layers[gpu], deployment.Layers(gpu) * scenario.workload.inference->outputTokens)
                << Describe(scenario);
        }
    }
}

TEST(ScheduleProperty, EveryExchangeOfARandomScenarioPutsItsDataInPlace)
{
    std::mt19937 random(9);
    const std::vector<Exchange> exchanges{Exchange::AttentionReduceScatter,
                                          Exchange::Dispatch,
                                          Exchange::ExpertAllGather,
                                          Exchange::ExpertReduceScatter,
                                          Exchange::Combine,
                                          Exchange::LayerAllGather};
    for (int round = 0; round < 40; ++round)
    {
        const Scenario scenario = RandomScenario(random);
        const Deployment deployment(scenario);
        const ClusterShape shape(scenario.cluster.gpus, scenario.cluster.hbd.size, 8);
        for (auto exchange : exchanges)
        {
            for (const auto& request : RequestOf(exchange, Phase::Decode, deployment).groups)
            {
                for (const auto& algorithm : AlgorithmsOf(request.op))
                {
                    const KernelSpec kernel = DefaultKernel(scenario.library, ToText(request.op), algorithm);
                    const Lowering lowering = LowerCollective(request, {shape, kernel}, algorithm);
                    ASSERT_EQ(CheckLowering(request, lowering), std::vector<std::string>{})
                        << ToText(exchange) << " " << algorithm << " " << Describe(scenario);
                }
            }
        }
    }
}

TEST(ScheduleProperty, TwoBuildsAreEqual)
{
    std::mt19937 random(10);
    for (int round = 0; round < 10; ++round)
    {
        const Scenario scenario = RandomScenario(random);
        const auto one = BuildSchedule(scenario);
        const auto two = BuildSchedule(scenario);
        Instance a;
        Instance b;
        for (uint32_t rank = 0; rank < scenario.cluster.gpus; ++rank)
        {
            while (one->Next(rank, a))
            {
                ASSERT_TRUE(two->Next(rank, b));
                EXPECT_EQ(*a.durations.operations, *b.durations.operations);
                ASSERT_EQ(a.block->ops.size(), b.block->ops.size());
                EXPECT_EQ(a.block->dependencies, b.block->dependencies);
                for (size_t i = 0; i < a.block->ops.size(); ++i)
                {
                    EXPECT_EQ(a.block->ops[i].peer, b.block->ops[i].peer);
                    EXPECT_EQ(a.block->ops[i].bytes, b.block->ops[i].bytes);
                    EXPECT_EQ(a.block->ops[i].match, b.block->ops[i].match);
                }
            }
            EXPECT_FALSE(two->Next(rank, b));
        }
    }
}
