/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_POINT_METADATA_H
#define HBD_RUNNER_POINT_METADATA_H

#include "analysis/records.h"
#include "sweep-plan.h"

namespace hbd::runner
{

/// Sets what the records of a point say about where they come from: names, hash, seed, versions, swept keys, scenario
/// texts, workload.
void FillMetadata(const SweepPoint& point, analysis::PointRecords& records);

} // namespace hbd::runner

#endif // HBD_RUNNER_POINT_METADATA_H
