/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_FABRIC_CHECK_H
#define HBD_RUNNER_FABRIC_CHECK_H

#include "traffic-gen/problem.h"
#include "traffic-gen/scenario.h"

#include <vector>

namespace hbd::runner
{

/// The first point of each different fabric.
std::vector<traffic::Scenario> DistinctFabrics(const std::vector<traffic::Scenario>& points);

/**
 * Reports what does not fit together in the scale-out fabric of each different cluster: headroom too small for a cable,
 * no shared buffer left, a topology that cannot be connected. Nothing is simulated; the devices of a few GPUs are
 * built. \param file a scenario that was read without problems \param problems gets one problem a fabric, at the place
 * of the key
 */
void AddFabricProblems(const traffic::ScenarioFile& file, std::vector<traffic::Problem>& problems);

} // namespace hbd::runner

#endif // HBD_RUNNER_FABRIC_CHECK_H
