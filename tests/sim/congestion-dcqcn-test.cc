/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: the reaction point of DCQCN does what the equations of Zhu et al. (SIGCOMM 2015) say, stepped by hand here,
// with the paper's parameters and with those of ConnectX; and working things out late gives what ticking would.

#include "ns3-module/model/hbd-dcqcn.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace
{

using namespace ns3::hbd;

constexpr int64_t US = 1000000; // picoseconds
constexpr double LINE = 40e9;

CongestionSetup
Line(double bitRate)
{
    CongestionSetup setup;
    setup.lineBitRate = static_cast<uint64_t>(bitRate);
    setup.windowBytes = 1 << 20;
    setup.mtu = 4096;
    return setup;
}

/// With the parameters of the paper (section 5 and figure 14: timer 55 us, byte counter 10 MB, g 1/256, F 5).
ns3::Ptr<Dcqcn>
OfThePaper()
{
    auto control = ns3::CreateObject<Dcqcn>();
    control->SetAttribute("Gain", ns3::DoubleValue(1.0 / 256));
    control->SetAttribute("AlphaPeriod", ns3::TimeValue(ns3::MicroSeconds(55)));
    control->SetAttribute("AlphaOnCnp", ns3::BooleanValue(true));
    control->SetAttribute("InitialAlpha", ns3::DoubleValue(1));
    control->SetAttribute("RateReducePeriod", ns3::TimeValue(ns3::Time(0)));
    control->SetAttribute("ClampTargetRate", ns3::BooleanValue(true));
    control->SetAttribute("TimeReset", ns3::TimeValue(ns3::MicroSeconds(55)));
    control->SetAttribute("ByteReset", ns3::UintegerValue(10000000));
    control->SetAttribute("Threshold", ns3::UintegerValue(5));
    control->SetAttribute("AdditiveIncrease", ns3::DataRateValue(ns3::DataRate("40Mbps")));
    control->SetAttribute("HyperIncrease", ns3::DataRateValue(ns3::DataRate("200Mbps")));
    control->Setup(Line(LINE));
    return control;
}

TEST(Dcqcn, SendsAtLineRateUntilTheFirstNotification)
{
    auto control = OfThePaper();
    EXPECT_FALSE(control->IsLimited(0));
    EXPECT_EQ(control->GetBitRate(), 40000000000U);
    EXPECT_EQ(control->OnSend(5 * US, 4178), 0);
    EXPECT_EQ(control->GetWindowBytes(), 1U << 20);
    EXPECT_TRUE(control->NeedsCnp());
    EXPECT_FALSE(control->NeedsTelemetry());
}

TEST(Dcqcn, FirstNotificationHalvesAndTheUnitsAreSpacedByTheRate)
{
    auto control = OfThePaper();
    control->OnCnp(0);
    EXPECT_EQ(control->GetBitRate(), 20000000000U);
    EXPECT_EQ(control->GetTargetBitRate(0), LINE);
    EXPECT_EQ(control->OnSend(0, 1000), 400000); // 8000 bit at 20 Gb/s
    EXPECT_EQ(control->OnSend(0, 1), 400);
}

TEST(Dcqcn, AlphaAndCutsFollowEquations1And2)
{
    auto control = OfThePaper();
    double alpha = 1;
    double current = LINE;
    const double g = 1.0 / 256;
    int64_t now = 0;
    control->OnCnp(now);
    current *= 1 - alpha / 2;
    alpha = (1 - g) * alpha + g;
    // 10 quiet periods, then two notifications 50 us apart
    now += 10 * 55 * US;
    for (int i = 0; i < 10; i++)
    {
        alpha *= 1 - g;
    }
    EXPECT_NEAR(control->GetAlpha(now), alpha, 1e-9);
    EXPECT_NEAR(control->GetAlpha(now), std::pow(255.0 / 256, 10), 1e-9);
    double before = control->GetCurrentBitRate(now);
    control->OnCnp(now);
    EXPECT_NEAR(control->GetTargetBitRate(now) / before, 1, 1e-9);
    EXPECT_NEAR(control->GetCurrentBitRate(now) / before, 1 - alpha / 2, 1e-9);
    alpha = (1 - g) * alpha + g;
    EXPECT_NEAR(control->GetAlpha(now), alpha, 1e-9);
    before = control->GetCurrentBitRate(now);
    now += 50 * US;
    control->OnCnp(now); // before the timers of 55 us
    EXPECT_NEAR(control->GetTargetBitRate(now) / before, 1, 1e-9);
    EXPECT_NEAR(control->GetCurrentBitRate(now) / before, 1 - alpha / 2, 1e-9);
    alpha = (1 - g) * alpha + g;
    EXPECT_NEAR(control->GetAlpha(now), alpha, 1e-9);
    EXPECT_NEAR(control->GetAlpha(now + 54 * US), alpha, 1e-9);
    EXPECT_NEAR(control->GetAlpha(now + 55 * US), alpha * (1 - g), 1e-9);
}

TEST(Dcqcn, FiveFastRecoveriesThenAdditiveIncreasesByTime)
{
    auto control = OfThePaper();
    control->OnCnp(0);
    control->OnCnp(50 * US); // 20 -> 10 Gb/s, target 20
    double target = 20e9;
    double current = 10e9;
    for (int event = 1; event <= 40; event++)
    {
        int64_t now = 50 * US + event * 55 * US;
        EXPECT_NEAR(control->GetCurrentBitRate(now - 1) / current, 1, 1e-9) << event;
        target += event > 5 ? 40e6 : 0; // equation 4, behind F events of equation 3
        current = (target + current) / 2;
        EXPECT_NEAR(control->GetTargetBitRate(now) / target, 1, 1e-9) << event;
        EXPECT_NEAR(control->GetCurrentBitRate(now) / current, 1, 1e-9) << event;
    }
    // fast recovery alone in closed form
    EXPECT_NEAR(control->GetTargetBitRate(50 * US + 40 * 55 * US), 20e9 + 35 * 40e6, 1);
}

TEST(Dcqcn, BytesIncreaseTooAndBothTogetherHyper)
{
    auto control = OfThePaper();
    control->OnCnp(0);
    control->OnCnp(1); // 10 Gb/s, target 20
    double target = 20e9;
    double current = 10e9;
    uint32_t time = 0;
    uint32_t bytes = 0;
    auto step = [&](uint32_t& counter) {
        target += std::min(time, bytes) > 5 ? 200e6 : std::max(time, bytes) >= 5 ? 40e6 : 0;
        current = (target + current) / 2;
        counter++;
    };
    for (int i = 0; i < 8; i++)
    {
        control->OnSend(2 + i, 9999999);
        EXPECT_NEAR(control->GetCurrentBitRate(2 + i) / current, 1, 1e-9); // not yet 10 MB
        control->OnSend(2 + i, 1);
        step(bytes);
        EXPECT_NEAR(control->GetCurrentBitRate(2 + i) / current, 1, 1e-9);
        EXPECT_NEAR(control->GetTargetBitRate(2 + i) / target, 1, 1e-9);
    }
    for (int i = 1; i <= 12; i++)
    {
        step(time);
        EXPECT_NEAR(control->GetCurrentBitRate(1 + i * 55 * US) / current, 1, 1e-9) << i;
        EXPECT_NEAR(control->GetTargetBitRate(1 + i * 55 * US) / target, 1, 1e-9) << i;
    }
    // 3 additive by bytes, 6 additive by time (T = 0 .. 5), 6 hyper (T = 6 .. 11)
    EXPECT_NEAR(target, 20e9 + 9 * 40e6 + 6 * 200e6, 1);
    EXPECT_NEAR(control->GetTargetBitRate(1 + 12 * 55 * US), target, 1);
}

TEST(Dcqcn, NotificationsThatComeSoonerAreOneCutAtTheEndOfThePeriod)
{
    auto control = ns3::CreateObject<Dcqcn>(); // 4 us
    control->Setup(Line(400e9));
    control->OnCnp(0);
    double first = control->GetCurrentBitRate(0);
    EXPECT_NEAR(first, 400e9 * (1 - 1023.0 / 2048), 1);
    control->OnCnp(1 * US);
    control->OnCnp(3 * US);
    EXPECT_EQ(control->GetCurrentBitRate(4 * US - 1), first);
    // alpha periods of 1 us: none in the first, then one, none, one
    double alpha = 1023.0 / 1024;
    const double g = 5.0 / 1024;
    alpha = (1 - g) * alpha;
    alpha = (1 - g) * alpha + g;
    alpha = (1 - g) * alpha;
    alpha = (1 - g) * alpha + g;
    EXPECT_NEAR(control->GetAlpha(4 * US), alpha, 1e-9);
    EXPECT_NEAR(control->GetCurrentBitRate(4 * US) / (first * (1 - alpha / 2)), 1, 1e-9);
    EXPECT_EQ(control->GetTargetBitRate(4 * US), 400e9); // nothing has increased it: CLAMP_TGT_RATE False
    EXPECT_EQ(control->GetCurrentBitRate(299 * US), control->GetCurrentBitRate(4 * US)); // one cut only
}

TEST(Dcqcn, IncreasesSinceTheLastCutLowerTheTarget)
{
    auto control = ns3::CreateObject<Dcqcn>();
    control->Setup(Line(400e9));
    control->OnCnp(0);
    double current = control->GetCurrentBitRate(300 * US); // one fast recovery by time
    control->OnCnp(301 * US);
    EXPECT_EQ(control->GetTargetBitRate(301 * US), current);
    auto other = ns3::CreateObject<Dcqcn>();
    other->SetAttribute("ClampTargetRateAfterTimeIncrease", ns3::BooleanValue(false));
    other->Setup(Line(400e9));
    other->OnCnp(0);
    other->OnCnp(301 * US);
    EXPECT_EQ(other->GetTargetBitRate(301 * US), 400e9);
    other->OnSend(302 * US, 32767 * 64); // an increase by bytes
    current = other->GetCurrentBitRate(302 * US);
    other->OnCnp(310 * US);
    EXPECT_EQ(other->GetTargetBitRate(310 * US), current);
}

TEST(Dcqcn, ACutLeavesTheLeastShareAndTheLeastRate)
{
    auto control = ns3::CreateObject<Dcqcn>();
    control->SetAttribute("MinDecreaseFactor", ns3::DoubleValue(0.9));
    control->SetAttribute("MinRate", ns3::DataRateValue(ns3::DataRate("300Gbps")));
    control->Setup(Line(400e9));
    control->OnCnp(0);
    EXPECT_NEAR(control->GetCurrentBitRate(0), 360e9, 1);
    control->OnCnp(4 * US);
    control->OnCnp(8 * US);
    EXPECT_NEAR(control->GetCurrentBitRate(8 * US), 300e9, 1);
}

TEST(Dcqcn, IsReleasedAtLineRateAndThenAsAtFirst)
{
    auto control = ns3::CreateObject<Dcqcn>();
    control->Setup(Line(400e9));
    std::vector<uint32_t> words;
    control->SaveState(0, words);
    EXPECT_TRUE(words.empty());
    control->OnCnp(0);
    // the gap of about 200 Gb/s halves each 300 us; it is below 1 Mb/s after ceil(log2(200000)) = 18 of them
    double gap = 400e9 - control->GetCurrentBitRate(0);
    auto halvings = static_cast<int64_t>(std::ceil(std::log2(gap / 1e6)));
    EXPECT_TRUE(control->IsLimited(halvings * 300 * US - 1));
    EXPECT_FALSE(control->IsLimited(halvings * 300 * US));
    control->SaveState(halvings * 300 * US, words);
    EXPECT_TRUE(words.empty());
    EXPECT_EQ(control->OnSend(halvings * 300 * US, 4178), 0);
    EXPECT_EQ(control->GetBitRate(), 400000000000U);
    control->OnCnp(halvings * 300 * US + 1);
    EXPECT_NEAR(control->GetCurrentBitRate(halvings * 300 * US + 1), 400e9 * (1 - 1023.0 / 2048), 1);
}

/// Does one small tick at a time what Dcqcn works out late.
struct Ticked
{
    static constexpr int64_t TICK = US / 4;
    double g = 5.0 / 1024;
    int64_t alphaPeriod = US;
    int64_t reducePeriod = 4 * US;
    int64_t timeReset = 30 * US;
    uint64_t byteReset = 100000;
    uint32_t threshold = 2;
    double line = 400e9;

    bool limited = false;
    double alpha = 0;
    double current = 0;
    double target = 0;
    int64_t now = 0;
    int64_t alphaAt = 0;
    int64_t cutAt = 0;
    int64_t timeAt = 0;
    uint64_t bytes = 0;
    uint32_t timeEvents = 0;
    uint32_t byteEvents = 0;
    bool cnp = false;
    bool pending = false;

    void Cut()
    {
        target = timeEvents + byteEvents > 0 ? current : target;
        current = std::max(current * (1 - alpha / 2), 1e6);
        timeEvents = byteEvents = 0;
        bytes = 0;
        cutAt = timeAt = now;
        pending = false;
    }

    void Increase(uint32_t& events)
    {
        target += std::min(timeEvents, byteEvents) > threshold    ? 50e6
                  : std::max(timeEvents, byteEvents) >= threshold ? 5e6
                                                                  : 0;
        target = std::min(target, line);
        current = (current + target) / 2;
        events++;
        if (!pending && line - current < 1e6)
        {
            limited = false;
        }
    }

    void Tick()
    {
        now += TICK;
        if (limited && now - alphaAt == alphaPeriod)
        {
            alpha = (1 - g) * alpha + (cnp ? g : 0);
            cnp = false;
            alphaAt = now;
        }
        if (limited && pending && now - cutAt == reducePeriod)
        {
            Cut();
        }
        if (limited && now - timeAt == timeReset)
        {
            timeAt = now;
            Increase(timeEvents);
        }
    }

    void Cnp()
    {
        if (!limited)
        {
            limited = true;
            alpha = 1023.0 / 1024;
            current = target = line;
            timeEvents = byteEvents = 0;
            cnp = false;
            alphaAt = now;
            Cut();
            return;
        }
        cnp = true;
        if (now - cutAt >= reducePeriod)
        {
            Cut();
            return;
        }
        pending = true;
    }

    void Send(uint32_t wire)
    {
        bytes += limited ? wire : 0;
        while (limited && bytes >= byteReset)
        {
            bytes -= byteReset;
            Increase(byteEvents);
        }
    }
};

ns3::Ptr<Dcqcn>
LikeTicked()
{
    auto control = ns3::CreateObject<Dcqcn>();
    control->SetAttribute("TimeReset", ns3::TimeValue(ns3::MicroSeconds(30)));
    control->SetAttribute("ByteReset", ns3::UintegerValue(100000));
    control->SetAttribute("Threshold", ns3::UintegerValue(2));
    control->Setup(Line(400e9));
    return control;
}

TEST(Dcqcn, WorkedOutLateIsTheSameAsTicked)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
    {
        std::mt19937_64 random(seed);
        Ticked ticked;
        auto late = LikeTicked();
        auto asked = LikeTicked();
        uint32_t limitedChecks = 0;
        for (int step = 0; step < 20000; step++)
        {
            ticked.Tick();
            CongestionAck ack;
            ack.nowPs = ticked.now;
            asked->OnAck(ack);
            if (random() % (step % 4000 < 500 ? 20 : 3000) == 0) // congestion comes and goes
            {
                ticked.Cnp();
                late->OnCnp(ticked.now);
                asked->OnCnp(ticked.now);
            }
            if (random() % 40 == 0)
            {
                auto bytes = static_cast<uint32_t>(random() % 70000);
                ticked.Send(bytes);
                late->OnSend(ticked.now, bytes);
                asked->OnSend(ticked.now, bytes);
            }
            if (random() % 100 == 0)
            {
                ASSERT_EQ(late->IsLimited(ticked.now), ticked.limited) << seed << " " << step;
                std::vector<uint32_t> words[2];
                late->SaveState(ticked.now, words[0]);
                asked->SaveState(ticked.now, words[1]);
                ASSERT_EQ(words[0], words[1]) << seed << " " << step; // to the bit, however often it is asked
                if (ticked.limited)
                {
                    limitedChecks++;
                    ASSERT_NEAR(late->GetAlpha(ticked.now), ticked.alpha, 1e-9) << seed << " " << step;
                    ASSERT_NEAR(late->GetCurrentBitRate(ticked.now) / ticked.current, 1, 1e-9) << seed << " " << step;
                    ASSERT_NEAR(late->GetTargetBitRate(ticked.now) / ticked.target, 1, 1e-9) << seed << " " << step;
                }
            }
        }
        EXPECT_GT(limitedChecks, 20U);
    }
}

TEST(Dcqcn, SavedStateGoesOnTheSameAtAnotherTime)
{
    constexpr int64_t SHIFT = 123456789012345;
    for (uint64_t seed = 1; seed <= 20; seed++)
    {
        std::mt19937_64 random(seed);
        auto original = LikeTicked();
        auto copy = LikeTicked();
        int64_t now = 0;
        for (int i = 0; i < 200; i++)
        {
            now += static_cast<int64_t>(random() % (20 * US));
            random() % 3 == 0 ? original->OnCnp(now) : void(original->OnSend(now, random() % 9000));
        }
        std::vector<uint32_t> words;
        original->SaveState(now, words);
        copy->OnCnp(1); // forgotten
        copy->RestoreState(now + SHIFT, words.data(), static_cast<uint32_t>(words.size()));
        for (int i = 0; i < 200; i++)
        {
            now += static_cast<int64_t>(random() % (20 * US));
            if (random() % 3 == 0)
            {
                original->OnCnp(now);
                copy->OnCnp(now + SHIFT);
            }
            else
            {
                auto bytes = static_cast<uint32_t>(random() % 9000);
                ASSERT_EQ(original->OnSend(now, bytes), copy->OnSend(now + SHIFT, bytes));
            }
            ASSERT_EQ(original->GetBitRate(), copy->GetBitRate());
        }
        copy->RestoreState(now + SHIFT, nullptr, 0);
        EXPECT_FALSE(copy->IsLimited(now + SHIFT));
    }
}

TEST(Dcqcn, ALongSilenceIsWorkedOutAtOnce)
{
    auto control = ns3::CreateObject<Dcqcn>();
    control->SetAttribute("AdditiveIncrease", ns3::DataRateValue(ns3::DataRate(0)));
    control->SetAttribute("HyperIncrease", ns3::DataRateValue(ns3::DataRate(0)));
    control->SetAttribute("RateOnFirstCnp", ns3::DataRateValue(ns3::DataRate("10Gbps")));
    control->SetAttribute("TimeReset", ns3::TimeValue(ns3::NanoSeconds(1)));
    control->Setup(Line(400e9));
    control->OnCnp(0);
    constexpr int64_t MONTH = 30LL * 86400 * 1000000 * US;
    EXPECT_EQ(control->GetCurrentBitRate(MONTH), 10e9); // 2.6e15 increases that change nothing
    EXPECT_EQ(control->GetAlpha(MONTH), 0);
}

TEST(Dcqcn, RateTraceTellsOldAndNew)
{
    auto control = OfThePaper();
    std::vector<std::pair<uint64_t, uint64_t>> seen;

    struct Sink
    {
        std::vector<std::pair<uint64_t, uint64_t>>& seen;

        void OnRate(uint64_t before, uint64_t now)
        {
            seen.emplace_back(before, now);
        }
    } sink{seen};

    control->TraceConnectWithoutContext("Rate", ns3::MakeCallback(&Sink::OnRate, &sink));
    control->OnCnp(0);
    control->OnSend(10 * US, 1000);
    control->OnSend(55 * US, 1000); // fast recovery
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0], std::make_pair(uint64_t(40000000000), uint64_t(20000000000)));
    EXPECT_EQ(seen[1], std::make_pair(uint64_t(20000000000), uint64_t(30000000000)));
}

} // namespace
