/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_OPERATION_BOUND_H
#define HBD_TRAFFIC_OPERATION_BOUND_H

#include "scenario.h"

#include <cstdint>
#include <optional>
#include <string>

namespace hbd::traffic
{

/// Most operations of one item (a layer, or one size of a network-only workload): beyond it a run takes tens of GB.
constexpr uint64_t kMostOperations = 50000000;

/**
 * Counts the operations that the largest item of a scenario can have, before any is built: what the table of
 * collectives says of its algorithm, in a layer the sends of its collectives with a receive each. Blocks without bytes
 * count too, so it is an upper bound. What the library has no kernel for (KernelProblem()) counts
 * as nothing. \return the arithmetic in words when there are more than kMostOperations; nothing
 * when the scenario can be built
 */
std::optional<std::string> OperationProblem(const Scenario& scenario);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_OPERATION_BOUND_H
