/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: the time of messages in one HBD is the closed form, to the picosecond.

#include "scale-up-fixture.h"

namespace
{

using namespace scale_up;

/// Planes, links per plane, payload bytes, burst bytes.
using Case = std::tuple<uint32_t, uint32_t, int64_t, uint64_t>;

class ScaleUpMessage : public testing::TestWithParam<Case>
{
};

TEST_P(ScaleUpMessage, TakesSerialisationAndLatencyToThePicosecond)
{
    auto [planes, linksPerPlane, bytes, burst] = GetParam();
    Domain domain(planes, linksPerPlane);
    domain.config.burstBytes = burst;
    domain.Build(4);
    domain.PostAt(1234567, 2, 1, static_cast<uint64_t>(bytes));
    domain.Run();
    // a switch sends on when it has the header; a burst has no gaps, so that its size does not matter
    int64_t wire = FullestLinkBytes(bytes, planes * linksPerPlane);
    int64_t expected = (wire + HEADER) * LINK_PS + FLIGHT_PS;
    EXPECT_EQ(domain.EndPs() - 1234567, expected);
    EXPECT_EQ(domain.fabric->GetIdealMessagePs(2, 1, static_cast<uint64_t>(bytes)), expected);
    // every packet crosses two links, whatever the unit
    uint64_t packets = bytes == 0 ? 1 : static_cast<uint64_t>((bytes + PAYLOAD - 1) / PAYLOAD);
    EXPECT_EQ(domain.GlobalCounter(SUM_PACKET_HOPS), 2 * packets);
    EXPECT_EQ(domain.Sum(PORT_TX_PACKETS), 2 * packets);
}

// sizes: none, one byte, a flit, one packet, a packet and a byte, fewer packets than links, one more than links with a
// partial one, many with a partial one
INSTANTIATE_TEST_SUITE_P(Layouts,
                         ScaleUpMessage,
                         testing::Combine(testing::Values(2U),
                                          testing::Values(9U),
                                          testing::Values(0, 1, 16, 255, 256, 257, 17 * 256, 18 * 256 + 5, 999999),
                                          testing::Values(0U, 4096U, 65536U)));
INSTANTIATE_TEST_SUITE_P(OneLinkAPlane,
                         ScaleUpMessage,
                         testing::Combine(testing::Values(18U),
                                          testing::Values(1U),
                                          testing::Values(0, 1, 256, 5 * 256, 18 * 256, 18 * 256 + 5, 999999),
                                          testing::Values(0U, 65536U)));
INSTANTIATE_TEST_SUITE_P(OneLink,
                         ScaleUpMessage,
                         testing::Combine(testing::Values(1U),
                                          testing::Values(1U),
                                          testing::Values(0, 1, 256, 257, 999999),
                                          testing::Values(0U, 1024U, 65536U)));

TEST(ScaleUpLatency, TransmissionTimesThatAreNotWholePicosecondsAreRoundedUp)
{
    Domain domain(1, 1);
    domain.config.scaleUp.linkRate = ns3::DataRate(300000000000ULL); // 26.67 ps a byte
    domain.Build(2);
    domain.PostAt(0, 0, 1, 300);
    domain.Run();
    // 272 B, then 44 B of payload in three flits and a header: 64 B; the header at the switch
    int64_t expected = 7254 + 1707 + 427 + FLIGHT_PS;
    EXPECT_EQ(domain.EndPs(), expected);
}

TEST(ScaleUpLatency, PacketShapeFollowsTheAttributes)
{
    Domain domain(1, 1);
    domain.config.nvlink.Set("PacketPayload", ns3::UintegerValue(128));
    domain.config.nvlink.Set("FlitBytes", ns3::UintegerValue(32));
    domain.config.nvlink.Set("HeaderFlits", ns3::UintegerValue(2));
    domain.Build(2);
    domain.PostAt(0, 0, 1, 3 * 128 + 1);
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (3 * (128 + 64) + 32 + 64 + 64) * LINK_PS + FLIGHT_PS);
    EXPECT_EQ(domain.Sum(PORT_TX_BYTES), 2U * (3 * (128 + 64) + 32 + 64));
}

TEST(ScaleUpLatency, MessagesOfOnePairTakeTurnsOnEachLink)
{
    constexpr int64_t PACKETS = 50;
    Domain domain(1, 1);
    domain.Build(2);
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (2 * PACKETS * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
    EXPECT_EQ(domain.EndPs() - std::get<3>(domain.deliveries[0]), PACKET * LINK_PS);
}

/// Rates of the two links of a path, in Gb/s.
class ScaleUpRates : public testing::TestWithParam<std::pair<uint64_t, uint64_t>>
{
};

TEST_P(ScaleUpRates, SwitchNeverRunsDryAndTheSlowerLinkDecides)
{
    auto [first, second] = GetParam();
    constexpr int64_t PACKETS = 24;
    for (uint64_t burst : {0, 1024})
    {
        Domain domain(1, 1);
        domain.config.burstBytes = burst;
        domain.Build(2);
        domain.equalRates = false;
        uint64_t rates[2] = {first, second};
        for (uint32_t link = 0; link < 2; link++)
        {
            for (uint32_t end = 0; end < 2; end++)
            {
                domain.Link(link, end).SetAttribute("DataRate",
                                                    ns3::DataRateValue(ns3::DataRate(rates[link] * 1000000000)));
            }
        }
        for (uint32_t link = 0; link < 2; link++)
        {
            domain.Link(link, 0).Start();
            domain.Link(link, 1).Start();
        }
        domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
        domain.PostAt(1000000000, 0, 1, 7); // 32 B in one packet
        domain.Run();
        int64_t a = 8000 / static_cast<int64_t>(first);
        int64_t b = 8000 / static_cast<int64_t>(second);
        EXPECT_EQ(std::get<3>(domain.deliveries[0]),
                  PACKETS * PACKET * std::max(a, b) + HEADER * std::min(a, b) + FLIGHT_PS);
        EXPECT_EQ(domain.EndPs() - 1000000000, 32 * std::max(a, b) + HEADER * std::min(a, b) + FLIGHT_PS);
    }
}

INSTANTIATE_TEST_SUITE_P(SlowAndFast,
                         ScaleUpRates,
                         testing::Values(std::make_pair(200U, 400U),
                                         std::make_pair(400U, 200U),
                                         std::make_pair(100U, 800U),
                                         std::make_pair(800U, 100U)));

TEST(ScaleUpBuild, DomainsWithoutScaleOutCannotReachEachOther)
{
    Domain domain(2, 1);
    domain.config.scaleUp.hbdSize = 2;
    domain.Network::Build(4);
    EXPECT_NO_THROW(domain.fabric->Post(0, 1, 100, 0, 0));
    EXPECT_THROW(domain.fabric->Post(0, 2, 100, 0, 0), FabricError);
    domain.Run();
}

} // namespace
