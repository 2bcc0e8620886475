/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/stage-time.h"

#include <gtest/gtest.h>

// Expected figures are worked by hand for Qwen1.5-110B with 16 experts on 64 GPUs: TP 8 x DP 8, EP 8 x expert-TP 8, 16
// bits; each DP group has 2 sequences of 32768 tokens, each GPU 8 heads, 1 KV head and a slice of 6144 of 2 experts.

using namespace hbd::traffic;
using namespace hbd::test;

namespace
{

class StageTimes : public testing::Test
{
  protected:
    StageWork Work(Stage stage, Phase phase) const
    {
        return WorkOf(stage, phase, m_deployment, 9);
    }

    int64_t Time(Stage stage, Phase phase, uint64_t step = 0) const
    {
        return StageTime(Work(stage, phase), m_scenario.cluster.gpu, m_scenario.precision, step).Picoseconds();
    }

    Scenario m_scenario = StudyScenario();
    Deployment m_deployment{m_scenario};
};

} // namespace

TEST_F(StageTimes, QkvOfPrefillIsBoundByComputing)
{
    const StageWork work = Work(Stage::Qkv, Phase::Prefill);
    // 65536 x 8192 times 8192 x (1024 + 256)
    EXPECT_EQ(work.flops, 2ull * 65536 * 8192 * 1280);
    EXPECT_EQ(work.bytes, 2ull * 8192 * 1280 + 2ull * 65536 * (8192 + 1280));
    // 1.374389534720e12 FLOP / 0.5e15 = 2748.77906944 us, + 2 us
    EXPECT_EQ(Time(Stage::Qkv, Phase::Prefill), 2748779069440 / 1000 + 2000000);
}

TEST_F(StageTimes, AttentionOfPrefillIsCausal)
{
    const StageWork work = Work(Stage::Attention, Phase::Prefill);
    // 2 sequences x 8 heads x 4 x 128 x 32768 x 32769 / 2
    EXPECT_EQ(work.flops, 2ull * 8 * 4 * 128 * (32768ull * 32769 / 2));
    EXPECT_EQ(work.flopsPerStep, 0u);
    // Q and O: 65536 x 1024 x 2 x 2 bytes; K and V: 65536 x 256 x 2 bytes
    EXPECT_EQ(work.bytes, 65536ull * 1024 * 2 * 2 + 65536ull * 256 * 2);
    // 4398180728832 FLOP / 0.5e15 = 8796.361457664 us, + 2 us
    EXPECT_EQ(Time(Stage::Attention, Phase::Prefill), 8796361458 + 2000000);
}

TEST_F(StageTimes, AttentionOfDecodeReadsTheKvCacheAndGrows)
{
    const StageWork work = Work(Stage::Attention, Phase::Decode);
    EXPECT_TRUE(work.GrowsWithStep());
    // 2 sequences x K and V of one head: 256 x 2 bytes for each position
    EXPECT_EQ(work.bytesPerStep, 2u * 256 * 2);
    EXPECT_EQ(work.bytes, 2ull * 32768 * 256 * 2 + 2ull * 1024 * 2 * 2);
    EXPECT_EQ(work.flopsPerStep, 2u * 4 * 1024);
    // Step 1: (33554432 + 8192 + 1024) bytes / 4e12 = 8.390912 us, + 2 us; a step more: 1024 / 4e12 = 256 ps
    EXPECT_EQ(Time(Stage::Attention, Phase::Decode, 1), 8390912 + 2000000);
    EXPECT_EQ(Time(Stage::Attention, Phase::Decode, 2), 8390912 + 256 + 2000000);
}

TEST_F(StageTimes, ExpertsOfPrefillComputeTheirCopies)
{
    const StageWork work = Work(Stage::ExpertGemm, Phase::Prefill);
    // 524288 tokens x 2 / 16 = 65536 copies for each of 2 experts, 3 matrices of 8192 x 6144
    EXPECT_EQ(work.flops, 2ull * 2 * 65536 * 3 * 8192 * 6144);
    EXPECT_EQ(work.bytes, 2ull * (2ull * 3 * 8192 * 6144 + 2ull * 65536 * (2 * 8192 + 3 * 6144)));
    // 39582418599936 FLOP / 0.5e15 s = 79164.837199872 us
    EXPECT_EQ(Time(Stage::ExpertGemm, Phase::Prefill), 79164837200 + 2000000);
}

TEST_F(StageTimes, ExpertsOfDecodeReadTheirWeights)
{
    const StageWork work = Work(Stage::ExpertGemm, Phase::Decode);
    // 2 copies for each of 2 experts
    EXPECT_EQ(work.flops, 2ull * 4 * 3 * 8192 * 6144);
    EXPECT_EQ(work.bytes, 2ull * (2ull * 3 * 8192 * 6144 + 4ull * (2 * 8192 + 3 * 6144)));
    // 604258304 bytes / 4e12 = 151.064576 us
    EXPECT_EQ(Time(Stage::ExpertGemm, Phase::Decode, 1), 151064576 + 2000000);
}

TEST_F(StageTimes, ExpertsWithoutTokensAreNotRead)
{
    Scenario scenario = StudyScenario();
    scenario.workload.inference->batch = 1; // two copies: experts 0 and 2, on EP ranks 0 and 1
    const Deployment deployment(scenario);
    EXPECT_EQ(WorkOf(Stage::ExpertGemm, Phase::Decode, deployment, 0).bytes,
              2ull * (3ull * 8192 * 6144 + 2 * 8192 + 3 * 6144));
    EXPECT_TRUE(WorkOf(Stage::ExpertGemm, Phase::Decode, deployment, 16).IsEmpty());
}

TEST_F(StageTimes, WorkOfTheOtherStagesIsTheHandComputedOne)
{
    EXPECT_EQ(Work(Stage::OutputProjection, Phase::Prefill).flops, 2ull * 65536 * 1024 * 8192);
    EXPECT_EQ(Work(Stage::AttentionNorm, Phase::Prefill).bytes, 2ull * 65536 * 8192 * 2);
    EXPECT_EQ(Work(Stage::FfnNorm, Phase::Prefill).bytes, 4ull * 8192 * 8192 * 2);
    EXPECT_EQ(Work(Stage::Gate, Phase::Prefill).flops, 2ull * 8192 * 8192 * 16);
    EXPECT_EQ(Work(Stage::WeightedSum, Phase::Decode).bytes, 4ull * 2 * 1024 * 2);
    EXPECT_EQ(Work(Stage::LmHead, Phase::Prefill).flops, 2ull * 2 * 8192 * 19008);
    EXPECT_EQ(Work(Stage::LmHead, Phase::Decode).bytes, 2ull * 8192 * 19008 + 2ull * 2 * (8192 + 19008));
    EXPECT_EQ(Work(Stage::Embedding, Phase::Decode).bytes, 2ull * 2 * 8192 * 2);
    EXPECT_EQ(Work(Stage::Sampling, Phase::Decode).bytes, 2ull * 8 * 64 * 8);
}

TEST_F(StageTimes, DenseFfnIsSplitOverTensorParallelism)
{
    Scenario scenario = StudyScenario();
    scenario.model = Qwen110b();
    const Deployment deployment(scenario);
    EXPECT_EQ(WorkOf(Stage::FfnGemm, Phase::Prefill, deployment, 0).flops, 2ull * 65536 * 3 * 8192 * 6144);
}

TEST_F(StageTimes, NarrowWeightsSpeedGemmsUpAndLeaveAttention)
{
    Scenario scenario = StudyScenario();
    scenario.precision.weights = Precision::Fp4;
    const Deployment deployment(scenario);
    const auto time = [&](Stage stage, Phase phase) {
        return StageTime(WorkOf(stage, phase, deployment, 9), scenario.cluster.gpu, scenario.precision, 1)
            .Picoseconds();
    };
    EXPECT_EQ(time(Stage::ExpertGemm, Phase::Prefill), 19791209300 + 2000000);
    EXPECT_EQ(time(Stage::Attention, Phase::Prefill), Time(Stage::Attention, Phase::Prefill));
}

TEST_F(StageTimes, NothingToDoTakesNoTime)
{
    Scenario scenario = StudyScenario();
    scenario.workload.inference->batch = 4; // half of the DP groups are empty
    const Deployment deployment(scenario);
    for (auto stage : {Stage::Qkv, Stage::Attention, Stage::FfnNorm, Stage::LmHead, Stage::Sampling})
    {
        const StageWork work = WorkOf(stage, Phase::Prefill, deployment, 63);
        EXPECT_TRUE(work.IsEmpty()) << StageNames()[static_cast<size_t>(stage)];
        EXPECT_EQ(StageTime(work, scenario.cluster.gpu, scenario.precision, 0), Duration());
    }
    EXPECT_FALSE(WorkOf(Stage::ExpertGemm, Phase::Prefill, deployment, 63).IsEmpty());
}

TEST_F(StageTimes, AGpuWithoutPeakOrEfficiencyIsRefused)
{
    GpuSpec gpu = m_scenario.cluster.gpu;
    gpu.peak.erase(Precision::Fp16);
    EXPECT_THROW(StageTime(Work(Stage::Qkv, Phase::Prefill), gpu, m_scenario.precision, 0), std::invalid_argument);
    gpu = m_scenario.cluster.gpu;
    gpu.memoryEfficiency.erase("gemm");
    EXPECT_THROW(StageTime(Work(Stage::Qkv, Phase::Prefill), gpu, m_scenario.precision, 0), std::invalid_argument);
}
