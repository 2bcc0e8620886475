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
Markdown(const ReportTable& table)
{
    std::vector<std::string> header;
    std::vector<bool> right;
    for (const auto& column : table.columns)
    {
        header.push_back(column.header);
        right.push_back(column.right);
    }
    return MarkdownTable(header, table.rows, right);
}

std::string
LibrarySection(const LibraryProvenance& library)
{
    const size_t fitted = library.Fitted();
    std::string text = fmt::format("### {} on {}: {}\n\n{} fitted parameter{}; at most {} are allowed.\n\n",
                                   library.software,
                                   library.system,
                                   library.library,
                                   fitted,
                                   fitted == 1 ? "" : "s",
                                   kMostFitted);
    ReportTable table{
        {{"preset", false}, {"parameter", false}, {"value"}, {"kind", false}, {"from", false}, {"range", false}},
        {}};
    for (const auto& source : library.parameters)
    {
        table.rows.push_back(
            {source.preset, source.name, source.value, source.kind, source.from, source.range});
    }
    return table.rows.empty() ? text : text + Markdown(table) + "\n";
}

constexpr const char* kHead =
    R"(<!-- Written by `./hbd validate --doc docs/validation.md --plot docs/images/validation.png`; do not edit. -->
# Validation

Predicted beside measured times. Every row of a measured table is a scenario: the preset of its system
(`traffic-gen/presets/systems`), the library preset that the system names, the row's operation, GPUs and size. It is simulated packet by
packet as `./hbd run` would do, from the first GPU's call to the last GPU's end. The error is predicted / measured - 1; where a table
reports rates, of the rates. The tables of measurements are not part of the project; `./hbd validate --measured DIR` names their folder.

    ./hbd validate                   # prints what this page shows
    ./hbd validate --csv rows.csv    # the rows
    ./hbd validate --gate            # exit code 1 when a target is missed

)";

} // namespace

std::string
ValidationMarkdown(const ValidationReport& report, const std::string& figure)
{
    std::string text = kHead;
    if (!figure.empty())
    {
        text += fmt::format("![Predicted against measured times; the lines are 20 % off]({})\n\n", figure);
    }
    text +=
        fmt::format("## Errors by operation\n\nMedian, 90th percentile (interpolated) and largest of |error|.\n\n{}\n",
                    Markdown(StatisticsTable(report)));
    text += "## How the tables are read\n\n";
    for (const auto& note : report.notes)
    {
        text += "- " + note + "\n";
    }
    text += "\n## Parameters\n\nWhere each parameter of the presets is from: a constant of the library, measured, "
            "fitted on rows of these "
            "tables, or an assumption with the range in which it may lie. What a preset does not declare counts as "
            "fitted.\n\n";
    for (const auto& library : report.libraries)
    {
        text += LibrarySection(library);
    }
    for (const auto& table : ComparedTables(report))
    {
        text += fmt::format("## {}\n\n{}\n", table, Markdown(ComparisonTable(report, table)));
    }
    if (!report.skipped.empty())
    {
        text += "## Not compared\n\n";
        for (const auto& skipped : report.skipped)
        {
            text += "- " + SkippedText(skipped) + "\n";
        }
    }
    return text;
}

} // namespace hbd::analysis
