/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: a scale-out network from a file runs, is shown and estimated; whatever is wrong with the file is told with its
// line and exit code 2. Method: the real program; the same network as a topology of the table gives the same records.

#include "program.h"

#include <cstdlib>
#include <gmock/gmock.h>

namespace
{

using namespace hbd::tests;
using testing::AllOf;
using testing::HasSubstr;

const char* const SCENARIO = R"(name: listed
cluster:
  gpus: 4
  hbd: {size: 2, preset: nvlink5}
  scale-out: {preset: single-switch-400g, topology: file, file: net.txt}
workload: {collective: all-to-all, algorithm: direct, sizes: [256KiB, 1MiB]}
)";

/// What single-switch-400g is.
const char* const STAR = R"(nic nic0 nic1 nic2 nic3
switch leaf0
link nic0 leaf0 400Gbps 150ns
link nic1 leaf0 400Gbps 150ns
link nic2 leaf0 400Gbps 150ns
link nic3 leaf0 400Gbps 150ns
)";

const char* const PLAIN = R"(5 1 4
4
0 4 400Gbps 0.00015ms 0
1 4 400Gbps 150ns 0
2 4 400Gbps 150ns 0
3 4 400Gbps 150ns 0
)";

class TopologyFileTest : public CommandTest
{
  protected:
    TopologyFileTest()
    {
        Write("listed.yaml", SCENARIO);
        Write("net.txt", STAR);
    }

    /// Runs. \return collectives.csv of the only point
    std::string Collectives(const std::string& out, const std::vector<std::string>& sets = {}) const
    {
        std::vector<std::string> words{"run", "listed.yaml", "--out", out};
        for (const auto& set : sets)
        {
            words.insert(words.end(), {"--set", set});
        }
        const auto ended = Hbd(words);
        EXPECT_EQ(ended.code, 0) << ended.err;
        const auto points = PointsIn(m_folder / out);
        return points.size() == 1 ? Read(out + "/" + points.front() + "/collectives.csv") : "";
    }

    /// \return what is told of a file that is wrong
    std::string Bad(const std::string& text) const
    {
        Write("net.txt", text);
        const auto ended = Hbd({"run", "listed.yaml"});
        EXPECT_EQ(ended.code, 2) << ended.err;
        return ended.err;
    }
};

TEST_F(TopologyFileTest, GivesWhatTheSameTopologyOfTheTableGives)
{
    const auto listed = Collectives("listed");
    EXPECT_THAT(listed, HasSubstr("all-to-all"));
    EXPECT_EQ(listed, Collectives("star", {"cluster.scale-out.topology=single-switch", "cluster.scale-out.file=none"}));
    Write("net.txt", PLAIN);
    EXPECT_EQ(listed, Collectives("plain"));
}

TEST_F(TopologyFileTest, IsShownEstimatedAndWrittenScenariosRunAgain)
{
    const auto fabric = Hbd({"fabric", "listed.yaml"});
    EXPECT_EQ(fabric.code, 0) << fabric.err;
    EXPECT_THAT(fabric.out, HasSubstr("scale-out: file"));
    EXPECT_THAT(fabric.out, HasSubstr("equal-cost paths: at most 1 a pair"));
    EXPECT_EQ(Hbd({"run", "listed.yaml", "--dry-run"}).code, 0);
    const auto first = Collectives("first");
    const auto again =
        Hbd({"run", "first/" + PointsIn(m_folder / "first").front() + "/scenario.yaml", "--out", "again"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(Read("again/" + PointsIn(m_folder / "again").front() + "/collectives.csv"), first);
}

TEST_F(TopologyFileTest, WrittenScenariosOfEveryTopologyRunAgain)
{
    for (const char* topology : {"single-switch", "rail-optimized", "fat-tree"})
    {
        const std::string out = topology;
        const auto first = Collectives(out, {"cluster.scale-out.topology=" + out, "cluster.scale-out.file=none"});
        const auto again =
            Hbd({"run", out + "/" + PointsIn(m_folder / out).front() + "/scenario.yaml", "--out", out + "-again"});
        EXPECT_EQ(again.code, 0) << again.err;
        const auto points = PointsIn(m_folder / (out + "-again"));
        EXPECT_EQ(Read(out + "-again/" + points.at(0) + "/collectives.csv"), first);
    }
}

TEST_F(TopologyFileTest, WhatIsWrongIsToldWithFileAndLineAllAtOnce)
{
    const auto said =
        Bad("nic nic0 nic1 nic2\nnic nic2\nswitch leaf0\nlink nic0 leaf0 400Gbps 150\nlink nic1 leaf7 0Gbps 1ns\n");
    for (const char* part : {"net.txt:2: expected a name that no other node has",
                             "net.txt:4: expected a delay",
                             "net.txt:5: expected the name of a node of the file, given `leaf7`",
                             "net.txt:5: expected a rate above 0"})
    {
        EXPECT_THAT(said, HasSubstr(part));
    }
    EXPECT_THAT(Bad(std::string(STAR) + "nic nic4\nlink nic4 leaf0 1Gbps 1ns\n"),
                HasSubstr("cluster.gpus = 4, given 5 NICs"));
    EXPECT_THAT(Bad("5 1 4\n4\n0 4 400Gbps 150ns 0\n"), HasSubstr("4 links of five words"));
}

TEST_F(TopologyFileTest, KeysThatTheFileGivesAreRefusedUnlessTheySayTheSame)
{
    const auto wrong = Hbd({"run", "listed.yaml", "--set", "cluster.scale-out.nic-rate=200Gbps"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err,
                AllOf(HasSubstr("cluster.scale-out.nic-rate"), HasSubstr("400Gbps as the topology file has it")));
    EXPECT_EQ(Hbd({"run", "listed.yaml", "--dry-run", "--set", "cluster.scale-out.nic-rate=400Gbps"}).code, 0);
    const auto none = Hbd({"run", "listed.yaml", "--set", "cluster.scale-out.file=absent.txt"});
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.err, AllOf(HasSubstr("cluster.scale-out.file"), HasSubstr("looked for"), HasSubstr("absent.txt")));
    const auto unused = Hbd({"run", "listed.yaml", "--set", "cluster.scale-out.topology=single-switch"});
    EXPECT_EQ(unused.code, 2);
    EXPECT_THAT(unused.err, HasSubstr("file is for topology: file"));
}

TEST_F(TopologyFileTest, CableThatIsTooLongForTheHeadroomIsRefused)
{
    const auto said =
        Bad("nic nic0 nic1 nic2 nic3\nswitch leaf0 leaf1\nlink nic0 leaf0 400Gbps 1ns\nlink nic1 leaf0 400Gbps 1ns\n"
            "link nic2 leaf1 400Gbps 1ns\nlink nic3 leaf1 400Gbps 1ns\nlink leaf0 leaf1 400Gbps 1ms\n");
    EXPECT_THAT(said, AllOf(HasSubstr("cluster.scale-out.headroom"), HasSubstr("leaf0"), HasSubstr("leaf1")));
}

TEST_F(TopologyFileTest, ExampleRunsThroughItsFault)
{
    const auto ended = Hbd(
        {"run", std::string(std::getenv("HBD_ROOT")) + "/examples/scenarios/topology-file.yaml", "--out", "example"});
    EXPECT_EQ(ended.code, 0) << ended.err;
}

} // namespace
