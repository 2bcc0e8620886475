/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: cut-through by its closed forms, and what switches write into packets (telemetry).

#include "ns3-module/model/hbd-fixed-window.h"
#include "scale-out-fixture.h"

#include "ns3/boolean.h"

namespace
{

using namespace scale_out;

// 500 Gb/s and 400 Gb/s are 16 and 20 ps a byte
constexpr int64_t HOST_PS = 16;
constexpr int64_t LINK_PS = 20;
constexpr int64_t MTU = 4096;
constexpr int64_t HOST_PACKET_PS = (MTU + 16 * 24) * HOST_PS;
constexpr int64_t PACKET = MTU + 82;
constexpr int64_t RETH = 16;
/// Preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12.
constexpr int64_t HEAD = 62;
constexpr int64_t FLIGHT_PS = 2 * 200000 + 2 * 250000 + 2 * 50000 + 600000;
/// A further switch and the cable to it.
constexpr int64_t HOP_PS = 50000 + 600000;

void
CutThrough(Network& network)
{
    network.config.ethernetSwitch.Set("CutThrough", ns3::BooleanValue(true));
}

TEST(CutThrough, OnePacketWaitsForItsHeadersOnly)
{
    Network network;
    CutThrough(network);
    network.Build(2);
    network.PostAt(0, 0, 1, MTU);
    network.Run();
    EXPECT_EQ(network.EndPs(), 2 * HOST_PACKET_PS + (HEAD + PACKET + RETH) * LINK_PS + FLIGHT_PS);
    EXPECT_EQ(network.EndPs(), network.fabric->GetIdealBound().GetLatencyPs(0, 1, MTU));
}

TEST(CutThrough, EachFurtherSwitchAddsHeadersNotPackets)
{
    Network network;
    CutThrough(network);
    network.config.scaleOut.name = "rail-optimized";
    network.Build(16);
    network.PostAt(0, 0, 1, MTU);
    network.Run();
    EXPECT_EQ(network.EndPs(), 2 * HOST_PACKET_PS + (3 * HEAD + PACKET + RETH) * LINK_PS + FLIGHT_PS + 2 * HOP_PS);
    EXPECT_EQ(network.EndPs(), network.fabric->GetIdealBound().GetLatencyPs(0, 1, MTU));
}

TEST(CutThrough, PacketIsStoredAheadOfAFasterEgress)
{
    Network network;
    CutThrough(network);
    network.config.scaleOut.name = "rail-optimized";
    network.config.scaleOut.uplinkRate = ns3::DataRate("800Gbps"); // 10 ps a byte
    network.Build(16);
    network.PostAt(0, 0, 1, MTU);
    network.Run();
    int64_t stored = (PACKET + RETH) * LINK_PS; // NIC to leaf
    int64_t through = 2 * HEAD * 10;            // leaf to spine, spine to leaf
    int64_t last = (PACKET + RETH) * LINK_PS;   // leaf to NIC
    EXPECT_EQ(network.EndPs(), 2 * HOST_PACKET_PS + stored + through + last + FLIGHT_PS + 2 * HOP_PS);
    EXPECT_EQ(network.EndPs(), network.fabric->GetIdealBound().GetLatencyPs(0, 1, MTU));
}

TEST(CutThrough, RoundTripIsOneFullPacketAndItsAcknowledgement)
{
    // three switches each way, four cables, and the way into each NIC
    Network network;
    CutThrough(network);
    network.config.scaleOut.name = "rail-optimized";
    network.Build(16);
    int64_t roundTrip = (3 * HEAD + PACKET + 3 * HEAD + 86) * LINK_PS + 2 * (4 * 50000 + 3 * 600000) + 2 * 250000;
    EXPECT_EQ(network.fabric->GetIdealBound().GetRoundTripPs(0, 1), roundTrip);
}

/// Payload of a burst.
class CutThroughPipeline : public testing::TestWithParam<uint64_t>
{
};

TEST_P(CutThroughPipeline, LongMessageIsTheSlowestLinkAndHeaders)
{
    constexpr int64_t PACKETS = 256;
    Network network;
    CutThrough(network);
    network.config.burstBytes = GetParam();
    network.config.scaleOut.name = "rail-optimized";
    network.Build(16);
    network.PostAt(0, 0, 1, PACKETS * MTU);
    network.Run();
    int64_t ideal = 2 * HOST_PACKET_PS + (PACKETS * PACKET + RETH + 3 * HEAD) * LINK_PS + FLIGHT_PS + 2 * HOP_PS;
    EXPECT_EQ(network.fabric->GetIdealBound().GetLatencyPs(0, 1, PACKETS * MTU), ideal);
    EXPECT_EQ(network.EndPs(), ideal);
}

INSTANTIATE_TEST_SUITE_P(Bursts, CutThroughPipeline, testing::Values(0, 8192, 65536));

/// Uplink rate.
class CutThroughTraffic : public testing::TestWithParam<const char*>
{
};

TEST_P(CutThroughTraffic, NothingIsLostAndNothingFasterThanTheBound)
{
    Network network;
    CutThrough(network);
    network.config.burstBytes = 16384;
    network.config.scaleOut.name = "rail-optimized";
    network.config.scaleOut.gpusPerServer = 2;
    network.config.scaleOut.serversPerLeaf = 2;
    network.config.scaleOut.uplinkRate = ns3::DataRate(GetParam());
    network.config.scaleOut.spines = 2;
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(600000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(300000 + 8 * 600000));
    network.Build(8);
    uint64_t total = 0;
    for (uint32_t source = 0; source < 8; source++)
    {
        for (uint32_t step = 1; step < 8; step++)
        {
            uint64_t bytes = 1 + 70001 * ((source * 7 + step * 13) % 11);
            network.PostAt(0, source, (source + step) % 8, bytes);
            total += bytes;
        }
    }
    network.Run();
    EXPECT_EQ(network.deliveries.size(), 56U);
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), total);
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0U);
    for (const auto& [source, destination, bytes, ps] : network.deliveries)
    {
        EXPECT_GE(ps, network.fabric->GetIdealBound().GetLatencyPs(source, destination, bytes));
    }
}

INSTANTIATE_TEST_SUITE_P(Uplinks, CutThroughTraffic, testing::Values("100Gbps", "400Gbps", "800Gbps"));

/// A fixed window that has switches write telemetry.
class ReadingControl : public FixedWindow
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("scale_out::ReadingControl").SetParent<FixedWindow>().AddConstructor<ReadingControl>();
        return tid;
    }

    bool NeedsTelemetry() const override
    {
        return true;
    }
};

TEST(SwitchTelemetry, EachSwitchWritesItsPortsStateAtTheStartOfTransmission)
{
    constexpr int64_t INT = 42;
    Network network;
    network.config.scaleOut.name = "rail-optimized";
    network.config.nic.Set("CongestionControl", ns3::TypeIdValue(ReadingControl::GetTypeId()));
    network.Build(16);
    ASSERT_TRUE(network.fabric->GetContext().telemetry.IsEnabled());

    struct Sink
    {
        Network& network;
        std::vector<Telemetry> seen;
        std::vector<uint32_t> wireBytes;

        void OnUnit(const PacketUnit& unit)
        {
            seen.push_back(network.fabric->GetContext().telemetry[unit.index]);
            wireBytes.push_back(unit.wireBytes);
        }
    } sink{network, {}, {}};

    network.EthernetPort("nic1", 1).TraceConnectWithoutContext("UnitRx", ns3::MakeCallback(&Sink::OnUnit, &sink));
    network.PostAt(0, 0, 1, 2 * MTU);
    network.Run();
    ASSERT_EQ(sink.seen.size(), 2U);
    EXPECT_EQ(sink.wireBytes[0], PACKET + RETH + INT);
    EXPECT_EQ(sink.wireBytes[1], PACKET + INT);
    int64_t first = (PACKET + RETH + INT) * LINK_PS;
    int64_t second = (PACKET + INT) * LINK_PS;
    for (uint32_t packet = 0; packet < 2; packet++)
    {
        const Telemetry& telemetry = sink.seen[packet];
        ASSERT_EQ(telemetry.hops, 3U);
        for (uint32_t hop = 0; hop < 3; hop++)
        {
            // host link, its delay and the NIC; then cable and switch each
            int64_t atNic = HOST_PACKET_PS + 200000 + 250000 + packet * first;
            int64_t start = atNic + (hop + 1) * (HOP_PS + (packet == 0 ? first : second));
            EXPECT_GE(telemetry.hop[hop].timePs, start);
            EXPECT_LE(telemetry.hop[hop].timePs, start + first - second + 100000);
            EXPECT_EQ(telemetry.hop[hop].txBytes, packet * (PACKET + RETH + INT));
            EXPECT_EQ(telemetry.hop[hop].queueBytes, 0U);
            EXPECT_EQ(telemetry.hop[hop].bitRate, 400000000000U);
        }
        EXPECT_EQ(telemetry.hop[2].port, network.EthernetPort("leaf1", 0).GetId());
    }
    EXPECT_EQ(network.EndPs(), network.fabric->GetIdealBound().GetLatencyPs(0, 1, 2 * MTU));
}

TEST(SwitchTelemetry, QueueIsWhatWaitsBehindThePacket)
{
    Network network;
    network.config.nic.Set("CongestionControl", ns3::TypeIdValue(ReadingControl::GetTypeId()));
    network.Build(3);

    struct Sink
    {
        Network& network;
        uint64_t most = 0;
        uint32_t wrong = 0;

        void OnUnit(const PacketUnit& unit)
        {
            if (!(unit.flags & (UNIT_ACK | UNIT_PAUSE)))
            {
                const Telemetry& telemetry = network.fabric->GetContext().telemetry[unit.index];
                uint64_t queue = telemetry.hop[telemetry.hops - 1].queueBytes;
                wrong += queue != network.EthernetPort("leaf0", 2).GetQueuedBytes() ? 1 : 0;
                most = std::max(most, queue);
            }
        }
    } sink{network, 0, 0};

    network.EthernetPort("leaf0", 2).TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&Sink::OnUnit, &sink));
    network.PostAt(0, 0, 2, 64 * MTU);
    network.PostAt(0, 1, 2, 64 * MTU);
    network.Run();
    EXPECT_EQ(sink.wrong, 0U);
    // two senders at the line's rate: half of what they send waits at the end
    EXPECT_NEAR(static_cast<double>(sink.most), 64.0 * (PACKET + 42), 3.0 * PACKET);
}

TEST(SwitchTelemetry, TakesNothingUnlessAsked)
{
    Network network;
    network.Build(2);
    EXPECT_FALSE(network.fabric->GetContext().telemetry.IsEnabled());
    network.PostAt(0, 0, 1, MTU);
    network.Run();
    EXPECT_EQ(network.EndPs(), 2 * HOST_PACKET_PS + 2 * (PACKET + RETH) * LINK_PS + FLIGHT_PS);
}

} // namespace
