/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_KERNEL_SCHEMA_H
#define HBD_TRAFFIC_KERNEL_SCHEMA_H

#include "scenario-schema.h"

#include <vector>

namespace hbd::traffic
{

/// Key::fallback of what a kernel takes over from the library's key of the same name when it does not give it.
constexpr std::string_view kFromLibrary = "that of the library";

/// The keys of a kernel, in the order in which they are written. Their fields are those of the last kernel of a
/// scenario's library.
const std::vector<Key>& KernelKeys();

/**
 * Reads a list of kernels into the scenario's library, whose defaults are there already.
 * \param list the value of library.kernels
 * \return whether all are right; if not, each thing that is wrong was added as a problem with its line and path
 * (library.kernels[2].until), and the library's kernels are not changed
 */
bool ReadKernels(const Value& list, Scenario& scenario, std::vector<Problem>& problems);

/// The library's kernels as a list of maps with every key.
Value WriteKernels(const Scenario& scenario);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_KERNEL_SCHEMA_H
