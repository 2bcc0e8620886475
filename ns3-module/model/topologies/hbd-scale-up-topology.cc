/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-scale-up-topology.h"

#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

void
CheckScaleUp(const FabricGraph& graph, const ScaleUpTopology& topology)
{
    if (!graph.nodes.empty())
    {
        throw std::invalid_argument("the GPUs come first: the graph must be empty");
    }
    if (topology.gpus == 0 || topology.hbdSize == 0 || topology.gpus % topology.hbdSize != 0)
    {
        throw std::invalid_argument("domains of " + std::to_string(topology.hbdSize) + " GPUs do not divide " +
                                    std::to_string(topology.gpus) + " GPUs");
    }
    if (topology.hbdSize > 1 && (topology.planes == 0 || topology.linksPerPlane == 0))
    {
        throw std::invalid_argument("a domain of more than one GPU needs at least one plane and one link per plane");
    }
}

void
AddGpus(FabricGraph& graph, const ScaleUpTopology& topology)
{
    for (uint32_t gpu = 0; gpu < topology.gpus; gpu++)
    {
        FabricNode node;
        node.kind = FabricNodeKind::GPU;
        node.name = "gpu" + std::to_string(gpu);
        node.gpu = gpu;
        node.hbd = gpu / topology.hbdSize;
        graph.AddNode(node);
    }
    graph.gpus = topology.gpus;
}

} // namespace

void
AddScaleUp(FabricGraph& graph, const ScaleUpTopology& topology)
{
    CheckScaleUp(graph, topology);
    AddGpus(graph, topology);
    if (topology.hbdSize == 1)
    {
        return;
    }
    for (uint32_t hbd = 0; hbd < topology.gpus / topology.hbdSize; hbd++)
    {
        for (uint32_t plane = 0; plane < topology.planes; plane++)
        {
            FabricNode node;
            node.kind = FabricNodeKind::NVSWITCH;
            node.name = "nvswitch-h" + std::to_string(hbd) + "-p" + std::to_string(plane);
            node.hbd = hbd;
            graph.AddNode(node);
        }
    }
    for (uint32_t gpu = 0; gpu < topology.gpus; gpu++)
    {
        uint32_t firstSwitch = topology.gpus + gpu / topology.hbdSize * topology.planes;
        for (uint32_t plane = 0; plane < topology.planes; plane++)
        {
            for (uint32_t k = 0; k < topology.linksPerPlane; k++)
            {
                graph.AddLink(gpu,
                              firstSwitch + plane,
                              topology.linkRate,
                              topology.linkDelay,
                              FabricTier::SCALE_UP,
                              plane);
            }
        }
    }
}

} // namespace hbd
} // namespace ns3
