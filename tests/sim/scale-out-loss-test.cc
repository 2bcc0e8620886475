/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: links that lose or corrupt packets: every byte arrives once, as fast as the recovery allows. Method: the
// efficiency of go-back-N and selective repeat with independent losses (D. Bertsekas, R. Gallager, Data Networks, 2nd
// edition, 1992, section 2.4): 1 / (1 + beta p / (1 - p)) and 1 - p, where beta is the number of packets sent from one
// that is lost until it is sent again.

#include "scale-out-fixture.h"

#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <cmath>
#include <set>
#include <string>

namespace
{

using namespace scale_out;

constexpr int64_t US = 1000000; // picoseconds

LinkFault
Random(LinkFault::Kind kind, const std::string& a, const std::string& b, double probability)
{
    LinkFault fault;
    fault.kind = kind;
    fault.ends[0] = a;
    fault.ends[1] = b;
    fault.probability = probability;
    return fault;
}

/// What can go wrong at random, and with which recovery.
struct Case
{
    const char* recovery;
    LinkFault::Kind kind;
};

std::ostream&
operator<<(std::ostream& os, const Case& c)
{
    return os << c.recovery << (c.kind == LinkFault::Kind::LOSS ? " loss" : " corruption");
}

class ScaleOutLoss : public testing::TestWithParam<Case>
{
};

TEST_P(ScaleOutLoss, EveryMessageArrivesOnce)
{
    Network network;
    network.config.nic.Set("Recovery", ns3::StringValue(GetParam().recovery));
    network.config.nic.Set("RetransmitTimeout", ns3::TimeValue(ns3::MicroSeconds(200)));
    network.config.faults = {Random(GetParam().kind, "nic2", "leaf0", 1e-2)};
    network.Build(4);
    network.fabric->AssignStreams(0);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < 300; i++)
    {
        const uint32_t source = i % 4;
        const uint32_t destination = (source + 1 + i / 4 % 3) % 4;
        const uint64_t size = i % 10 == 0 ? 0 : 1 + i * 7919ULL % 100000;
        network.PostAt(i * US / 2, source, destination, size);
        bytes += size;
    }
    network.Run();
    EXPECT_EQ(network.deliveries.size(), 300U);
    EXPECT_EQ(network.GlobalCounter(SUM_MESSAGES_DELIVERED), 300U);
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), bytes);
    const uint32_t link = network.fabric->GetGraph().nodes[network.Find("nic2")].ports[RdmaNic::ETHERNET_PORT];
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), network.Sum(link, 0, PORT_DROPS) + network.Sum(link, 1, PORT_DROPS));
    EXPECT_EQ(network.Sum(PORT_RECEIVE_ERRORS),
              GetParam().kind == LinkFault::Kind::CORRUPTION ? network.GlobalCounter(SUM_DROPS) : 0);
    // binomial, both directions: within five standard deviations
    const auto sent =
        static_cast<double>(network.Sum(link, 0, PORT_TX_PACKETS) + network.Sum(link, 1, PORT_TX_PACKETS));
    EXPECT_NEAR(static_cast<double>(network.GlobalCounter(SUM_DROPS)), sent * 1e-2, 5 * std::sqrt(sent * 1e-2));
    EXPECT_GT(network.fabric->GetContext().randomDraws, 0U);
}

/// Goodput of one long message with losses on the way of its data, bit/s.
double
Goodput(const Case& c, double probability, uint64_t bytes)
{
    Network network;
    network.config.nic.Set("Recovery", ns3::StringValue(c.recovery));
    network.config.scaleOut.hostRate = ns3::DataRate("200Gbps"); // so that nothing waits in the NIC
    network.config.scaleOut.linkDelay = ns3::MicroSeconds(3);
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(1 << 20));
    network.config.nic.Set("Headroom", ns3::UintegerValue(1 << 20));
    network.config.faults = {Random(c.kind, "nic2", "leaf0", 1e-2)}; // not on the way
    network.Build(3);
    network.fabric->AssignStreams(0);
    EthernetDevice& down = network.EthernetPort("leaf0", 1); // to nic1
    c.kind == LinkFault::Kind::LOSS ? down.SetLossRate(probability) : down.SetCorruptionRate(probability);
    down.AssignStreams(7);
    network.PostAt(0, 0, 1, bytes);
    network.Run();
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), bytes);
    return static_cast<double>(bytes) * 8 / static_cast<double>(network.EndPs()) * 1e12;
}

TEST_P(ScaleOutLoss, GoodputIsThatOfTheClosedForm)
{
    const double p = 1e-3;
    const uint64_t bytes = 512ULL << 20;
    const double hostPs = (4096 + 16 * 24) * 40.0; // a packet on the host link: 256 B a TLP, 24 B more each, 200 Gb/s
    const double etherPs = (4096 + 82) * 20.0;
    const double ackPs = 86 * 20.0;
    // from the fetch of the packet behind the lost one to the negative acknowledgement: host link, NIC, two cables,
    // switch, NIC that receives; back: two cables, switch, NIC
    const double there = 0.2 * US + hostPs + 0.25 * US + 2 * etherPs + 6.0 * US + 0.6 * US + 0.25 * US;
    const double back = 2 * ackPs + 6.0 * US + 0.6 * US + 0.25 * US;
    // the lost one, those fetched until then, half of one that is being fetched
    const double beta = 1 + (there + back) / hostPs + 0.5;
    const bool isGoBack = std::string(GetParam().recovery) == "go-back-n";
    const double efficiency = isGoBack ? 1 / (1 + beta * p / (1 - p)) : 1 - p;
    const double whole = 4096 * 8 / hostPs * 1e12;
    // 131072 packets, 131 losses: their number, and with it what go-back-N loses, is known to 1 / sqrt(131)
    const double deviation = (1 - efficiency) / std::sqrt(131.0);
    EXPECT_NEAR(Goodput(GetParam(), p, bytes) / whole, efficiency, 3 * deviation + 5e-4);
    EXPECT_NEAR(Goodput(GetParam(), 0, bytes) / whole, 1, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(Both,
                         ScaleOutLoss,
                         testing::Values(Case{"go-back-n", LinkFault::Kind::LOSS},
                                         Case{"selective-repeat", LinkFault::Kind::LOSS},
                                         Case{"go-back-n", LinkFault::Kind::CORRUPTION},
                                         Case{"selective-repeat", LinkFault::Kind::CORRUPTION}));

TEST(ScaleOutLoss, LossOfEachDirectionIsTheSendersAndDrawsOnlyThere)
{
    Network network;
    network.config.faults = {Random(LinkFault::Kind::LOSS, "nic2", "leaf0", 1e-2)};
    network.Build(3);
    network.PostAt(0, 0, 1, 1 << 20);
    network.Run();
    EXPECT_EQ(network.fabric->GetContext().randomDraws, 0U); // nothing took that link
}

TEST(ScaleOutLoss, AttributeOfAllPortsLosesToo)
{
    Network network;
    network.config.ethernet.Set("LossRate", ns3::DoubleValue(1e-3));
    network.config.nic.Set("RetransmitTimeout", ns3::TimeValue(ns3::MicroSeconds(200)));
    network.Build(3);
    network.fabric->AssignStreams(0);
    network.PostAt(0, 0, 1, 16 << 20);
    network.Run();
    EXPECT_GT(network.GlobalCounter(SUM_DROPS), 0U);
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), 16U << 20);
}

TEST(ScaleOutLoss, RunsWithTheSameStreamsLoseTheSame)
{
    std::set<int64_t> ends;
    for (int64_t stream : {0, 0, 1000})
    {
        Network network;
        network.config.faults = {Random(LinkFault::Kind::LOSS, "nic1", "leaf0", 1e-2)};
        network.config.nic.Set("RetransmitTimeout", ns3::TimeValue(ns3::MicroSeconds(200)));
        network.Build(2);
        network.fabric->AssignStreams(stream);
        network.PostAt(0, 0, 1, 4 << 20);
        network.Run();
        ends.insert(network.EndPs());
    }
    EXPECT_EQ(ends.size(), 2U);
}

TEST(ScaleOutLoss, LostPausesLoseNoBytes)
{
    // a receiver whose host link is slow pauses its switch all the time; with pauses lost, its buffer overruns
    Network network;
    network.config.scaleOut.hostRate = ns3::DataRate("100Gbps");
    network.config.nic.Set("RetransmitTimeout", ns3::TimeValue(ns3::MicroSeconds(500)));
    network.config.nic.Set("RetryCount", ns3::UintegerValue(1000));
    network.config.faults = {Random(LinkFault::Kind::LOSS, "nic0", "leaf0", 0.2)};
    network.Build(4);
    network.fabric->AssignStreams(0);
    for (uint32_t source : {1U, 2U, 3U})
    {
        network.PostAt(0, source, 0, 1 << 20);
    }
    network.Run();
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), 3U << 20);
}

} // namespace
