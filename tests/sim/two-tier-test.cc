/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: trunks of another rate, reads from tier to tier, and copies and sums below one leaf switch whose links have bit errors take the time that they must.
// Method: closed forms on an idle plane.

#include "group-fixture.h"

#include "ns3/double.h"

namespace
{

using namespace group_test;

constexpr int64_t PACKETS = 400;
constexpr int64_t HOP_PS = DELAY_PS + SWITCH_PS;
constexpr int64_t RETRY_PS = 300000;

/// A plane with one spine and leaf switches of two GPUs. \param trunkPs time of a byte on a trunk
class TwoTiers : public GroupDomain
{
  public:
    explicit TwoTiers(int64_t trunkPs = LINK_PS)
        : GroupDomain(1, 1)
    {
        config.scaleUp.name = "two-tier";
        config.scaleUp.leafSize = 2;
        config.scaleUp.trunkRate = ns3::DataRate(static_cast<uint64_t>(8000000000000 / trunkPs));
        Build(4);
    }
};

/// Bit errors of what a port sends.
void
SetErrors(TwoTiers& domain, NvlinkDevice& port)
{
    port.SetAttribute("BitErrorRate", ns3::DoubleValue(1e-5));
    port.SetAttribute("RetryDelay", ns3::TimeValue(ns3::PicoSeconds(RETRY_PS)));
    domain.fabric->AssignStreams(3);
}

TEST(Trunks, OfTheSameRateAddTheirHeaders)
{
    TwoTiers domain;
    domain.PostAt(0, Write(0, 2, PACKETS * PAYLOAD));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), 3 * (HEADER_PS + HOP_PS) + PACKETS * PACKET_PS + DELAY_PS);
}

TEST(Trunks, ThatAreSlowerAreTheLimit)
{
    constexpr int64_t TRUNK_PS = 2 * LINK_PS;
    TwoTiers domain(TRUNK_PS);
    domain.PostAt(0, Write(0, 2, PACKETS * PAYLOAD));
    domain.Run();
    // the second trunk starts when a header has come over a link and a trunk, and is busy from then on
    const int64_t trunkPs = HEADER_PS + HOP_PS + HEADER * TRUNK_PS + HOP_PS;
    // the last link must not run dry: it ends a header behind the last byte that it gets
    EXPECT_EQ(domain.EndPs(), trunkPs + PACKETS * PACKET * TRUNK_PS + HOP_PS + HEADER_PS + DELAY_PS);
}

TEST(Trunks, ThatAreFasterWaitForThePacket)
{
    constexpr int64_t TRUNK_PS = LINK_PS / 2;
    TwoTiers domain(TRUNK_PS);
    domain.PostAt(0, Write(0, 2, PACKETS * PAYLOAD));
    domain.Run();
    // the first trunk ends a header behind the first packet's last byte
    const int64_t startPs = PACKET_PS + HOP_PS - (PACKET - HEADER) * TRUNK_PS;
    // then two headers until the last link starts, which is busy from then on
    EXPECT_EQ(domain.EndPs(), startPs + 2 * (HEADER * TRUNK_PS + HOP_PS) + PACKETS * PACKET_PS + DELAY_PS);
}

TEST(Trunks, ThatAreSlowerAreShared)
{
    constexpr int64_t TRUNK_PS = 2 * LINK_PS;
    TwoTiers domain(TRUNK_PS);
    domain.PostAt(0, Write(0, 2, PACKETS * PAYLOAD));
    domain.PostAt(0, Write(1, 3, PACKETS * PAYLOAD));
    domain.Run();
    const int64_t trunkPs = HEADER_PS + HOP_PS + HEADER * TRUNK_PS + HOP_PS;
    EXPECT_EQ(domain.EndPs(), trunkPs + 2 * PACKETS * PACKET * TRUNK_PS + HOP_PS + HEADER_PS + DELAY_PS);
    EXPECT_EQ(std::get<3>(domain.deliveries.front()), domain.EndPs() - PACKET * TRUNK_PS);
}

TEST(TwoTierReads, TakeTheWayTwice)
{
    for (int64_t packets : {int64_t(1), PACKETS})
    {
        TwoTiers domain;
        domain.PostAt(0, Read(0, 3, static_cast<uint64_t>(packets * PAYLOAD)));
        domain.Run();
        const int64_t requestPs = 4 * HEADER_PS + 3 * HOP_PS + DELAY_PS;
        EXPECT_EQ(domain.EndPs(), requestPs + READ_PS + 3 * (HEADER_PS + HOP_PS) + packets * PACKET_PS + DELAY_PS);
    }
}

TEST(TwoTierErrors, DelayTheCopiesOfTheLinkThatHasThem)
{
    TwoTiers domain;
    auto& down = static_cast<NvlinkDevice&>(*domain.GpuPort(1, 0).GetPeer());
    SetErrors(domain, down);
    std::vector<uint32_t> group{0, 1};
    domain.PostAt(0, Multicast(0, group, PACKETS * PAYLOAD));
    domain.Run();
    const auto errors = static_cast<int64_t>(domain.In(1, 0, PORT_RETRIED_PACKETS));
    EXPECT_GT(errors, 2);
    EXPECT_EQ(domain.EndPs(), PACKETS * PACKET_PS + HEADER_PS + FLIGHT_PS + errors * (PACKET_PS + RETRY_PS));
    EXPECT_EQ(domain.In(0, 0), static_cast<uint64_t>(PACKETS * PAYLOAD));
}

TEST(TwoTierErrors, DelayTheSumOfWhatComesLate)
{
    TwoTiers domain;
    SetErrors(domain, domain.GpuPort(3, 0));
    std::vector<uint32_t> group{2, 3};
    domain.PostAt(0, Reduce(2, group, PACKETS * PAYLOAD));
    domain.Run();
    const auto errors = static_cast<int64_t>(domain.Out(3, 0, PORT_RETRIED_PACKETS));
    EXPECT_GT(errors, 2);
    const int64_t sumPs = REQUEST_PS + READ_PS + HEADER_PS + HOP_PS + REDUCTION_PS;
    EXPECT_EQ(domain.EndPs(), sumPs + PACKETS * PACKET_PS + DELAY_PS + errors * (PACKET_PS + RETRY_PS));
}

} // namespace
