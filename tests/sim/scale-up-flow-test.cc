/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: links are shared evenly, nothing is lost however small the buffers, and credits limit throughput as they must.

#include "scale-up-fixture.h"

#include <map>

namespace
{

using namespace scale_up;

/// How far each sender's payload has come at a receiver.
struct Progress
{
    void OnUnit(const PacketUnit& unit)
    {
        arrived[unit.source] += unit.payloadBytes;
        if (arrived.size() == 2 && arrived.begin()->second < bytes && arrived.rbegin()->second < bytes)
        {
            uint64_t a = arrived.begin()->second;
            uint64_t b = arrived.rbegin()->second;
            largestGap = std::max(largestGap, a > b ? a - b : b - a);
        }
    }

    uint64_t bytes = 0; ///< of each message
    uint64_t largestGap = 0;
    std::map<uint32_t, uint64_t> arrived;
};

class ScaleUpBursts : public testing::TestWithParam<uint64_t>
{
};

TEST_P(ScaleUpBursts, TwoSendersShareOneReceiverEvenly)
{
    constexpr int64_t PACKETS = 256;
    Domain domain(1, 1);
    domain.config.burstBytes = GetParam();
    domain.Build(3);
    Progress progress;
    progress.bytes = PACKETS * PAYLOAD;
    domain.GpuPort(1, 0).TraceConnectWithoutContext("UnitRx", ns3::MakeCallback(&Progress::OnUnit, &progress));
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.PostAt(0, 2, 1, PACKETS * PAYLOAD);
    domain.Run();
    EXPECT_EQ(progress.arrived[0], progress.bytes);
    EXPECT_EQ(progress.arrived[2], progress.bytes);
    EXPECT_LE(progress.largestGap, std::max<uint64_t>(GetParam(), PAYLOAD));
    EXPECT_EQ(domain.EndPs(), (2 * PACKETS * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ScaleUpBursts, testing::Values(0, 1024, 16384));

TEST(ScaleUpSharing, EveryLinkIsSharedEvenly)
{
    constexpr int64_t PACKETS = 18 * 32;
    Domain domain(2, 9);
    domain.Build(3);
    Progress progress[18];
    for (uint32_t i = 0; i < 18; i++)
    {
        progress[i].bytes = PACKETS / 18 * PAYLOAD;
        domain.GpuPort(2, i).TraceConnectWithoutContext("UnitRx", ns3::MakeCallback(&Progress::OnUnit, &progress[i]));
    }
    domain.PostAt(0, 0, 2, PACKETS * PAYLOAD);
    domain.PostAt(0, 1, 2, PACKETS * PAYLOAD);
    domain.Run();
    for (auto& link : progress)
    {
        EXPECT_EQ(link.arrived[0], link.bytes);
        EXPECT_EQ(link.arrived[1], link.bytes);
        EXPECT_LE(link.largestGap, static_cast<uint64_t>(PAYLOAD));
    }
    EXPECT_EQ(domain.EndPs(), (2 * PACKETS / 18 * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
}

TEST(ScaleUpSharing, LateSenderIsNotServedInArrears)
{
    constexpr int64_t PACKETS = 200;
    Domain domain(1, 1);
    domain.Build(3);
    int64_t late = 100 * PACKET * LINK_PS; // when half of the first message is sent
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.PostAt(late, 2, 1, PACKETS * PAYLOAD);
    domain.Run();
    // the first message's other half shares the link: 100 packets of each, then the rest of the second
    EXPECT_EQ(std::get<0>(domain.deliveries[0]), 0U);
    EXPECT_NEAR(static_cast<double>(std::get<3>(domain.deliveries[0])),
                static_cast<double>((300 * PACKET + HEADER) * LINK_PS + FLIGHT_PS),
                static_cast<double>(PACKET * LINK_PS));
    EXPECT_EQ(domain.EndPs(), (2 * PACKETS * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
}

TEST(ScaleUpSharing, OutputsOfOneSwitchDoNotHoldEachOtherUp)
{
    constexpr int64_t PACKETS = 100;
    Domain domain(1, 1);
    domain.Build(4);
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.PostAt(0, 2, 3, PACKETS * PAYLOAD);
    domain.PostAt(0, 1, 0, PACKETS * PAYLOAD);
    domain.PostAt(0, 3, 2, PACKETS * PAYLOAD);
    domain.Run();
    for (const auto& delivery : domain.deliveries)
    {
        EXPECT_EQ(std::get<3>(delivery), (PACKETS * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
    }
}

/// From a packet's start to the next start that its credit allows: on a GPU's link the switch frees the buffer when it
/// has sent the packet on.
constexpr int64_t GPU_ROUND_TRIP_PS = (HEADER + PACKET) * LINK_PS + DELAY_PS + SWITCH_PS + DELAY_PS + CREDIT_PS;
/// On a switch's link: the GPU takes the packet when it is there.
constexpr int64_t SWITCH_ROUND_TRIP_PS = PACKET * LINK_PS + DELAY_PS + DELAY_PS + CREDIT_PS;

/// Start of the last of some packets when `window` of them may be sent each round trip.
constexpr int64_t
LastStartPs(int64_t packets, int64_t window, int64_t roundTripPs)
{
    return (packets - 1) / window * roundTripPs + (packets - 1) % window * PACKET * LINK_PS;
}

class ScaleUpWindow : public testing::TestWithParam<int64_t>
{
};

TEST_P(ScaleUpWindow, ThroughputIsTheWindowOverTheRoundTrip)
{
    constexpr int64_t PACKETS = 500;
    for (int64_t creditDelay : {CREDIT_PS, int64_t{0}, 5 * CREDIT_PS})
    {
        Domain domain(1, 1);
        domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(static_cast<uint64_t>(GetParam() * PACKET + 100)));
        domain.config.nvlink.Set("CreditDelay", ns3::TimeValue(ns3::PicoSeconds(creditDelay)));
        domain.Build(2);
        domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
        domain.Run();
        int64_t roundTrip = GPU_ROUND_TRIP_PS - CREDIT_PS + creditDelay;
        int64_t last = LastStartPs(PACKETS, GetParam(), roundTrip);
        EXPECT_EQ(domain.EndPs(), last + (HEADER + PACKET) * LINK_PS + FLIGHT_PS);
        // it waits for credit the rest of each round trip
        int64_t stalls = (PACKETS - 1) / GetParam() * (roundTrip - GetParam() * PACKET * LINK_PS);
        EXPECT_EQ(domain.Sum(PORT_STALL_PS), static_cast<uint64_t>(stalls));
    }
}

INSTANTIATE_TEST_SUITE_P(Packets, ScaleUpWindow, testing::Values(1, 2, 3, 7, 20));

TEST(ScaleUpWindow, LargeEnoughWindowCostsNothing)
{
    constexpr int64_t PACKETS = 1000;
    int64_t window = (GPU_ROUND_TRIP_PS + PACKET * LINK_PS - 1) / (PACKET * LINK_PS);
    Domain domain(1, 1);
    domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(static_cast<uint64_t>(window * PACKET)));
    domain.Build(2);
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (PACKETS * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
    EXPECT_EQ(domain.Sum(PORT_STALL_PS), 0U);
}

TEST(ScaleUpChannels, EachVirtualChannelHasItsOwnCredits)
{
    constexpr int64_t PACKETS = 100;
    constexpr int64_t WINDOW = 3;
    Domain domain(1, 1);
    domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(WINDOW * PACKET));
    domain.Build(2);
    ns3::Simulator::Schedule(ns3::Time(0), [&domain] {
        domain.StartOnChannel(0, 0, 1, PACKETS * PAYLOAD);
        domain.StartOnChannel(1, 0, 1, PACKETS * PAYLOAD);
    });
    domain.Run();
    int64_t last = LastStartPs(2 * PACKETS, 2 * WINDOW, GPU_ROUND_TRIP_PS);
    EXPECT_EQ(domain.EndPs(), last + (HEADER + PACKET) * LINK_PS + FLIGHT_PS);
}

TEST(ScaleUpChannels, ShareALinkEvenly)
{
    constexpr int64_t PACKETS = 128;
    Domain domain(1, 1);
    domain.Build(3);
    Progress progress;
    progress.bytes = PACKETS * PAYLOAD;
    domain.GpuPort(1, 0).TraceConnectWithoutContext("UnitRx", ns3::MakeCallback(&Progress::OnUnit, &progress));
    ns3::Simulator::Schedule(ns3::Time(0), [&domain] {
        domain.StartOnChannel(0, 0, 1, PACKETS * PAYLOAD);
        domain.StartOnChannel(1, 2, 1, PACKETS * PAYLOAD);
    });
    domain.Run();
    EXPECT_LE(progress.largestGap, static_cast<uint64_t>(PAYLOAD));
    EXPECT_EQ(domain.EndPs(), (2 * PACKETS * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
}

TEST(ScaleUpIncast, LargerThanAllBuffersLosesNothing)
{
    constexpr int64_t PACKETS = 300;
    constexpr int64_t SENDERS = 7;
    constexpr int64_t WINDOW = 4;
    Domain domain(1, 1);
    domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(WINDOW * PACKET));
    domain.Build(SENDERS + 1);
    for (uint32_t sender = 1; sender <= SENDERS; sender++)
    {
        domain.PostAt(0, sender, 0, PACKETS * PAYLOAD);
    }
    domain.Run(); // a port that sends without credit aborts; all credits must be back
    ASSERT_EQ(domain.deliveries.size(), static_cast<size_t>(SENDERS));
    // the receiver's link never lacks packets, only credit
    int64_t last = LastStartPs(SENDERS * PACKETS, WINDOW, SWITCH_ROUND_TRIP_PS);
    EXPECT_EQ(domain.EndPs(), last + (HEADER + PACKET) * LINK_PS + FLIGHT_PS);
    // what waits for an output never exceeds the buffers of its inputs, and fills them
    uint64_t most = 0;
    for (uint64_t maximum : domain.fabric->GetContext().statistics.maxima)
    {
        most = std::max(most, maximum);
    }
    EXPECT_LE(most, static_cast<uint64_t>(SENDERS * WINDOW * PACKET));
    EXPECT_GE(most, static_cast<uint64_t>(SENDERS * (WINDOW - 1) * PACKET));
}

TEST(ScaleUpIncast, ManyLinksAndBurstsLoseNothing)
{
    Domain domain(2, 3);
    domain.config.burstBytes = 2048;
    domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(20 * PACKET));
    domain.Build(6);
    uint64_t sent = 0;
    for (uint32_t sender = 1; sender < 6; sender++)
    {
        uint64_t bytes = 100000 + 7777 * sender;
        sent += bytes;
        domain.PostAt(1000 * sender, sender, 0, bytes);
        domain.PostAt(1000 * sender, 0, sender, bytes); // and back
    }
    domain.Run();
    EXPECT_EQ(domain.deliveries.size(), 10U);
    EXPECT_EQ(domain.GlobalCounter(SUM_BYTES_DELIVERED), 2 * sent);
    EXPECT_GT(domain.Sum(PORT_STALL_PS), 0U);
}

/// Planes, links per plane, GPUs, burst bytes.
using AllToAllCase = std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>;

class ScaleUpAllToAll : public testing::TestWithParam<AllToAllCase>
{
};

TEST_P(ScaleUpAllToAll, OfLargeMessagesIsWithinTwoPercentOfItsBound)
{
    auto [planes, linksPerPlane, gpus, burst] = GetParam();
    constexpr int64_t BYTES = 4 << 20;
    Domain domain(planes, linksPerPlane);
    domain.config.burstBytes = burst;
    domain.Build(gpus);
    std::vector<IdealTransfer> transfers;
    for (uint32_t source = 0; source < gpus; source++)
    {
        for (uint32_t i = 1; i < gpus; i++)
        {
            domain.PostAt(0, source, (source + i) % gpus, BYTES);
            transfers.push_back({source, (source + i) % gpus, BYTES});
        }
    }
    domain.Run();
    // headers included: each GPU sends and receives GPUs - 1 messages over all its links
    int64_t bound = (gpus - 1) * (BYTES / PAYLOAD * PACKET) * LINK_PS / (planes * linksPerPlane);
    EXPECT_EQ(domain.fabric->GetIdealBound().GetBoundPs(transfers), bound);
    EXPECT_GE(domain.EndPs(), bound + FLIGHT_PS);
    EXPECT_LE(static_cast<double>(domain.EndPs()), 1.02 * static_cast<double>(bound));
}

INSTANTIATE_TEST_SUITE_P(Layouts,
                         ScaleUpAllToAll,
                         testing::Values(AllToAllCase(18, 1, 8, 4096),
                                         AllToAllCase(2, 9, 8, 4096),
                                         AllToAllCase(2, 2, 4, 0),
                                         AllToAllCase(1, 1, 4, 16384)));

} // namespace
