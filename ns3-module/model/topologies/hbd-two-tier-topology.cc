/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-two-tier-topology.h"

#include "hbd-single-tier-topology.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

/// The nodes of one plane of a domain: its leaves, then its spines.
uint32_t
AddPlane(FabricGraph& graph, uint32_t hbd, uint32_t plane, uint32_t leaves, uint32_t spines)
{
    auto first = static_cast<uint32_t>(graph.nodes.size());
    for (uint32_t i = 0; i < leaves + spines; i++)
    {
        FabricNode node;
        node.kind = FabricNodeKind::NVSWITCH;
        node.level = i < leaves ? 0 : 1;
        node.place = i < leaves ? i : i - leaves;
        node.hbd = hbd;
        node.plane = plane;
        node.name = "nvswitch-h" + std::to_string(hbd) + "-p" + std::to_string(plane) + (i < leaves ? "-leaf" : "-spine") +
                    std::to_string(node.place);
        graph.AddNode(node);
    }
    return first;
}

} // namespace

void
AddTwoTier(FabricGraph& graph, const ScaleUpTopology& topology)
{
    CheckPlanes(topology);
    uint32_t leafSize = topology.leafSize == 0 ? topology.hbdSize : std::min(topology.leafSize, topology.hbdSize);
    if (topology.hbdSize % leafSize != 0)
    {
        throw std::invalid_argument("leaf switches of " + std::to_string(leafSize) + " GPUs do not divide a domain of " +
                                    std::to_string(topology.hbdSize));
    }
    if (topology.spines == 0 || topology.trunks == 0)
    {
        throw std::invalid_argument("two tiers need at least one spine a plane and one trunk between leaf and spine");
    }
    uint32_t leaves = topology.hbdSize / leafSize;
    auto first = static_cast<uint32_t>(graph.nodes.size());
    for (uint32_t hbd = 0; hbd < topology.gpus / topology.hbdSize; hbd++)
    {
        for (uint32_t plane = 0; plane < topology.planes; plane++)
        {
            AddPlane(graph, hbd, plane, leaves, topology.spines);
        }
    }
    auto planeOf = [&](uint32_t hbd, uint32_t plane) { return first + (hbd * topology.planes + plane) * (leaves + topology.spines); };
    AddGpuLinks(graph, topology, [&](uint32_t gpu, uint32_t plane) {
        return planeOf(gpu / topology.hbdSize, plane) + gpu % topology.hbdSize / leafSize;
    });
    for (uint32_t plane = 0; plane < topology.gpus / topology.hbdSize * topology.planes; plane++)
    {
        uint32_t leaf = planeOf(0, plane);
        for (uint32_t i = 0; i < leaves * topology.spines * topology.trunks; i++)
        {
            graph.AddLink(leaf + i / topology.trunks / topology.spines,
                          leaf + leaves + i / topology.trunks % topology.spines,
                          topology.trunkRate,
                          topology.linkDelay,
                          FabricTier::SCALE_UP,
                          plane % topology.planes);
        }
    }
}

} // namespace hbd
} // namespace ns3
