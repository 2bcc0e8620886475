/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "validation-cells.h"

#include <fmt/format.h>

namespace hbd::analysis
{

namespace
{

std::string
Rendered(const ReportTable& table, size_t width)
{
    TextTable text(table.columns);
    for (const auto& row : table.rows)
    {
        text.AddRow(row);
    }
    return text.Render(width);
}

} // namespace

std::string
ValidationText(const ValidationReport& report, size_t width)
{
    std::string text;
    for (const auto& table : ComparedTables(report))
    {
        text += fmt::format("{}\n\n{}\n", table, Rendered(ComparisonTable(report, table), width));
    }
    if (!report.statistics.empty())
    {
        text += fmt::format("|error| by operation\n\n{}\n", Rendered(StatisticsTable(report), width));
    }
    for (const auto& library : report.libraries)
    {
        text += fmt::format("{} on {} ({}): {} fitted parameters of at most {}\n",
                            library.library,
                            library.system,
                            library.software,
                            library.Fitted(),
                            kMostFitted);
    }
    if (!report.skipped.empty())
    {
        text += "\nskipped\n\n";
        for (const auto& skipped : report.skipped)
        {
            text += "  " + SkippedText(skipped) + "\n";
        }
    }
    return text;
}

} // namespace hbd::analysis
