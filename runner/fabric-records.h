/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_FABRIC_RECORDS_H
#define HBD_RUNNER_FABRIC_RECORDS_H

#include "analysis/records.h"
#include "ns3-module/model/hbd-player.h"

#include <string>
#include <vector>

namespace hbd::runner
{

/// Fills topology and link records. \param phases names of the accounting classes
void FillFabricRecords(const ns3::hbd::Fabric& fabric, const std::vector<std::string>& phases, analysis::PointRecords& records);

/// Fills what the run cost, but for wall time and memory.
void FillCost(ns3::hbd::Fabric& fabric, const ns3::hbd::Player& player, analysis::PointRecords& records);

} // namespace hbd::runner

#endif // HBD_RUNNER_FABRIC_RECORDS_H
