/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_PUBLISHED_MARKS_H
#define HBD_RUNNER_PUBLISHED_MARKS_H

#include "analysis/reference.h"
#include "traffic-gen/scenario.h"

#include <vector>

namespace hbd::runner
{

/**
 * The `reference:` marks of a scenario as the analysis takes them.
 * \throw InputError when a mark has a kind or metric that the analysis does not know
 */
std::vector<analysis::PublishedMark> MarksOf(const traffic::ScenarioFile& file);

} // namespace hbd::runner

#endif // HBD_RUNNER_PUBLISHED_MARKS_H
