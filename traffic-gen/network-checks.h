/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_NETWORK_CHECKS_H
#define HBD_TRAFFIC_NETWORK_CHECKS_H

#include "scenario-checks.h"

namespace hbd::traffic
{

/// Keys of another scale-out topology, and sizes of the chosen one.
void CheckNetworkLayout(PointContext& context);
/// Entries of cluster.scale-out.faults that cannot be read. Whether their links exist is seen when the fabric does.
void CheckFaults(PointContext& context);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_NETWORK_CHECKS_H
