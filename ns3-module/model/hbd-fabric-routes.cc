/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric-routes.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

FabricRoutes::FabricRoutes(const FabricGraph& graph)
    : m_graph(graph)
{
    m_switchOf.assign(graph.nodes.size(), FABRIC_NONE);
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
    {
        if (graph.nodes[node].kind == FabricNodeKind::ETHERNET_SWITCH)
        {
            m_switchOf[node] = static_cast<uint32_t>(m_switchNodes.size());
            m_switchNodes.push_back(node);
        }
    }
    if (m_switchNodes.empty())
    {
        return;
    }
    FindNics(graph);
    m_switches.resize(m_switchNodes.size());
    m_distance.resize(m_switchNodes.size());
    for (auto& routes : m_switches)
    {
        routes.setOf.assign(graph.gpus, FABRIC_NONE);
    }
    std::vector<uint32_t> leaves = m_leafOf;
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    for (uint32_t leaf : leaves)
    {
        m_distance[leaf] = Distances(leaf);
        AddDestinations(leaf, m_distance[leaf]);
    }
}

void
FabricRoutes::FindNics(const FabricGraph& graph)
{
    m_leafOf.assign(graph.gpus, FABRIC_NONE);
    m_leafPort.assign(graph.gpus, 0);
    m_nicUp.assign(graph.gpus, false);
    m_nicOf.assign(graph.gpus, FABRIC_NONE);
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
    {
        const FabricNode& nic = graph.nodes[node];
        if (nic.kind != FabricNodeKind::NIC)
        {
            continue;
        }
        m_nicOf[nic.gpu] = node;
        for (uint32_t link : nic.ports)
        {
            uint32_t peer = graph.Peer(link, node);
            if (m_switchOf[peer] == FABRIC_NONE)
            {
                continue;
            }
            if (m_leafOf[nic.gpu] != FABRIC_NONE)
            {
                throw std::invalid_argument(nic.name + " is connected to more than one switch");
            }
            m_leafOf[nic.gpu] = m_switchOf[peer];
            m_nicUp[nic.gpu] = graph.links[link].IsUp();
            m_leafPort[nic.gpu] = static_cast<uint16_t>(graph.links[link].node[0] == peer ? graph.links[link].port[0]
                                                                                          : graph.links[link].port[1]);
        }
    }
    auto lost = std::find(m_leafOf.begin(), m_leafOf.end(), FABRIC_NONE);
    if (lost != m_leafOf.end())
    {
        throw std::invalid_argument("GPU " + std::to_string(lost - m_leafOf.begin()) +
                                    " has no NIC that is connected to a switch");
    }
}

std::vector<uint32_t>
FabricRoutes::Distances(uint32_t leaf) const
{
    std::vector<uint32_t> distance(m_switchNodes.size(), FABRIC_NONE);
    std::vector<uint32_t> queue{leaf};
    distance[leaf] = 0;
    for (size_t i = 0; i < queue.size(); i++)
    {
        uint32_t node = m_switchNodes[queue[i]];
        for (uint32_t link : m_graph.nodes[node].ports)
        {
            uint32_t next = m_switchOf[m_graph.Peer(link, node)];
            if (next != FABRIC_NONE && m_graph.links[link].IsUp() && distance[next] == FABRIC_NONE)
            {
                distance[next] = distance[queue[i]] + 1;
                queue.push_back(next);
            }
        }
    }
    return distance;
}

void
FabricRoutes::AddDestinations(uint32_t leaf, const std::vector<uint32_t>& distance)
{
    std::vector<uint32_t> shared(m_switchNodes.size(), FABRIC_NONE);
    for (uint32_t from = 0; from < m_switchNodes.size(); from++)
    {
        std::vector<uint16_t> ports; // stays empty when there is no way
        uint32_t node = m_switchNodes[from];
        for (size_t port = 0; port < m_graph.nodes[node].ports.size() && distance[from] != FABRIC_NONE; port++)
        {
            uint32_t link = m_graph.nodes[node].ports[port];
            uint32_t next = m_switchOf[m_graph.Peer(link, node)];
            if (next != FABRIC_NONE && m_graph.links[link].IsUp() && distance[next] != FABRIC_NONE &&
                distance[next] + 1 == distance[from])
            {
                ports.push_back(static_cast<uint16_t>(port));
            }
        }
        shared[from] = from == leaf ? FABRIC_NONE : ShareSet(m_switches[from], ports);
    }
    for (uint32_t gpu = 0; gpu < m_leafOf.size(); gpu++)
    {
        if (m_leafOf[gpu] != leaf)
        {
            continue;
        }
        for (uint32_t from = 0; from < m_switchNodes.size(); from++)
        {
            SwitchRoutes& routes = m_switches[from];
            if (!m_nicUp[gpu])
            {
                routes.setOf[gpu] = ShareSet(routes, {});
            }
            else
            {
                routes.setOf[gpu] = from == leaf ? ShareSet(routes, {m_leafPort[gpu]}) : shared[from];
            }
        }
    }
}

uint32_t
FabricRoutes::ShareSet(SwitchRoutes& routes, const std::vector<uint16_t>& ports)
{
    auto found = std::find(routes.sets.begin(), routes.sets.end(), ports);
    if (found == routes.sets.end())
    {
        routes.sets.push_back(ports);
        return static_cast<uint32_t>(routes.sets.size() - 1);
    }
    return static_cast<uint32_t>(found - routes.sets.begin());
}

uint32_t
FabricRoutes::GetHops(uint32_t sourceGpu, uint32_t destinationGpu) const
{
    if (sourceGpu == destinationGpu)
    {
        return 0;
    }
    uint32_t between = m_distance[m_leafOf[destinationGpu]][m_leafOf[sourceGpu]];
    bool way = m_nicUp[sourceGpu] && m_nicUp[destinationGpu] && between != FABRIC_NONE;
    return way ? between + 2 : FABRIC_NONE;
}

uint64_t
FabricRoutes::GetPathCount(uint32_t sourceGpu, uint32_t destinationGpu) const
{
    if (!HasWay(sourceGpu, destinationGpu))
    {
        return 0;
    }
    const std::vector<uint32_t>& distance = m_distance[m_leafOf[destinationGpu]];
    std::vector<uint64_t> paths(m_switchNodes.size(), 0);
    std::vector<uint32_t> queue{m_leafOf[sourceGpu]};
    paths[queue[0]] = 1;
    for (size_t i = 0; i < queue.size() && distance[queue[i]] != 0; i++)
    {
        uint32_t node = m_switchNodes[queue[i]];
        for (uint16_t port : m_switches[queue[i]].PortsTo(destinationGpu))
        {
            uint32_t next = m_switchOf[m_graph.Peer(m_graph.nodes[node].ports[port], node)];
            if (paths[next] == 0)
            {
                queue.push_back(next);
            }
            uint64_t room = std::numeric_limits<uint64_t>::max() - paths[next];
            paths[next] += std::min(room, paths[queue[i]]);
        }
    }
    return paths[m_leafOf[destinationGpu]];
}

std::vector<uint32_t>
FabricRoutes::GetPath(uint32_t sourceGpu, uint32_t destinationGpu) const
{
    std::vector<uint32_t> path;
    if (!HasWay(sourceGpu, destinationGpu))
    {
        return path;
    }
    uint32_t node = m_nicOf[sourceGpu];
    for (uint32_t link : m_graph.nodes[node].ports)
    {
        if (m_graph.links[link].tier == FabricTier::SCALE_OUT)
        {
            path.push_back(link);
        }
    }
    node = GetLeaf(sourceGpu);
    while (node != m_nicOf[destinationGpu])
    {
        uint32_t link = m_graph.nodes[node].ports[GetSwitch(node).PortsTo(destinationGpu).front()];
        path.push_back(link);
        node = m_graph.Peer(link, node);
    }
    return path;
}

std::vector<std::vector<uint32_t>>
FabricRoutes::GetWays(uint32_t sourceGpu, uint32_t destinationGpu) const
{
    std::vector<std::vector<uint32_t>> ways;
    std::vector<uint32_t> path = GetPath(sourceGpu, destinationGpu);
    std::vector<uint32_t> nodes{GetLeaf(sourceGpu)};
    for (size_t i = 0; i < path.size(); i++)
    {
        ways.emplace_back();
        if (i == 0)
        {
            ways.back().push_back(path[0]);
            continue;
        }
        std::vector<uint32_t> next;
        for (uint32_t node : nodes)
        {
            for (uint16_t port : GetSwitch(node).PortsTo(destinationGpu))
            {
                uint32_t link = m_graph.nodes[node].ports[port];
                ways.back().push_back(link);
                next.push_back(m_graph.Peer(link, node));
            }
        }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        nodes.swap(next);
    }
    return ways;
}

} // namespace hbd
} // namespace ns3
