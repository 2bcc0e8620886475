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
 * Executes a lowering symbolically: every range of every block is a set of contributions. Each operation knows what has
 * happened before it: what it depends on and, through messages (flags too), what the senders knew when they sent; after
 * a send or multicast is complete its data is known to be at the receivers.
 * - A send or multicast carries what its member has from the start and what is known to have arrived there, and nothing
 *   else, so a missing dependency shows.
 * - A read or a reduction in the switch takes the same of the other members. It must know that they have started (else
 *   what they have from the start may not be there yet) and, where they stage the data, that the copy is done; a
 *   missing flag shows. A reduction needs a contribution of every member of its group, each a different one; its sum
 *   replaces what the reader put into it.
 * - A copy in or out takes what is known to be at its member.
 *
 * Buffers are not modelled: that a staging buffer is free again before it is overwritten is not checked.
 *
 * \return what is wrong; empty when every message pairs up, nothing waits forever, no member sends what it does not
 * have, nothing arrives twice, and at the end each result is where it belongs with each contribution in it exactly once
 */
std::vector<std::string> CheckLowering(const CollectiveRequest& request, const Lowering& lowering);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVE_CHECKER_H
