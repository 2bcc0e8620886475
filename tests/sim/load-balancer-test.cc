/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: load balancers choose as their names say. The right values are binomial expectations (hashes), exact counts
// (turns) and the queues of ports.

#include "ns3-module/model/hbd-ecmp-load-balancer.h"
#include "ns3-module/model/hbd-flowlet-load-balancer.h"
#include "ns3-module/model/hbd-hash.h"
#include "ns3-module/model/hbd-least-queue-load-balancer.h"
#include "ns3-module/model/hbd-random-spray-load-balancer.h"
#include "ns3-module/model/hbd-round-robin-spray-load-balancer.h"
#include "scale-out-fixture.h"

#include "ns3/boolean.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace
{

using namespace scale_out;

constexpr int64_t US = 1000000; // picoseconds

/// A switch of 16 ports that nothing else uses, and its time.
class LoadBalancers : public testing::Test
{
  protected:
    LoadBalancers()
    {
        network.Build(16);
        for (uint32_t port = 0; port < 16; port++)
        {
            ports.emplace_back(&network.EthernetPort("leaf0", port));
        }
    }

    template <class T>
    ns3::Ptr<T> Make(uint32_t salt, ns3::Ptr<T> balancer = ns3::CreateObject<T>())
    {
        balancer->Setup(network.fabric->GetContext(), ports, salt);
        balancer->AssignStreams(7);
        return balancer;
    }

    static PacketUnit Unit(uint32_t flowHash)
    {
        PacketUnit unit{};
        unit.flowHash = flowHash;
        return unit;
    }

    /// Bytes more, or fewer, that wait at a port.
    void AddQueued(uint32_t port, int64_t bytes)
    {
        ports[port]->AddQueued(Unit(0), bytes);
    }

    /// Runs something at a simulated time.
    void At(int64_t ps, std::function<void()> action)
    {
        ns3::Simulator::Schedule(ns3::PicoSeconds(ps) - ns3::Simulator::Now(), std::move(action));
    }

    Network network;
    std::vector<ns3::Ptr<EthernetDevice>> ports;
    const std::vector<uint16_t> eight = {8, 9, 10, 11, 12, 13, 14, 15};
    const std::vector<uint16_t> three = {2, 5, 7};
};

/// How many units went to each port.
using Counts = std::map<uint32_t, uint32_t>;

TEST_F(LoadBalancers, EcmpCollidesAsOftenAsChance)
{
    // 64 flows over 8 ports: the number on one port is binomial (64, 1/8), so 8 ports are left empty (1 - 1/8)^64 x 8
    // times, the variance over ports is 64 x 1/8 x 7/8 = 7, and the chi-square of one salt, sum (n - 8)^2 / 8, is 7 on
    // average with a variance of about 14
    constexpr int SALTS = 4000;
    double chiSquare = 0;
    double chiSquareSquared = 0;
    uint64_t most = 0;
    std::vector<double> total(8, 0);
    for (uint32_t salt = 0; salt < SALTS; salt++)
    {
        auto balancer = Make<EcmpLoadBalancer>(MixHash(salt + 1));
        Counts counts;
        for (uint32_t flow = 0; flow < 64; flow++)
        {
            counts[balancer->Select(Unit(FlowHash(flow % 8, 8 + flow / 8, 0)), eight)]++;
        }
        double sum = 0;
        uint32_t largest = 0;
        for (uint16_t port : eight)
        {
            sum += (counts[port] - 8.0) * (counts[port] - 8.0) / 8;
            total[port - 8] += counts[port];
            largest = std::max(largest, counts[port]);
        }
        chiSquare += sum / SALTS;
        chiSquareSquared += sum * sum / SALTS;
        most += largest;
    }
    // exact: mean 7, variance 2 x 7 x (1 - 1/64) = 13.78; 5 standard errors
    EXPECT_NEAR(chiSquare, 7, 5 * std::sqrt(13.78 / SALTS));
    EXPECT_NEAR(chiSquareSquared - chiSquare * chiSquare, 13.78, 2.5);
    for (double onPort : total)
    {
        EXPECT_NEAR(onPort / SALTS, 8, 5 * std::sqrt(7.0 / SALTS));
    }
    // the fullest of 8 ports has 12 flows or a little more, not 8: E[max] of the multinomial is 12.5 (drawn below with
    // another generator)
    std::mt19937_64 random(1);
    uint64_t drawnMost = 0;
    for (int i = 0; i < SALTS; i++)
    {
        Counts counts;
        for (int flow = 0; flow < 64; flow++)
        {
            counts[random() % 8]++;
        }
        drawnMost += std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
                         return a.second < b.second;
                     })->second;
    }
    EXPECT_NEAR(static_cast<double>(most) / SALTS, static_cast<double>(drawnMost) / SALTS, 0.2);
}

TEST_F(LoadBalancers, EcmpWithOneSaltPolarisesTheSecondTierAndWithTwoDoesNot)
{
    auto first = Make<EcmpLoadBalancer>(1);
    auto same = Make<EcmpLoadBalancer>(1);
    auto other = Make<EcmpLoadBalancer>(2);
    std::set<uint32_t> withSame;
    Counts withOther;
    uint32_t flows = 0;
    for (uint32_t flow = 0; flow < 8000; flow++)
    {
        PacketUnit unit = Unit(FlowHash(flow, 3, 0));
        if (first->Select(unit, eight) == 10) // those that reach one switch of the second tier
        {
            flows++;
            withSame.insert(same->Select(unit, eight));
            withOther[other->Select(unit, eight)]++;
        }
    }
    EXPECT_EQ(withSame, std::set<uint32_t>{10}); // one of its 8 ports only
    ASSERT_EQ(withOther.size(), 8U);
    for (const auto& [port, count] : withOther)
    {
        EXPECT_NEAR(count, flows / 8.0, 5 * std::sqrt(flows / 8.0)) << port;
    }
}

TEST_F(LoadBalancers, RoundRobinSprayIsEvenToOneUnit)
{
    auto balancer = Make<RoundRobinSprayLoadBalancer>(5);
    Counts counts;
    Counts other;
    for (uint32_t unit = 0; unit < 1000; unit++)
    {
        counts[balancer->Select(Unit(MixHash(unit)), eight)]++;
        if (unit % 3 == 0)
        {
            other[balancer->Select(Unit(0), three)]++; // a set of its own turns
        }
        auto [least, most] =
            std::minmax_element(counts.begin(), counts.end(), [](auto& a, auto& b) { return a.second < b.second; });
        ASSERT_LE(most->second - (counts.size() < 8 ? 0 : least->second), 1U);
    }
    EXPECT_EQ(counts.size(), 8U);
    for (const auto& [port, count] : counts)
    {
        EXPECT_EQ(count, 125U) << port;
    }
    for (const auto& [port, count] : other)
    {
        EXPECT_NEAR(count, 334 / 3.0, 1) << port;
    }
}

TEST_F(LoadBalancers, RandomSprayIsEvenByChanceAndCountsItsDraws)
{
    auto balancer = Make<RandomSprayLoadBalancer>(5);
    uint64_t before = network.fabric->GetContext().randomDraws;
    constexpr uint32_t UNITS = 80000;
    Counts counts;
    std::vector<uint32_t> order;
    for (uint32_t unit = 0; unit < UNITS; unit++)
    {
        order.push_back(balancer->Select(Unit(0), eight));
        counts[order.back()]++;
    }
    EXPECT_EQ(network.fabric->GetContext().randomDraws - before, UNITS);
    double chiSquare = 0;
    for (uint16_t port : eight)
    {
        chiSquare += std::pow(counts[port] - UNITS / 8.0, 2) / (UNITS / 8.0);
    }
    EXPECT_LT(chiSquare, 24.3); // 7 degrees of freedom, 1 in 1000
    EXPECT_GT(chiSquare, 0.6);  // not by turns
    auto again = Make<RandomSprayLoadBalancer>(6);
    for (uint32_t unit = 0; unit < 100; unit++)
    {
        EXPECT_EQ(again->Select(Unit(0), eight), order[unit]); // the stream alone decides
    }
}

TEST_F(LoadBalancers, LeastQueueTakesTheShortestAndTurnsAmongEquals)
{
    auto balancer = Make<LeastQueueLoadBalancer>(5);
    Counts counts;
    for (uint32_t unit = 0; unit < 80; unit++)
    {
        counts[balancer->Select(Unit(0), eight)]++;
    }
    for (uint16_t port : eight)
    {
        EXPECT_EQ(counts[port], 10U);
        AddQueued(port, port == 11 ? 4000 : 5000);
    }
    for (uint32_t unit = 0; unit < 8; unit++)
    {
        EXPECT_EQ(balancer->Select(Unit(unit), eight), 11U);
    }
    AddQueued(11, 2000);
    EXPECT_NE(balancer->Select(Unit(0), eight), 11U);
    // water filling: whatever is queued at first, the queues end within one unit of each other
    std::mt19937_64 random(3);
    std::map<uint32_t, int64_t> queued;
    for (uint16_t port : eight)
    {
        auto bytes = static_cast<int64_t>(random() % 100000);
        AddQueued(port, bytes);
        queued[port] = static_cast<int64_t>(ports[port]->GetQueuedBytes());
    }
    for (uint32_t unit = 0; unit < 1000; unit++)
    {
        uint32_t port = balancer->Select(Unit(0), eight);
        AddQueued(port, 4000);
        queued[port] += 4000;
    }
    auto [least, most] =
        std::minmax_element(queued.begin(), queued.end(), [](auto& a, auto& b) { return a.second < b.second; });
    EXPECT_LE(most->second - least->second, 4000);
    for (uint16_t port : eight)
    {
        AddQueued(port, -static_cast<int64_t>(ports[port]->GetQueuedBytes()));
    }
}

TEST_F(LoadBalancers, FlowletKeepsItsPortUntilAGap)
{
    auto balancer = Make<FlowletLoadBalancer>(5);
    PacketUnit unit = Unit(FlowHash(1, 2, 0));
    uint32_t port = 0;
    At(0, [&] {
        port = balancer->Select(unit, eight);
        EXPECT_EQ(port, Make<EcmpLoadBalancer>(5)->Select(unit, eight)); // queues are equal: as ECMP
        AddQueued(port, 9000);
    });
    for (int64_t at : {15, 30, 45}) // never silent for 16 us
    {
        At(at * US, [&] { EXPECT_EQ(balancer->Select(unit, eight), port); });
    }
    At(60 * US, [&] { EXPECT_NE(balancer->Select(Unit(FlowHash(1, 3, 0)), {static_cast<uint16_t>(port), 15}), port); });
    At(61 * US, [&] { // 16 us after the last: the port with the long queue is left
        uint32_t other = balancer->Select(unit, eight);
        EXPECT_NE(other, port);
        EXPECT_EQ(balancer->Select(unit, eight), other);
    });
    ns3::Simulator::Run();
    AddQueued(port, -9000);
}

TEST_F(LoadBalancers, FlowletThatChoosesAtRandomIsEvenByChance)
{
    auto balancer = ns3::CreateObject<FlowletLoadBalancer>();
    balancer->SetAttribute("RandomChoice", ns3::BooleanValue(true));
    balancer->SetAttribute("TableSize", ns3::UintegerValue(100000));
    Make(5, balancer);
    uint64_t before = network.fabric->GetContext().randomDraws;
    Counts counts;
    std::set<uint32_t> entries;
    for (uint32_t flow = 0; flow < 1000; flow++)
    {
        entries.insert(MixHash(MixHash(flow) ^ 5) % 100000);
        counts[balancer->Select(Unit(MixHash(flow)), eight)]++;
        balancer->Select(Unit(MixHash(flow)), eight); // the same flowlet
    }
    EXPECT_EQ(network.fabric->GetContext().randomDraws - before, entries.size());
    for (const auto& [port, count] : counts)
    {
        EXPECT_NEAR(count, 125, 5 * std::sqrt(110.0)) << port;
    }
}

TEST_F(LoadBalancers, FlowletOfAPortThatIsNoWayAnyMoreChoosesAgain)
{
    auto balancer = Make<FlowletLoadBalancer>(5);
    PacketUnit unit = Unit(77);
    uint32_t port = balancer->Select(unit, eight);
    std::vector<uint16_t> others;
    std::copy_if(eight.begin(), eight.end(), std::back_inserter(others), [port](uint16_t p) { return p != port; });
    EXPECT_NE(balancer->Select(unit, others), port);
}

TEST_F(LoadBalancers, SavedStateGoesOnTheSame)
{
    auto turns = ns3::CreateObject<RoundRobinSprayLoadBalancer>();
    turns->SetAttribute("KeepPointers", ns3::BooleanValue(true));
    Make(5, turns);
    auto flowlet = Make<FlowletLoadBalancer>(5);
    for (uint32_t unit = 0; unit < 13; unit++)
    {
        turns->Select(Unit(0), eight);
        turns->Select(Unit(0), three);
        flowlet->Select(Unit(MixHash(unit)), eight);
    }
    for (uint16_t port : eight)
    {
        AddQueued(port, 1000 * (16 - port)); // a new flowlet would take the last one
    }
    std::vector<uint32_t> words;
    turns->SaveState(words);
    flowlet->SaveState(words);
    auto otherTurns = ns3::CreateObject<RoundRobinSprayLoadBalancer>();
    otherTurns->SetAttribute("KeepPointers", ns3::BooleanValue(true));
    Make(5, otherTurns);
    auto otherFlowlet = Make<FlowletLoadBalancer>(5);
    otherTurns->Select(Unit(0), eight); // forgotten
    const uint32_t* next = words.data();
    otherTurns->RestoreState(next);
    otherFlowlet->RestoreState(next);
    EXPECT_EQ(next, words.data() + words.size());
    for (uint32_t unit = 0; unit < 13; unit++)
    {
        EXPECT_EQ(turns->Select(Unit(0), eight), otherTurns->Select(Unit(0), eight));
        EXPECT_EQ(turns->Select(Unit(0), three), otherTurns->Select(Unit(0), three));
        EXPECT_EQ(flowlet->Select(Unit(MixHash(unit)), eight), otherFlowlet->Select(Unit(MixHash(unit)), eight));
    }
    for (uint16_t port : eight)
    {
        AddQueued(port, -1000 * (16 - port));
    }
}

} // namespace
