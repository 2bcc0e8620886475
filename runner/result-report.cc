/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "result-report.h"

#include "analysis/reader.h"
#include "analysis/record-writer.h"
#include "analysis/reference.h"
#include "analysis/table.h"
#include "terminal.h"

#include <fmt/format.h>

namespace hbd::runner
{

namespace
{

std::vector<analysis::PointResult>
PointsOf(const std::vector<analysis::CollectiveResult>& results)
{
    std::vector<analysis::PointResult> points;
    for (const auto& result : results)
    {
        points.push_back(result.point);
    }
    return points;
}

/// A mark of the scenario as the analysis takes it.
analysis::PublishedMark
MarkOf(const traffic::Reference& reference)
{
    analysis::PublishedMark mark;
    mark.id = reference.id;
    mark.statement = reference.statement;
    mark.metric = reference.metric;
    mark.kind = reference.kind;
    mark.where = reference.where;
    mark.over = reference.over;
    mark.gainWith = reference.gainWith;
    mark.published = reference.published;
    mark.tolerance = reference.tolerance;
    mark.source = reference.source;
    return mark;
}

} // namespace

std::vector<analysis::CollectiveResult>
WriteResults(const SweepPlan& plan, const std::vector<bool>& done, const std::filesystem::path& folder)
{
    std::vector<analysis::CollectiveResult> results;
    for (size_t index = 0; index < plan.points.size(); ++index)
    {
        if (!done[index])
        {
            continue;
        }
        const auto pointFolder = folder / plan.points[index].name;
        analysis::CollectiveResult result{analysis::ReadPoint(pointFolder), {}};
        if (result.point.workload == analysis::WorkloadKind::Network)
        {
            result.collectives = analysis::ReadCollectives(pointFolder);
        }
        results.push_back(std::move(result));
    }
    if (!results.empty())
    {
        analysis::WritePoints(folder, PointsOf(results));
    }
    return results;
}

void
PrintResults(const traffic::ScenarioFile& file,
             const std::vector<analysis::CollectiveResult>& results,
             const std::filesystem::path& folder)
{
    if (results.empty())
    {
        return;
    }
    const auto points = PointsOf(results);
    if (points.front().workload == analysis::WorkloadKind::Network)
    {
        fmt::print("{}", analysis::CollectiveTable(results, OutputWidth()));
    }
    else
    {
        fmt::print("{}", analysis::ResultTable(points, analysis::kCompareKey, OutputWidth()));
    }
    if (!file.references.empty())
    {
        std::vector<analysis::PublishedMark> marks;
        for (const auto& reference : file.references)
        {
            marks.push_back(MarkOf(reference));
        }
        fmt::print("\n{}", analysis::MarksTable(analysis::EvaluateMarks(marks, points), OutputWidth()));
    }
    fmt::print("\nresults: {}\n", folder.string());
}

} // namespace hbd::runner
