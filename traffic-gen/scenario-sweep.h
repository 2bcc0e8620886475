/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCENARIO_SWEEP_H
#define HBD_TRAFFIC_SCENARIO_SWEEP_H

#include "scenario-schema.h"

#include <functional>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// The points of a sweep before they are resolved: what each sets over the rest of the scenario.
struct SweepPlan
{
    std::vector<std::string> columns; ///< paths of the swept keys, in axis order
    std::vector<Leaves> points;       ///< at least one (without a sweep: one that sets nothing)
};

/**
 * Expands the `sweep:` list: axes in order, the first one varies slowest. An axis is one key with a list of values, or
 * a list of maps. \param sweep the value of the key `sweep`; nullptr = none \param seeds the value of the key `seeds`
 * (a number n): an innermost axis seed = first .. first + n - 1; nullptr = none \param firstSeed the seed that a point
 * without `seeds` would have
 */
SweepPlan ExpandSweep(const Value* sweep, const Value* seeds, uint64_t firstSeed, std::vector<Problem>& problems);

/// One `--set PATH=VALUE`, parsed: a value whose file is "--set".
struct Setting
{
    std::string path;
    Value value;
};

/// Parses `--set` texts. What is no PATH=VALUE, or has a value that is no YAML, is a problem.
std::vector<Setting> ParseSettings(const std::vector<std::string>& sets, std::vector<Problem>& problems);

/// The value that a key has in a point, before `auto` is resolved; nullptr = not set anywhere.
using EffectiveValue = std::function<const Value*(const Leaves& point, const Key& key)>;

/**
 * Applies one setting. A key that is not swept gets its value in `base`. Of a swept key the points that have the value
 * remain; when none has it, every point gets it. Values are compared after parsing.
 */
void ApplySetting(const Setting& setting,
                  Leaves& base,
                  SweepPlan& plan,
                  const EffectiveValue& effective,
                  std::vector<Problem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCENARIO_SWEEP_H
