/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: which tokens go where. Method: the balanced rule spelled out token by token, the mean of the random one in
// closed form.

#include "scenario-fixture.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/token-exchange.h"

#include <cmath>
#include <numeric>
#include <set>

namespace hbd::traffic
{

namespace
{

using testing::Each;
using testing::HasSubstr;

ExchangeSpec
Exchange(const std::string& routing, uint32_t tokens, uint32_t topK, uint32_t ranksPerToken)
{
    ExchangeSpec exchange;
    exchange.routing = routing;
    exchange.tokens = tokens;
    exchange.topK = topK;
    exchange.experts = 256;
    exchange.ranksPerToken = ranksPerToken;
    exchange.bytesPerToken = Bytes::FromBytes(100);
    return exchange;
}

uint64_t
Sum(const std::vector<uint64_t>& tokens)
{
    return std::accumulate(tokens.begin(), tokens.end(), uint64_t{0});
}

/// The perfect router of bench_moe_comm.py: slot s of the flattened (token, copy) slots of rank r goes to (s + r) mod
/// n.
std::vector<uint64_t>
PerfectRouter(uint32_t tokens, uint32_t topK, uint32_t ranks)
{
    std::vector<uint64_t> counts(size_t{ranks} * ranks, 0);
    for (uint32_t source = 0; source < ranks; ++source)
    {
        for (uint32_t token = 0; token < tokens; ++token)
        {
            std::set<uint32_t> targets;
            for (uint32_t copy = 0; copy < topK; ++copy)
            {
                targets.insert((token * topK + copy + source) % ranks);
            }
            for (const uint32_t target : targets)
            {
                ++counts[source * ranks + target];
            }
        }
    }
    return counts;
}

TEST(TokenExchange, BalancedIsThePerfectRouter)
{
    for (const uint32_t ranks : {2u, 7u, 8u, 16u, 32u, 64u, 72u})
    {
        for (const uint32_t tokens : {1u, 2u, 9u, 100u})
        {
            EXPECT_EQ(ExchangedTokens(Exchange("balanced", tokens, 8, std::min(8u, ranks)), ranks),
                      PerfectRouter(tokens, 8, ranks))
                << ranks << " ranks, " << tokens << " tokens";
        }
    }
}

TEST(TokenExchange, BalancedGivesEveryPairTheSame)
{
    EXPECT_THAT(ExchangedTokens(Exchange("balanced", 128, 8, 8), 8), Each(128u)) << "every token goes to all 8";
    EXPECT_THAT(ExchangedTokens(Exchange("balanced", 128, 8, 8), 32), Each(32u)) << "128 x 8 / 32";
    EXPECT_THAT(ExchangedTokens(Exchange("balanced", 128, 8, 4), 8), Each(64u)) << "128 x 4 / 8";
}

TEST(TokenExchange, UniformReachesAsManyRanksAsChanceSays)
{
    // A rank with 32 of 256 experts has none of 8 drawn ones with probability C(224, 8) / C(256, 8).
    double none = 1;
    for (int i = 0; i < 8; ++i)
    {
        none *= (224.0 - i) / (256.0 - i);
    }
    const double tokens = 8 * 4096;
    const auto counts = ExchangedTokens(Exchange("uniform", 4096, 8, 8), 8);
    EXPECT_NEAR(static_cast<double>(Sum(counts)) / tokens, 8 * (1 - none), 0.02);
    // each pair: binomial with n = 4096, p = 1 - none; six standard deviations
    const double p = 1 - none;
    for (const uint64_t count : counts)
    {
        EXPECT_NEAR(static_cast<double>(count), 4096 * p, 6 * std::sqrt(4096 * p * (1 - p)));
    }
}

TEST(TokenExchange, UniformKeepsTheLimitOfRanks)
{
    for (const uint32_t limit : {1u, 2u, 4u})
    {
        const auto one = ExchangedTokens(Exchange("uniform", 1, 8, limit), 8);
        const auto many = ExchangedTokens(Exchange("uniform", 1000, 8, limit), 8);
        for (size_t source = 0; source < 8; ++source)
        {
            const std::vector<uint64_t> row(one.begin() + source * 8, one.begin() + source * 8 + 8);
            EXPECT_LE(Sum(row), limit);
            EXPECT_LE(*std::max_element(row.begin(), row.end()), 1u) << "once to a rank";
        }
        EXPECT_LE(Sum(many), 8 * 1000 * limit);
        EXPECT_GE(static_cast<double>(Sum(many)), 0.9 * 8 * 1000 * limit) << "eight experts nearly always fill it";
    }
}

TEST(TokenExchange, TheDrawDependsOnSeedAndRank)
{
    auto exchange = Exchange("uniform", 100, 8, 8);
    const auto counts = ExchangedTokens(exchange, 8);
    EXPECT_EQ(ExchangedTokens(exchange, 8), counts);
    EXPECT_NE(std::vector<uint64_t>(counts.begin(), counts.begin() + 8),
              std::vector<uint64_t>(counts.begin() + 8, counts.begin() + 16));
    exchange.seed = 2;
    EXPECT_NE(ExchangedTokens(exchange, 8), counts);
}

class ExchangeScenario : public ScenarioTest
{
  protected:
    static constexpr const char* kText = "cluster: {gpus: 8, hbd: {size: 8}}\n"
                                         "workload: {collective: dispatch, tokens: 128, experts: 256, top-k: 8, "
                                         "bytes-per-token: 14336B}\n";
};

TEST_F(ExchangeScenario, CombineTakesBackWhatDispatchBrought)
{
    const std::vector<std::string> uniform{"workload.routing=uniform"};
    const Scenario there = Good(kText, uniform).points[0];
    const Scenario back = Good(kText, {"workload.routing=uniform", "workload.collective=combine"}).points[0];
    const auto dispatch = RequestOfSize(*there.workload.collective, 8, there.workload.collective->sizes[0]);
    const auto combine = RequestOfSize(*back.workload.collective, 8, back.workload.collective->sizes[0]);
    EXPECT_EQ(dispatch.op, CollectiveOp::AllToAll);
    for (size_t i = 0; i < 8; ++i)
    {
        for (size_t j = 0; j < 8; ++j)
        {
            EXPECT_EQ(dispatch.pairBytes[i * 8 + j], combine.pairBytes[j * 8 + i]);
            EXPECT_EQ(dispatch.pairBytes[i * 8 + j] % 14336, 0u);
        }
    }
}

TEST_F(ExchangeScenario, IsAnAllToAllWithANameOfItsOwn)
{
    const auto schedule = BuildSchedule(Good(kText).points[0]);
    ASSERT_EQ(schedule->Collectives().size(), 1u);
    EXPECT_EQ(schedule->Collectives()[0].name, "dispatch");
    EXPECT_EQ(schedule->Collectives()[0].op, "all-to-all");
    EXPECT_EQ(schedule->Collectives()[0].sizeBytes, 128u * 8 * 14336) << "own part included";
}

TEST_F(ExchangeScenario, WrittenOutItReadsBack)
{
    for (const std::string routing : {"balanced", "uniform"})
    {
        const Scenario point = Good(kText, {"workload.routing=" + routing, "workload.ranks=[0, 1, 2, 3]"}).points[0];
        EXPECT_EQ(point.workload.collective->exchange.ranksPerToken, 4u) << "auto: all that there are";
        EXPECT_EQ(Good(point.canonicalYaml).points[0].canonicalYaml, point.canonicalYaml);
    }
}

TEST_F(ExchangeScenario, BadValuesAreRefused)
{
    EXPECT_THAT(Bad(kText, {"workload.experts=4"}),
                HasSubstr("workload.experts: expected at least one for each of 8 GPUs, given 4"));
    EXPECT_THAT(Bad(kText, {"workload.top-k=257"}), HasSubstr("workload.top-k: expected at most the 256 experts"));
    EXPECT_THAT(Bad(kText, {"workload.ranks-per-token=1", "workload.top-k=40"}),
                HasSubstr("workload.top-k: expected at most the 32 experts of the 1 GPU(s)"));
    EXPECT_THAT(Bad(kText, {"workload.tokens=0"}),
                HasSubstr("workload.tokens: expected a whole number, 1..1048576, given 0"));
    EXPECT_THAT(Bad(kText, {"workload.tokens=1048576", "workload.routing=uniform", "workload.top-k=64"}),
                HasSubstr("workload.tokens: expected at most 67108864 draws"));
    EXPECT_THAT(Bad(kText, {"workload.routing=skewed"}), HasSubstr("workload.routing: expected"));
    EXPECT_THAT(Bad(kText, {"workload.sizes=[1MiB]"}),
                HasSubstr("workload.sizes: expected nothing: a dispatch or combine"));
    EXPECT_THAT(Bad(kText, {"workload.algorithm=nvls"}), HasSubstr("workload.algorithm: expected one of auto, direct"));
    EXPECT_THAT(Bad(kNetworkOnly, {"workload.tokens=4"}),
                HasSubstr("workload.tokens: expected nothing: this collective is given by its sizes, given 4"));
    EXPECT_THAT(Bad("cluster: {gpus: 8, hbd: {size: 8}}\nworkload: {collective: dispatch}\n"),
                HasSubstr("workload.tokens: expected"));
}

} // namespace

} // namespace hbd::traffic
