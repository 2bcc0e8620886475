/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/deployment.h"
#include "traffic-gen/mapping.h"

#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace hbd::traffic;
using namespace hbd::test;

TEST(Mapping, PlacesTensorParallelInnermostAndStridesExperts)
{
    const Mapping map(128, {8, 16, 1, 8, 16}, true);
    EXPECT_EQ(map.TpIndex(21), 5u);
    EXPECT_EQ(map.DpIndex(21), 2u);
    EXPECT_EQ(map.ExpertTpIndex(21), 5u);
    EXPECT_EQ(map.EpIndex(21), 1u);
    EXPECT_EQ(map.Groups(GroupKind::Tp)[2], (std::vector<uint32_t>{16, 17, 18, 19, 20, 21, 22, 23}));
    EXPECT_EQ(map.Groups(GroupKind::Ep)[5], (std::vector<uint32_t>{5, 21, 37, 53, 69, 85, 101, 117}));
    std::vector<uint32_t> expert(16);
    std::iota(expert.begin(), expert.end(), 16);
    EXPECT_EQ(map.Groups(GroupKind::ExpertTp)[1], expert);
}

TEST(Mapping, KeepsPipelineStagesInConsecutiveBlocks)
{
    const Mapping map(16, {2, 2, 4, 2, 2}, true);
    EXPECT_EQ(map.StageOf(7), 1u);
    EXPECT_EQ(map.Groups(GroupKind::Tp)[3], (std::vector<uint32_t>{6, 7}));
    EXPECT_EQ(map.Groups(GroupKind::Ep)[2], (std::vector<uint32_t>{4, 6}));
    EXPECT_EQ(map.StagePairs(1, 2)[1], (std::vector<uint32_t>{5, 9}));
    // 10 layers over 4 stages: 3, 3, 2, 2
    EXPECT_EQ(map.FirstLayer(1, 10), 3u);
    EXPECT_EQ(map.FirstLayer(2, 10), 6u);
    EXPECT_EQ(map.FirstLayer(4, 10), 10u);
}

TEST(Mapping, PutsEveryGpuInExactlyOneGroupOfEachKind)
{
    const Mapping map(24, {3, 4, 2, 4, 3}, true);
    for (auto kind : {GroupKind::Tp, GroupKind::ExpertTp, GroupKind::Ep})
    {
        std::set<uint32_t> seen;
        for (const auto& group : map.Groups(kind))
        {
            for (uint32_t gpu : group)
            {
                EXPECT_TRUE(seen.insert(gpu).second) << ToText(kind);
            }
        }
        EXPECT_EQ(seen.size(), 24u);
    }
}

TEST(Mapping, RefusesFactorsThatDoNotMultiplyUp)
{
    EXPECT_THROW(Mapping(64, {8, 4, 1, 8, 8}, true), std::invalid_argument);
    EXPECT_THROW(Mapping(64, {8, 8, 1, 8, 4}, true), std::invalid_argument);
    EXPECT_NO_THROW(Mapping(64, {8, 8, 1, 8, 4}, false)); // no experts to place
}

TEST(Deployment, ShardsTokensInPrefillAndTheHiddenDimensionInDecode)
{
    const Scenario scenario = StudyScenario();
    const Deployment deployment(scenario);
    const Shard prefill = deployment.ShardOf(Phase::Prefill, 11);
    EXPECT_EQ(prefill.tokens.first, 65536u + 3 * 8192); // DP group 1, TP rank 3
    EXPECT_EQ(prefill.tokens.count, 8192u);
    EXPECT_EQ(prefill.slice, 8192u);
    const Shard decode = deployment.ShardOf(Phase::Decode, 11);
    EXPECT_EQ(decode.tokens.first, 2u);
    EXPECT_EQ(decode.tokens.count, 2u);
    EXPECT_EQ(decode.slice, 1024u);
    EXPECT_EQ(deployment.ShardWireBytes(Phase::Decode, 11), 2u * 1024 * 2);
}

TEST(Deployment, LeavesDataParallelGroupsWithoutSequencesEmpty)
{
    Scenario scenario = SmallScenario(8, 4, 4);
    scenario.mapping = {1, 8, 1, 2, 4};
    const Deployment deployment(scenario); // 5 sequences over 8 groups
    uint64_t sum = 0;
    for (uint32_t gpu = 0; gpu < 8; ++gpu)
    {
        EXPECT_EQ(deployment.Sequences(gpu), gpu < 5 ? 1u : 0u);
        sum += deployment.GroupTokens(Phase::Prefill, gpu).count;
    }
    EXPECT_EQ(sum, 35u);
    EXPECT_EQ(deployment.ShardWireBytes(Phase::Prefill, 7), 0u);
}

TEST(Deployment, ReplicatesKeyValueHeadsThatSeveralRanksNeed)
{
    Scenario scenario = StudyScenario(64, 8);
    scenario.mapping = {16, 4, 1, 8, 8};
    const Deployment deployment(scenario);
    EXPECT_EQ(deployment.Heads(5), 4u);
    EXPECT_EQ(deployment.KvHeads(5), 1u); // 8 query heads share a KV head, 2 ranks share it here
}

TEST(Routing, SpreadsDecodeCopiesEvenlyOverExpertsAndEpRanks)
{
    const BalancedRouting routing(16, 2, 8);
    for (uint32_t expert = 0; expert < 16; ++expert)
    {
        EXPECT_EQ(routing.Copies({0, 16}, expert), 2u); // 32 copies over 16 experts
    }
    // The 4 copies of the first two tokens go to EP ranks 0 to 3 (experts 0, 2, 4, 6), those of the next two to 4 to 7.
    for (uint32_t expert = 0; expert < 16; ++expert)
    {
        EXPECT_EQ(routing.Copies({0, 2}, expert), expert % 2 == 0 && expert < 8 ? 1u : 0u) << expert;
        EXPECT_EQ(routing.Copies({2, 2}, expert), expert % 2 == 0 && expert >= 8 ? 1u : 0u) << expert;
        EXPECT_EQ(routing.Copies({4, 2}, expert), expert % 2 == 1 && expert < 8 ? 1u : 0u) << expert;
    }
}

TEST(Routing, ConservesCopiesOfEveryRunOfTokens)
{
    for (uint32_t experts : {1u, 3u, 7u, 16u})
    {
        for (uint32_t ranks : {1u, 2u, 5u})
        {
            const uint32_t topK = std::min(2u, experts);
            const BalancedRouting routing(experts, topK, ranks);
            for (uint64_t count : {0u, 1u, 5u, 1000u})
            {
                uint64_t sum = 0;
                uint64_t least = UINT64_MAX;
                uint64_t most = 0;
                for (uint32_t expert = 0; expert < experts; ++expert)
                {
                    const uint64_t copies = routing.Copies({17, count}, expert);
                    sum += copies;
                    least = std::min(least, copies);
                    most = std::max(most, copies);
                }
                EXPECT_EQ(sum, count * topK);
                EXPECT_LE(most - least, 1u);
            }
        }
    }
}

TEST(Routing, SendsTheCopiesOfATokenToDifferentExperts)
{
    const BalancedRouting routing(5, 3, 2);
    for (uint64_t token = 0; token < 20; ++token)
    {
        for (uint32_t expert = 0; expert < 5; ++expert)
        {
            EXPECT_LE(routing.Copies({token, 1}, expert), 1u);
        }
    }
}

TEST(Routing, RefusesMoreChoicesThanExperts)
{
    EXPECT_THROW(BalancedRouting(2, 3, 1), std::invalid_argument);
    EXPECT_THROW(BalancedRouting(2, 0, 1), std::invalid_argument);
}
