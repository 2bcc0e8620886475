/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_SWEEP_WORKER_H
#define HBD_RUNNER_SWEEP_WORKER_H

#include "sweep-plan.h"

#include <cstdint>
#include <filesystem>

namespace hbd::runner
{

/**
 * The body of a worker process: simulates the points of a group in order and writes their folders. Stops at the first
 * point that fails. \param folder where the points' folders go \param jobs processes of the sweep, for run.json \param
 * pipe descriptor to report to \return exit code of the process
 */
int RunWorker(const SweepPlan& plan,
              const PointGroup& group,
              const std::filesystem::path& folder,
              uint32_t jobs,
              int pipe);

} // namespace hbd::runner

#endif // HBD_RUNNER_SWEEP_WORKER_H
