/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/model-shape.h"

#include <gtest/gtest.h>

using namespace hbd::traffic;
using namespace hbd::test;

TEST(ModelShape, Qwen110bHas111Billion)
{
    const ModelSpec model = Qwen110b();
    // q and o: 2 x 8192 x 8192; k and v: 2 x 8192 x 1024; biases 8192 + 2048
    EXPECT_EQ(AttentionParameters(model), 134217728u + 16777216u + 10240u);
    EXPECT_EQ(FfnParameters(model), 3ull * 8192 * 49152);
    // 80 x (151005184 + 1207959552 + 16384) + 2 x 152064 x 8192 + 8192
    EXPECT_EQ(ParameterCount(model), 111209914368u);
}

TEST(ModelShape, ExpertsMultiplyTheFfnAndAddAGate)
{
    ModelSpec model = Qwen110b();
    const uint64_t dense = ParameterCount(model);
    model.experts = 16;
    EXPECT_EQ(ParameterCount(model), dense + 80ull * (15ull * 3 * 8192 * 49152 + 16 * 8192));
}

TEST(ModelShape, TiedEmbeddingsCountOnce)
{
    ModelSpec model = Qwen110b();
    const uint64_t untied = ParameterCount(model);
    model.tiedEmbeddings = true;
    EXPECT_EQ(untied - ParameterCount(model), 152064ull * 8192);
}

TEST(ModelShape, UngatedFfnHasTwoMatrices)
{
    ModelSpec model = Qwen110b();
    model.gatedFfn = false;
    EXPECT_EQ(FfnParameters(model), 2ull * 8192 * 49152);
}

TEST(ModelShape, HalfBytesAreRoundedUp)
{
    EXPECT_EQ(BytesOf(3, Precision::Fp4), 2u);
    EXPECT_EQ(BytesOf(3, Precision::Fp8), 3u);
    EXPECT_EQ(BytesOf(3, Precision::Fp16), 6u);
}

TEST(Memory, OfTheStudyPointIsTheHandComputedSum)
{
    const Scenario scenario = StudyScenario(64, 8, 512);
    const MemoryUse use = MemoryOf(scenario, 13);
    // A layer: norms 2 x 8192; q, o 2 x 8192 x 1024; k, v 2 x 8192 x 128; biases 1024 + 256; gate 8192 x 16; 2 experts
    // x 3 x 8192 x 6144.
    const uint64_t layer = 16384 + 16777216 + 2097152 + 1280 + 131072 + 2ull * 3 * 8192 * 6144;
    // Whole embedding, an eighth of the LM head, final norm.
    const uint64_t elements = 80 * layer + 152064ull * 8192 + 19008ull * 8192 + 8192;
    EXPECT_EQ(use.weights, 2 * elements);
    // 2 sequences x (32768 + 512) tokens x 80 layers x K and V of one head of 128 x 2 bytes
    EXPECT_EQ(use.kvCache, 2ull * 33280 * 80 * 2 * 128 * 2);
    // Feed-forward part: residual 8192 x 8192, and for 131072 token copies input, output and two tensors of 6144.
    EXPECT_EQ(use.activations, 2 * (8192ull * 8192 + 131072ull * (2 * 8192 + 2 * 6144)));
    EXPECT_EQ(use.usable, static_cast<uint64_t>(0.9 * 180 * 1024 * 1024 * 1024));
    EXPECT_EQ(MemoryProblem(scenario), std::nullopt);
}

TEST(Memory, FourBitWeightsTakeAQuarter)
{
    Scenario scenario = StudyScenario();
    const uint64_t wide = MemoryOf(scenario, 0).weights;
    scenario.precision.weights = Precision::Fp4;
    EXPECT_EQ(MemoryOf(scenario, 0).weights, wide / 4);
}

TEST(Memory, SplittingLayersOverPipelineStagesSplitsTheWeights)
{
    Scenario scenario = SmallScenario(4, 4, 0);
    scenario.mapping = {1, 2, 2, 1, 2};
    const uint64_t layer = 2 * 96 + 96 * (2 * 96 + 64) + 3 * 96 * 200;          // 12 heads x 8, 2 x 4 KV heads x 8
    EXPECT_EQ(MemoryOf(scenario, 0).weights, 2 * (2 * layer + 96 * 1000));      // first stage: embedding
    EXPECT_EQ(MemoryOf(scenario, 3).weights, 2 * (2 * layer + 96 * 1000 + 96)); // last stage: LM head, norm
}

TEST(Memory, WhatDoesNotFitIsRefusedWithTheArithmetic)
{
    Scenario scenario = StudyScenario(8, 8);
    const auto problem = MemoryProblem(scenario);
    ASSERT_TRUE(problem.has_value());
    EXPECT_NE(problem->find("GB of weights"), std::string::npos);
    EXPECT_NE(problem->find("193 GB x 0.9 = 173.9 GB"), std::string::npos) << *problem;
    EXPECT_NE(problem->find("1560.8 G parameters"), std::string::npos) << *problem;
}

TEST(Memory, NetworkOnlyScenariosAlwaysFit)
{
    EXPECT_EQ(MemoryProblem(NetworkScenario(8, 8)), std::nullopt);
}
