/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_VALIDATE_H
#define HBD_RUNNER_VALIDATE_H

#include "analysis/validation.h"
#include "traffic-gen/scenario.h"
#include "validator-table.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hbd::runner
{

/// What is to be compared: each case with the scenario that stands for it.
struct ValidationPlan
{
    std::vector<analysis::Comparison> rows; ///< predictions still 0
    std::vector<size_t> scenarioOf;         ///< by row: index of its scenario
    traffic::ScenarioFile scenarios;        ///< all different
    std::vector<analysis::SkippedRows> skipped;
    std::vector<std::string> notes;
    std::vector<analysis::LibraryProvenance> libraries;
};

/**
 * Reads the measured tables of a folder.
 * \param tables names of those wanted; empty = all
 * \param sets PATH=VALUE texts for every scenario, applied in order
 * \throw InputError when the folder has no table, or a table or a preset is wrong; UsageError for a table that nothing
 * reads
 */
ValidationPlan PlanValidation(const std::filesystem::path& folder,
                              const std::vector<std::string>& tables,
                              const std::vector<std::string>& sets = {});

/**
 * Simulates every scenario and fills in the predictions.
 * \param jobs processes at a time
 * \throw SimulationError when one of them failed, with all that did; InterruptedError
 */
analysis::ValidationReport RunValidation(ValidationPlan plan, uint32_t jobs);

} // namespace hbd::runner

#endif // HBD_RUNNER_VALIDATE_H
