/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SINGLE_TIER_TOPOLOGY_H
#define HBD_SINGLE_TIER_TOPOLOGY_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * One switch a plane: every GPU of the domain has GetLinksTo(plane) links to it. The ports of a switch are in order of GPU.
 * \param graph with its GPUs
 * \param topology planes, linksPerPlane or links, linkRate, linkDelay
 * \throws std::invalid_argument when there is no plane, or a plane without a link
 */
void AddSingleTier(FabricGraph& graph, const ScaleUpTopology& topology);

/// Adds the links of all GPUs to their switches, by GPU, then plane. \param switchOf the node to which a GPU is connected in a plane
template <class SwitchOf>
void
AddGpuLinks(FabricGraph& graph, const ScaleUpTopology& topology, SwitchOf switchOf)
{
    for (uint32_t gpu = 0; gpu < topology.gpus; gpu++)
    {
        for (uint32_t plane = 0; plane < topology.planes; plane++)
        {
            for (uint32_t k = 0; k < topology.GetLinksTo(plane); k++)
            {
                graph.AddLink(gpu, switchOf(gpu, plane), topology.linkRate, topology.linkDelay, FabricTier::SCALE_UP, plane);
            }
        }
    }
}

/// Refuses a topology with switches that has no plane, or one that a GPU has no link to. \throws std::invalid_argument
void CheckPlanes(const ScaleUpTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_SINGLE_TIER_TOPOLOGY_H */
