/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-gen/topology-file.h"

#include <gmock/gmock.h>
#include <sstream>

// Goal: both forms of a list of nodes and links are read, and everything that is wrong is told with its line, all at
// once.

namespace hbd::traffic
{

namespace
{

using testing::HasSubstr;

struct Outcome
{
    ListedTopology topology;
    std::string text; ///< all problems
    size_t problems = 0;
};

Outcome
Read(const std::string& text, uint32_t gpus)
{
    std::istringstream input(text);
    std::vector<Problem> problems;
    Outcome outcome;
    outcome.topology = ReadTopology(input, "net", gpus, problems);
    outcome.problems = problems.size();
    for (const auto& problem : problems)
    {
        outcome.text += ToText(problem) + "\n";
    }
    return outcome;
}

const char* const kOurs = R"(# two hosts
link a leaf0 400Gbps 150ns   # before its nodes
nic a
nic b
switch leaf0 leaf1
link b leaf1 200Gbps 1us loss 1e-3
link leaf1 leaf0 100Gbps 0s x2
)";

TEST(TopologyFile, OurFormGivesNodesLinksNumbersAndLosses)
{
    const auto read = Read(kOurs, 2);
    EXPECT_EQ(read.text, "");
    ASSERT_EQ(read.topology.nodes.size(), 4u);
    EXPECT_EQ(read.topology.nodes[1].name, "b");
    EXPECT_TRUE(read.topology.nodes[3].isSwitch);
    ASSERT_EQ(read.topology.links.size(), 3u);
    const auto& last = read.topology.links[2];
    EXPECT_EQ(last.ends[0], 3u);
    EXPECT_EQ(last.ends[1], 2u);
    EXPECT_EQ(last.number, 2u);
    EXPECT_EQ(last.rate.BitsPerSecond(), 100000000000u);
    EXPECT_EQ(read.topology.links[1].loss, 1e-3);
    EXPECT_EQ(read.topology.links[1].delay.Picoseconds(), 1000000);
    EXPECT_EQ(read.topology.Nics(), 2u);
    EXPECT_EQ(read.topology.SwitchesFrom(1), (std::vector<uint32_t>{2, 0}));
}

// As the topology files that come with the HPCC simulator: hosts 0 and 1 and 3, switches 2 and 4.
const char* const kPlain = R"(5 2 4
2 4
0 2 100Gbps 0.001ms 0
1 2 100Gbps 0.001ms 0
2 4 400Gbps 0.0005ms 0.000000
4 3 25Gbps 1us 0.01
)";

TEST(TopologyFile, PlainFormOfPublishedSimulatorsIsRead)
{
    const auto read = Read(kPlain, 3);
    EXPECT_EQ(read.text, "");
    ASSERT_EQ(read.topology.nodes.size(), 5u);
    EXPECT_EQ(read.topology.nodes[3].name, "nic2");
    EXPECT_EQ(read.topology.nodes[4].name, "switch4");
    ASSERT_EQ(read.topology.links.size(), 4u);
    EXPECT_EQ(read.topology.links[2].delay.Picoseconds(), 500000);
    EXPECT_EQ(read.topology.links[3].loss, 0.01);
    EXPECT_EQ(read.topology.SwitchesFrom(0), (std::vector<uint32_t>{0, 1, 2}));
}

TEST(TopologyFile, TextThatIsWrittenReadsBack)
{
    for (const char* text : {kOurs, kPlain})
    {
        const auto first = Read(text, text == kOurs ? 2 : 3);
        const auto second = Read(WriteTopology(first.topology), text == kOurs ? 2 : 3);
        EXPECT_EQ(second.text, "");
        EXPECT_EQ(WriteTopology(second.topology), WriteTopology(first.topology));
    }
}

TEST(TopologyFile, EverythingThatIsWrongIsToldWithItsLine)
{
    const auto read = Read(R"(nic a b
nic a
switch gpu7 s-1 s
router r
link a s 400 150ns
link b s 0Gbps 150ns
link b s 400Gbps 150
link b q 400Gbps 150ns
link s s 400Gbps 150ns
link a s 400Gbps 150ns x0
link a s 400Gbps 150ns loss 2
link a s 400Gbps
nic
)",
                           2);
    for (const char* said : {"net:2: expected a name that no other node has, given `a` (it stands in line 1)",
                             "net:3: expected a name of letters, digits and _, and not that of a GPU, given `gpu7`",
                             "net:3: expected a name of letters, digits and _, and not that of a GPU, given `s-1`",
                             "net:4: expected nic, switch or link, given `router`",
                             "net:5: expected a rate above 0 with its unit, such as 400Gbps, given `400`",
                             "net:6: expected a rate above 0 with its unit, such as 400Gbps, given `0Gbps`",
                             "net:7: expected a delay of at most 1s with its unit, such as 150ns, given `150`",
                             "net:8: expected the name of a node of the file, given `q`",
                             "net:9: expected a link between two different nodes, given `s` to itself",
                             "net:10: expected xN with a number from 1 on, or loss PROBABILITY, given `x0`",
                             "net:11: expected a probability from 0 to 1, such as 1e-3, given `2`",
                             "net:12: expected link NAME NAME RATE DELAY",
                             "net:13: expected nic NAME, given no name"})
    {
        EXPECT_THAT(read.text, HasSubstr(said));
    }
    EXPECT_EQ(read.problems, 13u) << read.text;
}

TEST(TopologyFile, LinksThatAreThereTwiceMustSaySo)
{
    const auto read = Read("nic a b\nswitch s\nlink a s 1Gbps 1ns\nlink b s 1Gbps 1ns\nlink s a 1Gbps 1ns\n", 2);
    EXPECT_THAT(read.text, HasSubstr("net:5: expected one line for the links between two nodes, with xN for several"));
    EXPECT_THAT(read.text, HasSubstr("the first is in line 3"));
}

TEST(TopologyFile, NicsOutOfReachOrWithOtherThanOneLinkAreTold)
{
    EXPECT_THAT(Read("nic a b\nswitch s\nlink a s 1Gbps 1ns\nlink b s 1Gbps 1ns\n", 3).text,
                HasSubstr("one NIC for each of cluster.gpus = 3, given 2 NICs"));
    EXPECT_THAT(Read("nic a\nnic b\nswitch s t\nlink a s 1Gbps 1ns\nlink b t 1Gbps 1ns\n", 2).text,
                HasSubstr("net:2: expected a way between all NICs, given none from a to b"));
    EXPECT_THAT(Read("nic a\nnic b\nswitch s\nlink a s 1Gbps 1ns\n", 2).text,
                HasSubstr("net:2: expected one link of b to a switch, given 0"));
    EXPECT_THAT(Read("nic a b\nswitch s\nlink a s 1Gbps 1ns x2\nlink b s 1Gbps 1ns\n", 2).text,
                HasSubstr("net:1: expected one link of a to a switch, given 2"));
    EXPECT_THAT(Read("nic a b\nlink a b 1Gbps 1ns\n", 2).text,
                HasSubstr("net:2: expected a link of a NIC to a switch, given a to b"));
    // a NIC passes nothing on
    EXPECT_THAT(Read("", 2).text, HasSubstr("expected nodes and links, given nothing"));
}

TEST(TopologyFile, CountsOfThePlainFormMustBeRight)
{
    const std::string links = "0 2 1Gbps 1ns 0\n1 2 1Gbps 1ns 0\n";
    EXPECT_EQ(Read("3 1 2\n2\n" + links, 2).text, "");
    EXPECT_THAT(Read("3 1 3\n2\n" + links, 2).text, HasSubstr("net:4: expected 3 links of five words"));
    EXPECT_THAT(Read("3 1 1\n2\n" + links, 2).text, HasSubstr("expected at least 2 links for 3 nodes, given 1"));
    EXPECT_THAT(Read("2 1 1\n1\n" + links, 2).text, HasSubstr("net:4: expected nothing behind 1 links, given `1`"));
    EXPECT_THAT(Read("3 2 2\n2 1 0\n" + links, 1).text,
                HasSubstr("net:2: expected 2 node numbers of switches, given `0` behind them"));
    EXPECT_THAT(Read("3 1 2\n7\n" + links, 2).text,
                HasSubstr("net:2: expected 1 node numbers of switches, below 3, given `7`"));
    EXPECT_THAT(Read("3 1 2\n2\n0 2 1Gbps 1ns 0\n1 9 1Gbps 1ns 0\n", 2).text,
                HasSubstr("net:4: expected the name of a node"));
    EXPECT_THAT(Read("3 1 2\n2\n0 2 1Gbps 1ns 0\n1 2 1 1ns 7\n", 2).text, HasSubstr("net:4: expected a rate above 0"));
    EXPECT_THAT(Read("3 1 2\n2\n0 2 1Gbps 1ns 0\n1 2 1Gbps 1ns 7\n", 2).text,
                HasSubstr("net:4: expected an error rate"));
    EXPECT_THAT(
        Read("3 1\n2\n" + links, 2).text,
        HasSubstr("net:1: expected the numbers of nodes, of the switches among them, and of links, given `3 1`"));
    EXPECT_THAT(Read("4000000000 1 2\n2\n" + links, 2).text, HasSubstr("net:1"));
    EXPECT_THAT(Read("3 1 4000000000\n2\n" + links, 2).text, HasSubstr("4000000000 links"));
}

} // namespace

} // namespace hbd::traffic
