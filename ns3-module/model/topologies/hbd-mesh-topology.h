/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_MESH_TOPOLOGY_H
#define HBD_MESH_TOPOLOGY_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * No switches: each two GPUs of a domain have `linksPerPeer` links between them, as on boards of four A100. The ports of a GPU are in order of its
 * peers.
 * \param graph with its GPUs
 * \param topology linksPerPeer, linkRate, linkDelay; planes must be 0
 * \throws std::invalid_argument when planes is not 0 or linksPerPeer is
 */
void AddMesh(FabricGraph& graph, const ScaleUpTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_MESH_TOPOLOGY_H */
