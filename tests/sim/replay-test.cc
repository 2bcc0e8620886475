/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: replay is exact: every sum, integral, maximum, completion and collective is as without it.
// Method: the same program with and without replay, on programs that make spans start, overlap and end in different
// ways.

#include "replay-programs.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace
{

using namespace replay_test;

TEST(Replay, OfUniformLayersIsExactAndTakesMostSpans)
{
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(4), LayerProgram(4, 30, 20000, Uniform));
    // two spans a layer; those of the first layer, and of the last one, after which the program is over, are their own
    EXPECT_EQ(outcome.replay.spans, 60U);
    EXPECT_GE(outcome.replay.replayed, 56U);
    EXPECT_GT(outcome.replay.replayedPs, 0);
    EXPECT_EQ(outcome.replay.note, "");
}

TEST(Replay, KnowsBlocksByContent)
{
    Outcome shared = ExpectReplayChangesNothing(OneDomain(4), LayerProgram(4, 30, 20000, Uniform, false));
    Outcome distinct = ExpectReplayChangesNothing(OneDomain(4), LayerProgram(4, 30, 20000, Uniform, true));
    EXPECT_EQ(shared.replay.replayed, distinct.replay.replayed);
}

TEST(Replay, OfSkewedLayersIsExact)
{
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(5), LayerProgram(5, 40, 30000, Skewed));
    EXPECT_GT(outcome.replay.replayed, 40U);
}

TEST(Replay, OfGrowingDurationsIsExact)
{
    // what the ranks do between the messages differs in every step, the messages repeat
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(4), LayerProgram(4, 60, 3000, Growing));
    EXPECT_GT(outcome.replay.replayed, 20U);
}

TEST(Replay, OfPipelinesIsExact)
{
    ExpectReplayChangesNothing(OneDomain(4), PipelineProgram(2, 40, 20000));
    ExpectReplayChangesNothing(OneDomain(8), PipelineProgram(4, 25, 3000));
}

TEST(Replay, OfTwoTiersIsExact)
{
    ExpectReplayChangesNothing(TwoTiers(), LayerProgram(8, 20, 9000, Uniform));
    ExpectReplayChangesNothing(TwoTiers(), LayerProgram(8, 20, 3000, Reversed));
    ExpectReplayChangesNothing(TwoTiers(), PipelineProgram(4, 40, 20000));
    // ranks drift: no state comes twice, and every span has to run
    ExpectSame(RunProgram(TwoTiers(), LayerProgram(8, 20, 30000, Skewed)),
               RunProgram(TwoTiers(), LayerProgram(8, 20, 30000, Skewed), std::make_shared<SpanCache>()));
}

TEST(Replay, OfBurstsAndSmallBuffersIsExact)
{
    FabricConfig config = TwoTiers();
    config.burstBytes = 8192;
    config.nvlink.Set("CreditWindow", ns3::UintegerValue(4 * 272));
    config.nic.Set("Window", ns3::UintegerValue(16384));
    config.nic.Set("AckEvery", ns3::UintegerValue(2));
    config.nvswitch.Set("KeepPointers", ns3::BooleanValue(true));
    ExpectReplayChangesNothing(config, LayerProgram(8, 30, 30000, Uniform));
}

TEST(Replay, OfAcknowledgementsIsExact)
{
    for (uint32_t packetsPerAck : {1, 3, 8})
    {
        FabricConfig config = OneDomain(8);
        config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(packetsPerAck));
        ExpectReplayChangesNothing(config, PipelineProgram(4, 25, 3000));
        config.burstBytes = 2048;
        ExpectReplayChangesNothing(config, LayerProgram(8, 20, 9000, Reversed));
        config = TwoTiers();
        config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(packetsPerAck));
        ExpectReplayChangesNothing(config, LayerProgram(8, 20, 9000, Uniform));
    }
}

/// Domains of each layout, with something down.
std::vector<std::pair<std::string, FabricConfig>>
EveryKindOfDomain()
{
    std::vector<std::pair<std::string, FabricConfig>> domains;
    for (const char* choice : {"round-robin", "hash", "least-queued"})
    {
        FabricConfig tiers = OneDomain(8);
        tiers.scaleUp.name = "two-tier";
        tiers.scaleUp.planes = 2;
        tiers.scaleUp.leafSize = 2;
        tiers.scaleUp.spines = 3;
        tiers.scaleUp.trunkRate = ns3::DataRate("150Gbps");
        tiers.scaleUp.broken = {"hbd0.plane1.leaf0-spine2.0"};
        tiers.nvswitch.Set("PathChoice", ns3::StringValue(choice));
        domains.emplace_back(choice, tiers);
    }
    FabricConfig mesh = OneDomain(8);
    mesh.scaleUp.name = "mesh";
    mesh.scaleUp.planes = 0;
    mesh.scaleUp.linksPerPeer = 2;
    domains.emplace_back("mesh", mesh);
    FabricConfig uneven = OneDomain(8);
    uneven.scaleUp.planes = 4;
    uneven.scaleUp.links = 6;
    uneven.scaleUp.broken = {"gpu3.link0"};
    domains.emplace_back("uneven", uneven);
    return domains;
}

TEST(Replay, OfEveryKindOfDomainIsExact)
{
    for (const auto& [name, config] : EveryKindOfDomain())
    {
        SCOPED_TRACE(name);
        uint64_t replayed = 0;
        for (const auto& program :
             {LayerProgram(8, 20, 9000, Uniform), LayerProgram(8, 20, 3000, Reversed), PipelineProgram(4, 40, 20000)})
        {
            Outcome again = RunProgram(config, program, std::make_shared<SpanCache>());
            ExpectSame(RunProgram(config, program), again);
            replayed += again.replay.replayed; // not every program settles on every domain
        }
        EXPECT_GT(replayed, 0U);
    }
}

TEST(Replay, OfTicksIsExactAndHelpsWhereRanksDrift)
{
    std::vector<uint64_t> replayed;
    for (int64_t tickPs : {0, 1000000})
    {
        TickScope tick(tickPs);
        for (const auto& program : {LayerProgram(8, 40, 9000, Skewed), PipelineProgram(4, 40, 20000)})
        {
            Outcome again = RunProgram(OneDomain(8), program, std::make_shared<SpanCache>());
            ExpectSame(RunProgram(OneDomain(8), program), again);
            replayed.push_back(again.replay.replayed);
        }
    }
    EXPECT_GE(replayed[2], replayed[0]);
    EXPECT_GE(replayed[3], replayed[1]);
}

TEST(Replay, DoesNotConfuseRunsWithDifferentTicks)
{
    auto cache = std::make_shared<SpanCache>();
    Program program = LayerProgram(5, 20, 30000, Skewed);
    for (int64_t tickPs : {0, 777, 100000, 0, 100000})
    {
        TickScope tick(tickPs);
        ExpectSame(RunProgram(OneDomain(5), program), RunProgram(OneDomain(5), program, cache));
    }
}

TEST(Replay, IsOffWithBitErrors)
{
    FabricConfig config = OneDomain(4);
    config.nvlink.Set("BitErrorRate", ns3::DoubleValue(1e-6));
    Program program = LayerProgram(4, 20, 90000, Uniform);
    auto fixStreams = [](Fabric& fabric) { fabric.AssignStreams(0); };
    Outcome replayed = RunProgram(config, program, std::make_shared<SpanCache>(), fixStreams);
    EXPECT_EQ(replayed.replay.replayed, 0U);
    EXPECT_THAT(replayed.replay.note, testing::HasSubstr("bit errors"));
    ExpectSame(RunProgram(config, program, nullptr, fixStreams), replayed);
}

TEST(Replay, OfShuffledInsertionIsExact)
{
    Program program = LayerProgram(8, 20, 9000, Skewed);
    Outcome plain = RunProgram(TwoTiers(), program);
    for (uint64_t seed : {1, 2, 99})
    {
        FabricConfig config = TwoTiers();
        config.kernel.Set("ShuffleSeed", ns3::UintegerValue(seed));
        ExpectSame(plain, RunProgram(config, program), "shuffled");
        ExpectSame(plain, RunProgram(config, program, std::make_shared<SpanCache>()), "shuffled and replayed");
    }
}

TEST(Replay, RestsOnEqualityNotOnHashes)
{
    Program program = LayerProgram(4, 30, 9000, Growing);
    auto cache = std::make_shared<SpanCache>();
    cache->ForceCollisions();
    Outcome collided = ExpectReplayChangesNothing(OneDomain(4), program, cache);
    Outcome normal = RunProgram(OneDomain(4), program, std::make_shared<SpanCache>());
    EXPECT_EQ(collided.replay.replayed, normal.replay.replayed);
    EXPECT_EQ(collided.replay.spans, normal.replay.spans);
}

TEST(Replay, DoesNotConfuseComputesThatDifferByOnePicosecond)
{
    // in one layer in the middle one compute of one rank takes 1 ps more, where it ends inside a span
    auto almost = [](uint32_t rank, uint64_t layer, uint32_t i) {
        return Skewed(rank, layer, i) + (layer == 11 && rank == 2 && i == 1 ? 1 : 0);
    };
    Program program = LayerProgram(4, 20, 30000, almost);
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(4), program);
    Outcome without = RunProgram(OneDomain(4), LayerProgram(4, 20, 30000, Skewed), std::make_shared<SpanCache>());
    EXPECT_NE(outcome.blocks, without.blocks);
    EXPECT_EQ(outcome.times[2],
              std::make_tuple(std::get<0>(without.times[2]) + 1,
                              std::get<1>(outcome.times[2]),
                              std::get<2>(outcome.times[2])));
}

TEST(Replay, DoesNotOverlookComputesThatEndInsideASpanForOnce)
{
    // in some layers both computes of one rank are so short that they end while the messages of others are under way
    auto sometimesShort = [](uint32_t rank, uint64_t layer, uint32_t i) {
        return layer % 7 == 5 && rank == 1 ? 40 * NS : Skewed(rank, layer, i);
    };
    ExpectReplayChangesNothing(OneDomain(4), LayerProgram(4, 30, 30000, sometimesShort));
    auto sometimesNone = [](uint32_t rank, uint64_t layer, uint32_t i) {
        return layer % 5 == 3 && (rank == 1 || i == 1) ? 0 : Uniform(rank, layer, i);
    };
    ExpectReplayChangesNothing(OneDomain(4), LayerProgram(4, 30, 30000, sometimesNone));
}

/**
 * Rank 0 sends to rank 2 after a compute; rank 1 does so after two, of which the second starts while rank 0's message
 * is under way. Rank 2 releases both when it has everything. \param durationsOf rank 1's two computes, by round
 */
Program
TwoComputesProgram(uint64_t rounds, const std::function<std::vector<int64_t>(uint64_t round)>& durationsOf)
{
    constexpr uint64_t BYTES = 100000;
    BlockWriter zero;
    zero.Send(2, BYTES, 0, {zero.Compute()});
    zero.Receive(2, 0, 1);
    BlockWriter one;
    one.Send(2, BYTES, 0, {one.Compute({one.Compute()})});
    one.Receive(2, 0, 1);
    BlockWriter two;
    BlockWriter::Dependencies both{two.Receive(0, BYTES, 0), two.Receive(1, BYTES, 0)};
    two.Send(0, 0, 1, both);
    two.Send(1, 0, 1, both);
    auto blockZero = zero.Write();
    auto blockOne = one.Write();
    auto blockTwo = two.Write();
    Program program(3);
    for (uint64_t round = 0; round < rounds; round++)
    {
        program[0].push_back(Use(blockZero, {5 * US}, round, round));
        program[1].push_back(Use(blockOne, durationsOf(round), round, round));
        program[2].push_back(Use(blockTwo, {}, round, round));
    }
    return program;
}

/// Rounds in which rank 1's message shares the receiver's link with rank 0's.
bool
Meets(uint64_t round)
{
    return round % 5 == 3;
}

TEST(Replay, LooksWhetherAComputeStartedInsideASpanEndsInsideItToo)
{
    auto seldom = [](uint64_t round) { return std::vector<int64_t>{5 * US, Meets(round) ? US / 2 : 10 * US}; };
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(3), TwoComputesProgram(20, seldom));
    EXPECT_EQ(outcome.messages.size(), 5U); // alone, the two that meet, a release and one behind it
    auto often = [](uint64_t round) { return std::vector<int64_t>{5 * US, Meets(round) ? 10 * US : US / 2}; };
    ExpectReplayChangesNothing(OneDomain(3), TwoComputesProgram(20, often));
}

TEST(Replay, LooksWhetherAComputeThatRunsAtTheStartEndsInside)
{
    auto seldom = [](uint64_t round) { return std::vector<int64_t>{Meets(round) ? 5 * US + US / 2 : 15 * US, 0}; };
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(3), TwoComputesProgram(20, seldom));
    EXPECT_EQ(outcome.messages.size(), 5U);
    auto often = [](uint64_t round) { return std::vector<int64_t>{Meets(round) ? 15 * US : 5 * US + US / 2, 0}; };
    ExpectReplayChangesNothing(OneDomain(3), TwoComputesProgram(20, often));
}

TEST(Replay, LooksAtTheEpochsThatFollow)
{
    // the next layer's messages go out in the span that ends this one; its epoch is not always as far away
    auto durations = [](uint32_t rank, uint64_t layer, uint32_t i) { return i == 0 ? 0 : Uniform(rank, layer, i); };
    Program program = LayerProgram(4, 32, 20000, durations);
    for (auto& rank : program)
    {
        for (uint64_t layer = 0; layer < 32; layer++)
        {
            rank[layer].epoch = 10 * layer + (0x6996A53CU >> layer & 3);
        }
    }
    ExpectReplayChangesNothing(OneDomain(4), program);
}

TEST(Replay, LooksAtTheBlocksThatFollow)
{
    // layers of two shapes in irregular order, and epochs with gaps: the same state has different futures
    Program large = LayerProgram(4, 32, 20000, Uniform);
    Program small = LayerProgram(4, 32, 2000, Uniform);
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        for (uint64_t layer = 0; layer < 32; layer++)
        {
            uint32_t irregular = 0x6996A53CU >> layer & 3;
            large[rank][layer].block = irregular % 2 == 1 ? small[rank][layer].block : large[rank][layer].block;
            large[rank][layer].epoch = 10 * layer + irregular;
        }
    }
    ExpectReplayChangesNothing(OneDomain(4), large);
}

TEST(Replay, DividesTimeWhereATimeClassEnds)
{
    // traffic counts in the class of its block, time in the present class; some ranks compute across the border
    FabricConfig config = OneDomain(4);
    config.accountingClasses = 2;
    Program program = LayerProgram(4, 30, 20000, Skewed);
    Outcome outcome = ExpectReplayChangesNothing(config, program, std::make_shared<SpanCache>(), nullptr, 1015);
    Outcome whole = RunProgram(OneDomain(4), program);
    for (size_t rank = 0; rank < 4; rank++)
    {
        auto [compute, comm, skew] = whole.times[rank];
        auto [compute0, comm0, skew0] = outcome.times[2 * rank];
        auto [compute1, comm1, skew1] = outcome.times[2 * rank + 1];
        EXPECT_GT(compute0, 0);
        EXPECT_GT(compute1, 0);
        EXPECT_EQ(std::make_tuple(compute0 + compute1, comm0 + comm1, skew0 + skew1),
                  std::make_tuple(compute, comm, skew));
    }
}

TEST(Replay, LearnsNoMoreWhenItsMemoryIsFullAndStaysExact)
{
    auto change = [](uint32_t rank, uint64_t layer, uint32_t i) {
        return layer < 10 ? Uniform(rank, layer, i) : Skewed(rank, layer, i);
    };
    Program program = LayerProgram(4, 30, 20000, change);
    auto uniform = std::make_shared<SpanCache>();
    RunProgram(OneDomain(4), LayerProgram(4, 10, 20000, change), uniform);
    auto cache = std::make_shared<SpanCache>();
    cache->SetMemoryLimit(uniform->GetMemory()); // enough for what comes before the change
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(4), program, cache);
    EXPECT_TRUE(cache->IsFull());
    EXPECT_LT(outcome.replay.replayed,
              RunProgram(OneDomain(4), program, std::make_shared<SpanCache>()).replay.replayed);
}

/// The rank that sends alone before a round. Irregular: each follows each.
uint32_t
SenderAlone(uint64_t round)
{
    return 1 + (0x6996A53CU >> round % 32 & 1);
}

/**
 * Ranks 1 and 2 compute equally long and then send one packet each to rank 0, which goes on when rank 1's is there.
 * Before each such block one of the two sends a packet alone (SenderAlone): it leaves the pointer of the switch's
 * output to GPU 0 behind it. Neither what came before nor what follows tells the two histories apart, only that
 * pointer.
 */
Program
PointerProgram(uint64_t rounds)
{
    auto alone = [](uint32_t sender) {
        std::vector<std::shared_ptr<const OperationBlock>> blocks;
        for (uint32_t rank = 0; rank < 3; rank++)
        {
            BlockWriter writer;
            uint32_t compute = writer.Compute();
            if (rank == sender)
            {
                writer.Send(0, 256, 0, {compute});
            }
            if (rank == 0)
            {
                writer.Receive(sender, 256, 0, {compute});
            }
            blocks.push_back(writer.Write());
        }
        return blocks;
    };
    BlockWriter receiver;
    uint32_t fromOne = receiver.Receive(1, 256, 0);
    receiver.Compute({fromOne});
    receiver.Receive(2, 256, 0);
    auto both = receiver.Write();
    BlockWriter sender;
    sender.Send(0, 256, 0, {sender.Compute()});
    auto send = sender.Write();
    std::vector<std::shared_ptr<const OperationBlock>> single[2] = {alone(1), alone(2)};
    Program program(3);
    for (uint64_t round = 0; round < rounds; round++)
    {
        for (uint32_t rank = 0; rank < 3; rank++)
        {
            program[rank].push_back(Use(single[SenderAlone(round) - 1][rank], {1 * US}, 2 * round, 0));
            program[rank].push_back(
                Use(rank == 0 ? both : send, {rank == 0 ? 5 * US : 10 * US}, 2 * round + 1, 1 + round));
        }
    }
    return program;
}

/// How long rank 0 took from the moment both others had computed, by round.
std::vector<int64_t>
ArrivalsAtRankZero(const Outcome& outcome)
{
    std::vector<int64_t> arrivals;
    for (const auto& [rank, tag, time] : outcome.blocks)
    {
        if (rank == 0 && tag > 0)
        {
            arrivals.push_back(time - static_cast<int64_t>(tag) * 11 * US - 5 * US);
        }
    }
    return arrivals;
}

TEST(ReplayPointers, HistoriesThatDifferInArbitrationPointersAloneAreNotConfused)
{
    FabricConfig config = OneDomain(3);
    config.nvswitch.Set("KeepPointers", ns3::BooleanValue(true));
    Outcome outcome = ExpectReplayChangesNothing(config, PointerProgram(32));
    // after a packet of GPU 1, GPU 2's comes first: one packet time later than the other way round
    int64_t first = (272 + 16) * 20 + 400 * NS;
    std::vector<int64_t> arrivals = ArrivalsAtRankZero(outcome);
    ASSERT_EQ(arrivals.size(), 32U);
    for (size_t round = 0; round < 32; round++)
    {
        EXPECT_EQ(arrivals[round], first + (SenderAlone(round) == 1 ? 272 * 20 : 0)) << round;
    }
    EXPECT_GE(outcome.replay.replayed, 40U); // both kinds are replayed, each as itself
}

TEST(ReplayPointers, HistoriesAreEqualWhenPointersStartAgain)
{
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(3), PointerProgram(32));
    for (int64_t arrival : ArrivalsAtRankZero(outcome))
    {
        EXPECT_EQ(arrival, (272 + 16) * 20 + 400 * NS);
    }
}

/// The cache of one run serves the next on the same fabric.
class ReplayAcrossRuns : public testing::TestWithParam<int>
{
  protected:
    static Program Make(int which)
    {
        switch (which)
        {
        case 0:
            return LayerProgram(8, 12, 30000, Skewed);
        case 1: // half of the compute time
            return LayerProgram(8, 12, 30000, [](uint32_t rank, uint64_t layer, uint32_t i) {
                return Skewed(rank, layer, i) / 2;
            });
        case 2:
            return LayerProgram(8, 12, 30000, Growing);
        default: // other traffic
            return LayerProgram(8, 12, 8000, Uniform);
        }
    }
};

TEST_P(ReplayAcrossRuns, IsAsSeparateRuns)
{
    auto cache = std::make_shared<SpanCache>();
    RunProgram(TwoTiers(), Make(0), cache);
    Outcome separate = RunProgram(TwoTiers(), Make(GetParam()));
    Outcome second = RunProgram(TwoTiers(), Make(GetParam()), cache);
    ExpectSame(separate, second, "second run");
    uint32_t size = cache->GetSize();
    Outcome third = RunProgram(TwoTiers(), Make(GetParam()), cache);
    ExpectSame(separate, third, "third run");
    EXPECT_EQ(cache->GetSize(), size); // nothing new was met
    EXPECT_EQ(third.replay.replayed, third.replay.spans);
}

INSTANTIATE_TEST_SUITE_P(Programs, ReplayAcrossRuns, testing::Values(0, 1, 2, 3));

} // namespace
