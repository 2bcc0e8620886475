/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: what users do while a replayed run is going on (declared events, stock events, packet sinks, packets of their
// own) gives the same results as without replay.

#include "ns3-module/model/hbd-nvlink-device.h"
#include "replay-programs.h"

#include <string>

#include "ns3/boolean.h"

#include <gmock/gmock.h>

namespace
{

using namespace replay_test;

/// The NVLink port of a GPU.
NvlinkDevice&
GpuPort(Fabric& fabric, uint32_t gpu)
{
    for (uint32_t node = 0; node < fabric.GetGraph().nodes.size(); node++)
    {
        if (fabric.GetGraph().nodes[node].name == "gpu" + std::to_string(gpu))
        {
            return *ns3::DynamicCast<NvlinkDevice>(fabric.GetNodes().Get(node)->GetDevice(0));
        }
    }
    throw std::out_of_range("gpu");
}

/// Sends a user's packet from one GPU to another.
struct UsersPacket
{
    Fabric* fabric;
    uint32_t from;
    uint32_t to;

    void Send()
    {
        EXPECT_TRUE(
            GpuPort(*fabric, from).Send(ns3::Create<ns3::Packet>(200), GpuPort(*fabric, to).GetAddress(), 0x0801));
    }
};

/// Counts packets and the time of the first.
struct Sink
{
    void OnPacket(ns3::Ptr<const ns3::Packet> packet)
    {
        bytes += packet->GetSize();
        times.push_back(ns3::Simulator::Now().GetPicoSeconds());
    }

    uint64_t bytes = 0;
    std::vector<int64_t> times;
};

/// One layer of uniform layers on OneDomain(4) lasts a little more than 9 us.
constexpr int64_t LAYER_PS = 10 * US;

TEST(ReplayEvents, DeclaredOnesInsideSpansKeepTheirTimeAndChangeNothing)
{
    std::vector<int64_t> seen[2];
    Program program = LayerProgram(4, 40, 20000, Uniform);
    Outcome outcomes[2];
    for (int replay = 0; replay < 2; replay++)
    {
        struct Event
        {
            std::vector<int64_t>* times;

            void Run()
            {
                times->push_back(ns3::Simulator::Now().GetPicoSeconds());
            }
        } event{&seen[replay]};

        auto declare = [&event](Fabric& fabric) {
            for (int64_t at = 1 * US; at < 30 * LAYER_PS; at += 37123457)
            {
                fabric.GetKernel().ScheduleExternal(ns3::PicoSeconds(at), ns3::MakeCallback(&Event::Run, &event));
            }
        };
        outcomes[replay] = RunProgram(OneDomain(4), program, replay ? std::make_shared<SpanCache>() : nullptr, declare);
    }
    ExpectSame(outcomes[0], outcomes[1]);
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_EQ(seen[0].size(), 9U);
    Outcome quiet = RunProgram(OneDomain(4), program, std::make_shared<SpanCache>());
    ExpectSame(quiet, outcomes[1], "declared events");
    EXPECT_GT(outcomes[1].replay.replayed, 0U);
    EXPECT_LT(outcomes[1].replay.replayed, quiet.replay.replayed); // the spans around them ran
}

TEST(ReplayEvents, DeclaredPacketsOfAUserDisturbWhatTheyMeet)
{
    Program program = LayerProgram(4, 40, 20000, Skewed);
    std::vector<UsersPacket> packets(60);
    auto declare = [&packets](Fabric& fabric) {
        for (uint32_t i = 0; i < packets.size(); i++)
        {
            packets[i] = {&fabric, i % 4, (i + 1 + i % 3) % 4};
            fabric.GetKernel().ScheduleExternal(ns3::PicoSeconds(3 * US + i * 5234567),
                                                ns3::MakeCallback(&UsersPacket::Send, &packets[i]));
        }
    };
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(4), program, std::make_shared<SpanCache>(), declare);
    Outcome quiet = RunProgram(OneDomain(4), program);
    EXPECT_NE(outcome.blocks, quiet.blocks); // they did meet something
}

TEST(ReplayEvents, DeclaredPacketBetweenSpansMovesPointersAsWithoutReplay)
{
    // ranks 1 and 2 send to rank 0 together; which comes first is decided by who sent last
    BlockWriter receiver;
    receiver.Compute({receiver.Receive(1, 256, 0)});
    receiver.Receive(2, 256, 0);
    auto receive = receiver.Write();
    BlockWriter sender;
    sender.Send(0, 256, 0, {sender.Compute()});
    auto send = sender.Write();
    Program program(3);
    for (uint64_t round = 0; round < 30; round++)
    {
        for (uint32_t rank = 0; rank < 3; rank++)
        {
            program[rank].push_back(Use(rank == 0 ? receive : send, {rank == 0 ? 5 * US : 10 * US}, round, round));
        }
    }
    FabricConfig config = OneDomain(3);
    config.nvswitch.Set("KeepPointers", ns3::BooleanValue(true));
    std::vector<UsersPacket> packets(4);
    auto declare = [&packets](Fabric& fabric) {
        for (uint32_t i = 0; i < packets.size(); i++)
        {
            packets[i] = {&fabric, 1, 0};
            fabric.GetKernel().ScheduleExternal(ns3::PicoSeconds(57 * US + i * 60 * US),
                                                ns3::MakeCallback(&UsersPacket::Send, &packets[i]));
        }
    };
    Outcome outcome = ExpectReplayChangesNothing(config, program, std::make_shared<SpanCache>(), declare);
    EXPECT_NE(outcome.blocks, RunProgram(config, program).blocks); // the pointer did move
}

TEST(ReplayEvents, UndeclaredOnesThatOnlyLookChangeNothing)
{
    Program program = LayerProgram(4, 40, 20000, Skewed);
    auto prepare = [](Fabric& fabric) {
        for (int64_t at = 1 * US; at < 30 * LAYER_PS; at += 7123457)
        {
            ns3::Simulator::Schedule(ns3::PicoSeconds(at), [&fabric, at] {
                EXPECT_EQ(ns3::Simulator::Now().GetPicoSeconds(), at);
                EXPECT_EQ(fabric.GetKernel().NowPs(), at);
            });
        }
    };
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(4), program, std::make_shared<SpanCache>(), prepare);
    ExpectSame(outcome, RunProgram(OneDomain(4), program), "undeclared events");
}

TEST(ReplayEvents, UndeclaredPacketInsideReplayedTimeIsRefused)
{
    // too late to be exact: the messages that it meets are over
    Program program = LayerProgram(4, 40, 20000, Uniform);
    std::string refusal;
    auto prepare = [&refusal](Fabric& fabric) {
        for (int64_t i = 0; i < 30; i++)
        {
            ns3::Simulator::Schedule(ns3::PicoSeconds(20 * LAYER_PS + i * 7 * US), [&fabric, &refusal] {
                try
                {
                    UsersPacket{&fabric, 0, 1}.Send();
                }
                catch (const FabricError& error)
                {
                    refusal = error.what(); // an exception that leaves a stock event makes ns-3 leak the event
                }
            });
        }
    };
    RunProgram(OneDomain(4), program, std::make_shared<SpanCache>(), prepare);
    EXPECT_THAT(refusal, testing::HasSubstr("ScheduleExternal"));
}

TEST(ReplaySinks, ConnectedInMidRunSeePacketsAndChangeNothing)
{
    Program program = LayerProgram(4, 40, 20000, Skewed);
    Outcome quiet = RunProgram(OneDomain(4), program);
    int64_t connectedPs = quiet.endPs / 2;
    Sink sinks[2];
    Outcome outcomes[2];
    for (int replay = 0; replay < 2; replay++)
    {
        auto prepare = [&sinks, replay, connectedPs](Fabric& fabric) {
            ns3::Simulator::Schedule(ns3::PicoSeconds(connectedPs), [&fabric, &sinks, replay] {
                GpuPort(fabric, 1).TraceConnectWithoutContext("MacTx",
                                                              ns3::MakeCallback(&Sink::OnPacket, &sinks[replay]));
            });
        };
        outcomes[replay] = RunProgram(OneDomain(4), program, replay ? std::make_shared<SpanCache>() : nullptr, prepare);
        ExpectSame(quiet, outcomes[replay], replay ? "with replay" : "without");
    }
    Outcome free = RunProgram(OneDomain(4), program, std::make_shared<SpanCache>());
    EXPECT_GT(outcomes[1].replay.replayed, 0U);                   // before
    EXPECT_LT(outcomes[1].replay.replayed, free.replay.replayed); // not after
    EXPECT_THAT(outcomes[1].replay.note, testing::HasSubstr("packet sink"));
    // the port sends four messages of 79 or 80 packets a layer
    EXPECT_GT(sinks[1].times.size(), 15 * 300U);
    EXPECT_GE(sinks[1].times.front(), connectedPs);
    EXPECT_EQ(sinks[0].times, sinks[1].times);
    EXPECT_EQ(sinks[0].bytes, sinks[1].bytes);
}

TEST(ReplaySinks, ConnectedBeforeTheRunKeepReplayOff)
{
    Program program = LayerProgram(4, 10, 20000, Uniform);
    Sink sinks[2];
    for (int replay = 0; replay < 2; replay++)
    {
        auto prepare = [&sinks, replay](Fabric& fabric) {
            GpuPort(fabric, 2).TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&Sink::OnPacket, &sinks[replay]));
        };
        Outcome outcome = RunProgram(OneDomain(4), program, replay ? std::make_shared<SpanCache>() : nullptr, prepare);
        EXPECT_EQ(outcome.replay.replayed, 0U);
        EXPECT_EQ(outcome.replay.note.empty(), replay == 0);
    }
    EXPECT_EQ(sinks[0].times.size(), 10U * (79 + 79 + 80 + 79)); // 20100, 20200, 20300 and 20000 B
    EXPECT_EQ(sinks[0].times, sinks[1].times);
}

TEST(ReplaySinks, DisconnectedLetReplayGoOn)
{
    Program program = LayerProgram(4, 40, 20000, Uniform);
    Sink sink;
    auto prepare = [&sink](Fabric& fabric) {
        auto callback = ns3::MakeCallback(&Sink::OnPacket, &sink);
        GpuPort(fabric, 1).TraceConnectWithoutContext("MacTx", callback);
        ns3::Simulator::Schedule(ns3::PicoSeconds(10 * LAYER_PS), [&fabric, callback] {
            GpuPort(fabric, 1).TraceDisconnectWithoutContext("MacTx", callback);
        });
    };
    Outcome outcome = ExpectReplayChangesNothing(OneDomain(4), program, std::make_shared<SpanCache>(), prepare);
    EXPECT_GT(outcome.replay.replayed, 40U);
    EXPECT_GT(sink.times.size(), 0U);
}

/// Wants every message by itself.
class MessageRecorder : public PlayerObserver
{
  public:
    bool WantsMessages() override
    {
        return true;
    }

    void OnMessage(const Message& message, int64_t postedPs, int64_t endPs, int64_t idealPs) override
    {
        EXPECT_GE(endPs - postedPs, idealPs);
        EXPECT_EQ(message.delivered, message.bytes);
        messages++;
    }

    uint64_t messages = 0;
};

TEST(ReplayMessages, WantedSinglyKeepReplayOff)
{
    SimulatorGuard guard;
    Program program = LayerProgram(4, 10, 20000, Uniform);
    ProgramSource source(program);
    MessageRecorder recorder;
    auto fabric = ns3::CreateObject<Fabric>();
    fabric->Build(OneDomain(4));
    auto player = ns3::CreateObject<Player>();
    player->Setup(fabric, &source, &recorder, std::make_shared<SpanCache>());
    player->Start();
    ns3::Simulator::Run();
    player->Finish();
    EXPECT_EQ(recorder.messages, 10U * 4 * 4);
    EXPECT_EQ(player->GetReplayCounts().replayed, 0U);
    EXPECT_THAT(player->GetReplayCounts().note, testing::HasSubstr("single messages"));
}

} // namespace
