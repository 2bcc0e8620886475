/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: what the commands beside `run` print and write. Method: the real program on small scenarios.

#include "ns3-module/model/topologies/hbd-topology-table.h"
#include "program.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/preset-library.h"
#include "traffic-gen/system-preset.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <set>

namespace
{

using namespace hbd::tests;
using testing::HasSubstr;
using testing::StartsWith;

class OtherCommands : public CommandTest
{
  protected:
    OtherCommands()
    {
        Write("tiny.yaml", TINY_SWEEP);
    }
};

TEST_F(OtherCommands, EachExplainsItself)
{
    EXPECT_THAT(Hbd({"--help"}).out, HasSubstr("usage: hbd COMMAND"));
    EXPECT_THAT(Hbd({"--version"}).out, HasSubstr("ns-3 3."));
    for (const std::string command : {"run", "traffic", "fabric", "validate", "bench", "list"})
    {
        const auto ended = Hbd({command, "--help"});
        EXPECT_EQ(ended.code, 0);
        EXPECT_THAT(ended.out, StartsWith("usage: hbd " + command));
    }
}

TEST_F(OtherCommands, ListNamesEveryEntryOfEveryTable)
{
    const auto ended = Hbd({"list"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    for (const auto& preset : hbd::traffic::ListPresets())
    {
        EXPECT_THAT(ended.out, HasSubstr(preset.name));
        EXPECT_THAT(ended.out, HasSubstr(preset.line));
    }
    std::vector<hbd::traffic::Problem> problems;
    for (const auto& system : hbd::traffic::LoadSystems(problems))
    {
        EXPECT_THAT(ended.out, HasSubstr(system.name));
        EXPECT_THAT(ended.out, HasSubstr(system.description));
    }
    for (const auto& topology : ns3::hbd::GetScaleOutTopologies())
    {
        EXPECT_THAT(ended.out, HasSubstr(topology.name));
    }
    for (const auto& collective : hbd::traffic::CollectiveTable())
    {
        EXPECT_THAT(ended.out, HasSubstr(std::string(ToText(collective.op)) + " " + collective.algorithm));
    }
    EXPECT_THAT(ended.out, HasSubstr("congestion-controls:"));
    EXPECT_THAT(ended.out, HasSubstr("load-balancers:"));
    EXPECT_THAT(Hbd({"list", "keys"}).out, HasSubstr("cluster.hbd.link-rate"));
}

TEST_F(OtherCommands, TrafficGoesToTheFileAndTheSummaryToTheTerminal)
{
    const std::vector<std::string> words{"traffic", "tiny.yaml", "--set", "cluster.hbd.size=2"};
    const auto toTerminal = Hbd(words);
    ASSERT_EQ(toTerminal.code, 0) << toTerminal.err;
    EXPECT_THAT(toTerminal.out, StartsWith("phase,step,layer,collective,"));
    auto withFile = words;
    withFile.insert(withFile.end(), {"--out", "traffic.csv"});
    const auto toFile = Hbd(withFile);
    ASSERT_EQ(toFile.code, 0) << toFile.err;
    EXPECT_EQ(Read("traffic.csv"), toTerminal.out);
    EXPECT_EQ(toFile.out, toTerminal.err) << "the summary";
    EXPECT_THAT(toFile.out, HasSubstr("scale_out_bytes"));
    EXPECT_EQ(TreeOf(m_folder).size(), 2u) << "nothing beside the scenario and the file";
}

TEST_F(OtherCommands, TrafficAsJsonIsJson)
{
    const auto ended = Hbd({"traffic", "tiny.yaml", "--set", "cluster.hbd.size=2", "--format", "json"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(nlohmann::json::parse(ended.out).at("ranks"), 4);
}

TEST_F(OtherCommands, TrafficAsGoalNamesEachRank)
{
    const auto ended = Hbd({"traffic", "tiny.yaml", "--set", "cluster.hbd.size=2", "--format", "goal"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("num_ranks 4"));
    EXPECT_THAT(ended.out, HasSubstr("rank 3 {"));
}

TEST_F(OtherCommands, FabricCountsNodesLinksAndPairs)
{
    const auto ended = Hbd({"fabric", "tiny.yaml", "--set", "cluster.hbd.size=2"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    // 2 domains x 18 planes; 4 GPUs x 18 links of 1.8 TB/s / 2 / 18 = 400 Gb/s.
    EXPECT_THAT(ended.out, testing::ContainsRegex("nvswitch +36 "));
    EXPECT_THAT(ended.out, testing::ContainsRegex("scale-up +gpu +nvswitch +72 +400 Gb/s"));
    EXPECT_THAT(ended.out, testing::ContainsRegex("inside a domain +2 +4\n"));
    // The halves are the domains: nothing but the four NICs, of which two are on each side.
    EXPECT_THAT(ended.out, HasSubstr("scale-up   none"));
    EXPECT_THAT(ended.out, HasSubstr("scale-out  800 Gb/s"));
}

TEST_F(OtherCommands, FabricShowsTiersTrunksAndWhatIsDown)
{
    const auto tiers = Hbd({"fabric",
                            "tiny.yaml",
                            "--set",
                            "cluster.hbd.size=4",
                            "--set",
                            "cluster.hbd.topology=two-tier",
                            "--set",
                            "cluster.hbd.leaf-size=2",
                            "--set",
                            "cluster.hbd.spines=2",
                            "--set",
                            "cluster.hbd.trunk-rate=100Gbps",
                            "--set",
                            "cluster.hbd.broken=hbd0.plane3.leaf1-spine0.0"});
    ASSERT_EQ(tiers.code, 0) << tiers.err;
    // 18 planes of 2 leaves and 2 spines; a leaf has 2 links of 400 Gb/s down and 2 trunks of 100 Gb/s up, a quarter,
    // in each plane
    EXPECT_THAT(tiers.out, testing::ContainsRegex("nvswitch +36 "));
    EXPECT_THAT(tiers.out, testing::ContainsRegex("nvswitch level 1 +36 "));
    EXPECT_THAT(tiers.out, testing::ContainsRegex("inside a domain +2 +4\n"));
    EXPECT_THAT(tiers.out, testing::ContainsRegex("inside a domain +4 +8\n"));
    EXPECT_THAT(tiers.out, testing::ContainsRegex("HBD 0 +0 +14.4 Tb/s +3.6 Tb/s +4 : 1"));
    EXPECT_THAT(tiers.out, testing::ContainsRegex("HBD 0 +1 +14.4 Tb/s +3.5 Tb/s +4.11 : 1"));
    EXPECT_THAT(tiers.out, HasSubstr("down: hbd0.plane3.leaf1-spine0.0"));
    EXPECT_THAT(tiers.out, HasSubstr("scale-up   3.5 Tb/s"));
    const auto mesh =
        Hbd({"fabric", "tiny.yaml", "--set", "cluster.hbd.size=4", "--set", "cluster.hbd.preset=nvlink3-mesh4"});
    ASSERT_EQ(mesh.code, 0) << mesh.err;
    // 6 pairs of 4 links of 25 GB/s
    EXPECT_THAT(mesh.out, testing::ContainsRegex("scale-up +gpu +gpu +24 +200 Gb/s"));
    EXPECT_THAT(mesh.out, testing::ContainsRegex("inside a domain +1 +12\n"));
    EXPECT_THAT(mesh.out, HasSubstr("scale-up   3.2 Tb/s"));
    const auto dot = Hbd({"fabric",
                          "tiny.yaml",
                          "--set",
                          "cluster.hbd.size=4",
                          "--set",
                          "cluster.hbd.broken=gpu1.link2",
                          "--format",
                          "dot"});
    EXPECT_THAT(dot.out, HasSubstr("\"gpu1\" -- \"nvswitch-h0-p2\" [label=\"400 Gb/s, down\", style=\"dashed\"];"));
}

TEST_F(OtherCommands, FabricAsDotJoinsOnlyNodesThatItNames)
{
    const auto ended = Hbd({"fabric", "tiny.yaml", "--set", "cluster.hbd.size=2", "--format", "dot"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, StartsWith("graph fabric {"));
    std::set<std::string> nodes;
    size_t lines = 0;
    std::istringstream text(ended.out);
    for (std::string line; std::getline(text, line);)
    {
        std::vector<std::string> quoted;
        for (size_t at = line.find('"'); at != std::string::npos; at = line.find('"', at))
        {
            const size_t end = line.find('"', at + 1);
            quoted.push_back(line.substr(at + 1, end - at - 1));
            at = end + 1;
        }
        if (line.find(" -- ") != std::string::npos)
        {
            ++lines;
            EXPECT_EQ(nodes.count(quoted.at(0)), 1u) << line;
            EXPECT_EQ(nodes.count(quoted.at(1)), 1u) << line;
        }
        else if (line.find("shape=") != std::string::npos)
        {
            nodes.insert(quoted.at(0));
        }
    }
    EXPECT_EQ(lines, 18u * 4 + 4 + 4 + 2 * 2) << "planes x GPUs, host links, NICs, leaves x spines";
}

TEST_F(OtherCommands, BenchMeasuresBesideBareEventsLong)
{
    const auto ended = Hbd({"bench", "--json", "bench.json"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    std::map<std::string, double> values;
    for (const auto& figure : nlohmann::json::parse(Read("bench.json")))
    {
        for (const char* key : {"name", "value", "unit", "target", "met"})
        {
            EXPECT_TRUE(figure.contains(key)) << key;
        }
        EXPECT_GT(figure.at("value"), 0);
        if (!figure.at("target").is_null())
        {
            EXPECT_EQ(figure.at("met"), figure.at("value") >= figure.at("target"));
        }
        values[figure.at("name")] = figure.at("value");
    }
    for (const std::string name : {"all-to-all-one-domain", "all-to-all-leaf-spine"})
    {
        ASSERT_EQ(values.count(name), 1u);
        EXPECT_NEAR(values[name] / values["bare-events"],
                    values[name + "-per-bare-event"],
                    values[name + "-per-bare-event"] / 2);
    }
}

} // namespace
