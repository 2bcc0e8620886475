/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_MOE_LOAD_H
#define HBD_RUNNER_MOE_LOAD_H

#include "analysis/records.h"
#include "traffic-gen/scenario.h"

namespace hbd::runner
{

/// Fills in how many token copies each expert's shard on each rank gets in one layer. Nothing for models without experts and for the network alone.
void FillMoeLoad(const traffic::Scenario& scenario, analysis::PointRecords& records);

} // namespace hbd::runner

#endif // HBD_RUNNER_MOE_LOAD_H
