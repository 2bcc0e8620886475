/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVE_CHECKER_H
#define HBD_TRAFFIC_COLLECTIVE_CHECKER_H

#include "collective-lowering.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

/**
 * Executes a lowering symbolically: every range of every block is a set of contributions. A send carries what its
 * member has from the start and what arrived in receives that the send depends on, and nothing else, so a missing
 * dependency shows.
 *
 * \return what is wrong; empty when every message pairs up, nothing waits forever, no member sends what it does not
 * have, and at the end each result is where it belongs with each contribution in it exactly once
 */
std::vector<std::string> CheckLowering(const CollectiveRequest& request, const Lowering& lowering);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVE_CHECKER_H
