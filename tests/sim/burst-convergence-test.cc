/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: what the simulated unit (burst-size, 256 B to 64 KiB) changes is small, known, and vanishes with the size of the messages: docs/architecture.md.
// Method: round robin by hand. At a link that n messages of the same size share, all is there at the same time whatever the unit; in the last round they end
// one after the other, a unit apart, so their mean is (n - 1) / 2 units before that.

#include "scale-up-fixture.h"

#include <cmath>
#include <map>

using namespace ns3::hbd;
using namespace scale_up;

namespace
{

constexpr uint32_t GPUS = 8;
constexpr int64_t LINKS = 2; // of a GPU, one to each plane
constexpr int64_t KIB = 1024;
constexpr int64_t PACKET_PS = PACKET * LINK_PS;

/// When messages of one pattern ended, in ps.
struct Ends
{
    double MeanPs() const
    {
        double sum = 0;
        for (const auto& [pair, ps] : of)
        {
            sum += static_cast<double>(ps);
        }
        return sum / static_cast<double>(of.size());
    }

    std::map<std::pair<uint32_t, uint32_t>, int64_t> of; ///< by source and destination
    int64_t lastPs = 0;
};

/// Incast to GPU 0 of all others, or all to all: so many bytes each.
Ends
Simulate(bool allToAll, int64_t bytes, int64_t unit)
{
    Domain domain(LINKS, 1);
    domain.config.burstBytes = static_cast<uint64_t>(unit);
    domain.Build(GPUS);
    for (uint32_t distance = 1; distance < GPUS; distance++)
    {
        for (uint32_t destination = 0; destination < (allToAll ? GPUS : 1); destination++)
        {
            domain.PostAt(0, (destination + distance) % GPUS, destination, static_cast<uint64_t>(bytes));
        }
    }
    domain.Run();
    Ends ends;
    for (const auto& delivery : domain.deliveries)
    {
        ends.of[{std::get<0>(delivery), std::get<1>(delivery)}] = std::get<3>(delivery);
    }
    EXPECT_EQ(ends.of.size(), allToAll ? GPUS * (GPUS - 1) : GPUS - 1);
    ends.lastPs = domain.EndPs();
    return ends;
}

struct Pattern
{
    bool allToAll;
    int64_t unit;
};

class BurstConvergence : public testing::TestWithParam<Pattern>
{
  protected:
    /// Both patterns fill the links of a GPU with the messages of its 7 peers.
    static constexpr int64_t SHARERS = GPUS - 1;

    static int64_t UnitPs()
    {
        return GetParam().unit / PAYLOAD * PACKET_PS;
    }
};

TEST_P(BurstConvergence, EndsOfMessagesMoveByAtMostOneRoundOfUnits)
{
    const auto [allToAll, unit] = GetParam();
    for (int64_t bytes : {256 * KIB, 1024 * KIB})
    {
        const Ends packets = Simulate(allToAll, bytes, PAYLOAD);
        const Ends units = Simulate(allToAll, bytes, unit);
        // 7 messages over 2 links, and the head of the last packet through the switch
        const int64_t least = SHARERS * bytes / PAYLOAD / LINKS * PACKET_PS + HEADER * LINK_PS + FLIGHT_PS;
        EXPECT_GE(packets.lastPs, least);
        EXPECT_LE(packets.lastPs, least + SHARERS * PACKET_PS);
        EXPECT_GE(units.lastPs, least);
        EXPECT_LE(units.lastPs - packets.lastPs, allToAll ? SHARERS * UnitPs() : 0);
        for (const auto& [pair, ps] : packets.of)
        {
            EXPECT_LE(std::abs(units.of.at(pair) - ps), SHARERS * UnitPs()) << pair.first << " to " << pair.second;
        }
    }
}

TEST_P(BurstConvergence, TheMeanOfAnIncastEndsHalfARoundOfUnitsBeforeTheLast)
{
    const auto [allToAll, unit] = GetParam();
    if (allToAll)
    {
        return;
    }
    const Ends ends = Simulate(false, 1024 * KIB, unit);
    EXPECT_NEAR(static_cast<double>(ends.lastPs) - ends.MeanPs(),
                static_cast<double>(SHARERS - 1) / 2 * static_cast<double>(UnitPs()),
                PACKET_PS);
}

TEST_P(BurstConvergence, TheErrorShrinksAsMessagesGrow)
{
    const auto [allToAll, unit] = GetParam();
    double before = 1;
    for (int64_t bytes : {256 * KIB, 1024 * KIB, 4096 * KIB})
    {
        if (allToAll && bytes > 1024 * KIB)
        {
            continue; // packet by packet, millions of them
        }
        const double packets = Simulate(allToAll, bytes, PAYLOAD).MeanPs();
        const double error = std::abs(Simulate(allToAll, bytes, unit).MeanPs() / packets - 1);
        // a round of units among all that the link carries: unit / (bytes / links)
        EXPECT_LE(error, static_cast<double>(unit) * LINKS / static_cast<double>(bytes));
        EXPECT_LT(error, unit == PAYLOAD ? 1 : before / 2) << "a message of four times the size";
        before = error;
    }
}

INSTANTIATE_TEST_SUITE_P(Units,
                         BurstConvergence,
                         testing::Values(Pattern{false, 256},
                                         Pattern{false, 1 * KIB},
                                         Pattern{false, 4 * KIB},
                                         Pattern{false, 16 * KIB},
                                         Pattern{false, 64 * KIB},
                                         Pattern{true, 256},
                                         Pattern{true, 1 * KIB},
                                         Pattern{true, 4 * KIB},
                                         Pattern{true, 16 * KIB},
                                         Pattern{true, 64 * KIB}));

} // namespace
