/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric-graph.h"

#include <stdexcept>

namespace ns3
{
namespace hbd
{

uint32_t
ScaleUpTopology::GetLinksTo(uint32_t plane) const
{
    if (links == 0)
    {
        return linksPerPlane;
    }
    // the order in which planes get what is left over: first, last, second, last but one, ...
    uint32_t turn = plane < (planes + 1) / 2 ? 2 * plane : 2 * (planes - 1 - plane) + 1;
    return links / planes + (turn < links % planes ? 1 : 0);
}

uint32_t
ScaleUpTopology::GetLinksOfPair() const
{
    if (planes == 0)
    {
        return linksPerPeer;
    }
    return links == 0 ? planes * linksPerPlane : links;
}

uint32_t
FabricGraph::AddNode(FabricNode node)
{
    nodes.push_back(std::move(node));
    return static_cast<uint32_t>(nodes.size() - 1);
}

uint32_t
FabricGraph::AddLink(uint32_t a, uint32_t b, DataRate rate, Time delay, FabricTier tier, uint32_t plane)
{
    if (a >= nodes.size() || b >= nodes.size() || a == b)
    {
        throw std::invalid_argument("a link joins two different nodes of the graph, not " + std::to_string(a) +
                                    " and " + std::to_string(b) + " of " + std::to_string(nodes.size()));
    }
    if (rate.GetBitRate() == 0 || delay.IsStrictlyNegative())
    {
        throw std::invalid_argument("the link between " + nodes[a].name + " and " + nodes[b].name +
                                    " needs a rate above 0 and a delay that is not negative");
    }
    for (uint32_t node : {a, b})
    {
        if (nodes[node].ports.size() >= MOST_PORTS)
        {
            throw std::invalid_argument(nodes[node].name + " would need more than " + std::to_string(MOST_PORTS) + " ports");
        }
    }
    auto index = static_cast<uint32_t>(links.size());
    FabricLink link;
    link.node[0] = a;
    link.node[1] = b;
    link.port[0] = static_cast<uint32_t>(nodes[a].ports.size());
    link.port[1] = static_cast<uint32_t>(nodes[b].ports.size());
    link.rate = rate;
    link.delay = delay;
    link.tier = tier;
    link.plane = plane;
    links.push_back(link);
    nodes[a].ports.push_back(index);
    nodes[b].ports.push_back(index);
    return index;
}

} // namespace hbd
} // namespace ns3
