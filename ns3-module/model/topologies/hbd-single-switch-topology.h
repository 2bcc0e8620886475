/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SINGLE_SWITCH_TOPOLOGY_H
#define HBD_SINGLE_SWITCH_TOPOLOGY_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * All NICs on one Ethernet switch, leaf0; its port i leads to NIC i.
 * \param graph with its GPUs
 * \param topology gpus, gpusPerServer, nicRate, hostRate, hostDelay, linkDelay
 * \throws std::invalid_argument as AddNics
 */
void AddSingleSwitch(FabricGraph& graph, const ScaleOutTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_SINGLE_SWITCH_TOPOLOGY_H */
