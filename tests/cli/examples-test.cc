/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: the examples of the module check themselves, at all sizes that users may give, and say what is wrong. Method: the real programs.

#include "program.h"

#include <cmath>
#include <gmock/gmock.h>

namespace
{

using namespace hbd::tests;
using testing::HasSubstr;

using Words = std::vector<std::string>;

class Examples : public CommandTest
{
};

/// The number before a text.
double
NumberBefore(const std::string& text, const std::string& unit)
{
    const size_t end = text.find(unit);
    const size_t start = text.find_last_not_of("0123456789.", end - 1);
    return end == std::string::npos ? -1 : std::stod(text.substr(start + 1, end - start - 1));
}

TEST_F(Examples, IncastsTakeAtLeastTheTimeOfWiresAndCredits)
{
    const std::vector<Words> incasts{{"--bytes=4MiB"},
                                     {"--bytes=64KiB"},
                                     {"--bytes=1"},
                                     {"--bytes=1MiB", "--window=4096"},
                                     {"--bytes=64KiB", "--window=512", "--senders=1"},
                                     {"--bytes=1MiB", "--window=65536", "--gpus=72", "--planes=18", "--links=1", "--senders=71"},
                                     {"--bytes=100000", "--burst=64KiB", "--planes=1", "--links=1", "--senders=3"}};
    for (const Words& words : incasts)
    {
        const Ended ended = Example("hbd-nvswitch-incast", words);
        EXPECT_EQ(ended.code, 0) << testing::PrintToString(words) << ended.out << ended.err;
        EXPECT_THAT(ended.out, HasSubstr("by wires and credits"));
    }
    // seven of 4 MiB, of 288 B a packet of 256 B, over 18 links of 50 GB/s; the header at the switch, two cables, the switch
    const double least = std::ceil(7 * 4194304.0 / 256 / 18) * 288 / 50e3 + 32 / 50e3 + 0.4;
    const Ended wires = Example("hbd-nvswitch-incast", {"--bytes=4MiB"});
    EXPECT_NEAR(NumberBefore(wires.out, " us by wires"), least, 0.001) << wires.out;
    // a link has 7 x 4096 / 18 packets, of which 14 go every 250 ns and a packet's time
    const Ended credits = Example("hbd-nvswitch-incast", {"--bytes=1MiB", "--window=4096"});
    const double rounds = 7 * 4096.0 / 18 / 14;
    EXPECT_NEAR(NumberBefore(credits.out, " us by wires"), rounds * (0.25 + 288 / 50e3), 1) << credits.out;
}

TEST_F(Examples, AllReducesCarryWhatTheyMust)
{
    for (const char* algorithm : {"nvls", "ring", "direct"})
    {
        const Ended ended = Example("hbd-nvls-all-reduce", {"--gpus=8", "--bytes=1MiB", std::string("--algorithm=") + algorithm});
        EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
        EXPECT_THAT(ended.out, HasSubstr("busbw"));
    }
}

TEST_F(Examples, SayWhatIsWrong)
{
    const std::vector<std::tuple<std::string, Words, std::string>> calls{
        {"hbd-nvswitch-incast", {"--bytes=0"}, "--bytes must be at least 1"},
        {"hbd-nvswitch-incast", {"--senders=8"}, "--senders must be at least 1 and less than --gpus"},
        {"hbd-nvswitch-incast", {"--bytes=999999999TiB"}, "more than 2^64 - 1 B"},
        {"hbd-nvswitch-incast", {"--window=100"}, "CreditWindow"},
        {"hbd-nvls-all-reduce", {"--algorithm=tree"}, "unknown algorithm 'tree'"},
        {"hbd-nvls-all-reduce", {"--gpus=4", "--bytes=1MiB", "--ns3::hbd::CreditPort::VirtualChannels=1"}, "virtual channel"},
    };
    for (const auto& [name, words, text] : calls)
    {
        const Ended ended = Example(name, words);
        EXPECT_EQ(ended.code, 1) << name << testing::PrintToString(words) << ended.signal;
        EXPECT_THAT(ended.err, testing::AllOf(HasSubstr(name + ": "), HasSubstr(text)));
    }
}

} // namespace
