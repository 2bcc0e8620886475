/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/stage-program.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace hbd::traffic;
using namespace hbd::test;

namespace
{

std::vector<std::string>
TextOf(const std::vector<ProgramEntry>& program)
{
    std::vector<std::string> texts;
    for (const auto& entry : program)
    {
        texts.push_back(entry.isExchange ? "[" + std::string(ToText(entry.exchange)) + "]"
                                         : StageNames()[static_cast<size_t>(entry.stage)]);
    }
    return texts;
}

uint64_t
Sum(const std::vector<uint64_t>& values)
{
    return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

} // namespace

TEST(StageProgram, OfALayerWithExperts)
{
    const Scenario scenario = StudyScenario();
    EXPECT_EQ(TextOf(ProgramOf(UnitKind::Layer, *scenario.model, scenario.mapping, scenario.library)),
              (std::vector<std::string>{"attention-norm",
                                        "qkv",
                                        "attention",
                                        "output-projection",
                                        "[attention-reduce-scatter]",
                                        "ffn-norm",
                                        "gate",
                                        "[dispatch]",
                                        "[expert-all-gather]",
                                        "expert-gemm",
                                        "[expert-reduce-scatter]",
                                        "[combine]",
                                        "weighted-sum",
                                        "[layer-all-gather]"}));
}

TEST(StageProgram, ExchangesTokenCountsWhereTheLibraryNeedsThem)
{
    Scenario scenario = StudyScenario();
    const auto program = [&scenario] {
        return TextOf(ProgramOf(UnitKind::Layer, *scenario.model, scenario.mapping, scenario.library));
    };
    scenario.library.tokenCounts = false;
    auto expected = program();
    expected.insert(std::find(expected.begin(), expected.end(), "[dispatch]"), "[token-counts]");
    scenario.library.tokenCounts = true;
    EXPECT_EQ(program(), expected);
    // 16 experts on 8 ranks: a rank tells each other one two numbers of 8 B
    const Deployment deployment(scenario);
    const auto request = RequestOf(Exchange::TokenCounts, Phase::Decode, deployment);
    ASSERT_EQ(request.groups.size(), 8u);
    for (const auto& group : request.groups)
    {
        EXPECT_EQ(group.pairBytes, std::vector<uint64_t>(64, 16));
    }
}

TEST(StageProgram, OfADenseLayerAndOfTheHead)
{
    const ModelSpec model = Qwen110b();
    const MappingSpec mapping{8, 1, 1, 1, 8};
    EXPECT_EQ(TextOf(ProgramOf(UnitKind::Layer, model, mapping, LibrarySpec())),
              (std::vector<std::string>{"attention-norm",
                                        "qkv",
                                        "attention",
                                        "output-projection",
                                        "[attention-reduce-scatter]",
                                        "ffn-norm",
                                        "[ffn-all-gather]",
                                        "ffn-gemm",
                                        "[ffn-reduce-scatter]",
                                        "residual",
                                        "[layer-all-gather]"}));
    EXPECT_EQ(
        TextOf(ProgramOf(UnitKind::LmHead, model, mapping, LibrarySpec())),
        (std::vector<std::string>{"final-norm", "lm-head", "top-candidates", "[candidate-all-gather]", "sampling"}));
}

TEST(StageProgram, LeavesOutExchangesInsideGroupsOfOne)
{
    const ModelSpec model = Qwen110b();
    for (const auto& entry : ProgramOf(UnitKind::Layer, model, {1, 1, 1, 1, 1}, LibrarySpec()))
    {
        EXPECT_FALSE(entry.isExchange);
    }
}

TEST(StageProgram, HandsShardsOverBetweenPipelineStages)
{
    const ModelSpec model = Qwen110b();
    const MappingSpec mapping{2, 1, 2, 1, 2};
    EXPECT_EQ(TextOf(ProgramOf(UnitKind::LastLayerOfStage, model, mapping, LibrarySpec())).back(), "residual");
    EXPECT_EQ(TextOf(ProgramOf(UnitKind::StageTransfer, model, mapping, LibrarySpec())),
              (std::vector<std::string>{"[stage-transfer]", "[layer-all-gather]"}));
}

TEST(ExchangeBytes, OfTheStudysPrefillAreTheHandComputedOnes)
{
    const Scenario scenario = StudyScenario();
    const Deployment deployment(scenario);
    // 524288 tokens / 64 GPUs x 8192 x 2 bytes
    const uint64_t shard = 8192ull * 8192 * 2;
    const auto reduce = RequestOf(Exchange::AttentionReduceScatter, Phase::Prefill, deployment);
    EXPECT_EQ(reduce.groups.size(), 8u);
    EXPECT_EQ(reduce.groups[3].blockBytes, std::vector<uint64_t>(8, shard));
    // Two copies of each token, an eighth of them to each EP rank.
    const auto dispatch = RequestOf(Exchange::Dispatch, Phase::Prefill, deployment);
    EXPECT_EQ(dispatch.groups[0].pairBytes, std::vector<uint64_t>(64, 2 * shard / 8));
    // What came from 8 peers.
    const auto gather = RequestOf(Exchange::ExpertAllGather, Phase::Prefill, deployment);
    EXPECT_EQ(gather.groups[7].blockBytes, std::vector<uint64_t>(8, 2 * shard));
}

TEST(ExchangeBytes, OfTheStudysDecodeAreTheHandComputedOnes)
{
    const Scenario scenario = StudyScenario();
    const Deployment deployment(scenario);
    const auto gather = RequestOf(Exchange::LayerAllGather, Phase::Decode, deployment);
    EXPECT_EQ(gather.groups[0].blockBytes, std::vector<uint64_t>(8, 2 * 1024 * 2)); // 2 tokens, a slice of 1024
    const auto dispatch = RequestOf(Exchange::Dispatch, Phase::Decode, deployment);
    // Group 0 sends one copy (slice of 1024) to each of EP ranks 0 to 3.
    const auto& pairs = dispatch.groups[0].pairBytes;
    EXPECT_EQ(std::vector<uint64_t>(pairs.begin(), pairs.begin() + 8),
              (std::vector<uint64_t>{2048, 2048, 2048, 2048, 0, 0, 0, 0}));
    const auto combine = RequestOf(Exchange::Combine, Phase::Decode, deployment);
    for (size_t source = 0; source < 8; ++source)
    {
        for (size_t peer = 0; peer < 8; ++peer)
        {
            EXPECT_EQ(combine.groups[0].pairBytes[peer * 8 + source], pairs[source * 8 + peer]);
        }
    }
    // Each EP rank gets 4 copies: 4 x 2048 bytes at each of its 8 GPUs.
    const auto experts = RequestOf(Exchange::ExpertAllGather, Phase::Decode, deployment);
    EXPECT_EQ(experts.groups[5].blockBytes, std::vector<uint64_t>(8, 8192));
    const auto candidates = RequestOf(Exchange::CandidateAllGather, Phase::Decode, deployment);
    EXPECT_EQ(candidates.groups[1].blockBytes, std::vector<uint64_t>(8, 2 * 64 * 8));
}

TEST(ExchangeBytes, AreConservedWhateverTheMapping)
{
    for (uint32_t tp : {1u, 2u, 3u, 6u, 12u})
    {
        for (uint32_t ep : {1u, 2u, 4u, 12u})
        {
            Scenario scenario = SmallScenario(12, 12, 5);
            scenario.mapping = {tp, 12 / tp, 1, ep, 12 / ep};
            const Deployment deployment(scenario);
            for (auto phase : {Phase::Prefill, Phase::Decode})
            {
                const uint64_t tokens = phase == Phase::Prefill ? 35 : 5;
                const uint64_t all = tokens * 96 * 2;
                uint64_t shards = 0;
                for (const auto& group : RequestOf(Exchange::LayerAllGather, phase, deployment).groups)
                {
                    shards += Sum(group.blockBytes);
                }
                EXPECT_EQ(shards, all) << "tp " << tp;
                uint64_t copies = 0;
                for (const auto& group : RequestOf(Exchange::Dispatch, phase, deployment).groups)
                {
                    copies += Sum(group.pairBytes);
                }
                EXPECT_EQ(copies, 2 * all) << "tp " << tp << " ep " << ep;
                uint64_t gathered = 0;
                for (const auto& group : RequestOf(Exchange::ExpertAllGather, phase, deployment).groups)
                {
                    gathered += Sum(group.blockBytes);
                }
                EXPECT_EQ(gathered, 2 * all) << "tp " << tp << " ep " << ep;
            }
        }
    }
}

TEST(ExchangeBytes, GatherToAnExpertAllItsCopies)
{
    // 12 ranks hold slices of few tokens; an expert's group must end with whole copies.
    Scenario scenario = SmallScenario(12, 4, 6);
    scenario.mapping = {6, 2, 1, 3, 4};
    const Deployment deployment(scenario);
    const auto gather = RequestOf(Exchange::ExpertAllGather, Phase::Decode, deployment);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        const auto copies = deployment.ExpertCopies(Phase::Decode, rank * 4);
        EXPECT_EQ(Sum(gather.groups[rank].blockBytes), Sum(copies) * 96 * 2);
    }
}
