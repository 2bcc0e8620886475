/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FAT_TREE_TOPOLOGY_H
#define HBD_FAT_TREE_TOPOLOGY_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * The k-ary fat tree of three levels (M. Al-Fares, A. Loukissas, A. Vahdat, A Scalable, Commodity Data Center Network
 * Architecture, SIGCOMM 2008, section 3): pods of k/2 edge and k/2 aggregation switches, k/2 NICs below each edge
 * switch, each edge switch linked to each aggregation switch of its pod, (k/2)^2 core switches, each with a link to
 * every pod. Of the NICs' order: NIC i is at edge switch i / (k/2). Edge switches and pods without a NIC are left out,
 * and what only they would need: aggregation switches below a single edge, cores above a single pod.
 *
 * Oversubscription and uneven numbers: `aggregations` of a pod (0 = k/2) and `cores` in all (0 = aggregations x k/2)
 * may be fewer. Core c is linked to aggregation switch c mod `aggregations` of every pod, so that uneven numbers of
 * cores leave some aggregation switches with one uplink less. `uplinkRate` (0 = nicRate) is that of all links between
 * switches.
 *
 * Names: edge0 .. (level 0), aggregation0 .. (level 1), core0 .. (level 2), numbered through all pods. Ports of an edge
 * switch: its NICs, then its aggregation switches; of an aggregation switch: its edge switches, then its cores; port p
 * of a core leads to pod p.
 *
 * \param graph with its GPUs
 * \param topology gpus, gpusPerServer, radix (k, even; 0 = the least that has room), aggregations, cores, rates and
 * delays \throws std::invalid_argument as AddNics, when k is odd or has no room for the NICs, or more aggregation
 * switches or cores are asked for than a switch has ports for
 */
void AddFatTree(FabricGraph& graph, const ScaleOutTopology& topology);

/// The k that ScaleOutTopology::radix = 0 stands for: the smallest even one with k^3/4 at least the number of NICs.
uint32_t GetFatTreeRadix(uint32_t nics);

} // namespace hbd
} // namespace ns3

#endif /* HBD_FAT_TREE_TOPOLOGY_H */
