/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "validate.h"

#include "dry-run.h"
#include "interrupt.h"
#include "simulation.h"
#include "sweep.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace hbd::runner
{

namespace
{

/// What a simulation says of its collective.
struct Prediction
{
    int64_t picoseconds = 0;
    uint64_t sizeBytes = 0;
};

/// Keeps the predictions, and shows on a terminal how many there are.
class PredictionCollector : public SweepObserver
{
  public:
    explicit PredictionCollector(size_t count)
        : predictions(count),
          m_terminal(::isatty(STDERR_FILENO) != 0)
    {
    }

    ~PredictionCollector() override
    {
        if (m_terminal)
        {
            fmt::print(stderr, "\r\033[K");
        }
    }

    void OnStarted(size_t /* point */) override
    {
    }

    void OnProgress(size_t /* point */, const SimulationProgress& /* progress */) override
    {
    }

    void OnFinished(size_t point, const std::string& result) override
    {
        Prediction& prediction = predictions[point];
        std::sscanf(result.c_str(), "%" SCNd64 " %" SCNu64, &prediction.picoseconds, &prediction.sizeBytes);
        ++m_done;
    }

    void OnFailed(size_t point, const std::string& why) override
    {
        failures.emplace_back(point, why);
        ++m_done;
    }

    void OnTick() override
    {
        if (m_terminal)
        {
            fmt::print(stderr, "\rvalidate: {} of {} simulations\033[K", m_done, predictions.size());
        }
    }

    std::vector<Prediction> predictions;
    std::vector<std::pair<size_t, std::string>> failures;

  private:
    size_t m_done = 0;
    bool m_terminal;
};

/// Each point by itself, the most work first.
std::vector<PointGroup>
SinglePoints(const SweepPlan& plan)
{
    std::vector<PointGroup> groups;
    for (size_t point = 0; point < plan.points.size(); ++point)
    {
        groups.push_back({point});
    }
    std::stable_sort(groups.begin(), groups.end(), [&plan](const PointGroup& a, const PointGroup& b) {
        return plan.points[a.front()].cost.weight > plan.points[b.front()].cost.weight;
    });
    return groups;
}

/// \return "PICOSECONDS SIZE" of the scenario's collective
std::string
Predict(const traffic::Scenario& scenario, const SimulationOptions& options)
{
    const auto records = Simulate(scenario, options);
    const auto& collective = records.collectives.at(0);
    return fmt::format("{} {}", collective.DurationPs(), collective.sizeBytes);
}

/// Which row a failed simulation is of.
std::string
RowText(const ValidationPlan& plan, size_t scenario)
{
    const auto at = std::find(plan.scenarioOf.begin(), plan.scenarioOf.end(), scenario);
    const auto& row = plan.rows.at(static_cast<size_t>(at - plan.scenarioOf.begin()));
    return fmt::format("{} {} {} {} GPUs {}", row.table, row.system, row.operation, row.gpus, row.key);
}

} // namespace

analysis::ValidationReport
RunValidation(ValidationPlan plan, uint32_t jobs)
{
    CatchInterruptions();
    const auto& points = plan.scenarios.points;
    PredictionCollector collector(points.size());
    const auto task = [&points](size_t point, const SimulationOptions& options) {
        return Predict(points[point], options);
    };
    const auto outcome = Sweep(task, jobs, collector).Run(SinglePoints(PlanSweep(plan.scenarios, &EstimatedCost)));
    if (outcome.interrupted)
    {
        throw InterruptedError("interrupted");
    }
    if (outcome.failed > 0)
    {
        std::sort(collector.failures.begin(), collector.failures.end());
        std::vector<std::string> lines;
        for (const auto& [point, why] : collector.failures)
        {
            lines.push_back(fmt::format("{}: {}", RowText(plan, point), why));
        }
        throw SimulationError(
            fmt::format("{} of {} simulations failed\n{}", outcome.failed, points.size(), fmt::join(lines, "\n")));
    }
    analysis::ValidationReport report;
    for (size_t row = 0; row < plan.rows.size(); ++row)
    {
        const Prediction& prediction = collector.predictions[plan.scenarioOf[row]];
        plan.rows[row].predictedUs = static_cast<double>(prediction.picoseconds) / 1e6;
        plan.rows[row].sizeBytes = prediction.sizeBytes;
    }
    report.statistics = analysis::StatisticsOf(plan.rows, &TargetOf);
    report.rows = std::move(plan.rows);
    report.skipped = std::move(plan.skipped);
    report.notes = std::move(plan.notes);
    report.libraries = std::move(plan.libraries);
    return report;
}

} // namespace hbd::runner
