/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_RESULT_REPORT_H
#define HBD_RUNNER_RESULT_REPORT_H

#include "analysis/reference.h"
#include "analysis/result.h"
#include "sweep-plan.h"

#include <filesystem>
#include <vector>

namespace hbd::runner
{

/**
 * Reads the finished points back and writes points.csv; without a finished point nothing.
 * \param done by point: whether its folder is complete
 * \return the finished points with their collectives, in the order of the sweep
 */
std::vector<analysis::CollectiveResult> WriteResults(const SweepPlan& plan,
                                                     const std::vector<bool>& done,
                                                     const std::filesystem::path& folder);

/// Prints the result table, those of the published marks that the points cover, and where the results are.
void PrintResults(const std::vector<analysis::PublishedMark>& marks,
                  const std::vector<analysis::CollectiveResult>& results,
                  const std::filesystem::path& folder);

} // namespace hbd::runner

#endif // HBD_RUNNER_RESULT_REPORT_H
