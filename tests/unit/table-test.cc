/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The printed tables: which columns and changes they show, and that they fit and line up.

#include "analysis/point-groups.h"
#include "analysis/table.h"
#include "analysis/text-table.h"

#include <gmock/gmock.h>
#include <sstream>
#include <string>
#include <vector>

namespace hbd::analysis
{
namespace
{

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

PointResult
Point(const std::string& gpus, const std::string& hbd, const std::string& precision, double ttft, double perGpu)
{
    PointResult point;
    point.point = "gpus" + gpus + "-hbd" + hbd + "-" + precision;
    point.keys = {{"cluster.gpus", gpus}, {"cluster.hbd.size", hbd}, {"precision", precision}};
    point.metrics = {{"ttft_s", ttft},
                     {"tpot_s", 0.0125},
                     {"decode_throughput_tokens_per_s", 1280},
                     {"throughput_per_gpu_tokens_per_s", perGpu},
                     {"prefill_comm_share", 0.4567},
                     {"decode_comm_share", 0.25}};
    return point;
}

std::vector<std::string>
LinesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/// The line that starts, spaces aside, with these cells.
std::string
LineOf(const std::string& table, const std::vector<std::string>& cells)
{
    for (const auto& line : LinesOf(table))
    {
        std::istringstream stream(line);
        bool same = true;
        for (const auto& cell : cells)
        {
            std::string word;
            stream >> word;
            same = same && word == cell;
        }
        if (same)
        {
            return line;
        }
    }
    return "no such line";
}

TEST(ResultTable, ComparesWithTheSmallestHbdOfTheSameOtherKeys)
{
    // 16 before 8: the order of the rows does not matter; 9 < 16 as numbers, not as texts.
    const std::vector<PointResult> points{Point("64", "16", "fp8", 1.5, 20),
                                          Point("64", "8", "fp8", 2.0, 16),
                                          Point("64", "16", "fp4", 1.0, 30),
                                          Point("64", "9", "fp4", 0.8, 40)};
    const std::string table = ResultTable(points);
    EXPECT_THAT(LineOf(table, {"64", "16", "fp8"}), ContainsRegex("-25\\.0 % +\\+0\\.0 % +\\+25\\.0 %$"));
    EXPECT_THAT(LineOf(table, {"64", "8", "fp8"}), ContainsRegex("25\\.0 % +- +- +-$"));
    EXPECT_THAT(LineOf(table, {"64", "16", "fp4"}), ContainsRegex("\\+25\\.0 % +\\+0\\.0 % +-25\\.0 %$"));
}

TEST(ResultTable, LeavesTheChangesOutWhenNothingIsToBeCompared)
{
    EXPECT_THAT(ResultTable({Point("64", "8", "fp8", 2, 16), Point("128", "8", "fp8", 1, 16)}),
                Not(HasSubstr("change")));
    EXPECT_THAT(ResultTable({Point("64", "8", "fp8", 2, 16), Point("64", "16", "fp8", 1, 16)}), HasSubstr("change"));
}

TEST(ResultTable, PicksTheUnitOfATimeByItsLargestAndShowsEmptyMetricsAsADash)
{
    PointResult point = Point("64", "8", "fp8", 0.25, 16);
    point.metrics.erase("tpot_s");
    const std::string table = ResultTable({point});
    EXPECT_THAT(table, HasSubstr("[ms]"));
    EXPECT_THAT(LineOf(table, {"64", "8", "fp8"}),
                ContainsRegex("fp8 +250\\.00 +- +1280\\.0 +16\\.000 +45\\.7 % +25\\.0 %$"));
}

TEST(ResultTable, TheStudyFitsOneHundredAndTwentyColumns)
{
    std::vector<PointResult> points;
    for (const auto* hbd : {"8", "16", "32", "64", "128"})
    {
        points.push_back(Point("128", hbd, "fp16", 123.456, 1234.5));
    }
    for (const auto& line : LinesOf(ResultTable(points)))
    {
        EXPECT_LE(DisplayWidth(line), 120U) << line;
    }
}

TEST(ResultTable, LongKeysAreCutToFit)
{
    PointResult point = Point("64", "8", std::string(90, 'x'), 1, 2);
    for (const auto& line : LinesOf(ResultTable({point})))
    {
        EXPECT_LE(DisplayWidth(line), 120U) << line;
    }
    EXPECT_THAT(ResultTable({point}), HasSubstr("xxx\u2026"));
}

TEST(CollectiveTable, ShowsSizeTimesAndBandwidths)
{
    CollectiveRow row;
    row.op = "all-to-all";
    row.algorithm = "direct";
    row.ranks = 8;
    row.sizeBytes = 1024 * 1024;
    row.startPs = 0;
    row.endPs = 10'000'000;
    row.idealBytesPs = 7'000'000;
    row.idealLatencyPs = 1'000'000;
    PointResult point;
    point.keys = {{"scale-out.nic-rate", "400Gbps"}};
    const std::string table = CollectiveTable({{point, {row}}});
    // 1048576 B / 10 us = 104.8576 GB/s; x 7/8 = 91.7504
    EXPECT_THAT(
        table,
        ContainsRegex("400Gbps +all-to-all +direct +8 +1 MiB +10\\.000 +104\\.86 +91\\.75 +8\\.000 +1\\.250\n"));
}

TEST(SizeText, UsesTheLargestUnitThatDivides)
{
    EXPECT_EQ(SizeText(0), "0 B");
    EXPECT_EQ(SizeText(1500), "1500 B");
    EXPECT_EQ(SizeText(4096), "4 KiB");
    EXPECT_EQ(SizeText(uint64_t{3} << 30), "3 GiB");
}

TEST(TextTable, AlignsByDisplayWidth)
{
    EXPECT_EQ(DisplayWidth("abc"), 3U);
    EXPECT_EQ(DisplayWidth("\u00b5s"), 2U);      // one column, two bytes
    EXPECT_EQ(DisplayWidth("\u5e26\u5bbd"), 4U); // two columns each, three bytes
    TextTable table({{"name", false, false}, {"n", true, false}});
    table.AddRow({"\u5e26\u5bbd", "1"});
    table.AddRow({"ab\u00b5", "22"});
    EXPECT_EQ(table.Render(),
              "name   n\n"
              "--------\n"
              "\u5e26\u5bbd   1\n"
              "ab\u00b5   22\n");
}

TEST(TextTable, CutsTheWidestShrinkingColumnFirst)
{
    TextTable table({{"a", false, true}, {"b", false, true}, {"c", true, false}});
    table.AddRow({std::string(20, 'x'), std::string(10, 'y'), "123456"});
    EXPECT_EQ(LinesOf(table.Render(30)).back(), std::string(9, 'x') + "\u2026  " + std::string(10, 'y') + "  123456");
    EXPECT_EQ(LinesOf(table.Render(1)).back(), "xxxxx\u2026  yyyyy\u2026  123456") << "no less than 6";
}

TEST(TextTable, RefusesARowOfAnotherLength)
{
    TextTable table({{"a", false, true}});
    EXPECT_THROW(table.AddRow({"1", "2"}), std::invalid_argument);
}

TEST(MarkdownTable, EscapesBars)
{
    EXPECT_EQ(MarkdownTable({"a", "b"}, {{"x|y", "1"}}, {false, true}), "| a | b |\n|---|---:|\n| x\\|y | 1 |\n");
}

TEST(PointGroups, ValuesAreOrderedAsQuantitiesOrAsTheyCome)
{
    std::vector<PointResult> points{Point("64", "1024", "fp16", 1, 1),
                                    Point("64", "8", "fp8", 1, 1),
                                    Point("64", "64", "fp4", 1, 1)};
    EXPECT_EQ(OrderedValues(points, "cluster.hbd.size"), (std::vector<std::string>{"8", "64", "1024"}));
    EXPECT_EQ(OrderedValues(points, "precision"), (std::vector<std::string>{"fp16", "fp8", "fp4"}));
    EXPECT_TRUE(OrderedValues(points, "absent").empty());
    EXPECT_TRUE(SeriesOver(points, "absent").empty());
}

TEST(PointGroups, ValuesAreTheSameWhenTheyMeanTheSame)
{
    EXPECT_TRUE(SameValue("1.8TB/s", "1800GB/s"));
    EXPECT_TRUE(SameValue("fp8", "fp8"));
    EXPECT_FALSE(SameValue("fp8", "8"));
    EXPECT_FALSE(SameValue("64", "128"));
}

} // namespace
} // namespace hbd::analysis
