/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: the time of messages on an otherwise idle scale-out fabric is the closed form, to the picosecond.

#include "ns3-module/model/hbd-fixed-window.h"
#include "scale-out-fixture.h"

namespace
{

using namespace scale_out;

// 500 Gb/s and 400 Gb/s are 16 and 20 ps a byte
constexpr int64_t HOST_PS = 16;
constexpr int64_t LINK_PS = 20;
constexpr int64_t MTU = 4096;
/// Host link of one packet: 16 transaction-layer packets of 256 + 24 B.
constexpr int64_t HOST_PACKET_PS = (MTU + 16 * 24) * HOST_PS;
constexpr int64_t PACKET = MTU + 82;
constexpr int64_t RETH = 16;
constexpr int64_t ACK = 86;
/// Two host links, two NICs; two cables and a switch.
constexpr int64_t FLIGHT_PS = 2 * 200000 + 2 * 250000 + 2 * 50000 + 600000;

TEST(ScaleOutLatency, OnePacketIsTheClosedFormToThePicosecond)
{
    Network network;
    network.Build(2);
    network.PostAt(0, 0, 1, MTU);
    network.Run();
    EXPECT_EQ(network.EndPs(), 2 * HOST_PACKET_PS + 2 * (PACKET + RETH) * LINK_PS + FLIGHT_PS);
}

TEST(ScaleOutLatency, ProcessingOfTheReceivingGpuAdds)
{
    constexpr int64_t RECEIVE_PS = 70000;
    int64_t ends[2];
    for (int64_t i = 0; i < 2; i++)
    {
        Network network;
        network.config.hostLink.Set("ProcessingDelay", ns3::TimeValue(ns3::PicoSeconds(i * RECEIVE_PS)));
        network.Build(2);
        network.PostAt(0, 0, 1, MTU);
        network.Run();
        ends[i] = network.EndPs();
        EXPECT_EQ(ends[i], network.fabric->GetIdealBound().GetLatencyPs(0, 1, MTU));
    }
    EXPECT_EQ(ends[1] - ends[0], RECEIVE_PS); // the NIC's own delay stays
}

TEST(ScaleOutLatency, EmptyMessageTakesHeadersOnly)
{
    Network network;
    network.Build(2);
    network.PostAt(0, 0, 1, 0);
    network.Run();
    EXPECT_EQ(network.EndPs(), 2 * 24 * HOST_PS + 2 * (82 + RETH) * LINK_PS + FLIGHT_PS);
}

TEST(ScaleOutLatency, PayloadIsPaddedToFourBytes)
{
    Network network;
    network.Build(2);
    network.PostAt(0, 0, 1, 5);
    network.Run();
    EXPECT_EQ(network.EndPs(), 2 * (5 + 24) * HOST_PS + 2 * (8 + 82 + RETH) * LINK_PS + FLIGHT_PS);
}

/// Bytes per burst: the pipeline of a long message is the same whatever its units.
class ScaleOutPipeline : public testing::TestWithParam<uint64_t>
{
};

TEST_P(ScaleOutPipeline, LongMessageIsBottleneckPlusOnePacketOnEachOtherLink)
{
    constexpr int64_t PACKETS = 32;
    Network network;
    network.config.burstBytes = GetParam();
    network.Build(2);
    network.PostAt(0, 0, 1, PACKETS * MTU);
    network.Run();
    // the first packet over the host link and the NIC's link, all over the switch's link, the last one over the other
    // host link
    int64_t expected =
        HOST_PACKET_PS + (PACKET + RETH) * LINK_PS + (PACKETS * PACKET + RETH) * LINK_PS + HOST_PACKET_PS + FLIGHT_PS;
    EXPECT_EQ(network.EndPs(), expected);
    EXPECT_EQ(network.fabric->GetIdealMessagePs(0, 1, PACKETS * MTU), expected);
    EXPECT_EQ(network.GlobalCounter(SUM_PACKET_HOPS), 4 * PACKETS);
}

INSTANTIATE_TEST_SUITE_P(Bursts, ScaleOutPipeline, testing::Values(0, 8192, 20480, 65536));

TEST(ScaleOutLatency, SpineAddsTwoLinksAndTwoSwitches)
{
    Network network;
    network.config.scaleOut.name = "rail-optimized";
    network.Build(16);
    network.PostAt(0, 0, 1, MTU);         // other rail: leaf, spine, leaf
    network.PostAt(100000000, 0, 8, MTU); // same rail: one leaf
    network.Run();
    int64_t oneLeaf = 2 * HOST_PACKET_PS + 2 * (PACKET + RETH) * LINK_PS + FLIGHT_PS;
    EXPECT_EQ(std::get<3>(network.deliveries[0]), oneLeaf + 2 * ((PACKET + RETH) * LINK_PS + 50000 + 600000));
    EXPECT_EQ(std::get<3>(network.deliveries[1]), 100000000 + oneLeaf);
}

TEST(ScaleOutWindow, OnePacketWindowSendsOnePacketARoundTrip)
{
    constexpr int64_t PACKETS = 50;
    Network network;
    network.config.nic.Set("Window", ns3::UintegerValue(MTU));
    network.Build(2);
    network.PostAt(0, 0, 1, PACKETS * MTU);
    network.Run();
    // fetch, two links to the other NIC; acknowledgement over two links back
    int64_t there = HOST_PACKET_PS + 200000 + 250000 + 2 * PACKET * LINK_PS + 50000 + 600000 + 50000 + 250000;
    int64_t back = 2 * ACK * LINK_PS + 50000 + 600000 + 50000 + 250000;
    int64_t last = there + HOST_PACKET_PS + 200000;
    EXPECT_EQ(network.EndPs(), (PACKETS - 1) * (there + back) + last + 2 * RETH * LINK_PS);
}

TEST(ScaleOutWindow, LargerWindowGivesThroughputInProportion)
{
    constexpr int64_t PACKETS = 4000;
    int64_t ends[2];
    for (int i = 0; i < 2; i++)
    {
        Network network;
        network.config.nic.Set("Window", ns3::UintegerValue((i + 1) * 4 * MTU));
        network.Build(2);
        network.PostAt(0, 0, 1, PACKETS * MTU);
        network.Run();
        ends[i] = network.EndPs();
    }
    EXPECT_NEAR(static_cast<double>(ends[0]) / static_cast<double>(ends[1]), 2.0, 0.01);
}

TEST(ScaleOutWindow, AcknowledgingEverySecondUnitLosesNoThroughputWhenTheWindowIsLarge)
{
    int64_t ends[2];
    uint64_t packets[2];
    for (uint32_t every = 1; every <= 2; every++)
    {
        Network network;
        network.config.nic.Set("AckEvery", ns3::UintegerValue(every));
        network.Build(2);
        network.PostAt(0, 0, 1, 255 * MTU);
        network.Run();
        ends[every - 1] = network.EndPs();
        packets[every - 1] = network.Sum(PORT_TX_PACKETS);
    }
    EXPECT_EQ(ends[0], ends[1]);
    // 255 units: 255 acknowledgements or 128 (the last unit's is sent at once), over two links each
    EXPECT_EQ(packets[0] - packets[1], 2 * (255 - 128));
}

TEST(ScaleOutWindow, FullWindowIsAcknowledgedHoweverRareAcknowledgementsAre)
{
    constexpr int64_t PACKETS = 50;
    int64_t ends[2];
    for (uint32_t i = 0; i < 2; i++)
    {
        Network network;
        network.config.nic.Set("Window", ns3::UintegerValue(MTU));
        network.config.nic.Set("AckEvery", ns3::UintegerValue(i == 0 ? 1 : 16));
        network.Build(2);
        network.PostAt(0, 0, 1, PACKETS * MTU);
        network.Run();
        ends[i] = network.EndPs();
    }
    EXPECT_EQ(ends[0], ends[1]); // one packet a round trip either way
}

TEST(ScaleOutScheduler, QueuePairsOfANicTakeTurns)
{
    constexpr int64_t PACKETS = 100;
    Network network;
    network.Build(3);
    network.PostAt(0, 0, 1, PACKETS * MTU);
    network.PostAt(0, 0, 2, PACKETS * MTU);
    network.Run();
    int64_t apart = std::get<3>(network.deliveries[1]) - std::get<3>(network.deliveries[0]);
    EXPECT_EQ(apart, PACKET * LINK_PS); // their last packets follow each other on the NIC's link
    // both messages over the NIC's link, their last packet over the others
    EXPECT_EQ(network.EndPs(),
              2 * HOST_PACKET_PS + 2 * (PACKETS * PACKET + RETH) * LINK_PS + PACKET * LINK_PS + FLIGHT_PS);
}

TEST(ScaleOutScheduler, PacingRateLimitsAQueuePair)
{
    constexpr int64_t PACKETS = 100;
    Network network;
    ns3::Config::SetDefault("ns3::hbd::FixedWindow::PacingRate", ns3::DataRateValue(ns3::DataRate("100Gbps")));
    network.Build(2);
    network.PostAt(0, 0, 1, PACKETS * MTU);
    network.Run();
    ns3::Config::Reset();
    // a packet every 80 ps a byte, the last one then as if alone
    int64_t last = 2 * HOST_PACKET_PS + 2 * PACKET * LINK_PS + FLIGHT_PS;
    EXPECT_EQ(network.EndPs(), ((PACKETS - 1) * PACKET + RETH) * 80 + last);
}

TEST(ScaleOutScheduler, PacingOfLongUnitsDoesNotOverflow)
{
    auto control = ns3::CreateObject<FixedWindow>();
    control->SetAttribute("PacingRate", ns3::DataRateValue(ns3::DataRate("100Gbps")));
    CongestionSetup setup;
    setup.lineBitRate = 400000000000ULL;
    setup.windowBytes = 1ULL << 30;
    control->Setup(setup);
    for (uint32_t wireBytes : {1U << 20, 3U << 20, 1U << 30, 0xffffffffU})
    {
        EXPECT_EQ(control->OnSend(0, wireBytes), static_cast<int64_t>(wireBytes) * 80);
    }
}

TEST(ScaleOutHostLink, WireBytesDoNotDependOnTheBurst)
{
    constexpr uint64_t PAYLOAD = 1028; // 5 transaction-layer packets, the last of 4 B
    constexpr uint64_t PACKETS = 64;
    for (uint64_t burst : {0, 4096, 16384})
    {
        Network network;
        network.config.burstBytes = burst;
        network.config.hostLink.Set("PacketPayload", ns3::UintegerValue(PAYLOAD));
        network.config.ethernet.Set("PacketPayload", ns3::UintegerValue(PAYLOAD));
        network.Build(2);
        network.PostAt(0, 0, 1, PACKETS * PAYLOAD);
        network.Run();
        const FabricGraph& graph = network.fabric->GetGraph();
        uint64_t wireBytes = 0;
        for (uint32_t link = 0; link < graph.links.size(); link++)
        {
            bool host = graph.links[link].tier == FabricTier::HOST;
            wireBytes += host ? network.Sum(link, 0, PORT_TX_BYTES) + network.Sum(link, 1, PORT_TX_BYTES) : 0;
        }
        EXPECT_EQ(wireBytes, 2 * PACKETS * (PAYLOAD + 5 * 24)) << burst;
        EXPECT_EQ(wireBytes, 2 * network.fabric->GetIdealBound().GetWireBytes(FabricTier::HOST, PACKETS * PAYLOAD));
    }
}

TEST(ScaleOutHostLink, SlowerHostLinkIsTheBottleneckWithoutLoss)
{
    constexpr int64_t PACKETS = 4096;
    Network network;
    network.config.scaleOut.hostRate = ns3::DataRate("250Gbps");
    network.config.nic.Set("ReceiveBuffer", ns3::UintegerValue(1 << 20));
    network.Build(3);
    network.PostAt(0, 0, 2, PACKETS * MTU);
    network.PostAt(0, 1, 2, PACKETS * MTU);
    network.Run();
    EXPECT_GT(network.Sum(PORT_PAUSE_PS), 0); // the NIC paused the switch
    EXPECT_NEAR(static_cast<double>(network.EndPs()),
                2.0 * PACKETS * 2 * HOST_PACKET_PS,
                0.01 * 4.0 * PACKETS * HOST_PACKET_PS);
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0);
}

} // namespace
