/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: what is said of units that wait is true. Method: domains that are looked at while they run.

#include "group-fixture.h"

#include <regex>

namespace
{

using namespace group_test;

/// What an element says at a simulated time.
std::vector<std::string>
LinesAt(GroupDomain& domain, const std::string& node, int64_t ps, const std::function<void()>& alsoThen = nullptr)
{
    std::vector<std::string> lines;
    ns3::Simulator::Schedule(ns3::PicoSeconds(ps), [&] {
        ns3::Ptr<ns3::Node> at = domain.fabric->GetNodes().Get(domain.Find(node));
        if (auto gpu = at->GetObject<GpuEndpoint>())
        {
            gpu->DescribeBlocked(lines);
        }
        else
        {
            at->GetObject<NvSwitch>()->DescribeBlocked(lines);
        }
        if (alsoThen)
        {
            alsoThen();
        }
    });
    domain.Run();
    return lines;
}

TEST(Blocked, ACopyRateIsNamed)
{
    GroupDomain domain(1, 1);
    domain.Build(2);
    domain.PostAt(0, Write(0, 1, 2 * PAYLOAD, 1000000)); // the second packet after 256 us
    auto lines = LinesAt(domain, "gpu0", 100000000);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_THAT(lines.front(), testing::AllOf(testing::HasSubstr("gpu0 NVLink 0"), testing::HasSubstr("held by its copy rate")));
}

TEST(Blocked, AnswersAreNamedWhenTheWindowIsFull)
{
    GroupDomain domain(1, 1);
    domain.config.gpu.Set("ReadWindow", ns3::UintegerValue(PAYLOAD));
    domain.Build(2);
    domain.PostAt(0, Read(0, 1, 2 * PAYLOAD));
    auto lines = LinesAt(domain, "gpu0", REQUEST_PS);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_THAT(lines.front(), testing::AllOf(testing::HasSubstr("virtual channel 1"), testing::HasSubstr("waits for answers")));
}

TEST(Blocked, BytesAreThoseOfTheVirtualChannel)
{
    // data for GPU 0 from two, and what GPU 2 asks it for: both channels of one output
    constexpr int64_t PACKETS = 2000;
    GroupDomain domain(1, 1);
    domain.config.gpu.Set("ReadWindow", ns3::UintegerValue(0));
    domain.Build(4);
    domain.PostAt(0, Write(1, 0, PACKETS * PAYLOAD));
    domain.PostAt(0, Write(3, 0, PACKETS * PAYLOAD));
    domain.PostAt(0, Read(1, 0, PACKETS * PAYLOAD));
    domain.PostAt(0, Read(2, 0, PACKETS * PAYLOAD));
    domain.PostAt(0, Read(3, 0, PACKETS * PAYLOAD));
    uint64_t queued = 0;
    auto lines = LinesAt(domain, "nvswitch-h0-p0", 5000000, [&] { queued = domain.GpuPort(0, 0).GetPeer()->GetQueuedBytes(); });
    const std::regex form("switch output 0 .*virtual channel ([01]): ([0-9]+) units, ([0-9]+) B wait for credit");
    uint64_t sum = 0;
    uint32_t channels = 0;
    for (const auto& line : lines)
    {
        std::smatch match;
        if (std::regex_match(line, match, form))
        {
            channels++;
            sum += std::stoull(match[3]);
            const int64_t packet = match[1] == "0" ? PACKET : HEADER;
            EXPECT_EQ(std::stoll(match[3]), std::stoll(match[2]) * packet) << line;
        }
    }
    EXPECT_EQ(channels, 2U);
    EXPECT_EQ(sum, queued);
}

} // namespace
