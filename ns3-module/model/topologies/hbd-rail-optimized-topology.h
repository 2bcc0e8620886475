/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RAIL_OPTIMIZED_TOPOLOGY_H
#define HBD_RAIL_OPTIMIZED_TOPOLOGY_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * Rail-optimised leaf-spine: the servers are divided into groups of `serversPerLeaf` (0 = one group); in each group,
 * one leaf switch a rail connects the NICs of that rail. When there is more than one leaf, every leaf has one uplink to
 * each of the spines, so that traffic between rails and between groups has a way.
 *
 * Leaf of group g and rail r: leaf(g * rails + r); its first ports lead to its NICs in order of GPU, the rest to
 * spine0, spine1, ...; port i of a spine leads to leaf i.
 *
 * Without `crossRail`, each rail is a network of its own: when it has more than one leaf, they have `spines` spine switches of
 * their own (those of rail r are spine(r * spines) to spine(r * spines + spines - 1)), and nothing leads from one rail to
 * another (W. Wang et al., Rail-only, HOTI 2024).
 *
 * `spines` = 0: as many as give every leaf at least as much uplink rate as NIC rate. `uplinkRate` = 0: nicRate.
 *
 * \param graph with its GPUs
 * \param topology sizes and rates
 * \throws std::invalid_argument as AddNics
 */
void AddRailOptimized(FabricGraph& graph, const ScaleOutTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_RAIL_OPTIMIZED_TOPOLOGY_H */
