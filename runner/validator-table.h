/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_VALIDATOR_TABLE_H
#define HBD_RUNNER_VALIDATOR_TABLE_H

#include "analysis/validation.h"
#include "measured-table.h"
#include "traffic-gen/scenario-value.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hbd::runner
{

/// Keys and their texts, below one map of a scenario.
using KeyTexts = std::vector<std::pair<std::string, std::string>>;

/// A row of a measured table, or one of its measurements, as something to simulate.
struct MeasuredCase
{
    std::string system;    ///< as the table spells it
    std::string software;  ///< whose library preset of the system is taken: nccl, moe-one-sided, ...
    std::string operation; ///< as the report calls it
    uint32_t gpus = 0;     ///< that take part
    std::string key;       ///< what else tells the rows apart
    double measuredUs = 0;
    double logicalBytes = 0; ///< not 0: rates are compared, these bytes over the times
    KeyTexts workload;       ///< keys of `workload`, `ranks` aside
    KeyTexts library;        ///< keys of `library` beside its preset
};

/// What a table has for the simulator.
struct MeasuredCases
{
    std::vector<MeasuredCase> cases;
    std::vector<analysis::SkippedRows> skipped;

    /// Notes that a row of a table is left out. Rows with the same reason are told together.
    void Skip(const std::string& table, const std::string& why);
};

/// How one measured table is read.
struct Validator
{
    const char* table; ///< file name without .csv
    const char* note;  ///< how its rows are read, for the report
    analysis::ErrorTarget target;
    std::vector<std::string> columns; ///< that it must have
    void (*read)(const MeasuredTable& table, MeasuredCases& result);
};

/// All validators. A new one is a file in validators/ and a line in validator-table.cc.
const std::vector<Validator>& Validators();

/// The validator of a table, or nullptr.
const Validator* FindValidator(const std::string& table);

/// The target of a table; without a validator none.
analysis::ErrorTarget TargetOf(const std::string& table);

} // namespace hbd::runner

#endif // HBD_RUNNER_VALIDATOR_TABLE_H
