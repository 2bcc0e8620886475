/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: operations run when their dependencies allow, blocks follow each other, waiting is split and collectives are
// timed as computed by hand.

#include "player-fixture.h"

#include <gmock/gmock.h>

namespace
{

using namespace player_test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int64_t NS = 1000;
constexpr int64_t US = 1000000;

/// Time of one message of at most 256 B, whole flits, alone in OneDomain: its packet, its header at the switch,
/// latencies.
constexpr int64_t
MessagePs(int64_t bytes)
{
    return (bytes + 16 + 16) * 20 + 400 * NS;
}

TEST(PlayerCompute, EngineRunsOneAtATimeInTheOrderOfReadiness)
{
    BlockWriter writer;
    uint32_t first = writer.Compute();
    writer.Compute({first}); // ready when the third already waits
    writer.Compute();
    writer.Delay(320, {first});
    Program program{{Use(writer.Write(), {100, 200, 50}, 1, 7), Use(writer.Write(), {1, 2, 3}, 2, 8)}, {}};
    Outcome outcome = RunProgram(OneDomain(2), program);
    // computes back to back: 350; the delay beside them: 100 + 320
    EXPECT_THAT(outcome.blocks, ElementsAre(BlockDone(0, 7, 420), BlockDone(0, 8, 420 + 321)));
    EXPECT_EQ(outcome.endPs, 741);
    EXPECT_EQ(outcome.times[0], std::make_tuple(356, 70 + 315, 0)); // idle while only the delay runs
    EXPECT_EQ(outcome.times[1], std::make_tuple(0, 0, 0));
}

TEST(PlayerCompute, DiamondOfDependenciesWaitsForAll)
{
    BlockWriter writer;
    uint32_t top = writer.Compute();
    uint32_t left = writer.Delay(500, {top});
    uint32_t right = writer.Delay(300, {top});
    uint32_t bottom = writer.Compute({left, right});
    writer.Delay(11, {bottom, top});
    Outcome outcome = RunProgram(OneDomain(1), {{Use(writer.Write(), {100, 40}, 0)}});
    EXPECT_EQ(outcome.endPs, 100 + 500 + 40 + 11);
}

TEST(PlayerCompute, OfNoDurationTakesNoTime)
{
    BlockWriter writer;
    uint32_t last = writer.Compute();
    for (int i = 0; i < 10; i++)
    {
        last = writer.Compute({last});
    }
    Outcome outcome = RunProgram(
        OneDomain(1),
        {{Use(writer.Write(), std::vector<int64_t>(11, 0), 0), Use(writer.Write(), std::vector<int64_t>(11, 5), 1)}});
    EXPECT_THAT(outcome.blocks, ElementsAre(BlockDone(0, 0, 0), BlockDone(0, 0, 55)));
}

TEST(PlayerCompute, EndsAtTheNearestTickButNotBeforeItsStart)
{
    BlockWriter writer;
    uint32_t first = writer.Compute();
    uint32_t second = writer.Compute({first});
    uint32_t delay = writer.Delay(130, {second});
    uint32_t third = writer.Compute({delay});
    writer.Compute({third});
    TickScope tick(100);
    Outcome outcome = RunProgram(OneDomain(1), {{Use(writer.Write(), {149, 250, 10, 30}, 0)}});
    // 0 + 149 -> 100, + 250 = 350 -> 400, + 130 = 530; 530 + 10 = 540 -> 500 is past -> 600; + 30 = 630 -> 600
    EXPECT_EQ(outcome.endPs, 600);
    EXPECT_EQ(outcome.times[0], std::make_tuple(100 + 300 + 70 + 0, 130, 0));
}

TEST(PlayerCompute, ATickLetsRanksMeetAgain)
{
    // rank 1 is 30 ps behind; after the next compute it is not
    BlockWriter delayed;
    delayed.Compute({delayed.Delay(30)});
    BlockWriter prompt;
    prompt.Compute();
    for (int64_t tickPs : {0, 100})
    {
        TickScope tick(tickPs);
        Outcome outcome = RunProgram(OneDomain(2),
                                     {{Use(prompt.Write(), {1000}, 0, 1)}, {Use(delayed.Write(), {1000}, 0, 2)}});
        EXPECT_THAT(outcome.blocks, ElementsAre(BlockDone(0, 1, 1000), BlockDone(1, 2, tickPs == 0 ? 1030 : 1000)));
    }
}

TEST(PlayerBlocks, EmptyOnesAreOverAtOnce)
{
    auto empty = BlockWriter().Write();
    BlockWriter writer;
    writer.Compute();
    auto one = writer.Write();
    RankProgram rank;
    for (uint64_t i = 0; i < 5000; i++)
    {
        rank.push_back(i % 1000 == 999 ? Use(one, {10}, i, i) : Use(empty, {}, i, i));
    }
    Outcome outcome = RunProgram(OneDomain(2), {rank, rank}, std::make_shared<SpanCache>());
    EXPECT_EQ(outcome.blocks.size(), 10000U);
    EXPECT_EQ(outcome.endPs, 50);
}

TEST(PlayerMessages, SoftwareDelaysMessageAndReceiverGoesOnWhenItIsThere)
{
    BlockWriter sender;
    sender.Send(1, 256, 0, {sender.Compute()}, 700 * NS);
    BlockWriter receiver;
    uint32_t got = receiver.Receive(0, 256, 0);
    receiver.Compute({got});
    Outcome outcome =
        RunProgram(OneDomain(2), {{Use(sender.Write(), {1 * US}, 5, 1)}, {Use(receiver.Write(), {2 * US}, 5, 2)}});
    // the sender is through when the message is posted
    EXPECT_THAT(
        outcome.blocks,
        ElementsAre(BlockDone(0, 1, 1 * US + 700 * NS), BlockDone(1, 2, 1 * US + 700 * NS + MessagePs(256) + 2 * US)));
    EXPECT_EQ(outcome.messages.size(), 1U);
    EXPECT_EQ(outcome.messages.at({256, MessagePs(256), MessagePs(256)}), 1U);
    EXPECT_EQ(outcome.times[0], std::make_tuple(1 * US, 700 * NS, 0));
    EXPECT_EQ(outcome.times[1],
              std::make_tuple(2 * US, 1 * US + 700 * NS + MessagePs(256), 0)); // in no collective: no skew
}

TEST(PlayerMessages, EarlyArrivalWaitsForItsBlock)
{
    BlockWriter busy;
    busy.Compute();
    BlockWriter sender;
    sender.Send(1, 64, 3);
    BlockWriter receiver;
    receiver.Receive(0, 64, 3);
    // epochs 2 and 3 are sent while the receiver computes in epoch 1
    Program program{
        {Use(sender.Write(), {}, 2, 2), Use(sender.Write(), {}, 3, 3)},
        {Use(busy.Write(), {10 * US}, 1, 1), Use(receiver.Write(), {}, 2, 2), Use(receiver.Write(), {}, 3, 3)}};
    Outcome outcome = RunProgram(OneDomain(2), program);
    EXPECT_THAT(outcome.blocks,
                ElementsAre(BlockDone(0, 2, 0),
                            BlockDone(0, 3, 0),
                            BlockDone(1, 1, 10 * US),
                            BlockDone(1, 2, 10 * US),
                            BlockDone(1, 3, 10 * US)));
    EXPECT_EQ(outcome.times[1], std::make_tuple(10 * US, 0, 0));
}

TEST(PlayerMessages, SendsOutliveTheirBlock)
{
    constexpr int64_t BYTES = 256 * 4000;
    BlockWriter sender;
    sender.Send(1, BYTES, 0);
    BlockWriter compute;
    compute.Compute();
    BlockWriter receiver;
    receiver.Receive(0, BYTES, 0);
    Program program{{Use(sender.Write(), {}, 1, 1), Use(compute.Write(), {1 * US}, 2, 2)},
                    {Use(receiver.Write(), {}, 1, 1)}};
    Outcome outcome = RunProgram(OneDomain(2), program);
    int64_t arrival = (4000 * 272 + 16) * 20 + 400 * NS;
    EXPECT_THAT(outcome.blocks, ElementsAre(BlockDone(0, 1, 0), BlockDone(0, 2, 1 * US), BlockDone(1, 1, arrival)));
    EXPECT_EQ(outcome.endPs, arrival);
}

TEST(PlayerMessages, WhatDependsOnASendStartsWhenItHasArrived)
{
    BlockWriter sender;
    uint32_t sent = sender.Send(1, 16, 0);
    sender.Compute({sent});
    BlockWriter receiver;
    receiver.Receive(0, 16, 0, {receiver.Compute()}); // posted later than it arrives
    Outcome outcome =
        RunProgram(OneDomain(2), {{Use(sender.Write(), {5}, 1, 1)}, {Use(receiver.Write(), {3 * US}, 1, 2)}});
    EXPECT_THAT(outcome.blocks, ElementsAre(BlockDone(0, 1, MessagePs(16) + 5), BlockDone(1, 2, 3 * US)));
}

TEST(PlayerMessages, MatchNumbersTellMessagesOfOnePairApart)
{
    BlockWriter sender;
    sender.Send(1, 16, 7, {}, 2 * US);
    sender.Send(1, 16, 4);
    BlockWriter receiver;
    uint32_t late = receiver.Receive(0, 16, 7);
    uint32_t early = receiver.Receive(0, 16, 4);
    receiver.Delay(1, {early});
    receiver.Delay(100, {late});
    Outcome outcome = RunProgram(OneDomain(2), {{Use(sender.Write(), {}, 1, 1)}, {Use(receiver.Write(), {}, 1, 2)}});
    EXPECT_EQ(outcome.endPs, 2 * US + MessagePs(16) + 100);
}

/// Compute, then exchange with one other rank as a collective of two.
std::shared_ptr<const OperationBlock>
ExchangeBlock(uint32_t peer, uint32_t group)
{
    BlockWriter writer;
    uint32_t compute = writer.Compute();
    writer.Collective(42, group, 2);
    writer.Send(peer, 256, 0, {compute});
    writer.Receive(peer, 256, 0, {compute});
    return writer.Write();
}

TEST(PlayerWaiting, IsSkewUntilTheLastRankBeginsThenCommunication)
{
    Program program{{Use(ExchangeBlock(1, 0), {1 * US}, 9)}, {Use(ExchangeBlock(0, 0), {3 * US}, 9)}};
    Outcome outcome = RunProgram(OneDomain(2), program);
    EXPECT_EQ(outcome.times[0], std::make_tuple(1 * US, MessagePs(256), 2 * US));
    EXPECT_EQ(outcome.times[1], std::make_tuple(3 * US, 0, 0)); // what it waited for was there
    EXPECT_THAT(outcome.collectives, ElementsAre(CollectiveDone(9, 42, 0, 2, 1 * US, 3 * US, 3 * US + MessagePs(256))));
}

TEST(PlayerWaiting, OfARankThatIsThroughWithItsPartIsNoSkew)
{
    // rank 1 only sends to rank 0, then waits for rank 2 in a message of no collective; rank 2 begins the collective
    // last
    BlockWriter zero;
    zero.Collective(1, 0, 3);
    zero.Receive(1, 256, 0);
    zero.Receive(2, 256, 0);
    BlockWriter one;
    one.Collective(1, 0, 3);
    one.Send(0, 256, 0);
    one.NoCollective();
    one.Receive(2, 256, 1);
    BlockWriter two;
    uint32_t compute = two.Compute();
    two.Collective(1, 0, 3);
    uint32_t sent = two.Send(0, 256, 0, {compute});
    two.NoCollective();
    two.Send(1, 256, 1, {sent});
    Outcome outcome =
        RunProgram(OneDomain(3),
                   {{Use(zero.Write(), {}, 1)}, {Use(one.Write(), {}, 1)}, {Use(two.Write(), {2 * US}, 1)}});
    EXPECT_EQ(outcome.times[0], std::make_tuple(0, MessagePs(256), 2 * US));
    EXPECT_EQ(outcome.times[1], std::make_tuple(0, 2 * US + 2 * MessagePs(256), 0));
}

TEST(PlayerWaiting, IsDividedWhereATimeClassEnds)
{
    FabricConfig config = OneDomain(2);
    config.accountingClasses = 2;
    BlockWriter sender;
    sender.Send(1, 256, 0, {sender.Compute()});
    BlockWriter receiver;
    receiver.Compute({receiver.Receive(0, 256, 0)});
    Program program{{Use(sender.Write(0), {1 * US}, 1, 1), Use(sender.Write(1), {2 * US}, 2, 2)},
                    {Use(receiver.Write(0), {7}, 1, 1), Use(receiver.Write(1), {9}, 2, 2)}};
    Outcome outcome = RunProgram(config, program, nullptr, nullptr, 1);
    // it ends when rank 1 has finished its first block; rank 0 is then in the middle of its second compute
    int64_t after = MessagePs(256) + 7;
    EXPECT_EQ(outcome.times[0], std::make_tuple(1 * US + after, 0, 0));
    EXPECT_EQ(outcome.times[1], std::make_tuple(2 * US - after, 0, 0));
    EXPECT_EQ(outcome.times[2], std::make_tuple(7, 1 * US + MessagePs(256), 0));
    EXPECT_EQ(outcome.times[3], std::make_tuple(9, 2 * US - 7, 0));
}

TEST(PlayerCollectives, GroupsAreTimedApart)
{
    Program program{{Use(ExchangeBlock(1, 0), {1 * US}, 9)},
                    {Use(ExchangeBlock(0, 0), {2 * US}, 9)},
                    {Use(ExchangeBlock(3, 1), {5 * US}, 9)},
                    {Use(ExchangeBlock(2, 1), {4 * US}, 9)}};
    Outcome outcome = RunProgram(OneDomain(4), program);
    EXPECT_THAT(outcome.collectives,
                ElementsAre(CollectiveDone(9, 42, 0, 2, 1 * US, 2 * US, 2 * US + MessagePs(256)),
                            CollectiveDone(9, 42, 1, 2, 4 * US, 5 * US, 5 * US + MessagePs(256))));
}

TEST(PlayerCollectives, EndWithTheLastSendEvenWhenItsSenderHasGoneOn)
{
    constexpr int64_t BYTES = 256 * 100;
    BlockWriter sender;
    sender.Collective(1, 0, 2);
    sender.Send(1, BYTES, 0);
    BlockWriter compute;
    compute.Compute();
    BlockWriter receiver;
    receiver.Collective(1, 0, 2);
    receiver.Receive(0, BYTES, 0);
    Program program{{Use(sender.Write(), {}, 1), Use(compute.Write(), {1}, 2)}, {Use(receiver.Write(), {}, 1)}};
    Outcome outcome = RunProgram(OneDomain(2), program);
    EXPECT_THAT(outcome.collectives, ElementsAre(CollectiveDone(1, 1, 0, 2, 0, 0, (100 * 272 + 16) * 20 + 400 * NS)));
}

TEST(PlayerStart, MayBeAtAnyTime)
{
    SimulatorGuard guard;
    Program program{{Use(ExchangeBlock(1, 0), {1 * US}, 9)}, {Use(ExchangeBlock(0, 0), {3 * US}, 9)}};
    ProgramSource source(program);
    auto fabric = ns3::CreateObject<Fabric>();
    fabric->Build(OneDomain(2));
    auto player = ns3::CreateObject<Player>();
    player->Setup(fabric, &source, nullptr, nullptr);
    ns3::Simulator::Schedule(ns3::MicroSeconds(50), &Player::Start, ns3::PeekPointer(player));
    ns3::Simulator::Run();
    player->Finish();
    EXPECT_EQ(player->GetEndPs(), 53 * US + MessagePs(256));
    EXPECT_EQ(player->GetTimes(0, 0).skewPs, 2 * US);
    EXPECT_EQ(player->GetEndedRanks(), 2U);
}

/// Both with and without replay.
class PlayerErrors : public testing::TestWithParam<bool>
{
  protected:
    std::function<void()> Running(const Program& program) const
    {
        return [this, program] {
            auto gpus = static_cast<uint32_t>(program.size());
            RunProgram(OneDomain(gpus), program, GetParam() ? std::make_shared<SpanCache>() : nullptr);
        };
    }
};

TEST_P(PlayerErrors, RankThatWaitsForeverIsNamedWithWhomItWaitsFor)
{
    BlockWriter writer;
    writer.Receive(2, 4096, 0, {writer.Compute()});
    EXPECT_THAT(
        Running({{}, {Use(writer.Write(), {10}, 6)}, {}}),
        ThrowsMessage<FabricError>(
            AllOf(HasSubstr("1 of 3 ranks"), HasSubstr("rank 1 stands in block 6"), HasSubstr("4096 B from rank 2"))));
}

TEST_P(PlayerErrors, RanksThatWaitForEachOtherAreNamed)
{
    auto block = [](uint32_t peer) {
        BlockWriter writer;
        writer.Send(peer, 16, 0, {writer.Receive(peer, 16, 0)});
        return writer.Write();
    };
    EXPECT_THAT(Running({{Use(block(1), {}, 1)}, {Use(block(0), {}, 1)}}),
                ThrowsMessage<FabricError>(AllOf(HasSubstr("2 of 2 ranks"),
                                                 HasSubstr("rank 0 stands in block 1: waits for 16 B from rank 1"),
                                                 HasSubstr("rank 1 stands in block 1: waits for 16 B from rank 0"))));
}

TEST_P(PlayerErrors, MessageOfABlockThatItsReceiverNeverEntersIsNamed)
{
    BlockWriter writer;
    writer.Send(1, 16, 0, {writer.Compute()});
    EXPECT_THAT(Running({{Use(writer.Write(), {10}, 6)}, {}}),
                ThrowsMessage<FabricError>(HasSubstr("rank 1 got a message from rank 0 that it never receives")));
}

TEST_P(PlayerErrors, MessageThatItsReceiversBlockDoesNotExpectIsNamed)
{
    BlockWriter sender;
    sender.Send(1, 16, 5);
    BlockWriter receiver;
    receiver.Receive(0, 16, 4);
    EXPECT_THAT(Running({{Use(sender.Write(), {}, 6)}, {Use(receiver.Write(), {}, 6)}}),
                ThrowsMessage<FabricError>(HasSubstr("rank 1 got a message from rank 0 that it has no receive for")));
}

INSTANTIATE_TEST_SUITE_P(Replay, PlayerErrors, testing::Bool());

} // namespace
