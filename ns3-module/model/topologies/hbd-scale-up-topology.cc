/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-scale-up-topology.h"

#include "hbd-broken-links.h"
#include "hbd-topology-table.h"

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
        BreakLinks(graph, topology.broken); // which has nothing to name
        return;
    }
    std::string known;
    for (const auto& entry : GetScaleUpTopologies())
    {
        if (entry.name == topology.name)
        {
            entry.build(graph, topology);
            BreakLinks(graph, topology.broken);
            return;
        }
        known += (known.empty() ? "" : ", ") + entry.name;
    }
    throw std::invalid_argument("there is no scale-up topology '" + topology.name + "'; there are: " + known);
}

} // namespace hbd
} // namespace ns3
