/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "result-report.h"

#include "analysis/reader.h"
#include "analysis/record-writer.h"
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

/// The marks that the points of this run say something about; how many do not.
void
PrintMarks(const std::vector<analysis::PublishedMark>& marks, const std::vector<analysis::PointResult>& points)
{
    std::vector<analysis::MarkResult> covered;
    for (auto& result : analysis::EvaluateMarks(marks, points))
    {
        if (result.covered)
        {
            covered.push_back(std::move(result));
        }
    }
    if (!covered.empty())
    {
        fmt::print("\n{}", analysis::MarksTable(covered, OutputWidth()));
    }
    if (covered.size() < marks.size())
    {
        fmt::print("\n{} of {} published marks speak of points that were not run\n",
                   marks.size() - covered.size(),
                   marks.size());
    }
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
PrintResults(const std::vector<analysis::PublishedMark>& marks,
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
    if (!marks.empty())
    {
        PrintMarks(marks, points);
    }
    fmt::print("\nresults: {}\n", folder.string());
}

} // namespace hbd::runner
