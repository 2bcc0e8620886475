/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_LISTED_TOPOLOGY_H
#define HBD_LISTED_TOPOLOGY_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * The nodes and links of ScaleOutTopology::nodes and ::links: the i-th node that is no switch is the NIC of GPU i and
 * has the name given. Ports are in the order of the links. A switch's level is the number of links from it to the
 * nearest switch with a NIC.
 *
 * \param graph with its GPUs
 * \param topology gpus, gpusPerServer, nodes, links, hostRate, hostDelay
 * \throws std::invalid_argument as AddNics and FabricGraph::AddLink, when there is not one NIC a GPU, or a link names
 * no node
 */
void AddListed(FabricGraph& graph, const ScaleOutTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_LISTED_TOPOLOGY_H */
