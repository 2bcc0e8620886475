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
 * Adds the GPUs and, when a domain has more than one GPU, its NVLink switches: one switch a plane, every GPU of the
 * domain has `linksPerPlane` links to each. Port p = plane * linksPerPlane + k of every GPU is its k-th link to that
 * plane; the ports of a switch are in order of GPU. Node i is GPU i; the switches follow, by domain, then plane. \param
 * graph empty \param topology sizes, rate per link and direction, one-way delay \throws std::invalid_argument when the
 * graph is not empty, a count is 0 or the domain size does not divide the GPUs
 */
void AddScaleUp(FabricGraph& graph, const ScaleUpTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_SCALE_UP_TOPOLOGY_H */
