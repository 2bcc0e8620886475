/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SCALE_UP_TOPOLOGY_H
#define HBD_SCALE_UP_TOPOLOGY_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * Adds the GPUs and, when a domain has more than one GPU, the links and switches that the entry topology.name of the table makes. Node i is GPU i;
 * the switches follow, by domain, then plane. The ports of a GPU are in order of plane (mesh: of peer). Then marks what is broken.
 * \param graph empty
 * \param topology sizes, rates per link and direction, one-way delay
 * \throws std::invalid_argument when the graph is not empty, the domain size does not divide the GPUs, the table has no such name (the text lists
 * them), something broken is not there, or as the builder does
 */
void AddScaleUp(FabricGraph& graph, const ScaleUpTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_SCALE_UP_TOPOLOGY_H */
