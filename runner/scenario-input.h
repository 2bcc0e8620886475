/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_SCENARIO_INPUT_H
#define HBD_RUNNER_SCENARIO_INPUT_H

#include "traffic-gen/problem.h"
#include "traffic-gen/scenario.h"

#include <string>
#include <vector>

namespace hbd::runner
{

/// The problems, one a line.
std::string ProblemsText(const std::vector<traffic::Problem>& problems);

/**
 * Adds a problem of one point.
 * \param file where the point is from
 * \param path the key; the problem is told at the place where the scenario gives it, or the map around it
 */
void AddPointProblem(const traffic::ScenarioFile& file,
                     const traffic::Scenario& point,
                     const std::string& path,
                     const std::string& expected,
                     const std::string& given,
                     std::vector<traffic::Problem>& problems);

/// Adds what is wrong with points that were read without problems: size, memory, buffers of the fabric, workload files.
void AddInputProblems(const traffic::ScenarioFile& file, std::vector<traffic::Problem>& problems);

/**
 * Reads a scenario with all its points, checked, memory, size and buffers of the fabric included.
 * \param path relative to the working directory
 * \param sets PATH=VALUE texts, applied in order
 * \throw InputError with every problem
 */
traffic::ScenarioFile LoadScenario(const std::string& path, const std::vector<std::string>& sets);

/**
 * As LoadScenario, for commands that need one point.
 * \throw InputError also when several points are left; the text says which keys to set
 */
traffic::Scenario LoadPoint(const std::string& path, const std::vector<std::string>& sets);

/// "cluster.gpus=64, precision=fp8"; empty when nothing is swept.
std::string KeysText(const traffic::Scenario& scenario);

/// Which keys have several values in these points, with the values: what to give to --set. One line a key.
std::string OpenKeysText(const std::vector<traffic::Scenario>& points);

} // namespace hbd::runner

#endif // HBD_RUNNER_SCENARIO_INPUT_H
