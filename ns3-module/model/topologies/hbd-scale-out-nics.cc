/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-scale-out-nics.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

uint32_t
GetRails(const ScaleOutTopology& topology)
{
    return std::min(topology.gpus, topology.gpusPerServer);
}

uint32_t
GetServers(const ScaleOutTopology& topology)
{
    return (topology.gpus + topology.gpusPerServer - 1) / topology.gpusPerServer;
}

uint32_t
AddNics(FabricGraph& graph, const ScaleOutTopology& topology)
{
    if (graph.gpus != topology.gpus || graph.gpus == 0)
    {
        throw std::invalid_argument("the scale-out topology is for " + std::to_string(topology.gpus) +
                                    " GPUs, the graph has " + std::to_string(graph.gpus));
    }
    if (topology.gpusPerServer == 0)
    {
        throw std::invalid_argument("a server needs at least one GPU");
    }
    if (topology.nicRate.GetBitRate() == 0 || topology.hostRate.GetBitRate() == 0)
    {
        throw std::invalid_argument("the rates of a NIC and of its host link must be above 0");
    }
    auto first = static_cast<uint32_t>(graph.nodes.size());
    for (uint32_t gpu = 0; gpu < topology.gpus; gpu++)
    {
        graph.nodes[gpu].rail = gpu % topology.gpusPerServer;
        FabricNode node;
        node.kind = FabricNodeKind::NIC;
        node.name = "nic" + std::to_string(gpu);
        node.gpu = gpu;
        node.hbd = graph.nodes[gpu].hbd;
        node.rail = graph.nodes[gpu].rail;
        graph.AddNode(node);
    }
    for (uint32_t gpu = 0; gpu < topology.gpus; gpu++)
    {
        graph.AddLink(gpu, first + gpu, topology.hostRate, topology.hostDelay, FabricTier::HOST);
    }
    return first;
}

uint32_t
AddEthernetSwitch(FabricGraph& graph, const std::string& name, uint32_t level, uint32_t rail)
{
    FabricNode node;
    node.kind = FabricNodeKind::ETHERNET_SWITCH;
    node.name = name;
    node.level = level;
    node.rail = rail;
    return graph.AddNode(node);
}

} // namespace hbd
} // namespace ns3
