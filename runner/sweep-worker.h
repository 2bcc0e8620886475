/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_SWEEP_WORKER_H
#define HBD_RUNNER_SWEEP_WORKER_H

#include "simulation.h"
#include "sweep-plan.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace hbd::runner
{

/**
 * What is done with one point, in a process of its own.
 * \param point index in the plan
 * \param options what to simulate it with
 * \return what to tell the process that started the sweep; may be empty
 */
using PointTask = std::function<std::string(size_t point, const SimulationOptions& options)>;

/// Simulates a point and writes its folder below `folder`. \param plan outlives the task \param jobs processes of the
/// sweep, for run.json
PointTask FolderTask(const SweepPlan& plan, const std::filesystem::path& folder, uint32_t jobs);

/**
 * The body of a worker process: does the task for the points of a group, in order. Stops at the first point that fails.
 * \param pipe descriptor to report to \return exit code of the process
 */
int RunWorker(const PointTask& task, const PointGroup& group, int pipe);

} // namespace hbd::runner

#endif // HBD_RUNNER_SWEEP_WORKER_H
