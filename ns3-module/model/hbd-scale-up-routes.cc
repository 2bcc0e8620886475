/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-scale-up-routes.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

ScaleUpRoutes::ScaleUpRoutes(const FabricGraph& graph)
    : m_graph(graph)
{
    for (const auto& node : graph.nodes)
    {
        m_planes = node.kind == FabricNodeKind::NVSWITCH ? std::max(m_planes, node.plane + 1) : m_planes;
    }
    m_leafOf.assign(static_cast<size_t>(graph.gpus) * m_planes, FABRIC_NONE);
    for (uint32_t gpu = 0; gpu < graph.gpus; gpu++)
    {
        uint32_t hbd = graph.nodes[gpu].hbd;
        if (hbd == m_size.size())
        {
            m_firstGpu.push_back(gpu);
            m_size.push_back(0);
        }
        m_size[hbd]++;
        for (uint32_t link : graph.nodes[gpu].ports)
        {
            uint32_t peer = graph.Peer(link, gpu);
            if (!IsScaleUp(link))
            {
                continue;
            }
            m_whole = m_whole && graph.links[link].IsUp();
            m_mesh = m_mesh || graph.nodes[peer].kind == FabricNodeKind::GPU;
            if (graph.nodes[peer].kind == FabricNodeKind::NVSWITCH)
            {
                m_leafOf[gpu * m_planes + graph.links[link].plane] = peer;
            }
        }
    }
    m_whole = m_whole && graph.broken.empty();
}

std::vector<uint16_t>
ScaleUpRoutes::PortsUpTo(uint32_t node, uint32_t peer) const
{
    std::vector<uint16_t> ports;
    const auto& links = m_graph.nodes[node].ports;
    for (size_t port = 0; port < links.size(); port++)
    {
        if (IsScaleUp(links[port]) && m_graph.links[links[port]].IsUp() && m_graph.Peer(links[port], node) == peer)
        {
            ports.push_back(static_cast<uint16_t>(port));
        }
    }
    return ports;
}

bool
ScaleUpRoutes::AreConnected(uint32_t leafA, uint32_t leafB) const
{
    if (leafA == leafB)
    {
        return true;
    }
    auto [known, isNew] = m_connected.try_emplace({leafA, leafB}, false);
    if (isNew)
    {
        known->second = !PortsTowards(leafA, leafB).empty();
    }
    return known->second;
}

std::vector<uint16_t>
ScaleUpRoutes::PortsTowards(uint32_t node, uint32_t leaf) const
{
    if (m_graph.nodes[node].level == 1)
    {
        return PortsUpTo(node, leaf);
    }
    std::vector<uint16_t> ports;
    const auto& links = m_graph.nodes[node].ports;
    for (size_t port = 0; port < links.size(); port++)
    {
        uint32_t peer = m_graph.Peer(links[port], node);
        bool up = m_graph.links[links[port]].IsUp() && m_graph.nodes[peer].level == 1;
        if (up && !PortsUpTo(peer, leaf).empty())
        {
            ports.push_back(static_cast<uint16_t>(port));
        }
    }
    return ports;
}

std::vector<uint32_t>
ScaleUpRoutes::FindStripe(uint32_t source, uint32_t destination) const
{
    std::vector<uint32_t> stripe;
    if (m_mesh)
    {
        for (uint16_t port : PortsUpTo(source, destination))
        {
            stripe.push_back(port);
        }
        return stripe;
    }
    for (uint32_t plane = 0; plane < m_planes; plane++)
    {
        uint32_t from = GetLeaf(source, plane);
        uint32_t to = GetLeaf(destination, plane);
        if (AreConnected(from, to))
        {
            std::vector<uint16_t> ports = PortsUpTo(source, from);
            ports.resize(std::min(ports.size(), PortsUpTo(destination, to).size()));
            stripe.insert(stripe.end(), ports.begin(), ports.end());
        }
    }
    return stripe;
}

uint32_t
ScaleUpRoutes::CountStripe(uint32_t source, uint32_t destination) const
{
    if (m_mesh || !m_whole)
    {
        return static_cast<uint32_t>(FindStripe(source, destination).size());
    }
    const auto& links = m_graph.nodes[source].ports;
    return static_cast<uint32_t>(std::count_if(links.begin(), links.end(), [this](uint32_t link) { return IsScaleUp(link); }));
}

GpuStripes
ScaleUpRoutes::MakeStripes(uint32_t gpu) const
{
    GpuStripes stripes;
    uint32_t hbd = m_graph.nodes[gpu].hbd;
    stripes.firstGpu = m_firstGpu[hbd];
    stripes.lists.emplace_back();
    for (uint32_t port = 0; port < m_graph.nodes[gpu].ports.size(); port++)
    {
        uint32_t link = m_graph.nodes[gpu].ports[port];
        if (IsScaleUp(link) && m_graph.links[link].IsUp())
        {
            stripes.lists.front().push_back(port);
        }
    }
    for (uint32_t i = 0; i < m_size[hbd] && (m_mesh || !m_whole); i++)
    {
        std::vector<uint32_t> stripe = stripes.firstGpu + i == gpu ? stripes.lists.front() : FindStripe(gpu, stripes.firstGpu + i);
        auto known = std::find(stripes.lists.begin(), stripes.lists.end(), stripe);
        stripes.of.push_back(static_cast<uint32_t>(known - stripes.lists.begin()));
        if (known == stripes.lists.end())
        {
            stripes.lists.push_back(stripe);
        }
    }
    return stripes;
}

NvSwitchTable
ScaleUpRoutes::MakeTable(uint32_t node) const
{
    const FabricNode& chip = m_graph.nodes[node];
    NvSwitchTable table;
    table.firstGpu = m_firstGpu[chip.hbd];
    table.lanes.assign(chip.ports.size(), NvSwitchTable::NO_LANE);
    std::vector<uint32_t> setOfLeaf;
    for (uint32_t i = 0; i < m_size[chip.hbd]; i++)
    {
        uint32_t gpu = table.firstGpu + i;
        uint32_t leaf = GetLeaf(gpu, chip.plane);
        uint32_t place = m_graph.nodes[leaf].place;
        table.leaves = std::max(table.leaves, place + 1);
        table.leafOf.push_back(place);
        if (leaf == node)
        {
            std::vector<uint16_t> ports = PortsUpTo(node, gpu);
            for (size_t lane = 0; lane < ports.size(); lane++)
            {
                table.lanes[ports[lane]] = static_cast<uint16_t>(lane);
            }
            table.setOf.push_back(ports.empty() ? FABRIC_NONE : static_cast<uint32_t>(table.sets.size()));
            if (!ports.empty())
            {
                table.sets.push_back(ports);
            }
            continue;
        }
        setOfLeaf.resize(std::max<size_t>(setOfLeaf.size(), place + 1), FABRIC_NONE);
        if (setOfLeaf[place] == FABRIC_NONE)
        {
            std::vector<uint16_t> ports = PortsTowards(node, leaf);
            setOfLeaf[place] = static_cast<uint32_t>(table.sets.size());
            table.sets.push_back(ports);
        }
        table.setOf.push_back(table.sets[setOfLeaf[place]].empty() ? FABRIC_NONE : setOfLeaf[place]);
    }
    return table;
}

uint32_t
ScaleUpRoutes::GetLinks(uint32_t source, uint32_t destination) const
{
    if (m_mesh)
    {
        return 1;
    }
    return m_planes == 0 || GetLeaf(source, 0) == GetLeaf(destination, 0) ? 2 : 4;
}

uint32_t
ScaleUpRoutes::FindBroken(uint32_t source, uint32_t destination) const
{
    uint32_t ends[2] = {source, destination};
    for (uint32_t gpu : ends)
    {
        for (uint32_t link : m_graph.nodes[gpu].ports)
        {
            uint32_t peer = m_graph.Peer(link, gpu);
            if (!m_graph.links[link].IsUp() && (!m_mesh || peer == source || peer == destination))
            {
                return m_graph.links[link].brokenBy;
            }
        }
        for (uint32_t plane = 0; plane < m_planes && GetLinks(source, destination) == 4; plane++)
        {
            for (uint32_t link : m_graph.nodes[GetLeaf(gpu, plane)].ports)
            {
                uint32_t peer = m_graph.Peer(link, GetLeaf(gpu, plane));
                if (!m_graph.links[link].IsUp() && m_graph.nodes[peer].kind == FabricNodeKind::NVSWITCH)
                {
                    return m_graph.links[link].brokenBy;
                }
            }
        }
    }
    return FABRIC_NONE;
}

} // namespace hbd
} // namespace ns3
