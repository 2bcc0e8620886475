/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric-routes.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edmonds_karp_max_flow.hpp>

namespace ns3
{
namespace hbd
{

namespace
{

using FlowTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using FlowGraph = boost::adjacency_list<
    boost::vecS,
    boost::vecS,
    boost::directedS,
    boost::no_property,
    boost::property<boost::edge_capacity_t,
                    int64_t,
                    boost::property<boost::edge_residual_capacity_t,
                                    int64_t,
                                    boost::property<boost::edge_reverse_t, FlowTraits::edge_descriptor>>>>;

void
AddArc(FlowGraph& flow, uint64_t from, uint64_t to, int64_t capacity, int64_t reverseCapacity)
{
    auto forward = boost::add_edge(from, to, flow).first;
    auto backward = boost::add_edge(to, from, flow).first;
    boost::put(boost::edge_capacity, flow, forward, capacity);
    boost::put(boost::edge_capacity, flow, backward, reverseCapacity);
    boost::put(boost::edge_reverse, flow, forward, backward);
    boost::put(boost::edge_reverse, flow, backward, forward);
}

/// Pairs by hop count and the most paths; GPUs of one leaf are alike, so one of each stands for it.
void
SummarizePairs(const FabricGraph& graph, const FabricRoutes& routes, ScaleOutSummary& summary)
{
    std::vector<uint32_t> leaves;
    std::vector<uint32_t> first;
    std::vector<uint64_t> count;
    for (uint32_t gpu = 0; gpu < graph.gpus; gpu++)
    {
        auto found = std::find(leaves.begin(), leaves.end(), routes.GetLeaf(gpu));
        if (found == leaves.end())
        {
            leaves.push_back(routes.GetLeaf(gpu));
            first.push_back(gpu);
            count.push_back(1);
            continue;
        }
        count[static_cast<size_t>(found - leaves.begin())]++;
    }
    auto add = [&summary](uint32_t hops, uint64_t pairs) {
        if (hops == FABRIC_NONE)
        {
            summary.pairsWithoutWay += pairs;
            return;
        }
        summary.pairsByHops.resize(std::max<size_t>(summary.pairsByHops.size(), hops + 1), 0);
        summary.pairsByHops[hops] += pairs;
    };
    for (size_t a = 0; a < leaves.size(); a++)
    {
        for (size_t b = 0; b < leaves.size(); b++)
        {
            if (a != b)
            {
                add(routes.GetHops(first[a], first[b]), count[a] * count[b]);
                summary.maxPaths = std::max(summary.maxPaths, routes.GetPathCount(first[a], first[b]));
            }
            else if (count[a] > 1)
            {
                add(2, count[a] * (count[a] - 1));
                summary.maxPaths = std::max<uint64_t>(summary.maxPaths, 1);
            }
        }
    }
}

} // namespace

uint64_t
GetBisectionBitRate(const FabricGraph& graph, FabricTier tier)
{
    size_t nodes = graph.nodes.size();
    FlowGraph flow(nodes + 2);
    int64_t total = 1;
    for (const auto& link : graph.links)
    {
        bool scaleUp = link.tier == FabricTier::SCALE_UP;
        if (scaleUp == (tier == FabricTier::SCALE_UP) && link.IsUp())
        {
            auto rate = static_cast<int64_t>(link.rate.GetBitRate());
            AddArc(flow, link.node[0], link.node[1], rate, rate);
            total += rate;
        }
    }
    for (uint32_t gpu = 0; gpu < graph.gpus; gpu++)
    {
        bool left = gpu < graph.gpus / 2;
        AddArc(flow, left ? nodes : gpu, left ? gpu : nodes + 1, total, 0);
    }
    return static_cast<uint64_t>(boost::edmonds_karp_max_flow(flow, nodes, nodes + 1));
}

ScaleOutSummary
SummarizeScaleOut(const FabricGraph& graph, const FabricRoutes& routes)
{
    ScaleOutSummary summary;
    if (!routes.HasScaleOut())
    {
        return summary;
    }
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
    {
        if (graph.nodes[node].kind != FabricNodeKind::ETHERNET_SWITCH)
        {
            continue;
        }
        LeafSummary leaf;
        leaf.name = graph.nodes[node].name;
        leaf.rail = graph.nodes[node].rail;
        leaf.level = graph.nodes[node].level;
        for (uint32_t link : graph.nodes[node].ports)
        {
            const FabricNode& peer = graph.nodes[graph.Peer(link, node)];
            bool nic = peer.kind == FabricNodeKind::NIC;
            bool down = nic || peer.level < leaf.level;
            leaf.nics += nic ? 1 : 0;
            (down ? leaf.downBitRate : leaf.upBitRate) += graph.links[link].rate.GetBitRate();
        }
        if (leaf.level == 0 || leaf.upBitRate != 0)
        {
            summary.leaves.push_back(leaf);
        }
    }
    summary.bisectionBitRate = GetBisectionBitRate(graph, FabricTier::SCALE_OUT);
    SummarizePairs(graph, routes, summary);
    return summary;
}

} // namespace hbd
} // namespace ns3
