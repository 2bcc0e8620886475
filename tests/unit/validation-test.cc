/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: errors, their statistics and what is printed of them. Method: values computed by hand.

#include "analysis/record-format.h"
#include "analysis/statistics.h"
#include "analysis/validation.h"

#include <cmath>
#include <gmock/gmock.h>

namespace hbd::analysis
{

namespace
{

using testing::HasSubstr;
using testing::Not;

TEST(Quantile, InterpolatesBetweenClosestRanks)
{
    EXPECT_DOUBLE_EQ(Quantile({4, 1, 3, 2}, 0.5), 2.5);
    EXPECT_DOUBLE_EQ(Quantile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.9), 9.1);
    // position 0.9 x 20 = 18 of 21 values
    EXPECT_DOUBLE_EQ(Quantile({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, 0.9), 18);
    EXPECT_DOUBLE_EQ(Quantile({15, 20, 35, 40, 50}, 0.4), 29); // numpy.percentile's default
    EXPECT_DOUBLE_EQ(Quantile({7}, 0.9), 7);
    EXPECT_DOUBLE_EQ(Quantile({2, 1}, 0), 1);
    EXPECT_DOUBLE_EQ(Quantile({2, 1}, 1), 2);
}

TEST(Quantile, RefusesNoValuesAndSharesOutsideOfOne)
{
    EXPECT_THROW(Quantile({}, 0.5), std::invalid_argument);
    EXPECT_THROW(Quantile({1}, 1.1), std::invalid_argument);
    EXPECT_THROW(Quantile({1}, -0.1), std::invalid_argument);
    EXPECT_THROW(Quantile({1}, std::nan("")), std::invalid_argument);
}

Comparison
Row(const std::string& operation, uint32_t gpus, double measured, double predicted)
{
    Comparison row;
    row.table = "times";
    row.system = "machine";
    row.operation = operation;
    row.gpus = gpus;
    row.sizeBytes = 1024;
    row.measuredUs = measured;
    row.predictedUs = predicted;
    return row;
}

TEST(Validation, ErrorIsPredictedOverMeasured)
{
    EXPECT_DOUBLE_EQ(Row("x", 8, 10, 12).Error(), 0.2);
    EXPECT_DOUBLE_EQ(Row("x", 8, 10, 5).Error(), -0.5);
}

TEST(Validation, RatesAreComparedAsRates)
{
    Comparison row = Row("dispatch", 8, 20, 25);
    row.logicalBytes = 2e6;
    EXPECT_DOUBLE_EQ(row.RateOf(row.measuredUs), 100) << "2 MB in 20 us are 100 GB/s";
    EXPECT_DOUBLE_EQ(row.RateOf(row.predictedUs), 80);
    EXPECT_DOUBLE_EQ(row.Error(), -0.2);
}

ErrorTarget
EightAndTwenty(const std::string&)
{
    return {0.08, 0.20, {}};
}

TEST(Validation, StatisticsAreByOperationAndCount)
{
    const auto groups =
        StatisticsOf({Row("b", 8, 10, 11), Row("a", 8, 10, 8), Row("b", 8, 10, 10.5), Row("b", 4, 10, 10)},
                     &EightAndTwenty);
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0].operation, "b");
    EXPECT_EQ(groups[0].rows, 2u);
    EXPECT_NEAR(groups[0].median, 0.075, 1e-12);
    EXPECT_NEAR(groups[0].p90, 0.095, 1e-12);
    EXPECT_NEAR(groups[0].most, 0.1, 1e-12);
    EXPECT_TRUE(groups[0].Met());
    EXPECT_EQ(groups[1].operation, "a");
    EXPECT_NEAR(groups[1].median, 0.2, 1e-12) << "of the size of the error";
    EXPECT_FALSE(groups[1].Met());
    EXPECT_EQ(groups[2].gpus, 4u);
}

TEST(Validation, EachTargetCanBeMissed)
{
    ErrorStatistics group;
    group.median = 0.1;
    group.p90 = 0.2;
    group.most = 0.3;
    const auto met = [&group](ErrorTarget target) {
        group.target = target;
        return group.Met();
    };
    EXPECT_TRUE(met({}));
    EXPECT_TRUE(met({0.1, 0.2, 0.3})) << "at most";
    EXPECT_FALSE(met({0.09, {}, {}}));
    EXPECT_FALSE(met({{}, 0.19, {}}));
    EXPECT_FALSE(met({{}, {}, 0.29}));
}

TEST(Validation, CountsTheRowsThatHaveATarget)
{
    ValidationReport report;
    EXPECT_EQ(report.Targeted(), 0u);
    report.statistics = StatisticsOf({Row("a", 8, 10, 11), Row("a", 8, 10, 12)}, [](const std::string&) { return ErrorTarget(); });
    EXPECT_EQ(report.Targeted(), 0u);
    report.statistics = StatisticsOf({Row("a", 8, 10, 11), Row("a", 8, 10, 12)}, &EightAndTwenty);
    EXPECT_EQ(report.Targeted(), 2u);
}

TEST(Validation, CsvReadsBack)
{
    Comparison rate = Row("combine", 8, 20, 25);
    rate.system = "H800 (\"fast\"), CX7";
    rate.key = "tokens=4096";
    rate.logicalBytes = 2e6;
    const auto rows = ParseCsv(ValidationCsv({Row("all-gather", 4, 16.06, 15.123456789), rate}), "rows.csv");
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_THAT(rows[0].cells,
                testing::ElementsAre("table",
                                     "system",
                                     "operation",
                                     "gpus",
                                     "size_bytes",
                                     "key",
                                     "measured_us",
                                     "predicted_us",
                                     "measured_GBps",
                                     "predicted_GBps",
                                     "error"));
    EXPECT_THAT(
        rows[1].cells,
        testing::
            ElementsAre("times", "machine", "all-gather", "4", "1024", "", "16.06", "15.123457", "", "", "-0.058315"));
    EXPECT_EQ(rows[2].cells[1], rate.system);
    EXPECT_EQ(rows[2].cells[8], "100.000");
    EXPECT_EQ(rows[2].cells[9], "80.000");
    EXPECT_EQ(rows[2].cells[10], "-0.200000");
}

ValidationReport
SmallReport()
{
    ValidationReport report;
    report.rows = {Row("all-gather", 8, 16.06, 15), Row("all-reduce", 8, 10, 20)};
    report.statistics = StatisticsOf(report.rows, &EightAndTwenty);
    report.skipped = {{"gemm", "nothing here reads this table", 0},
                      {"times", "there is no preset of the system z9", 3}};
    report.notes = {"times: as they are"};
    LibraryProvenance library{"machine", "nccl", "nccl-machine", {}};
    library.parameters = {{"nccl-machine", "launch", "3us", "fitted", "rows up to 1 KiB", ""},
                          {"nccl-machine", "wire", "2", "constant", "flags: a | b", ""},
                          {"nccl-machine", "until", "64KiB", "undeclared", "", ""}};
    report.libraries = {library};
    return report;
}

TEST(Validation, ReportTellsRowsErrorsAndWhatWasSkipped)
{
    const auto report = SmallReport();
    EXPECT_FALSE(report.Met());
    EXPECT_EQ(report.libraries[0].Fitted(), 2u) << "what is not declared counts as fitted";
    const std::string text = ValidationText(report, 160);
    EXPECT_THAT(text, HasSubstr("-6.6 %"));
    EXPECT_THAT(text, HasSubstr("+100.0 %"));
    EXPECT_THAT(text, HasSubstr("MISSED"));
    EXPECT_THAT(text, HasSubstr("gemm.csv: nothing here reads this table"));
    EXPECT_THAT(text, HasSubstr("times.csv, 3 rows: there is no preset of the system z9"));
    EXPECT_THAT(text, HasSubstr("2 fitted parameters of at most 12"));
}

TEST(Validation, PageHasTheFigureOnlyWhereThereIsOne)
{
    const auto report = SmallReport();
    const std::string page = ValidationMarkdown(report, "images/v.png");
    EXPECT_THAT(page, HasSubstr("](images/v.png)"));
    EXPECT_THAT(page, HasSubstr("| nccl-machine | launch | 3us | fitted | rows up to 1 KiB |"));
    EXPECT_THAT(page, HasSubstr("flags: a \\| b"));
    EXPECT_THAT(page, HasSubstr("- times: as they are"));
    EXPECT_THAT(ValidationMarkdown(report, ""), Not(HasSubstr("![")));
}

TEST(Validation, PlotHasAMarkForEachSystemAndOperation)
{
    const std::string script =
        ValidationPlot({Row("it's", 8, 16, 15), Row("it's", 8, 32, 30), Row("b", 8, 10, 20)}, "a b.png");
    EXPECT_THAT(script, HasSubstr("set output 'a b.png'"));
    EXPECT_THAT(script, HasSubstr("16 15\n32 30\nEOD"));
    EXPECT_THAT(script, HasSubstr("title 'machine, it''s'"));
    EXPECT_THAT(script, HasSubstr("title 'machine, b'"));
    EXPECT_THAT(script, HasSubstr("1.2*x"));
    EXPECT_THAT(script, HasSubstr("0.8*x"));
}

} // namespace

} // namespace hbd::analysis
