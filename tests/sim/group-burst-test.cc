/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "group-fixture.h"

// Units of multicasts and of sums in switches stand for single packets: all members of a board of 8 GPUs at once, as an all-reduce has it.

namespace
{

using namespace group_test;

constexpr uint32_t GPUS = 8;
constexpr uint64_t SHARE = 1 << 20;

/// Time until every GPU has summed its share, spread it, or both at the same time.
int64_t
RunBoard(uint64_t burstBytes, bool sums, bool spreads)
{
    GroupDomain domain(2, 9);
    domain.config.burstBytes = burstBytes;
    domain.Build(GPUS);
    const std::vector<uint32_t> group = FirstGpus(GPUS);
    for (uint32_t gpu = 0; gpu < GPUS; gpu++)
    {
        if (sums)
        {
            domain.PostAt(0, Reduce(gpu, group, SHARE));
        }
        if (spreads)
        {
            domain.PostAt(0, Multicast(gpu, group, SHARE));
        }
    }
    domain.Run();
    return domain.EndPs();
}

TEST(GroupBurst, SumsOfAllMembersConverge)
{
    const int64_t packets = RunBoard(0, true, false);
    EXPECT_NEAR(static_cast<double>(RunBoard(64 << 10, true, false)), packets, 0.04 * packets);
    // all that a GPU gives away: 8 shares over its 18 links, with headers
    EXPECT_GE(packets, static_cast<int64_t>(GPUS * SHARE / PAYLOAD / 18) * PACKET_PS);
}

TEST(GroupBurst, MulticastsOfAllMembersConverge)
{
    const int64_t packets = RunBoard(0, false, true);
    EXPECT_NEAR(static_cast<double>(RunBoard(64 << 10, false, true)), packets, 0.04 * packets);
    EXPECT_GE(packets, static_cast<int64_t>(GPUS * SHARE / PAYLOAD / 18) * PACKET_PS);
}

TEST(GroupBurst, SumsAndMulticastsTogetherConverge)
{
    const int64_t packets = RunBoard(0, true, true);
    EXPECT_NEAR(static_cast<double>(RunBoard(64 << 10, true, true)), packets, 0.04 * packets);
    // both at once: the sums fill one direction and the multicasts the other, each has 1/8 more to carry there
    EXPECT_LE(packets, RunBoard(0, true, false) * 5 / 4);
}

} // namespace
