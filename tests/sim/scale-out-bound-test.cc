/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: the ideal bound is what a hand calculation gives for each kind of cut, and no simulation is below it.

#include "ns3-module/model/topologies/hbd-scale-up-topology.h"
#include "ns3-module/model/topologies/hbd-topology-table.h"
#include "scale-out-fixture.h"

#include "ns3/type-id.h"

#include <algorithm>
#include <random>

namespace
{

using namespace scale_out;

/// 8 GPUs in domains of 4, two NVLinks each of 160 Gb/s (50 ps/B); NICs of 400 Gb/s (20 ps/B), host links of 800 Gb/s.
FabricGraph
TwoDomains(const std::string& scaleOut, uint32_t spines)
{
    FabricGraph graph;
    ScaleUpTopology up;
    up.gpus = 8;
    up.hbdSize = 4;
    up.planes = 2;
    up.linkRate = ns3::DataRate("160Gbps");
    up.linkDelay = ns3::NanoSeconds(10);
    AddScaleUp(graph, up);
    ScaleOutTopology out;
    out.name = scaleOut;
    out.gpus = 8;
    out.gpusPerServer = 4;
    out.serversPerLeaf = 1;
    out.spines = spines;
    out.nicRate = ns3::DataRate("400Gbps");
    out.hostRate = ns3::DataRate("800Gbps");
    out.uplinkRate = ns3::DataRate("100Gbps");
    AddScaleOut(graph, out);
    return graph;
}

constexpr int64_t MTU_WIRE = 4096 + 82;

TEST(IdealBound, ScaleUpIngressOverAllLinks)
{
    IdealBound bound(TwoDomains("single-switch", 0), IdealTraits());
    // 1000 B are 3 packets of 272 B and one of 232 payload padded to 240, + 16: 1072 B; two senders, two links
    EXPECT_EQ(bound.GetWireBytes(FabricTier::SCALE_UP, 1000), 3 * 272U + 240 + 16);
    EXPECT_EQ(bound.GetBoundPs({{0, 2, 1000}, {1, 2, 1000}}), 2 * 1072 * 50 / 2);
}

TEST(IdealBound, NicEgress)
{
    IdealBound bound(TwoDomains("single-switch", 0), IdealTraits());
    EXPECT_EQ(bound.GetBoundPs({{0, 4, 8192}, {0, 5, 8192}}), 2 * (2 * MTU_WIRE + 16) * 20);
}

TEST(IdealBound, HostLinkCountsTransactionPacketsPerNetworkPacket)
{
    IdealTraits traits;
    traits.rocePayload = 1028; // 5 transaction-layer packets, the last of 4 B
    IdealBound bound(TwoDomains("single-switch", 0), traits);
    EXPECT_EQ(bound.GetWireBytes(FabricTier::HOST, 0), 24U);
    EXPECT_EQ(bound.GetWireBytes(FabricTier::HOST, 1028), 1028 + 5 * 24U);
    EXPECT_EQ(bound.GetWireBytes(FabricTier::HOST, 3 * 1028 + 256), 3 * (1028 + 5 * 24U) + 256 + 24);
}

TEST(IdealBound, UplinksOfALeaf)
{
    // leaf of one NIC, one uplink of 100 Gb/s: 80 ps/B
    IdealBound bound(TwoDomains("rail-optimized", 1), IdealTraits());
    EXPECT_EQ(bound.GetBoundPs({{0, 4, 8192}}), (2 * MTU_WIRE + 16) * 80);
}

TEST(IdealBound, TiersRunAtTheSameTime)
{
    IdealBound bound(TwoDomains("single-switch", 0), IdealTraits());
    int64_t up = bound.GetBoundPs({{0, 1, 1 << 20}});
    int64_t out = bound.GetBoundPs({{0, 4, 1 << 20}});
    EXPECT_EQ(bound.GetBoundPs({{0, 1, 1 << 20}, {0, 4, 1 << 20}}), std::max(up, out));
    EXPECT_EQ(bound.GetBoundPs({}), 0);
}

TEST(IdealBound, LatencyOfOnePacketOnTheScaleUpTier)
{
    IdealTraits traits;
    traits.nvswitchPs = 200000;
    IdealBound bound(TwoDomains("single-switch", 0), traits);
    // the header to the switch, then the packet
    EXPECT_EQ(bound.GetLatencyPs(0, 1, 256), 16 * 50 + 272 * 50 + 2 * 10000 + 200000);
    EXPECT_EQ(bound.GetPropagationPs(0, 1), 2 * 10000 + 200000);
}

/// Two domains on both tiers, simulated.
void
BuildTwoTiers(Network& network, uint64_t burst)
{
    network.config.scaleUp.hbdSize = 4;
    network.config.scaleUp.planes = 3;
    network.config.scaleUp.linkRate = ns3::DataRate("400Gbps");
    network.config.scaleUp.linkDelay = ns3::NanoSeconds(20);
    network.config.scaleOut.name = "rail-optimized";
    network.config.scaleOut.gpusPerServer = 4;
    network.config.burstBytes = burst;
    network.Build(16);
}

TEST(IdealBound, NoMessageIsFasterThanItsLatency)
{
    for (uint64_t burst : {0, 4096, 65536})
    {
        std::mt19937_64 random(burst + 1);
        for (uint32_t i = 0; i < 30; i++)
        {
            Network network;
            BuildTwoTiers(network, burst);
            auto source = static_cast<uint32_t>(random() % 16);
            auto destination = static_cast<uint32_t>((source + 1 + random() % 15) % 16);
            uint64_t bytes = random() % (1ULL << (random() % 20));
            network.PostAt(0, source, destination, bytes);
            network.Run();
            int64_t bound = network.fabric->GetIdealBound().GetLatencyPs(source, destination, bytes);
            EXPECT_GE(network.EndPs(), bound) << source << " " << destination << " " << bytes;
            EXPECT_LE(network.EndPs(), bound * 11 / 10) << source << " " << destination << " " << bytes;
        }
    }
}

TEST(IdealBound, AllToAllOnBothTiersIsNotBelowIt)
{
    constexpr uint64_t BYTES = 1 << 20;
    for (uint64_t burst : {0, 65536})
    {
        Network network;
        BuildTwoTiers(network, burst);
        std::vector<IdealTransfer> transfers;
        for (uint32_t step = 1; step < 16; step++)
        {
            for (uint32_t gpu = 0; gpu < 16; gpu++)
            {
                transfers.push_back(IdealTransfer{gpu, (gpu + step) % 16, BYTES});
                network.PostAt(0, gpu, (gpu + step) % 16, BYTES);
            }
        }
        network.Run();
        const IdealBound& ideal = network.fabric->GetIdealBound();
        int64_t bound = ideal.GetBoundPs(transfers);
        EXPECT_EQ(bound, 12 * static_cast<int64_t>(ideal.GetWireBytes(FabricTier::SCALE_OUT, BYTES)) * 20);
        EXPECT_GE(network.EndPs(), bound + ideal.GetPropagationPs(0, 4));
        EXPECT_LT(network.EndPs(), bound * 2); // hashed paths collide
        EXPECT_EQ(network.deliveries.size(), 16U * 15);
    }
}

TEST(ScaleOutState, SchedulerPointerIsSavedAndDecidesWhoGoesFirst)
{
    auto order = [](uint32_t before) {
        Network network;
        network.Build(4);
        if (before != 0)
        {
            network.PostAt(0, 0, before, 4096);
        }
        network.PostAt(100000000, 0, 1, 4096);
        network.PostAt(100000000, 0, 2, 4096);
        network.PostAt(100000000, 0, 3, 4096);
        network.Run();
        std::vector<uint32_t> destinations;
        for (const auto& delivery : network.deliveries)
        {
            destinations.push_back(std::get<1>(delivery));
        }
        return destinations;
    };
    EXPECT_EQ(order(0), (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_EQ(order(1), (std::vector<uint32_t>{1, 2, 3, 1}));
    EXPECT_EQ(order(2), (std::vector<uint32_t>{2, 3, 1, 2}));
}

TEST(ScaleOutState, RestoredStateIsTheSavedOne)
{
    Network network;
    network.Build(4);
    std::vector<uint32_t> fresh;
    network.fabric->SaveState(fresh);
    network.PostAt(0, 0, 2, 4096);
    network.PostAt(0, 1, 3, 4096);
    network.Run();
    std::vector<uint32_t> used;
    network.fabric->SaveState(used);
    EXPECT_NE(used, fresh);
    EXPECT_EQ(used.size(), fresh.size()); // queue pairs that exist are history
    network.fabric->RestoreState(fresh);
    std::vector<uint32_t> again;
    network.fabric->SaveState(again);
    EXPECT_EQ(again, fresh);
}

/// Remembers when the last acknowledgement came for 1 us: state with a residual time.
class TimedControl : public CongestionControl
{
  public:
    static constexpr int64_t MEMORY_PS = 1000000;

    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("TimedControl").SetParent<CongestionControl>().AddConstructor<TimedControl>();
        return tid;
    }

    void Setup(const CongestionSetup& setup) override
    {
        setupPs = setup.nowPs;
        m_window = setup.windowBytes;
        m_bitRate = setup.lineBitRate;
    }

    uint64_t GetWindowBytes() const override
    {
        return m_window;
    }

    int64_t OnSend(int64_t /* nowPs */, uint32_t /* wireBytes */) override
    {
        return 0;
    }

    void OnAck(const CongestionAck& ack) override
    {
        untilPs = ack.nowPs + MEMORY_PS;
    }

    uint64_t GetBitRate() const override
    {
        return m_bitRate;
    }

    void SaveState(int64_t nowPs, std::vector<uint32_t>& words) const override
    {
        if (untilPs > nowPs)
        {
            words.push_back(static_cast<uint32_t>(untilPs - nowPs));
        }
    }

    void RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count) override
    {
        untilPs = count == 0 ? 0 : nowPs + words[0];
    }

    int64_t setupPs = -1;
    int64_t untilPs = 0;

  private:
    uint64_t m_window = 0;
    uint64_t m_bitRate = 0;
};

TEST(ScaleOutState, CongestionControlIsToldTheTimeAndSavesWhatIsLeftOfIt)
{
    constexpr int64_t START_PS = 7000000;
    Network network;
    network.config.nic.Set("CongestionControl", ns3::TypeIdValue(TimedControl::GetTypeId()));
    network.Build(2);
    network.PostAt(START_PS, 0, 1, 4096);
    std::vector<uint32_t> idle;
    network.fabric->SaveState(idle);
    network.Run();
    auto& control = static_cast<TimedControl&>(network.Nic(0).FindQueuePair(1)->GetControl());
    EXPECT_EQ(control.setupPs, START_PS);
    int64_t endPs = network.fabric->GetKernel().NowPs();
    ASSERT_GT(control.untilPs, endPs);
    uint32_t left = static_cast<uint32_t>(control.untilPs - endPs);
    std::vector<uint32_t> words;
    network.fabric->SaveState(words);
    EXPECT_EQ(words.size(), idle.size() + 5); // of the queue pair: index, count, no wait for a notification (two words), what is left
    EXPECT_EQ(std::count(words.begin(), words.end(), left), 1);
    control.untilPs = 0;
    network.fabric->RestoreState(words);
    EXPECT_EQ(control.untilPs, endPs + left);
}

} // namespace
