/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_VERSION_H
#define HBD_RUNNER_VERSION_H

#include <map>
#include <string>

namespace hbd::runner
{

/// What results depend on beside the scenario: program or library -> version. Part of every point's summary.json.
std::map<std::string, std::string> Versions();

/// Versions() and the build profile as one line.
std::string VersionText();

} // namespace hbd::runner

#endif // HBD_RUNNER_VERSION_H
