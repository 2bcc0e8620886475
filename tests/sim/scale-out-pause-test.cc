/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: pauses by their thresholds and cables, whom they hit, which port began them, and when they stop everything.

#include "ns3-module/model/hbd-watchdog.h"
#include "scale-out-fixture.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace
{

using namespace scale_out;

constexpr uint32_t PRIORITY = 3;
constexpr int64_t PACKET = 4096 + 82;

/// What one switch says of its pauses.
class PauseLog
{
  public:
    struct Cause
    {
        int64_t ps;
        std::string name; ///< of the switch
        uint32_t ingress;
        uint32_t egress;
    };

    /// \param watched name of the switch \param to one log for all
    PauseLog(Network& owner, const std::string& watched, std::vector<Cause>& to)
        : network(owner),
          name(watched),
          causes(to)
    {
        auto ethernetSwitch = ns3::Ptr<EthernetSwitch>(&network.Switch(name));
        ethernetSwitch->TraceConnectWithoutContext("PauseCause", ns3::MakeCallback(&PauseLog::OnCause, this));
    }

    void OnCause(uint32_t ingress, uint32_t priority, uint32_t egress)
    {
        EXPECT_EQ(priority, PRIORITY);
        causes.push_back(Cause{network.fabric->GetKernel().NowPs(), name, ingress, egress});
    }

    Network& network;
    std::string name;
    std::vector<Cause>& causes;
};

/// One flow from a 400G NIC to a 200G uplink fills one (port, priority) of the first leaf.
struct OneIngress
{
    explicit OneIngress(Network& owner, int64_t memory)
        : network(owner),
          shared(memory)
    {
        network.config.scaleOut.name = "rail-optimized";
        network.config.scaleOut.gpusPerServer = 1;
        network.config.scaleOut.serversPerLeaf = 1;
        network.config.scaleOut.spines = 1;
        network.config.scaleOut.uplinkRate = ns3::DataRate("200Gbps");
        network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(200000));
        network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(memory + 2 * 200000));
        network.Build(2);
        auto ethernetSwitch = ns3::Ptr<EthernetSwitch>(&network.Switch("leaf0"));
        ethernetSwitch->TraceConnectWithoutContext("PauseCause", ns3::MakeCallback(&OneIngress::OnCause, this));
        ethernetSwitch->TraceConnectWithoutContext("Enqueue", ns3::MakeCallback(&OneIngress::OnEnqueue, this));
        EthernetDevice& port = network.EthernetPort("leaf0", 0);
        port.TraceConnectWithoutContext("PfcSent", ns3::MakeCallback(&OneIngress::OnPfc, this));
        network.EthernetPort("nic0", 1).TraceConnectWithoutContext("PfcReceived",
                                                                   ns3::MakeCallback(&OneIngress::OnReceived, this));
        network.EthernetPort("nic0", 1).TraceConnectWithoutContext("Resume",
                                                                   ns3::MakeCallback(&OneIngress::OnResume, this));
    }

    int64_t Bytes() const
    {
        return network.Switch("leaf0").GetBuffer().GetBytes(0, PRIORITY);
    }

    void OnCause(uint32_t ingress, uint32_t /* priority */, uint32_t egress)
    {
        EXPECT_EQ(ingress, 0U);
        EXPECT_EQ(egress, 1U);
        // alpha 1: without the last packet it holds at most what was free, with it more
        int64_t before = Bytes() - PACKET;
        EXPECT_GT(Bytes(), shared - before);
        EXPECT_LE(before, shared - (before - PACKET));
        paused = true;
        xoffs++;
    }

    void OnEnqueue(const PacketUnit& /* unit */, uint32_t egress)
    {
        if (egress == 1 && !paused)
        {
            EXPECT_LE(Bytes(), shared - (Bytes() - PACKET)) << "no XOFF";
        }
    }

    void OnPfc(uint32_t priority, bool pause)
    {
        EXPECT_EQ(priority, PRIORITY);
        if (!pause)
        {
            paused = false;
            xons++;
            // due at 2 x + offset = shared; since then at most two packets have left while others used the wire
            EXPECT_LE(2 * Bytes(), shared - OFFSET);
            EXPECT_GE(2 * Bytes(), shared - OFFSET - 2 * 2 * PACKET);
        }
        sent += pause ? 1 : 0;
    }

    void OnReceived(uint32_t priority, bool pause)
    {
        EXPECT_EQ(priority, PRIORITY);
        (pause ? receivedXoffs : receivedXons)++;
    }

    void OnResume(int64_t pausedPs)
    {
        resumedPs += pausedPs;
    }

    static constexpr int64_t OFFSET = 3556;
    Network& network;
    int64_t shared;
    bool paused = false;
    uint32_t xoffs = 0;
    uint32_t xons = 0;
    uint32_t sent = 0;
    uint32_t receivedXoffs = 0;
    uint32_t receivedXons = 0;
    int64_t resumedPs = 0;
};

TEST(PauseThreshold, XoffIsAtTheThresholdAndXonBelowItByTheOffset)
{
    Network network;
    OneIngress ingress(network, 100000);
    network.PostAt(0, 0, 1, 8 << 20);
    network.Run();
    EXPECT_GT(ingress.xoffs, 5U);
    EXPECT_EQ(ingress.xons, ingress.xoffs);
    EXPECT_EQ(ingress.receivedXoffs, ingress.xoffs);
    EXPECT_EQ(ingress.receivedXons, ingress.xoffs);
    uint32_t port = network.EthernetPort("leaf0", 0).GetSums(0);
    uint32_t nic = network.EthernetPort("nic0", 1).GetSums(0);
    const auto& sums = network.fabric->GetContext().statistics.sums;
    EXPECT_EQ(sums[port + PORT_PAUSE_FRAMES], ingress.sent);
    EXPECT_EQ(static_cast<int64_t>(sums[nic + PORT_PAUSE_PS]), ingress.resumedPs);
    EXPECT_GT(ingress.resumedPs, 0);
}

/// Cable, one way, in nanoseconds.
class PauseHeadroom : public testing::TestWithParam<int64_t>
{
};

TEST_P(PauseHeadroom, IsNeverOverrunAndNeeded)
{
    Network network;
    network.config.scaleOut.linkDelay = ns3::NanoSeconds(GetParam());
    network.config.nic.Set("Window", ns3::UintegerValue(64 << 20));
    network.config.nic.Set("ReceiveBuffer", ns3::UintegerValue(64 << 20));
    FabricLink link;
    link.rate = network.config.scaleOut.nicRate;
    link.delay = network.config.scaleOut.linkDelay;
    uint64_t headroom = EthernetDevice::GetRequiredHeadroom(link, 600000 + 250000, PACKET + 16, PACKET + 16, 84);
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(headroom));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(50000 + 4 * headroom));
    network.config.nic.Set("Headroom", ns3::UintegerValue(headroom));
    network.Build(4);

    struct Sink
    {
        Network& network;
        int64_t most = 0;

        void OnEnqueue(const PacketUnit& /* unit */, uint32_t /* egress */)
        {
            most = std::max(most, network.Switch("leaf0").GetBuffer().GetBytes(0, PRIORITY));
        }
    } sink{network};

    auto ethernetSwitch = ns3::Ptr<EthernetSwitch>(&network.Switch("leaf0"));
    ethernetSwitch->TraceConnectWithoutContext("Enqueue", ns3::MakeCallback(&Sink::OnEnqueue, &sink));
    for (uint32_t source = 0; source < 3; source++)
    {
        network.PostAt(0, source, 3, 16 << 20);
    }
    network.Run(); // an overrun would end it
    EXPECT_EQ(network.deliveries.size(), 3U);
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0U);
    // what physics makes arrive after XOFF: the line rate over both ways of the cable and the NIC's reaction; the third that
    // leaves meanwhile is this port's share of the way out
    int64_t underWay = (2 * GetParam() + 250) * 50 * 2 / 3;
    EXPECT_GE(sink.most, underWay);
    EXPECT_LE(sink.most, static_cast<int64_t>(headroom) + 50000);
}

INSTANTIATE_TEST_SUITE_P(Cables, PauseHeadroom, testing::Values(0, 50, 500, 5000, 15000));

TEST(PauseHeadroom, OneByteLessIsRefused)
{
    FabricLink link;
    link.rate = ns3::DataRate("400Gbps");
    link.delay = ns3::NanoSeconds(50);
    uint64_t headroom = EthernetDevice::GetRequiredHeadroom(link, 600000 + 250000, PACKET + 16, PACKET + 16, 84);
    for (uint64_t less : {0, 1})
    {
        Network network;
        network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(headroom - less));
        if (less == 0)
        {
            EXPECT_NO_THROW(network.Build(2));
            continue;
        }
        EXPECT_THROW(network.Build(2), std::invalid_argument);
        network.fabric = nullptr;
    }
}

/// Leaf 0 with GPUs 0 .. 3, leaf 1 with GPUs 4 .. 7, one spine.
void
BuildTwoLeaves(Network& network)
{
    network.config.scaleOut.name = "rail-optimized";
    network.config.scaleOut.gpusPerServer = 1;
    network.config.scaleOut.serversPerLeaf = 4;
    network.config.scaleOut.spines = 1;
    network.config.scaleOut.uplinkRate = ns3::DataRate("1600Gbps");
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(400000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(400000 + 5 * 400000));
    network.Build(8);
}

TEST(PauseVictim, InnocentFlowIsSlowedAndTheTraceNamesThePortThatBeganIt)
{
    constexpr uint64_t VICTIM = 8 << 20;
    int64_t ends[2] = {};
    for (uint32_t congested = 0; congested < 2; congested++)
    {
        Network network;
        BuildTwoLeaves(network);
        std::vector<PauseLog::Cause> causes;
        PauseLog leaf0(network, "leaf0", causes);
        PauseLog leaf1(network, "leaf1", causes);
        PauseLog spine(network, "spine0", causes);
        if (congested != 0)
        {
            for (uint32_t source : {0, 1, 3, 5, 7})
            {
                network.PostAt(0, source, 4, 16 << 20);
            }
        }
        network.PostAt(20000000, 2, 6, VICTIM); // meets the others in no port but those between the switches
        network.Run();
        auto victim = std::find_if(network.deliveries.begin(), network.deliveries.end(), [](const Delivery& delivery) {
            return std::get<1>(delivery) == 6;
        });
        ASSERT_NE(victim, network.deliveries.end());
        ends[congested] = std::get<3>(*victim);
        EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0U);
        if (congested == 0)
        {
            EXPECT_TRUE(causes.empty());
            continue;
        }
        // the cascade begins at leaf 1, because of GPU 4's port, and goes on to the spine and to leaf 0
        ASSERT_FALSE(causes.empty());
        EXPECT_EQ(causes.front().name, "leaf1");
        bool reached[2] = {};
        for (const auto& cause : causes)
        {
            if (cause.name == "leaf1")
            {
                EXPECT_EQ(cause.egress, 0U) << "GPU 4";
            }
            else if (cause.name == "spine0")
            {
                EXPECT_EQ(cause.ingress, 0U) << "leaf 0";
                EXPECT_EQ(cause.egress, 1U) << "leaf 1";
                reached[0] = true;
            }
            else
            {
                EXPECT_EQ(cause.egress, 4U) << "the spine";
                reached[1] = true;
            }
        }
        EXPECT_TRUE(reached[0]);
        EXPECT_TRUE(reached[1]);
    }
    // alone, it has its NIC's 400 Gb/s
    EXPECT_GT(ends[1] - 20000000, 2 * (ends[0] - 20000000));
}

/// Sends all that is for another leaf clockwise: leaf i - spine i - leaf i + 1 - ... of three.
void
RouteAround(Network& network)
{
    constexpr uint32_t RING = 3;
    for (uint32_t i = 0; i < RING; i++)
    {
        SwitchRoutes leaf;
        SwitchRoutes spine;
        leaf.sets = {{0}, {static_cast<uint16_t>(1 + i)}}; // its GPU; spine i
        spine.sets = {{static_cast<uint16_t>((i + 1) % RING)}};
        for (uint32_t gpu = 0; gpu < RING; gpu++)
        {
            leaf.setOf.push_back(gpu == i ? 0 : 1);
            spine.setOf.push_back(0);
        }
        for (auto& [name, routes] : {std::make_pair("leaf", leaf), std::make_pair("spine", spine)})
        {
            std::string node = name + std::to_string(i);
            std::vector<ns3::Ptr<EthernetDevice>> ports;
            for (uint32_t port = 0; port < network.fabric->GetGraph().nodes[network.Find(node)].ports.size(); port++)
            {
                ports.emplace_back(&network.EthernetPort(node, port));
            }
            network.Switch(node).Setup(network.fabric->GetContext(), ports, routes, i);
        }
    }
}

TEST(PauseDeadlock, CycleOfBuffersStopsAndTheWatchdogNamesIt)
{
    Network network;
    network.config.scaleOut.name = "rail-optimized";
    network.config.scaleOut.gpusPerServer = 1;
    network.config.scaleOut.serversPerLeaf = 1;
    network.config.scaleOut.spines = 3;
    network.config.ethernet.Set("PauseQuanta", ns3::UintegerValue(4096));
    network.config.nic.Set("Window", ns3::UintegerValue(4 << 20));
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(200000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(100000 + 4 * 200000));
    network.Build(3);
    RouteAround(network);
    for (uint32_t source = 0; source < 3; source++)
    {
        network.PostAt(0, source, (source + 2) % 3, 64 << 20); // over two leaves
    }
    Watchdog watchdog(*network.fabric, 20000);
    network.fabric->GetKernel().SetPeriodicCheck(1000, ns3::MakeCallback(&Watchdog::Check, &watchdog));
    std::string text;
    try
    {
        ns3::Simulator::Stop(ns3::Seconds(1));
        ns3::Simulator::Run();
    }
    catch (const FabricError& error)
    {
        text = error.what();
    }
    EXPECT_THAT(text, testing::HasSubstr("3 messages are not delivered"));
    EXPECT_THAT(text, testing::HasSubstr("cycle of full buffers:"));
    std::string cycle = text.substr(std::min(text.size(), text.find("cycle of full buffers:")));
    for (uint32_t i = 0; i < 3; i++)
    {
        std::string leaf = "leaf" + std::to_string(i);
        std::string spine = "spine" + std::to_string(i);
        EXPECT_THAT(cycle, testing::HasSubstr(leaf + "->" + spine));
        EXPECT_THAT(cycle, testing::HasSubstr(spine + "->leaf" + std::to_string((i + 1) % 3)));
    }
}

TEST(PauseDeadlock, SameTrafficOnShortestPathsEnds)
{
    Network network;
    network.config.scaleOut.name = "rail-optimized";
    network.config.scaleOut.gpusPerServer = 1;
    network.config.scaleOut.serversPerLeaf = 1;
    network.config.scaleOut.spines = 3;
    network.config.nic.Set("Window", ns3::UintegerValue(4 << 20));
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(200000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(100000 + 4 * 200000));
    network.Build(3);
    for (uint32_t source = 0; source < 3; source++)
    {
        network.PostAt(0, source, (source + 2) % 3, 16 << 20);
    }
    network.Run();
    EXPECT_EQ(network.deliveries.size(), 3U);
}

} // namespace
