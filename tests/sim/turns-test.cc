/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: what a GPU writes and what it answers share its link by the message, however many units of an answer wait. Method: closed forms on one link.

#include "group-fixture.h"

namespace
{

using namespace group_test;

constexpr int64_t PACKETS = 16384; // 4 MiB

/// When a delivery to a GPU was complete.
int64_t
EndAt(const GroupDomain& domain, uint32_t gpu)
{
    for (const auto& [source, destination, bytes, ps] : domain.deliveries)
    {
        if (destination == gpu)
        {
            return ps;
        }
    }
    ADD_FAILURE() << "nothing came to GPU " << gpu;
    return 0;
}

/// Most payload of a unit; 0 is one packet.
class AnswerTurns : public testing::TestWithParam<uint64_t>
{
  protected:
    /// Time of a unit on the link.
    static int64_t UnitPs()
    {
        return std::max<int64_t>(1, static_cast<int64_t>(GetParam()) / PAYLOAD) * PACKET_PS;
    }
};

TEST_P(AnswerTurns, AWriteAndTheAnswersToAReadShareALinkEqually)
{
    GroupDomain domain(1, 1);
    domain.config.burstBytes = GetParam();
    domain.Build(3);
    domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD));
    domain.PostAt(0, Read(2, 0, PACKETS * PAYLOAD));
    domain.Run();
    // the link is never idle: all of both, the read last, as the write had the link to itself until the first answer
    EXPECT_EQ(EndAt(domain, 2), 2 * PACKETS * PACKET_PS + HEADER_PS + FLIGHT_PS);
    const int64_t aheadPs = REQUEST_PS + READ_PS;
    EXPECT_NEAR(static_cast<double>(EndAt(domain, 1)),
                2 * PACKETS * PACKET_PS - aheadPs + HEADER_PS + FLIGHT_PS,
                static_cast<double>(2 * UnitPs()));
}

TEST_P(AnswerTurns, ContributionsToASumDoNotStarveAWrite)
{
    GroupDomain domain(1, 1);
    domain.config.burstBytes = GetParam();
    domain.config.nvswitch.Set("GroupUnitSize", ns3::UintegerValue(std::max<uint64_t>(PAYLOAD, GetParam())));
    domain.Build(4);
    std::vector<uint32_t> group = FirstGpus(3);
    domain.PostAt(0, Write(0, 3, PACKETS * PAYLOAD));
    domain.PostAt(0, Reduce(1, group, PACKETS * PAYLOAD));
    domain.Run();
    EXPECT_EQ(EndAt(domain, 1) - REDUCTION_PS, 2 * PACKETS * PACKET_PS + HEADER_PS + FLIGHT_PS);
    const int64_t aheadPs = REQUEST_PS + READ_PS;
    EXPECT_NEAR(static_cast<double>(EndAt(domain, 3)),
                2 * PACKETS * PACKET_PS - aheadPs + HEADER_PS + FLIGHT_PS,
                static_cast<double>(2 * UnitPs()));
}

INSTANTIATE_TEST_SUITE_P(Bursts, AnswerTurns, testing::Values(0, 65536));

TEST(AnswerTurns, TwoReadsOfOneGpuShareItsLinkByTheMessage)
{
    // one asks for all of its packets before the other asks for any
    GroupDomain domain(1, 1);
    domain.Build(3);
    constexpr int64_t LATER_PS = 10000000;
    domain.PostAt(0, Read(1, 0, PACKETS * PAYLOAD));
    domain.PostAt(LATER_PS, Read(2, 0, PACKETS / 4 * PAYLOAD));
    domain.Run();
    const int64_t alonePs = REQUEST_PS + READ_PS + HEADER_PS + FLIGHT_PS;
    EXPECT_EQ(EndAt(domain, 1), alonePs + PACKETS / 4 * 5 * PACKET_PS);
    EXPECT_NEAR(static_cast<double>(EndAt(domain, 2)), LATER_PS + alonePs + PACKETS / 2 * PACKET_PS, 2.0 * PACKET_PS);
}

} // namespace
