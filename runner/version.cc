/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "version.h"

#include <fmt/format.h>

namespace hbd::runner
{

namespace
{

/// The release: the topmost one of CHANGES.md.
constexpr const char* kRelease = "0.1";

} // namespace

std::map<std::string, std::string>
Versions()
{
    return {{"ns3-hbd", kRelease}, {"ns-3", HBD_NS3_VERSION}};
}

std::string
VersionText()
{
    return fmt::format("{} (ns-3 {}, {} build)", kRelease, HBD_NS3_VERSION, HBD_BUILD_TYPE);
}

} // namespace hbd::runner
