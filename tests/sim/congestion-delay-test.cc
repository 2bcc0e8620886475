/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: TIMELY does what algorithm 1 of Mittal et al. (SIGCOMM 2015) says and Swift what algorithm 1 of Kumar et al.
// (SIGCOMM 2020) says, both stepped by hand here.

#include "ns3-module/model/hbd-swift.h"
#include "ns3-module/model/hbd-timely.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

namespace
{

using namespace ns3::hbd;

constexpr int64_t US = 1000000; // picoseconds

CongestionSetup
TenGigabit()
{
    CongestionSetup setup;
    setup.lineBitRate = 10000000000;
    setup.windowBytes = 400000;
    setup.mtu = 4000;
    setup.baseRttPs = 20 * US;
    setup.hops = 2;
    return setup;
}

ns3::Ptr<Timely>
MakeTimely()
{
    auto control = ns3::CreateObject<Timely>();
    control->SetAttribute("InitialRate", ns3::DataRateValue(ns3::DataRate("5Gbps")));
    control->SetAttribute("Segment", ns3::UintegerValue(16000));
    control->Setup(TenGigabit());
    return control;
}

/// One acknowledgement. \param rttPs without the serialisation of the 4000 B that it acknowledges
void
Acknowledge(CongestionControl& control, int64_t rttPs, uint64_t bytes = 16000, int64_t nowPs = 0)
{
    CongestionAck ack;
    ack.nowPs = nowPs;
    ack.bytes = bytes;
    ack.unitBytes = 4000;
    ack.rttPs = rttPs + 3200000; // 4000 B at 10 Gb/s
    control.OnAck(ack);
}

TEST(Timely, FollowsTheGradient)
{
    auto control = MakeTimely();
    double rate = 5e9;
    Acknowledge(*control, 100 * US); // the first: no difference yet, gradient 0
    rate += 10e6;
    EXPECT_NEAR(control->GetRate(), rate, 1);
    double difference = 0.875 * 8; // us
    Acknowledge(*control, 108 * US);
    EXPECT_NEAR(control->GetGradient(), difference / 20, 1e-9);
    rate *= 1 - 0.8 * difference / 20;
    EXPECT_NEAR(control->GetRate(), rate, 1);
    difference = 0.125 * difference + 0.875 * -1;
    Acknowledge(*control, 107 * US);
    EXPECT_NEAR(control->GetGradient(), difference / 20, 1e-9);
    rate += difference > 0 ? 0 : 10e6;
    EXPECT_NEAR(control->GetRate(), rate, 1);
}

TEST(Timely, BelowTheLowThresholdTheGradientDoesNotCount)
{
    auto control = MakeTimely();
    Acknowledge(*control, 20 * US);
    Acknowledge(*control, 49 * US);
    EXPECT_NEAR(control->GetRate(), 5e9 + 2 * 10e6, 1);
    EXPECT_GT(control->GetGradient(), 1);
}

TEST(Timely, AboveTheHighThresholdTheRateFallsByTheExcess)
{
    auto control = MakeTimely();
    Acknowledge(*control, 900 * US);
    double rate = 5e9 * (1 - 0.8 * (1 - 500.0 / 900));
    EXPECT_NEAR(control->GetRate(), rate, 1);
    Acknowledge(*control, 800 * US); // falling, but still above
    EXPECT_NEAR(control->GetRate(), rate * (1 - 0.8 * (1 - 500.0 / 800)), 1);
}

TEST(Timely, FiveFallsInARowAreHyperactive)
{
    auto control = MakeTimely();
    double rate = 5e9;
    for (int i = 1; i <= 8; i++)
    {
        Acknowledge(*control, (200 - i) * US);
        rate += i >= 5 ? 50e6 : 10e6;
        EXPECT_NEAR(control->GetRate(), rate, 1) << i;
    }
    Acknowledge(*control, 220 * US);
    EXPECT_LT(control->GetRate(), rate);
    rate = control->GetRate();
    Acknowledge(*control, 100 * US); // counted from one again
    EXPECT_NEAR(control->GetRate(), rate + 10e6, 1);
}

TEST(Timely, OneCompletionPerSegmentAndNoneWithoutARoundTrip)
{
    auto control = MakeTimely();
    for (int i = 0; i < 3; i++)
    {
        Acknowledge(*control, 100 * US, 4000);
        EXPECT_EQ(control->GetRate(), 5e9);
    }
    CongestionAck sentTwice;
    sentTwice.bytes = 4000;
    control->OnAck(sentTwice);
    EXPECT_EQ(control->GetRate(), 5e9);
    Acknowledge(*control, 100 * US, 4000);
    EXPECT_NEAR(control->GetRate(), 5e9 + 10e6, 1);
}

TEST(Timely, SegmentsLeaveAtOnceAndThenWait)
{
    auto control = MakeTimely(); // 16000 B at 5 Gb/s: 25.6 us
    EXPECT_EQ(control->OnSend(0, 4000), 0);
    EXPECT_EQ(control->OnSend(3 * US, 4000), 0);
    EXPECT_EQ(control->OnSend(6 * US, 4000), 0);
    EXPECT_EQ(control->OnSend(9 * US, 4000), 25600000 - 9 * US);
    EXPECT_EQ(control->OnSend(100 * US, 4000), 0);
    EXPECT_EQ(control->OnSend(200 * US, 16000), 25600000); // long after what came before: a segment of its own
}

TEST(Timely, RateStaysBetweenLeastAndLine)
{
    auto control = MakeTimely();
    for (int i = 0; i < 2000; i++)
    {
        Acknowledge(*control, 10 * US);
    }
    EXPECT_EQ(control->GetBitRate(), 10000000000U);
    for (int i = 0; i < 200; i++)
    {
        Acknowledge(*control, 5000 * US);
    }
    EXPECT_EQ(control->GetBitRate(), 10000000U);
}

TEST(Timely, SavedStateGoesOnTheSameAtAnotherTime)
{
    auto control = MakeTimely();
    std::vector<uint32_t> words;
    control->SaveState(0, words);
    EXPECT_TRUE(words.empty());
    control->OnSend(50 * US, 4000);
    Acknowledge(*control, 100 * US);
    Acknowledge(*control, 104 * US, 17000);
    control->SaveState(60 * US, words);
    auto copy = MakeTimely();
    copy->RestoreState(1060 * US, words.data(), static_cast<uint32_t>(words.size()));
    EXPECT_EQ(copy->OnSend(1060 * US, 12000), control->OnSend(60 * US, 12000));
    Acknowledge(*control, 90 * US);
    Acknowledge(*copy, 90 * US);
    EXPECT_EQ(copy->GetRate(), control->GetRate());
    EXPECT_EQ(copy->GetGradient(), control->GetGradient());
}

/// Base target 40 us (2 round trips), 5 us for each of 2 hops, flow scaling of at most 40 us between 0.1 and 100
/// packets.
ns3::Ptr<Swift>
MakeSwift()
{
    auto control = ns3::CreateObject<Swift>();
    control->SetAttribute("HopScale", ns3::TimeValue(ns3::MicroSeconds(5)));
    control->Setup(TenGigabit());
    return control;
}

double
TargetUs(double cwnd)
{
    double a = 40 / (1 / std::sqrt(0.1) - 1 / std::sqrt(100.0));
    return 50 + std::max(0.0, std::min(a / std::sqrt(cwnd) - a / std::sqrt(100.0), 40.0));
}

void
Delay(Swift& control, double us, double packets, int64_t nowPs)
{
    CongestionAck ack;
    ack.nowPs = nowPs;
    ack.bytes = static_cast<uint64_t>(packets * 4000);
    ack.unitBytes = 4000;
    ack.rttPs = static_cast<int64_t>(us * 1e6);
    control.OnAck(ack);
}

TEST(Swift, TargetHasBaseHopsAndFlowScaling)
{
    auto control = MakeSwift();
    EXPECT_NEAR(control->GetWindow(), 6.25, 1e-9); // 25000 B fill 10 Gb/s for 20 us
    EXPECT_NEAR(control->GetTargetPs() / 1e6, TargetUs(6.25), 1e-6);
    EXPECT_NEAR(TargetUs(100), 50, 1e-9);
    EXPECT_NEAR(TargetUs(0.1), 90, 1e-9);
    EXPECT_NEAR(TargetUs(1e-3), 90, 1e-9);
    EXPECT_NEAR(TargetUs(1e4), 50, 1e-9);
}

TEST(Swift, GrowsByOnePacketARoundTripAndFallsByTheExcessOnceARoundTrip)
{
    auto control = MakeSwift();
    double cwnd = 6.25;
    for (int i = 0; i < 6; i++)
    {
        Delay(*control, 30, 1, i * US);
        cwnd += 1 / cwnd;
        EXPECT_NEAR(control->GetWindow(), cwnd, 1e-9);
    }
    double delay = 80;
    Delay(*control, delay, 1, 100 * US);
    cwnd *= 1 - 0.8 * (delay - TargetUs(cwnd)) / delay;
    EXPECT_NEAR(control->GetWindow(), cwnd, 1e-9);
    Delay(*control, delay, 1, 179 * US); // less than a round trip later
    EXPECT_NEAR(control->GetWindow(), cwnd, 1e-9);
    Delay(*control, delay, 1, 180 * US);
    cwnd *= 1 - 0.8 * (delay - TargetUs(cwnd)) / delay;
    EXPECT_NEAR(control->GetWindow(), cwnd, 1e-9);
    Delay(*control, 1000, 1, 2000 * US); // 1 - 0.8 * 0.94 would be less than half
    EXPECT_NEAR(control->GetWindow(), cwnd / 2, 1e-9);
}

TEST(Swift, BelowOnePacketItSpacesThem)
{
    auto control = MakeSwift();
    int64_t now = 0;
    while (control->GetWindow() >= 0.5)
    {
        EXPECT_EQ(control->OnSend(now, 4000), control->GetWindow() < 1 ? control->OnSend(now, 4000) : 0);
        now += 2000 * US;
        Delay(*control, 2000, 1, now);
    }
    double cwnd = control->GetWindow();
    EXPECT_NEAR(cwnd, 6.25 / 16, 1e-9);
    EXPECT_NEAR(static_cast<double>(control->OnSend(now, 4096)), 2000e6 / cwnd, 1);
    Delay(*control, 30, 1, now + US);
    EXPECT_NEAR(control->GetWindow(), cwnd + 1, 1e-9); // ai x acked
    EXPECT_EQ(control->OnSend(now + US, 4096), 0);
}

TEST(Swift, LossHalvesAndTimeoutsReset)
{
    auto control = MakeSwift();
    control->OnLoss(100 * US, false);
    EXPECT_NEAR(control->GetWindow(), 3.125, 1e-9);
    control->OnLoss(101 * US, false); // the same round trip
    EXPECT_NEAR(control->GetWindow(), 3.125, 1e-9);
    for (int i = 1; i <= 4; i++)
    {
        control->OnLoss(100 * US + i * 100 * US, true);
        EXPECT_NEAR(control->GetWindow(), 3.125 / std::pow(2, i), 1e-9);
    }
    control->OnLoss(501 * US, true);
    EXPECT_NEAR(control->GetWindow(), 0.001, 1e-12);
}

TEST(Swift, WindowStaysBelowTheTransports)
{
    auto control = MakeSwift();
    for (int i = 0; i < 20000; i++)
    {
        Delay(*control, 10, 1, i * US);
    }
    EXPECT_EQ(control->GetWindowBytes(), 400000U);
    EXPECT_EQ(control->GetBitRate(), 10000000000U);
}

TEST(Swift, SavedStateGoesOnTheSameAtAnotherTime)
{
    auto control = MakeSwift();
    std::vector<uint32_t> words;
    control->SaveState(0, words);
    EXPECT_TRUE(words.empty());
    Delay(*control, 80, 1, 100 * US);
    control->SaveState(150 * US, words);
    auto copy = MakeSwift();
    copy->RestoreState(7150 * US, words.data(), static_cast<uint32_t>(words.size()));
    EXPECT_EQ(copy->GetWindow(), control->GetWindow());
    for (int64_t at : {170, 181, 240})
    {
        Delay(*control, 81, 1, at * US);
        Delay(*copy, 81, 1, (7000 + at) * US);
        EXPECT_EQ(copy->GetWindow(), control->GetWindow()) << at;
    }
}

TEST(Swift, NeedsARoundTrip)
{
    CongestionSetup setup;
    setup.lineBitRate = 100;
    EXPECT_THROW(ns3::CreateObject<Swift>()->Setup(setup), std::invalid_argument);
    EXPECT_THROW(ns3::CreateObject<Timely>()->Setup(setup), std::invalid_argument);
}

} // namespace
