/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCENARIO_READER_H
#define HBD_TRAFFIC_SCENARIO_READER_H

#include "preset-library.h"
#include "problem.h"
#include "scenario-schema.h"
#include "scenario.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

/**
 * Reads a scenario: presets, defaults, `auto`, sweep and `--set` resolved, every point validated.
 * \param path the YAML (or JSON) file
 * \param sets `PATH=VALUE` texts, applied from left to right. A swept key: the points that have the value remain; when
 * none has it, all get it. \param problems gets everything that is wrong, each once. The result is good for use only
 * when nothing was added; else it has no points. Never throws for bad input.
 */
ScenarioFile ReadScenario(const std::string& path,
                          const std::vector<std::string>& sets,
                          std::vector<Problem>& problems);

/**
 * As ReadScenario, of a scenario that is there already.
 * \param document the scenario's map
 * \param path the file to name where a value has none of its own; presets are looked for beside it
 */
ScenarioFile ReadScenarioDocument(Value document,
                                  const std::string& path,
                                  const std::vector<std::string>& sets,
                                  std::vector<Problem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCENARIO_READER_H
