/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_DRY_RUN_H
#define HBD_RUNNER_DRY_RUN_H

#include "traffic-gen/scenario.h"

namespace hbd::runner
{

/// Prints the points with an estimate of TTFT, TPOT, packets, run time and memory. Nothing is simulated or written.
void PrintDryRun(const traffic::ScenarioFile& file);

/// Wire packets that a point is expected to send: its cost against that of others. Above 0.
double EstimatedPackets(const traffic::Scenario& scenario);

} // namespace hbd::runner

#endif // HBD_RUNNER_DRY_RUN_H
