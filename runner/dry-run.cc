/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dry-run.h"

#include "analysis/text-table.h"
#include "fabric-config.h"
#include "ns3-module/model/hbd-scale-up-routes.h"
#include "ns3-module/model/topologies/hbd-scale-up-topology.h"
#include "progress-display.h"
#include "traffic-gen/estimate.h"

#include <algorithm>
#include <fmt/format.h>

namespace hbd::runner
{

namespace
{

constexpr double kBytesPerMib = 1 << 20;

/// A time with a decimal prefix below a second: 12.3 ms.
std::string
TimeText(double seconds)
{
    static constexpr const char* kUnits[] = {"s", "ms", "us", "ns"};
    size_t unit = 0;
    while (seconds < 0.9995 && seconds > 0 && unit + 1 < std::size(kUnits))
    {
        seconds *= 1000;
        ++unit;
    }
    return fmt::format("{:.3g} {}", seconds, kUnits[unit]);
}

std::string
ShareText(double part, double whole)
{
    return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

/// The columns of the table for points with the given swept keys.
std::vector<analysis::TextColumn>
ColumnsFor(const traffic::Scenario& point)
{
    std::vector<analysis::TextColumn> columns{{"point"}};
    for (const auto& [key, value] : point.sweptKeys)
    {
        const size_t dot = key.rfind('.');
        columns.push_back(
            {dot == std::string::npos ? key : key.substr(0, dot + 1) + "\n" + key.substr(dot + 1), true, true});
    }
    if (point.workload.inference)
    {
        columns.insert(columns.end(), {{"TTFT"}, {"prefill\ncomm"}, {"TPOT"}, {"decode\ncomm"}});
    }
    else
    {
        columns.push_back({"time"});
    }
    columns.insert(columns.end(), {{"packet-hops"}, {"to\nsimulate"}, {"run time,\none core"}, {"memory"}});
    return columns;
}

/// The estimate of a point, with what is down in its domains.
traffic::Estimate
EstimateWithBroken(const traffic::Scenario& point)
{
    if (point.cluster.hbd.broken == "none")
    {
        return traffic::EstimateOf(point);
    }
    ns3::hbd::FabricGraph graph;
    ns3::hbd::AddScaleUp(graph, MakeFabricConfig(point).scaleUp);
    const ns3::hbd::ScaleUpRoutes routes(graph);
    return traffic::EstimateOf(point, [&routes](uint32_t a, uint32_t b) { return routes.CountStripe(a, b); });
}

/// What the estimates of these points do not know.
std::string
UnknownText(const std::vector<traffic::Scenario>& points)
{
    const bool broken = std::any_of(points.begin(), points.end(), [](const auto& p) { return p.cluster.hbd.broken != "none"; });
    return broken ? "Of what is down (cluster.hbd.broken) they count the links that two GPUs have left; not trunks with others beside them, "
                    "nor the load of detours.\n"
                  : "";
}

} // namespace

std::string
DryRunTable(const traffic::ScenarioFile& file, size_t width)
{
    analysis::TextTable table(ColumnsFor(file.points.front()));
    double seconds = 0;
    for (size_t index = 0; index < file.points.size(); ++index)
    {
        const auto& point = file.points[index];
        const auto estimate = EstimateWithBroken(point);
        std::vector<std::string> cells{std::to_string(index + 1)};
        for (const auto& [key, value] : point.sweptKeys)
        {
            cells.push_back(value);
        }
        cells.push_back(TimeText(estimate.ttftS));
        if (point.workload.inference)
        {
            const double tpot = estimate.tpotS.value_or(0);
            cells.push_back(ShareText(estimate.prefillCommS, estimate.ttftS));
            cells.push_back(estimate.tpotS ? TimeText(tpot) : "-");
            cells.push_back(ShareText(estimate.decodeCommS, tpot));
        }
        cells.push_back(ScaledText(static_cast<double>(estimate.packets)));
        cells.push_back(ScaledText(static_cast<double>(estimate.unitHops)));
        cells.push_back(TimeText(estimate.simulationSecondsGuess));
        cells.push_back(fmt::format("{:.0f} MiB", static_cast<double>(estimate.memoryBytes) / kBytesPerMib));
        table.AddRow(cells);
        seconds += estimate.simulationSecondsGuess;
    }
    return fmt::format(
        "{}\n{} point(s), about {} of one core. All figures are estimates without packets; nothing was simulated.\n{}",
        table.Render(width),
        file.points.size(),
        ClockText(seconds),
        UnknownText(file.points));
}

PointCost
EstimatedCost(const traffic::Scenario& scenario)
{
    const auto estimate = EstimateWithBroken(scenario);
    return {1 + static_cast<double>(estimate.unitHops), static_cast<double>(estimate.packets)};
}

} // namespace hbd::runner
