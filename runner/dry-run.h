/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_DRY_RUN_H
#define HBD_RUNNER_DRY_RUN_H

#include "sweep-plan.h"
#include "traffic-gen/scenario.h"

#include <cstddef>
#include <string>

namespace hbd::runner
{

/**
 * The points with an estimate of TTFT, TPOT, packets, and the time and memory of the simulation. Nothing is simulated
 * or written. \param width display columns to fit in
 */
std::string DryRunTable(const traffic::ScenarioFile& file, size_t width);

/// What a point is expected to cost; the weight is in simulation units x links that have to be simulated.
PointCost EstimatedCost(const traffic::Scenario& scenario);

} // namespace hbd::runner

#endif // HBD_RUNNER_DRY_RUN_H
