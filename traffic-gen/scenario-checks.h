/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCENARIO_CHECKS_H
#define HBD_TRAFFIC_SCENARIO_CHECKS_H

#include "scenario-schema.h"

#include <set>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// A point while it is being read: the scenario, where its values come from, and what is wrong with it.
struct PointContext
{
    Scenario& scenario;
    const Leaves& leaves;        ///< what was given (scenario, sweep, --set, presets), without defaults
    std::string file;            ///< the scenario file
    std::string pointName;       ///< `cluster.gpus=64 precision=fp8`, empty without a sweep
    std::set<std::string> wrong; ///< paths of keys that could not be read: checks that need them are left out
    std::vector<Problem>& problems;

    /// Adds a problem at the place where the key, or the first key below that path, was given; without one at the
    /// nearest map of the scenario around it.
    void Complain(const std::string& path,
                  const std::string& expected,
                  const std::string& given,
                  std::string hint = "");
    /// Whether the key, one below that path, or a group that it belongs to could not be read.
    bool IsWrong(const std::string& path) const;
};

/**
 * Resolves every `auto` (mapping, head size, uplink rate) and checks what the keys must fulfil together: the domain
 * divides the GPUs, the mapping multiplies up, heads and experts divide, ... Called when all keys were read.
 */
void ResolveAndCheck(PointContext& context);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCENARIO_CHECKS_H
