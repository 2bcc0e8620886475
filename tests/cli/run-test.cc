/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: what `hbd run` leaves behind and prints, whatever --set, --jobs and the working directory.
// Method: the real program on small scenarios; result folders are compared file by file.

#include "program.h"

#include <gmock/gmock.h>

namespace
{

using namespace hbd::tests;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

/// The cells of one column of points.csv.
std::vector<std::string>
Column(const std::string& csv, const std::string& name)
{
    std::istringstream lines(csv);
    std::vector<std::string> cells;
    size_t column = std::string::npos;
    for (std::string line; std::getline(lines, line);)
    {
        std::istringstream words(line);
        size_t at = 0;
        for (std::string word; std::getline(words, word, ','); ++at)
        {
            if (column == std::string::npos && word == name)
            {
                column = at;
            }
            else if (at == column)
            {
                cells.push_back(word);
            }
        }
    }
    return cells;
}

class RunCommandTest : public CommandTest
{
  protected:
    RunCommandTest()
    {
        Write("tiny.yaml", TINY_SWEEP);
    }

    /// Runs tiny.yaml with these settings. \return points.csv
    std::string PointsWith(const std::vector<std::string>& sets) const
    {
        std::vector<std::string> words{"run", "tiny.yaml", "--out", "out-" + std::to_string(sets.size())};
        for (const auto& set : sets)
        {
            words.insert(words.end(), {"--set", set});
        }
        const auto ended = Hbd(words);
        EXPECT_EQ(ended.code, 0) << ended.err;
        return Read(words[3] + "/points.csv");
    }
};

TEST_F(RunCommandTest, WritesEveryRecordAndPrintsTheTable)
{
    const auto ended = Hbd({"run", "tiny.yaml", "--out", "out"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("TTFT"));
    EXPECT_THAT(ended.out, HasSubstr("results: out"));
    EXPECT_THAT(ended.err, HasSubstr("point 1 of 2: cluster.hbd.size=2: started"));
    EXPECT_THAT(ended.err, HasSubstr("point 1 of 2: cluster.hbd.size=2: done"));
    EXPECT_THAT(PointsIn(m_folder / "out"), ElementsAre("01_size-2", "02_size-4"));
    std::vector<std::string> names;
    for (const auto& [name, text] : TreeOf(m_folder / "out/01_size-2"))
    {
        EXPECT_NE(text, "") << name;
        names.push_back(name);
    }
    EXPECT_THAT(names,
                IsSupersetOf({"summary.json",
                              "run.json",
                              "scenario.yaml",
                              "scenario.json",
                              "topology.json",
                              "stages.csv",
                              "collectives.csv",
                              "links.csv"}));
}

TEST_F(RunCommandTest, ResultsGoToTheNextFreeFolderUnderTheCallersDirectory)
{
    Write("elsewhere/scenario.yaml", TINY_SWEEP);
    std::filesystem::create_directory(m_folder / "here");
    for (const std::string name : {"tiny-1", "tiny-2"})
    {
        const auto ended =
            RunProgram({"run", "../elsewhere/scenario.yaml", "--set", "cluster.hbd.size=4"}, m_folder / "here");
        ASSERT_EQ(ended.code, 0) << ended.err;
        EXPECT_THAT(ended.out, HasSubstr("results: results/" + name));
        EXPECT_EQ(PointsIn(m_folder / "here/results/" / name).size(), 1u);
    }
    EXPECT_EQ(ResultsOf(m_folder / "here/results/tiny-1"), ResultsOf(m_folder / "here/results/tiny-2"));
    EXPECT_EQ(TreeOf(m_folder / "elsewhere").size(), 1u);
}

TEST_F(RunCommandTest, EmptyFolderIsAccepted)
{
    std::filesystem::create_directory(m_folder / "out");
    EXPECT_EQ(Hbd({"run", "tiny.yaml", "--out", "out/"}).code, 0);
    EXPECT_EQ(PointsIn(m_folder / "out").size(), 2u);
}

TEST_F(RunCommandTest, NumberOfJobsChangesNothingButTheCost)
{
    ASSERT_EQ(Hbd({"run", "tiny.yaml", "--out", "one", "--jobs", "1"}).code, 0);
    ASSERT_EQ(Hbd({"run", "tiny.yaml", "--out", "two", "--jobs", "2"}).code, 0);
    EXPECT_EQ(ResultsOf(m_folder / "one"), ResultsOf(m_folder / "two"));
}

TEST_F(RunCommandTest, PointsOfOneFabricGiveWhatTheyGiveAlone)
{
    // The three are simulated one after the other in one process, and what was learnt about the first serves the
    // others.
    const std::vector<std::string> precisions{"fp16", "fp8", "fp4"};
    Write("three.yaml", std::string(TINY_SWEEP) + "  - precision: [fp16, fp8, fp4]\n");
    ASSERT_EQ(Hbd({"run", "three.yaml", "--out", "all", "--set", "cluster.hbd.size=2"}).code, 0);
    const auto points = PointsIn(m_folder / "all");
    ASSERT_EQ(points.size(), precisions.size());
    for (size_t i = 0; i < precisions.size(); ++i)
    {
        const std::string out = "alone-" + precisions[i];
        ASSERT_EQ(Hbd({"run",
                       "three.yaml",
                       "--out",
                       out,
                       "--set",
                       "cluster.hbd.size=2",
                       "--set",
                       "precision=" + precisions[i]})
                      .code,
                  0);
        auto together = ResultsOf(m_folder / "all" / points[i]);
        auto alone = ResultsOf(m_folder / out / PointsIn(m_folder / out).front());
        together.erase("summary.json"); // has the name of the folder, which has the point's number
        alone.erase("summary.json");
        EXPECT_EQ(together, alone) << precisions[i];
    }
}

TEST_F(RunCommandTest, SetKeepsThePointsThatHaveTheValue)
{
    EXPECT_THAT(Column(PointsWith({"cluster.hbd.size=4"}), "cluster.hbd.size"), ElementsAre("4"));
}

TEST_F(RunCommandTest, SetFixesASweptKeyToAValueThatNoPointHas)
{
    // Both points become the same one; the key stays a column.
    EXPECT_THAT(Column(PointsWith({"cluster.hbd.size=1"}), "cluster.hbd.size"), ElementsAre("1"));
}

TEST_F(RunCommandTest, SetsAreAppliedFromLeftToRight)
{
    EXPECT_THAT(Column(PointsWith({"cluster.hbd.size=2", "cluster.hbd.size=4"}), "cluster.hbd.size"), ElementsAre("4"));
}

TEST_F(RunCommandTest, SetComparesValuesNotTexts)
{
    Write("tiny.yaml", std::string(TINY_SWEEP) + "  - cluster.hbd.link-rate: [900GB/s, 1.8TB/s]\n");
    const auto points = PointsWith({"cluster.hbd.link-rate=1800GB/s"});
    EXPECT_THAT(Column(points, "cluster.hbd.link-rate"), ElementsAre("1.8TB/s", "1.8TB/s"));
    EXPECT_THAT(Column(points, "cluster.hbd.size"), ElementsAre("2", "4"));
}

TEST_F(RunCommandTest, SetOfAKeyThatIsNotSweptChangesAllPoints)
{
    const auto before = PointsWith({});
    const auto after = PointsWith({"cluster.hbd.link-delay=10us"});
    EXPECT_EQ(Column(after, "cluster.hbd.size"), Column(before, "cluster.hbd.size"));
    EXPECT_NE(Column(after, "ttft_s"), Column(before, "ttft_s"));
    EXPECT_THAT(Column(after, "cluster.hbd.link-delay"), ElementsAre()) << "a key that is not swept is no column";
}

TEST_F(RunCommandTest, DryRunEstimatesAndWritesNothing)
{
    const auto before = TreeOf(m_folder);
    const auto ended = Hbd({"run", "tiny.yaml", "--dry-run"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("TTFT"));
    EXPECT_THAT(ended.out, HasSubstr("2 point(s)"));
    EXPECT_EQ(TreeOf(m_folder), before);
}

TEST_F(RunCommandTest, DryRunCountsTheLinksThatAreLeft)
{
    // 800 GB/s of payload: 8 GB each way are 10 ms; with half of the planes down 20 ms
    Write("two.yaml", "cluster: {gpus: 2, hbd: {size: 2, preset: nvlink5-board}}\nworkload: {collective: all-gather, algorithm: direct, sizes: [16GB]}\n");
    const auto whole = Hbd({"run", "two.yaml", "--dry-run"});
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_THAT(whole.out, HasSubstr(" 10 ms "));
    EXPECT_THAT(whole.out, testing::Not(HasSubstr("cluster.hbd.broken")));
    const auto half = Hbd({"run", "two.yaml", "--dry-run", "--set", "cluster.hbd.broken=hbd0.plane1"});
    ASSERT_EQ(half.code, 0) << half.err;
    EXPECT_THAT(half.out, HasSubstr(" 20 ms "));
    EXPECT_THAT(half.out, HasSubstr("Of what is down (cluster.hbd.broken) they count the links that two GPUs have left"));
}

TEST_F(RunCommandTest, WithoutAScenarioTheStudyIsMeant)
{
    const auto ended = Hbd({"run", "--dry-run"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("27 point(s)"));
}

TEST_F(RunCommandTest, WrittenScenarioGivesTheSameResults)
{
    ASSERT_EQ(Hbd({"run", "tiny.yaml", "--set", "cluster.hbd.size=4", "--out", "first"}).code, 0);
    const auto point = PointsIn(m_folder / "first").front();
    ASSERT_EQ(Hbd({"run", "first/" + point + "/scenario.yaml", "--out", "again"}).code, 0);
    const auto again = PointsIn(m_folder / "again").front();
    for (const std::string file : {"stages.csv", "collectives.csv", "links.csv", "topology.json", "scenario.yaml"})
    {
        EXPECT_EQ(Read("first/" + point + "/" + file), Read("again/" + again + "/" + file)) << file;
    }
}

TEST_F(RunCommandTest, NetworkAloneHasATableOfCollectives)
{
    Write("network.yaml",
          "name: network\ncluster: {gpus: 4, hbd: {size: 2, preset: nvlink5}, scale-out: rail-optimized-400g}\n"
          "workload: {collective: all-to-all, sizes: [4KiB, 64KiB]}\n");
    const auto ended = Hbd({"run", "network.yaml"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("busbw"));
    EXPECT_THAT(ended.out, HasSubstr("64 KiB"));
    EXPECT_THAT(ended.out, Not(HasSubstr("TTFT")));
}

} // namespace
