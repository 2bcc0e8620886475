/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "validation-cells.h"

#include "table.h"

#include <algorithm>
#include <fmt/format.h>

namespace hbd::analysis
{

namespace
{

using Cells = std::vector<std::string>;

/// A share in percent with a sign: +3.1 %.
std::string
ErrorText(double share)
{
    return fmt::format("{:+.1f} %", 100 * share);
}

std::string
PercentText(double share)
{
    return fmt::format("{:.1f} %", 100 * share);
}

/// A time or rate with four digits.
std::string
ValueText(double value)
{
    return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

const std::vector<TextColumn> kRowColumns{{"system", false, true},
                                          {"operation", false},
                                          {"gpus"},
                                          {"size"},
                                          {"key", false, true},
                                          {"unit", false},
                                          {"measured"},
                                          {"predicted"},
                                          {"error"}};

Cells
RowCells(const Comparison& row)
{
    const bool rates = row.logicalBytes != 0;
    return {row.system,
            row.operation,
            std::to_string(row.gpus),
            SizeText(row.sizeBytes),
            row.key,
            rates ? "GB/s" : "us",
            ValueText(rates ? row.RateOf(row.measuredUs) : row.measuredUs),
            ValueText(rates ? row.RateOf(row.predictedUs) : row.predictedUs),
            ErrorText(row.Error())};
}

/// "median 8 %, p90 20 %".
std::string
TargetText(const ErrorTarget& target)
{
    std::string text;
    const auto add = [&text](const char* name, const std::optional<double>& share) {
        if (share)
        {
            text += fmt::format("{}{} {:.3g} %", text.empty() ? "" : ", ", name, 100 * *share);
        }
    };
    add("median", target.median);
    add("p90", target.p90);
    add("each", target.most);
    return text.empty() ? "none" : text;
}

const std::vector<TextColumn> kStatisticsColumns{{"table", false},
                                                 {"system", false, true},
                                                 {"operation", false},
                                                 {"gpus"},
                                                 {"rows"},
                                                 {"median"},
                                                 {"p90"},
                                                 {"most"},
                                                 {"target", false},
                                                 {"", false}};

Cells
StatisticsCells(const ErrorStatistics& group)
{
    return {group.table,
            group.system,
            group.operation,
            std::to_string(group.gpus),
            std::to_string(group.rows),
            PercentText(group.median),
            PercentText(group.p90),
            PercentText(group.most),
            TargetText(group.target),
            group.Met() ? "met" : "MISSED"};
}

} // namespace

std::vector<std::string>
ComparedTables(const ValidationReport& report)
{
    std::vector<std::string> tables;
    for (const auto& row : report.rows)
    {
        if (std::find(tables.begin(), tables.end(), row.table) == tables.end())
        {
            tables.push_back(row.table);
        }
    }
    return tables;
}

ReportTable
ComparisonTable(const ValidationReport& report, const std::string& table)
{
    ReportTable result{kRowColumns, {}};
    for (const auto& row : report.rows)
    {
        if (row.table == table)
        {
            result.rows.push_back(RowCells(row));
        }
    }
    return result;
}

ReportTable
StatisticsTable(const ValidationReport& report)
{
    ReportTable result{kStatisticsColumns, {}};
    for (const auto& group : report.statistics)
    {
        result.rows.push_back(StatisticsCells(group));
    }
    return result;
}

std::string
SkippedText(const SkippedRows& skipped)
{
    const std::string rows =
        skipped.rows == 0 ? "" : fmt::format(", {} row{}", skipped.rows, skipped.rows == 1 ? "" : "s");
    return fmt::format("{}.csv{}: {}", skipped.what, rows, skipped.why);
}

} // namespace hbd::analysis
