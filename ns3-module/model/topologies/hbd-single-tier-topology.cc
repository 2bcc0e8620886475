/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-single-tier-topology.h"

#include <stdexcept>

namespace ns3
{
namespace hbd
{

void
CheckPlanes(const ScaleUpTopology& topology)
{
    if (topology.planes == 0 || topology.GetLinksTo(topology.planes / 2) == 0)
    {
        throw std::invalid_argument("a domain of more than one GPU needs at least one plane and one link per plane");
    }
}

void
AddSingleTier(FabricGraph& graph, const ScaleUpTopology& topology)
{
    CheckPlanes(topology);
    auto first = static_cast<uint32_t>(graph.nodes.size());
    for (uint32_t hbd = 0; hbd < topology.gpus / topology.hbdSize; hbd++)
    {
        for (uint32_t plane = 0; plane < topology.planes; plane++)
        {
            FabricNode node;
            node.kind = FabricNodeKind::NVSWITCH;
            node.name = "nvswitch-h" + std::to_string(hbd) + "-p" + std::to_string(plane);
            node.hbd = hbd;
            node.plane = plane;
            graph.AddNode(node);
        }
    }
    AddGpuLinks(graph, topology, [&](uint32_t gpu, uint32_t plane) { return first + gpu / topology.hbdSize * topology.planes + plane; });
}

} // namespace hbd
} // namespace ns3
