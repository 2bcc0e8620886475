/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Published marks against made-up points whose answers are known, and the study page made from result folders.

#include "analysis/durable-file.h"
#include "analysis/record-format.h"
#include "analysis/record-writer.h"
#include "analysis/reference.h"
#include "analysis/study-page.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace hbd::analysis
{
namespace
{

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGpu = "throughput_per_gpu_tokens_per_s";

/// TTFT, per-GPU throughput and decode share of a made-up point.
struct Values
{
    double ttft;
    double perGpu;
    double share;
};

/// The study's grid, or the part of it that a filter leaves.
std::vector<PointResult>
Grid(const std::function<Values(int gpus, int hbd, const std::string& precision)>& values)
{
    std::vector<PointResult> points;
    for (const int gpus : {64, 128})
    {
        for (int hbd = 8; hbd <= gpus; hbd *= 2)
        {
            for (const auto* precision : {"fp16", "fp8", "fp4"})
            {
                const Values v = values(gpus, hbd, precision);
                PointResult point;
                point.point = std::to_string(gpus) + "-" + std::to_string(hbd) + "-" + precision;
                point.keys = {{"cluster.gpus", std::to_string(gpus)},
                              {"cluster.hbd.size", std::to_string(hbd)},
                              {"precision", precision}};
                point.metrics = {{"ttft_s", v.ttft}, {kGpu, v.perGpu}, {"decode_comm_share", v.share}};
                points.push_back(point);
            }
        }
    }
    return points;
}

/// How much lower precisions gain more.
int
Rank(const std::string& precision)
{
    return precision == "fp16" ? 1 : precision == "fp8" ? 2 : 3;
}

/// Per doubling of the HBD: TTFT x (1 - 0.05 rank), throughput x (1 + 0.1 rank), share - 0.02.
Values
WellBehaved(int, int hbd, const std::string& precision)
{
    const int doublings = hbd == 8 ? 0 : hbd == 16 ? 1 : hbd == 32 ? 2 : hbd == 64 ? 3 : 4;
    const int rank = Rank(precision);
    return {std::pow(1 - 0.05 * rank, doublings), std::pow(1 + 0.1 * rank, doublings), 0.5 - 0.02 * doublings};
}

PublishedMark
Mark(const std::string& kind, const std::string& metric, std::map<std::string, std::string> where)
{
    PublishedMark mark;
    mark.id = "R";
    mark.statement = "a statement";
    mark.metric = metric;
    mark.kind = kind;
    mark.where = std::move(where);
    mark.over = "cluster.hbd.size";
    return mark;
}

MarkResult
Evaluate(const PublishedMark& mark, const std::vector<PointResult>& points)
{
    return EvaluateMarks({mark}, points).front();
}

TEST(PublishedMarks, LargestDropIsTheLargestOverTheOtherKeys)
{
    PublishedMark mark = Mark("largest-drop", "ttft_s", {{"cluster.gpus", "64"}});
    mark.published = 0.40;
    mark.tolerance = 0.10;
    const MarkResult result = Evaluate(mark, Grid(WellBehaved));
    ASSERT_TRUE(result.covered);
    EXPECT_NEAR(*result.simulated, 1 - 0.85 * 0.85 * 0.85, 1e-12); // fp4, three doublings
    EXPECT_NEAR(*result.difference, 1 - 0.85 * 0.85 * 0.85 - 0.40, 1e-12);
    EXPECT_EQ(result.holds, std::optional<bool>(true));
    EXPECT_THAT(result.explanation, HasSubstr("8 -> 64, precision=fp4"));
    EXPECT_EQ(PublishedText(result), "40 %");
    EXPECT_EQ(SimulatedText(result), "38.6 %");
    EXPECT_EQ(DifferenceText(result), "-1.4 points");
}

TEST(PublishedMarks, LargestGainMissesItsToleranceWhenItIsFarOff)
{
    PublishedMark mark = Mark("largest-gain", kGpu, {{"cluster.gpus", "128"}});
    mark.published = 0.59;
    mark.tolerance = 0.10;
    const MarkResult result = Evaluate(mark, Grid(WellBehaved));
    EXPECT_NEAR(*result.simulated, std::pow(1.3, 4) - 1, 1e-12);
    EXPECT_EQ(result.holds, std::optional<bool>(false));
}

TEST(PublishedMarks, RatioNeedsOneSeries)
{
    PublishedMark mark = Mark("ratio", kGpu, {{"cluster.gpus", "128"}, {"precision", "fp16"}});
    mark.published = 1.36;
    const MarkResult result = Evaluate(mark, Grid(WellBehaved));
    EXPECT_NEAR(*result.simulated, std::pow(1.1, 4), 1e-12);
    EXPECT_EQ(SimulatedText(result), "1.46");
    EXPECT_EQ(DifferenceText(result), "+0.10");
    EXPECT_EQ(HoldsText(result), "-") << "without a tolerance there is no yes or no";
    mark.where.erase("precision");
    const MarkResult ambiguous = Evaluate(mark, Grid(WellBehaved));
    EXPECT_FALSE(ambiguous.covered);
    EXPECT_THAT(ambiguous.explanation, HasSubstr("3 series match"));
}

TEST(PublishedMarks, FallsHoldsWhenEverySeriesFalls)
{
    const MarkResult result =
        Evaluate(Mark("falls", "decode_comm_share", {{"cluster.gpus", "128"}}), Grid(WellBehaved));
    EXPECT_EQ(result.holds, std::optional<bool>(true));
    EXPECT_EQ(SimulatedText(result), "holds");
    EXPECT_THAT(result.explanation, HasSubstr("3 series: smallest fall 0.0800"));
}

TEST(PublishedMarks, FallsAllowsARiseOfTwoThousandthsAndNoMore)
{
    for (const auto& [rise, holds] : {std::make_pair(0.0019, true), std::make_pair(0.0021, false)})
    {
        const auto points = Grid([rise = rise](int gpus, int hbd, const std::string& precision) {
            Values values = WellBehaved(gpus, hbd, precision);
            values.share = hbd == 8 ? 0.5 : hbd == 32 && precision == "fp4" ? 0.4 + rise : 0.4;
            return values;
        });
        const MarkResult result = Evaluate(Mark("falls", "decode_comm_share", {{"cluster.gpus", "128"}}), points);
        EXPECT_EQ(result.holds, std::optional<bool>(holds)) << rise;
        if (!holds)
        {
            EXPECT_THAT(result.explanation, HasSubstr("rises by 0.0021 at cluster.hbd.size 16 -> 32 (precision=fp4)"));
        }
    }
}

TEST(PublishedMarks, FallsNeedsAFallOfTwoHundredths)
{
    for (const auto& [fall, holds] : {std::make_pair(0.021, true), std::make_pair(0.019, false)})
    {
        const auto points = Grid([fall = fall](int, int hbd, const std::string&) {
            return Values{1, 1, hbd == 8 ? 0.5 : 0.5 - fall};
        });
        EXPECT_EQ(Evaluate(Mark("falls", "decode_comm_share", {}), points).holds, std::optional<bool>(holds)) << fall;
    }
}

TEST(PublishedMarks, FallsOfSeveralMetricsNeedsAllOfThem)
{
    const auto points = Grid(WellBehaved);
    EXPECT_TRUE(*Evaluate(Mark("falls", "decode_comm_share, ttft_s", {}), points).holds);
    EXPECT_FALSE(*Evaluate(Mark("falls", "decode_comm_share, throughput_per_gpu_tokens_per_s", {}), points).holds);
}

TEST(PublishedMarks, GainGrowsWithTheInstanceAndWithLowerPrecision)
{
    const auto points = Grid(WellBehaved);
    PublishedMark mark = Mark("gain-grows-with", kGpu, {});
    mark.gainWith = "cluster.gpus";
    EXPECT_EQ(Evaluate(mark, points).holds, std::optional<bool>(true));
    mark.gainWith = "precision";
    const MarkResult result = Evaluate(mark, points);
    EXPECT_EQ(result.holds, std::optional<bool>(true));
    EXPECT_THAT(result.explanation, HasSubstr("cluster.gpus=64: fp16 +33.1 %, fp8 +72.8 %, fp4 +119.7 %"));
}

TEST(PublishedMarks, GainOfATimeIsItsDrop)
{
    PublishedMark mark = Mark("gain-grows-with", "ttft_s", {});
    mark.gainWith = "precision";
    EXPECT_EQ(Evaluate(mark, Grid(WellBehaved)).holds, std::optional<bool>(true));
}

TEST(PublishedMarks, GainThatShrinksInOneCombinationDoesNotHold)
{
    const auto points = Grid([](int gpus, int hbd, const std::string& precision) {
        Values values = WellBehaved(gpus, hbd, precision);
        values.perGpu = gpus == 128 && precision == "fp4" ? 1 : values.perGpu;
        return values;
    });
    PublishedMark mark = Mark("gain-grows-with", kGpu, {});
    mark.gainWith = "cluster.gpus";
    EXPECT_EQ(Evaluate(mark, points).holds, std::optional<bool>(false));
    mark.gainWith = "precision";
    EXPECT_EQ(Evaluate(mark, points).holds, std::optional<bool>(false));
}

TEST(PublishedMarks, MarksWhosePointsWereNotRunAreNotCovered)
{
    auto points = Grid(WellBehaved);
    points.resize(1); // 64 GPUs, HBD 8, fp16
    PublishedMark gain = Mark("gain-grows-with", kGpu, {});
    gain.gainWith = "precision";
    for (const auto& mark : {Mark("largest-drop", "ttft_s", {}),
                             Mark("largest-gain", kGpu, {}),
                             Mark("ratio", kGpu, {{"precision", "fp16"}}),
                             Mark("falls", "decode_comm_share", {}),
                             gain})
    {
        const MarkResult result = Evaluate(mark, points);
        EXPECT_FALSE(result.covered) << mark.kind;
        EXPECT_EQ(result.holds, std::nullopt) << mark.kind;
        EXPECT_EQ(SimulatedText(result), "not covered") << mark.kind;
    }
}

TEST(PublishedMarks, ADemandedRangeMustHaveBeenRunWhole)
{
    PublishedMark mark = Mark("largest-drop", "ttft_s", {{"cluster.gpus", "128"}, {"cluster.hbd.size", "8..64"}});
    auto points = Grid(WellBehaved);
    EXPECT_NEAR(*Evaluate(mark, points).simulated, 1 - 0.85 * 0.85 * 0.85, 1e-12) << "128 is outside the range";
    mark.where["cluster.hbd.size"] = "8..256";
    EXPECT_FALSE(Evaluate(mark, points).covered);
}

TEST(PublishedMarks, EveryKindIsEvaluatedAndAnUnknownOneNamesThem)
{
    for (const auto& kind : MarkKinds())
    {
        PublishedMark mark = Mark(kind.name, "decode_comm_share", {{"cluster.gpus", "64"}, {"precision", "fp8"}});
        mark.gainWith = "precision";
        const MarkResult result = Evaluate(mark, Grid(WellBehaved));
        EXPECT_FALSE(result.explanation.empty()) << kind.name;
    }
    try
    {
        Evaluate(Mark("smallest-drop", "ttft_s", {}), {});
        FAIL() << "an unknown kind went through";
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_THAT(error.what(), HasSubstr("largest-drop, largest-gain, ratio, falls, gain-grows-with"));
    }
}

TEST(PublishedMarks, TheTableFitsAndTheMarkdownTellsWhere)
{
    PublishedMark mark = Mark("largest-drop", "ttft_s", {{"cluster.gpus", "64"}});
    mark.published = 0.46;
    mark.statement = std::string(200, 's');
    const auto results = EvaluateMarks({mark}, Grid(WellBehaved));
    const std::string table = MarksTable(results);
    EXPECT_LE(table.find('\n'), 120U);
    EXPECT_THAT(table, testing::ContainsRegex("s\u2026 +46 % +38\\.6 % +-7\\.4 points +-\n"));
    EXPECT_THAT(
        MarksMarkdown(results),
        HasSubstr("| 46 % | 38.6 % | -7.4 points | - | cluster.hbd.size 8 -> 64, precision=fp4; the largest of 3 |"));
}

TEST(DecodePerLayer, SplitsTheMeanLayerIntoBytesLatencyAndTheRest)
{
    const auto row = [](const char* phase, uint32_t step, int32_t layer, const char* name, uint32_t group, int64_t us) {
        CollectiveRow r;
        r.phase = phase;
        r.step = step;
        r.layer = layer;
        r.name = name;
        r.groupNumber = group;
        r.endPs = us * 1'000'000;
        r.idealBytesPs = 1'000'000;
        r.idealLatencyPs = 2'000'000;
        return r;
    };
    const DecodeLayerTime time = DecodePerLayer({
        row("decode", 1, 0, "dispatch", 0, 4),
        row("decode", 1, 0, "dispatch", 1, 6),
        row("decode", 2, 1, "dispatch", 0, 4),
        row("decode", 2, 1, "dispatch", 1, 6), // mean 5 us
        row("decode", 1, 0, "reduce", 0, 3),
        row("decode", 1, 0, "reduce", 0, 4),     // the same layer runs it twice: 7 us
        row("decode", 1, -1, "gather", 0, 100),  // outside layers
        row("prefill", 0, 0, "dispatch", 0, 100) // another phase
    });
    EXPECT_EQ(time.layers, 4U);
    EXPECT_NEAR(time.total, 12e-6, 1e-15);
    EXPECT_NEAR(time.bytes, 3e-6, 1e-15);
    EXPECT_NEAR(time.latency, 6e-6, 1e-15);
    EXPECT_NEAR(time.Other(), 3e-6, 1e-15);
    EXPECT_EQ(DecodePerLayer({}).layers, 0U);
}

/// A result folder of two points: HBD 8 and 16, TTFT 2 s and 1 s or what is asked for.
fs::path
ResultFolder(const fs::path& folder, int64_t ttft16Ms)
{
    fs::create_directories(folder);
    std::vector<PointResult> points;
    for (const auto& [hbd, ms] : {std::make_pair("8", int64_t{2000}), std::make_pair("16", ttft16Ms)})
    {
        PointRecords records;
        records.metadata.point = std::string("hbd") + hbd;
        records.metadata.scenario = "study";
        records.metadata.scenarioHash = "h";
        records.metadata.fidelity = "packet";
        records.metadata.gpus = 16;
        records.metadata.batch = 1;
        records.metadata.outputTokens = 1;
        records.metadata.sweptKeys = {{"cluster.hbd.size", hbd}};
        records.tokens = {{0, ms * 1'000'000'000}};
        CollectiveRow row;
        row.phase = "decode";
        row.step = 1;
        row.layer = 0;
        row.name = "dispatch";
        row.op = "all-to-all";
        row.algorithm = "direct";
        row.group = "ep";
        row.ranks = 8;
        row.endPs = 10'000'000;
        row.idealBytesPs = 2'000'000;
        row.idealLatencyPs = 5'000'000;
        records.collectives = {row};
        WritePoint(folder, records);
        points.push_back(ResultOf(records));
    }
    WritePoints(folder, points);
    return folder;
}

TEST(StudyPage, FillsItsTablesAndKeepsTheRest)
{
    const fs::path root = fs::temp_directory_path() / ("hbd-study-" + std::to_string(::getpid()));
    fs::remove_all(root);
    const std::vector<StudyRun> runs{{"400 Gb/s", ResultFolder(root / "a", 1000)},
                                     {"200 Gb/s", ResultFolder(root / "b", 500)}};
    PublishedMark mark = Mark("largest-drop", "ttft_s", {});
    mark.id = "R1";
    mark.published = 0.46;
    const std::string page = "before\n<!-- begin marks -->\nstale\n<!-- end marks -->\nbetween\n"
                             "<!-- begin marks-by-run -->\n<!-- end marks-by-run -->\n"
                             "<!-- begin decode-layer -->\n<!-- end decode-layer -->\n"
                             "<!-- begin points -->\n<!-- end points -->\nafter\n";
    const std::string filled = StudyPage(page, runs, {mark});
    EXPECT_THAT(filled, testing::StartsWith("before\n<!-- begin marks -->\n"));
    EXPECT_THAT(filled, testing::EndsWith("<!-- end points -->\nafter\n"));
    EXPECT_THAT(filled, Not(HasSubstr("stale")));
    EXPECT_THAT(filled, HasSubstr("| R1 | a statement | 46 % | 50.0 % | +4.0 points |"));
    EXPECT_THAT(
        filled,
        HasSubstr("| mark | published | 400 Gb/s | 200 Gb/s |\n|---|---:|---:|---:|\n| R1 | 46 % | 50.0 % | 75.0 % |"));
    EXPECT_THAT(filled, HasSubstr("| 8 | 10.00 | 2.00 | 5.00 | 3.00 | 20 % | 50 % | 30 % |"));
    EXPECT_EQ(StudyPage(filled, runs, {mark}), filled) << "filling again changes nothing";
    EXPECT_THROW(StudyPage("<!-- begin marks -->\n", runs, {}), std::invalid_argument);
    EXPECT_THROW(StudyPage("<!-- begin other -->\n<!-- end other -->\n", runs, {}), std::invalid_argument);
    EXPECT_THROW(StudyPage(page, {}, {}), std::invalid_argument);
    EXPECT_THROW(StudyPage(page, {{"x", root / "absent"}}, {}), RecordError);
    fs::remove_all(root);
}

} // namespace
} // namespace hbd::analysis
