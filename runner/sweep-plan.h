/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_SWEEP_PLAN_H
#define HBD_RUNNER_SWEEP_PLAN_H

#include "traffic-gen/scenario.h"

#include <cstddef>
#include <string>
#include <vector>

namespace hbd::runner
{

/// What a point is expected to cost.
struct PointCost
{
    double weight = 1;     ///< how long it takes, against the others; above 0
    double packetHops = 0; ///< wire packets x links of the whole point; 0 = unknown
};

/// A point of a sweep as the runner handles it.
struct SweepPoint
{
    const traffic::Scenario* scenario; ///< outlives the plan
    std::string name;                  ///< of its folder
    std::string hash;                  ///< of its canonical text
    PointCost cost;
};

/// Points by their index in the plan, to be simulated one after the other in one process.
using PointGroup = std::vector<size_t>;

/// What a sweep has to do.
struct SweepPlan
{
    std::vector<SweepPoint> points; ///< in the order of points.csv
};

/**
 * \param file a scenario file; it must outlive the plan
 * \param estimate expected cost of a point
 */
SweepPlan PlanSweep(const traffic::ScenarioFile& file, PointCost (*estimate)(const traffic::Scenario&));

/**
 * Name of a point's folder: its number, and its swept keys shortened to their last words
 * (`03_gpus-64_size-8_precision-fp8`); without swept keys the scenario's name. \param number from 1 \param count points
 * of the sweep
 */
std::string PointName(const traffic::Scenario& scenario, size_t number, size_t count);

/// A text as a file name: letters, digits, dot, plus and minus stay, each run of others becomes one '-'.
std::string FileNameText(const std::string& text);

/**
 * Groups the points that have not been done: those that differ only in what computes (precision, GPU) have the same
 * fabric and the same messages, and what was learnt about the one serves the others. Heaviest group first. \param done
 * by point
 */
std::vector<PointGroup> GroupPoints(const SweepPlan& plan, const std::vector<bool>& done);

} // namespace hbd::runner

#endif // HBD_RUNNER_SWEEP_PLAN_H
