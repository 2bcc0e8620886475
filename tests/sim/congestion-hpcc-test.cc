/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: HPCC does what algorithm 1 of Li et al. (SIGCOMM 2019) says, stepped by hand here with made-up telemetry.

#include "ns3-module/model/hbd-hpcc.h"

#include "ns3/double.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace
{

using namespace ns3::hbd;

constexpr int64_t US = 1000000; // picoseconds
constexpr double LINE = 100e9;
constexpr double T = 8e-6;             // seconds
constexpr double FIRST = LINE * T / 8; // 100000 B
constexpr double ETA = 0.95;
constexpr double AI = 80;

ns3::Ptr<Hpcc>
Make(uint64_t transportWindow = 1 << 20)
{
    auto control = ns3::CreateObject<Hpcc>();
    CongestionSetup setup;
    setup.lineBitRate = static_cast<uint64_t>(LINE);
    setup.windowBytes = transportWindow;
    setup.mtu = 4096;
    setup.baseRttPs = 8 * US;
    control->Setup(setup);
    return control;
}

TelemetryHop
Hop(uint32_t port, int64_t timePs, uint64_t txBytes, uint64_t queueBytes, uint64_t bitRate = 100000000000)
{
    TelemetryHop hop;
    hop.port = port;
    hop.timePs = timePs;
    hop.txBytes = txBytes;
    hop.queueBytes = queueBytes;
    hop.bitRate = bitRate;
    return hop;
}

void
Acknowledge(Hpcc& control, uint64_t acked, uint64_t sent, const std::vector<TelemetryHop>& hops)
{
    Telemetry telemetry;
    for (const auto& hop : hops)
    {
        telemetry.hop[telemetry.hops++] = hop;
    }
    CongestionAck ack;
    ack.acked = acked;
    ack.sent = sent;
    ack.telemetry = &telemetry;
    control.OnAck(ack);
}

TEST(Hpcc, BeginsAtLineRateWithTheBandwidthDelayProduct)
{
    auto control = Make();
    EXPECT_TRUE(control->NeedsTelemetry());
    EXPECT_FALSE(control->NeedsCnp());
    EXPECT_EQ(control->GetWindowBytes(), 100000U);
    EXPECT_EQ(control->GetBitRate(), 100000000000U);
    EXPECT_EQ(control->OnSend(0, 4178), 0);
    EXPECT_EQ(Make(50000)->GetWindowBytes(), 50000U); // the transport's own window
}

TEST(Hpcc, NeedsARoundTrip)
{
    CongestionSetup setup;
    setup.lineBitRate = 100;
    EXPECT_THROW(ns3::CreateObject<Hpcc>()->Setup(setup), std::invalid_argument);
}

TEST(Hpcc, FirstAcknowledgementOnlyStartsTheComparison)
{
    auto control = Make();
    Acknowledge(*control, 4096, 100000, {Hop(1, 0, 0, 500000)});
    EXPECT_EQ(control->GetWindow(), FIRST);
    EXPECT_EQ(control->GetUtilization(), 0);
}

TEST(Hpcc, StepsOfAlgorithm1)
{
    auto control = Make();
    // two ports; over 2 us the second one is full (25000 B) and keeps at least 50000 B waiting
    Acknowledge(*control, 4096, 100000, {Hop(1, 0, 0, 0), Hop(2, 1 * US, 7000, 60000)});
    Acknowledge(*control, 8192, 104096, {Hop(1, 2 * US, 10000, 0), Hop(2, 3 * US, 32000, 50000)});
    double u = 50000 / (LINE / 8 * T) + 25000.0 / 2e-6 / (LINE / 8); // 0.5 + 1
    ASSERT_NEAR(u, 1.5, 1e-12);
    double utilization = 2.0 / 8 * u;
    EXPECT_NEAR(control->GetUtilization(), utilization, 1e-9);
    EXPECT_EQ(control->GetWindow(), FIRST); // below eta: + W_AI, but never above what fills the line; stage 1, Wc = W
    // a whole T later: U = u
    Acknowledge(*control, 12288, 108192, {Hop(1, 10 * US, 20000, 0), Hop(2, 11 * US, 132000, 70000)});
    utilization = 50000 / (LINE / 8 * T) + 1;
    EXPECT_NEAR(control->GetUtilization(), utilization, 1e-9);
    double window = FIRST / (utilization / ETA) + AI; // 12288 < 104096: not a round trip later, Wc stays
    EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window);
    EXPECT_EQ(control->GetWindowBytes(), static_cast<uint64_t>(window));
    EXPECT_NEAR(static_cast<double>(control->GetBitRate()), window * 8 / T, 1);
    EXPECT_NEAR(static_cast<double>(control->OnSend(0, 4178)), 4178 * T / window * 1e12, 1);
    // the same again: from Wc, not from W
    Acknowledge(*control, 16384, 112288, {Hop(1, 18 * US, 20000, 0), Hop(2, 19 * US, 232000, 50000)});
    EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window);
    // past what was sent at the last update: Wc = W, stage 0
    Acknowledge(*control, 104097, 150000, {Hop(1, 26 * US, 20000, 0), Hop(2, 27 * US, 332000, 50000)});
    EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window);
    Acknowledge(*control, 108192, 151000, {Hop(1, 34 * US, 20000, 0), Hop(2, 35 * US, 432000, 50000)});
    window = window / (utilization / ETA) + AI;
    EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window);
}

TEST(Hpcc, AdditiveStagesThenAMultiplicativeOne)
{
    auto control = Make();
    uint64_t acked = 1;
    uint64_t tx = 0;
    int64_t now = 0;
    auto round = [&](double utilization) { // one T later, everything sent before is acknowledged
        now += 8 * US;
        tx += static_cast<uint64_t>(utilization * FIRST);
        acked += 100000;
        Acknowledge(*control, acked, acked + 99999, {Hop(1, now, tx, 0)});
    };
    round(0);
    round(2); // down: U = 2
    double window = FIRST / (2 / ETA) + AI;
    EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window);
    for (int stage = 0; stage < 5; stage++)
    {
        round(0.5);
        window += AI;
        EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window) << stage;
    }
    round(0.5); // maxStage: towards eta at once
    window = window / (0.5 / ETA) + AI;
    EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window);
    round(0.5);
    window += AI;
    EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window);
}

TEST(Hpcc, AnotherWayStartsAnew)
{
    auto control = Make();
    Acknowledge(*control, 1, 100000, {Hop(1, 0, 0, 90000)});
    Acknowledge(*control, 2, 100000, {Hop(2, 8 * US, 100000, 90000)}); // another port: would be U = 1.9
    EXPECT_EQ(control->GetUtilization(), 0);
    Acknowledge(*control, 3, 100000, {Hop(2, 16 * US, 200000, 90000), Hop(3, 16 * US, 0, 0)}); // another length
    EXPECT_EQ(control->GetUtilization(), 0);
    Acknowledge(*control, 4, 100000, {Hop(2, 24 * US, 300000, 90000), Hop(3, 24 * US, 0, 0)});
    EXPECT_NEAR(control->GetUtilization(), 1.9, 1e-9);
}

TEST(Hpcc, ComparesAnewAfterTheFabricRested)
{
    auto control = Make();
    Acknowledge(*control, 1, 100000, {Hop(1, 0, 0, 0)});
    Acknowledge(*control, 100000, 100000, {Hop(1, 8 * US, 200000, 0)}); // U = 2; nothing is under way any more
    double window = FIRST / (2 / ETA) + AI;
    EXPECT_NEAR(control->GetWindow(), window, 1e-9 * window);
    control->OnRest();
    Acknowledge(*control, 104096, 200000, {Hop(1, 1000 * US, 900000, 0)});
    EXPECT_NEAR(control->GetUtilization(), 2, 1e-9);
    Acknowledge(*control, 108192, 200000, {Hop(1, 1008 * US, 1000000, 0)});
    EXPECT_NEAR(control->GetUtilization(), 1, 1e-9);
}

TEST(Hpcc, SavedStateGoesOnTheSame)
{
    auto control = Make();
    std::vector<uint32_t> words;
    control->SaveState(0, words);
    EXPECT_TRUE(words.empty());
    Acknowledge(*control, 1, 100000, {Hop(1, 0, 0, 0)});
    Acknowledge(*control, 100000, 100000, {Hop(1, 8 * US, 200000, 0)});
    control->SaveState(8 * US, words);
    control->OnRest();
    auto copy = Make();
    copy->RestoreState(0, words.data(), static_cast<uint32_t>(words.size()));
    EXPECT_EQ(copy->GetWindow(), control->GetWindow());
    for (auto& each : {control, copy})
    {
        Acknowledge(*each, 100001, 200000, {Hop(1, 100 * US, 0, 0)});
        Acknowledge(*each, 100002, 200000, {Hop(1, 103 * US, 30000, 700)});
    }
    EXPECT_EQ(copy->GetWindow(), control->GetWindow());
    EXPECT_EQ(copy->GetUtilization(), control->GetUtilization());
    copy->RestoreState(0, nullptr, 0);
    EXPECT_EQ(copy->GetWindow(), FIRST);
}

} // namespace
