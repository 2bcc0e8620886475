/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"

// Goal: a sweep has the points that the design says, in order, and `--set` keeps or fixes values as it says.

namespace hbd::traffic
{

namespace
{

class ScenarioSweep : public ScenarioTest
{
  protected:
    /// The swept values of each point, one text a point: `64/8/fp16`.
    static std::vector<std::string> Points(const ScenarioFile& file)
    {
        std::vector<std::string> texts;
        for (const auto& point : file.points)
        {
            std::string text;
            for (const auto& [key, value] : point.sweptKeys)
            {
                text += (text.empty() ? "" : "/") + value;
            }
            texts.push_back(text);
        }
        return texts;
    }

    std::string Study() const
    {
        return Root() + "/examples/scenarios/hbd-size-study.yaml";
    }

    static std::string Swept(const std::string& axes)
    {
        return "cluster: {gpus: 8, hbd: {size: 8}}\nworkload: {collective: all-reduce, sizes: [1MiB]}\nsweep:\n" + axes;
    }
};

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ScenarioSweep, TheFirstAxisVariesSlowest)
{
    const ScenarioFile file =
        Good(Swept("  - [{cluster.gpus: 8, cluster.hbd.size: 4}, {cluster.gpus: 16, cluster.hbd.size: 16}]\n"
                   "  - cluster.scale-out.nic-rate: [200Gbps, 400Gbps]\n"));
    EXPECT_THAT(Points(file), ElementsAre("8/4/200Gbps", "8/4/400Gbps", "16/16/200Gbps", "16/16/400Gbps"));
    EXPECT_EQ(file.points[2].cluster.gpus, 16u);
    EXPECT_EQ(file.points[2].cluster.scaleOut.nicRate, BitRate::FromGbps(200));
    EXPECT_EQ(file.points[0].sweptKeys[1].first, "cluster.hbd.size");
}

TEST_F(ScenarioSweep, TheStudyHasItsTwentySevenPoints)
{
    const ScenarioFile file = GoodFile(Study());
    ASSERT_THAT(file.points, SizeIs(27));
    EXPECT_EQ(Points(file).front(), "64/8/fp16");
    EXPECT_EQ(Points(file).back(), "128/128/fp4");
    for (const auto& point : file.points)
    {
        EXPECT_EQ(point.mapping.tp, 8u);
        EXPECT_EQ(point.mapping.dp, point.cluster.gpus / 8);
        EXPECT_EQ(point.mapping.ep, 8u);
        EXPECT_EQ(point.mapping.expertTp, point.cluster.gpus / 8);
    }
    std::set<std::string> ids;
    for (const auto& mark : file.references)
    {
        ids.insert(mark.id);
    }
    EXPECT_THAT(ids, ElementsAre("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9"));
}

TEST_F(ScenarioSweep, IdenticalPointsAreMerged)
{
    EXPECT_THAT(Points(Good(Swept("  - cluster.hbd.link-rate: [1.8TB/s, 1800GB/s, 14.4Tbps, 0.9TB/s]\n"))),
                ElementsAre("1.8TB/s", "900GB/s"));
}

TEST_F(ScenarioSweep, AValueMayBeAPresetOrAMap)
{
    const ScenarioFile file = Good(Swept("  - cluster.hbd: [nvlink5-board, {preset: nvlink5, switch-delay: 1us}]\n"));
    ASSERT_THAT(file.points, SizeIs(2));
    EXPECT_EQ(file.points[0].cluster.hbd.planes, 2u);
    EXPECT_EQ(file.points[1].cluster.hbd.planes, 18u);
    EXPECT_EQ(file.points[1].cluster.hbd.switchDelay, Duration::FromMicroseconds(1));
    EXPECT_THAT(Points(file), ElementsAre("nvlink5-board/200ns", "nvlink5/1us"));
}

TEST_F(ScenarioSweep, AZippedMapMayBeNested)
{
    EXPECT_THAT(
        Points(Good(Swept("  - [{cluster: {gpus: 16, hbd: {size: 2}}}, {cluster: {gpus: 4, hbd: {size: 4}}}]\n"))),
        ElementsAre("16/2", "4/4"));
}

TEST_F(ScenarioSweep, SeedsMakeAnAxis)
{
    EXPECT_THAT(Points(Good(std::string(kNetworkOnly) + "seeds: 3\n")), ElementsAre("1", "2", "3"));
    EXPECT_THAT(Points(Good(std::string(kNetworkOnly) + "seed: 7\nseeds: 2\n")), ElementsAre("7", "8"));
    EXPECT_THAT(Points(Good(std::string(kNetworkOnly) + "seeds: 9\n", {"seeds=2"})), ElementsAre("1", "2"));
    EXPECT_THAT(Bad(std::string(kNetworkOnly) + "seeds: 0\n"),
                HasSubstr("seeds: expected a whole number, 1..10000, given 0"));
}

TEST_F(ScenarioSweep, WrongAxesAreProblems)
{
    EXPECT_THAT(Bad(Swept("  - cluster.hbd.sise: [4]\n")), HasSubstr("did you mean cluster.hbd.size?"));
    EXPECT_THAT(Bad(Swept("  - cluster.hbd.size: 4\n")), HasSubstr("a list of values for cluster.hbd.size, given 4"));
    EXPECT_THAT(Bad(Swept("  - cluster.hbd.size: []\n")), HasSubstr("a list of values"));
    EXPECT_THAT(Bad(Swept("  - {cluster.gpus: [8], cluster.hbd.size: [4]}\n")), HasSubstr("an axis: one key"));
    EXPECT_THAT(Bad(Swept("  - [4, 8]\n")), HasSubstr("a map of keys"));
    EXPECT_THAT(Bad(Swept("  - []\n")), HasSubstr("at least one map"));
    EXPECT_THAT(Bad(Swept("  3\n")), HasSubstr("a list of axes"));
    EXPECT_THAT(Bad(Swept("  - cluster.gpus: [8]\n  - cluster.gpus: [16]\n")), HasSubstr("cluster.gpus in two"));
    std::string many = "[1";
    for (int i = 2; i <= 400; ++i)
    {
        many += ", " + std::to_string(i);
    }
    EXPECT_THAT(Bad(Swept("  - seed: " + many + "]\n  - cluster.hbd.planes: " + many + "]\n")),
                HasSubstr("at most 100000 points"));
}

TEST_F(ScenarioSweep, EveryPointIsValidatedAndAProblemOfManyReportedOnce)
{
    const std::string all = Bad(Swept("  - cluster.hbd.size: [8, 3]\n  - seed: [1, 2, 3]\n"));
    EXPECT_THAT(all,
                HasSubstr("scenario.yaml:4: cluster.hbd.size: expected a size that divides cluster.gpus = 8, given 3"));
    EXPECT_THAT(all, HasSubstr("in the point cluster.hbd.size=3 seed=1"));
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
}

TEST_F(ScenarioSweep, SettingASweptKeyKeepsThePointsThatHaveTheValue)
{
    EXPECT_THAT(Points(GoodFile(Study(), {"cluster.gpus=64", "cluster.hbd.size=8", "precision=fp8"})),
                ElementsAre("64/8/fp8"));
    EXPECT_THAT(GoodFile(Study(), {"cluster.gpus=128"}).points, SizeIs(15));
    EXPECT_THAT(
        Points(Good(Swept("  - cluster.hbd.link-rate: [1.8TB/s, 0.9TB/s]\n"), {"cluster.hbd.link-rate=1800GB/s"})),
        ElementsAre("1.8TB/s"))
        << "compared after parsing";
    EXPECT_THAT(Points(GoodFile(Study(), {"precision.weights=bf16", "cluster.gpus=64", "cluster.hbd.size=64"})),
                ElementsAre("64/64/fp16"))
        << "both names of a key are the same key";
}

TEST_F(ScenarioSweep, SettingASweptKeyToANewValueFixesItForAllAndMerges)
{
    const ScenarioFile file = Good(Swept("  - cluster.hbd.size: [2, 4]\n  - seed: [1, 2]\n"), {"cluster.hbd.size=8"});
    EXPECT_THAT(Points(file), ElementsAre("8/1", "8/2")) << "the swept key stays a column";
    EXPECT_EQ(file.points[0].sweptKeys[0].first, "cluster.hbd.size");
    EXPECT_THAT(BadFile(Study(), {"cluster.gpus=32"}),
                HasSubstr("cluster.hbd.size: expected a size that divides cluster.gpus = 32, given 64"))
        << "and all points are validated";
}

TEST_F(ScenarioSweep, SettingsAreAppliedFromLeftToRight)
{
    EXPECT_THAT(Points(Good(Swept("  - seed: [1, 2]\n"), {"seed=5", "seed=2"})), ElementsAre("2"))
        << "after the first no point has 2 any more";
    EXPECT_THAT(Points(Good(Swept("  - seed: [1, 2]\n"), {"seed=2", "seed=1"})), ElementsAre("1"));
    EXPECT_EQ(Good(kNetworkOnly, {"cluster.gpus=8", "cluster.gpus=32"}).points[0].cluster.gpus, 32u);
}

TEST_F(ScenarioSweep, APointWithoutTheSweptKeyHasTheScenariosValue)
{
    const std::string text = Swept("  - [{seed: 1}, {seed: 2, cluster.hbd.size: 4}]\n");
    EXPECT_THAT(Points(Good(text)), ElementsAre("1/8", "2/4"));
    EXPECT_THAT(Points(Good(text, {"cluster.hbd.size=8"})), ElementsAre("1/8"));
}

TEST_F(ScenarioSweep, SettingAKeyThatIsNotSweptChangesAllPoints)
{
    const ScenarioFile file =
        Good(Swept("  - seed: [1, 2]\n"),
             {"cluster.scale-out.nic-rate=200Gbps", "cluster.hbd={preset: nvlink5-board, size: 4}"});
    ASSERT_THAT(file.points, SizeIs(2));
    EXPECT_EQ(file.points[1].cluster.scaleOut.nicRate, BitRate::FromGbps(200));
    EXPECT_EQ(file.points[1].cluster.hbd.planes, 2u);
    EXPECT_EQ(file.points[1].cluster.hbd.size, 4u);
    EXPECT_THAT(Points(file), ElementsAre("1", "2"));
}

TEST_F(ScenarioSweep, WrongSettingsAreProblemsOfTheCommandLine)
{
    EXPECT_THAT(Bad(kNetworkOnly, {"cluster.hbd.sze=8"}), HasSubstr("--set: cluster.hbd.sze: expected a known key"));
    EXPECT_THAT(Bad(kNetworkOnly, {"cluster.gpus"}), HasSubstr("--set: expected PATH=VALUE, given `cluster.gpus`"));
    EXPECT_THAT(Bad(kNetworkOnly, {"=8"}), HasSubstr("expected PATH=VALUE"));
    EXPECT_THAT(Bad(kNetworkOnly, {"cluster.gpus="}), HasSubstr("given nothing"));
    EXPECT_THAT(Bad(kNetworkOnly, {"cluster.hbd={size"}), HasSubstr("--set"));
    EXPECT_THAT(Bad(kNetworkOnly, {"cluster.hbd.link-rate=1.8TB"}),
                HasSubstr("--set: cluster.hbd.link-rate: expected a rate"));
    EXPECT_THAT(Bad(kNetworkOnly, {"cluster.hbd.size=5"}),
                HasSubstr("--set: cluster.hbd.size: expected a size that divides"));
    EXPECT_THAT(Bad(kNetworkOnly, {"sweep=[]"}), HasSubstr("--set: sweep: expected a key of a point"));
}

} // namespace

} // namespace hbd::traffic
