/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-listed-topology.h"

#include "hbd-scale-out-nics.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

/// Levels by breadth-first search from the switches that have NICs.
void
SetLevels(FabricGraph& graph)
{
    std::vector<uint32_t> queue;
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
    {
        const auto& ports = graph.nodes[node].ports;
        bool leaf = graph.nodes[node].kind == FabricNodeKind::ETHERNET_SWITCH &&
                    std::any_of(ports.begin(), ports.end(), [&](uint32_t link) {
                        return graph.nodes[graph.Peer(link, node)].kind == FabricNodeKind::NIC;
                    });
        if (leaf)
        {
            graph.nodes[node].level = 0;
            queue.push_back(node);
        }
    }
    for (size_t i = 0; i < queue.size(); i++)
    {
        for (uint32_t link : graph.nodes[queue[i]].ports)
        {
            FabricNode& next = graph.nodes[graph.Peer(link, queue[i])];
            if (next.kind == FabricNodeKind::ETHERNET_SWITCH && next.level == FABRIC_NONE)
            {
                next.level = graph.nodes[queue[i]].level + 1;
                queue.push_back(graph.Peer(link, queue[i]));
            }
        }
    }
}

} // namespace

void
AddListed(FabricGraph& graph, const ScaleOutTopology& topology)
{
    auto nics =
        std::count_if(topology.nodes.begin(), topology.nodes.end(), [](const auto& node) { return !node.isSwitch; });
    if (nics != static_cast<std::ptrdiff_t>(topology.gpus))
    {
        throw std::invalid_argument("the list has " + std::to_string(nics) + " NICs for " +
                                    std::to_string(topology.gpus) + " GPUs");
    }
    uint32_t nic = AddNics(graph, topology);
    std::vector<uint32_t> nodes; // by place in the list
    for (const auto& node : topology.nodes)
    {
        if (node.isSwitch)
        {
            nodes.push_back(AddEthernetSwitch(graph, node.name, FABRIC_NONE));
            continue;
        }
        graph.nodes[nic].name = node.name;
        nodes.push_back(nic++);
    }
    for (const auto& link : topology.links)
    {
        if (link.ends[0] >= nodes.size() || link.ends[1] >= nodes.size())
        {
            throw std::invalid_argument("a link of the list names no node of it");
        }
        for (uint32_t i = 0; i < link.number; i++)
        {
            graph.AddLink(nodes[link.ends[0]], nodes[link.ends[1]], link.rate, link.delay, FabricTier::SCALE_OUT);
        }
    }
    SetLevels(graph);
}

} // namespace hbd
} // namespace ns3
