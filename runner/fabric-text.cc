/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-text.h"

#include "analysis/text-table.h"
#include "ns3-module/model/hbd-fabric-routes.h"
#include "ns3-module/model/hbd-scale-up-routes.h"
#include "progress-display.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace hbd::runner
{

namespace
{

using analysis::TextTable;
using ns3::hbd::FabricGraph;
using ns3::hbd::FabricLink;
using ns3::hbd::FabricNode;
using ns3::hbd::FabricNodeKind;
using ns3::hbd::FabricTier;

constexpr double kPicosecondsPerNanosecond = 1e3;

/// A switch with its place: leaf (level 0), spine (above). NVLink switches of one tier have none.
std::string
RoleText(const FabricNode& node)
{
    if (node.kind == FabricNodeKind::ETHERNET_SWITCH || (node.kind == FabricNodeKind::NVSWITCH && node.level > 0))
    {
        return fmt::format("{} level {}", KindText(node.kind), node.level);
    }
    return KindText(node.kind);
}

std::string
NodesText(const FabricGraph& graph)
{
    std::map<std::string, uint32_t> counts;
    std::map<std::string, size_t> ports;
    std::vector<std::string> order;
    for (const auto& node : graph.nodes)
    {
        const std::string role = RoleText(node);
        if (counts[role]++ == 0)
        {
            order.push_back(role);
        }
        ports[role] = std::max(ports[role], node.ports.size());
    }
    TextTable table({{"nodes", false}, {"number"}, {"most ports"}});
    for (const auto& role : order)
    {
        table.AddRow({role, std::to_string(counts[role]), std::to_string(ports[role])});
    }
    return table.Render();
}

std::string
LinksText(const FabricGraph& graph)
{
    using Class = std::tuple<FabricTier, std::string, std::string, uint64_t, int64_t>;
    std::map<Class, uint64_t> counts;
    for (const auto& link : graph.links)
    {
        ++counts[{link.tier,
                  RoleText(graph.nodes[link.node[0]]),
                  RoleText(graph.nodes[link.node[1]]),
                  link.rate.GetBitRate(),
                  link.delay.GetPicoSeconds()}];
    }
    TextTable table({{"links", false},
                     {"from", false},
                     {"to", false},
                     {"number"},
                     {"rate of one,\neach direction"},
                     {"delay,\none way"},
                     {"all together,\neach direction"}});
    for (const auto& [key, count] : counts)
    {
        const auto& [tier, from, to, rate, delayPs] = key;
        table.AddRow({TierText(tier),
                      from,
                      to,
                      std::to_string(count),
                      RateText(rate),
                      fmt::format("{:g} ns", static_cast<double>(delayPs) / kPicosecondsPerNanosecond),
                      RateText(rate * count)});
    }
    return table.Render();
}

/// How many ordered pairs of GPUs are how many links apart.
std::string
HopsText(const FabricGraph& graph, const ns3::hbd::ScaleUpTopology& scaleUp, const ns3::hbd::FabricRoutes& routes)
{
    const ns3::hbd::ScaleUpRoutes domains(graph);
    std::map<std::pair<std::string, uint32_t>, uint64_t> pairs;
    for (uint32_t a = 0; a < graph.gpus; ++a)
    {
        for (uint32_t b = 0; b < graph.gpus; ++b)
        {
            if (a == b)
            {
                continue;
            }
            if (a / scaleUp.hbdSize == b / scaleUp.hbdSize)
            {
                const bool way = graph.broken.empty() || domains.CountStripe(a, b) > 0;
                ++pairs[{way ? "inside a domain" : "inside a domain: no way left", way ? domains.GetLinks(a, b) : 0}];
            }
            else if (routes.HasScaleOut() && routes.HasWay(a, b))
            {
                ++pairs[{"between domains", routes.GetHops(a, b) + 2}]; // and the two host links
            }
            else
            {
                ++pairs[{"between domains: no way", 0}];
            }
        }
    }
    TextTable table({{"pairs of GPUs", false}, {"links between"}, {"ordered pairs"}});
    for (const auto& [key, count] : pairs)
    {
        table.AddRow({key.first, std::to_string(key.second), std::to_string(count)});
    }
    return table.Render();
}

/// Rates of the groups of GPUs that share leaf switches of NVLink, all planes together; empty with one tier.
std::string
NvlinkLeavesText(const FabricGraph& graph)
{
    std::map<std::tuple<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> rates; // domain, leaf: down, up
    for (const auto& link : graph.links)
    {
        const FabricNode& a = graph.nodes[link.node[0]];
        const FabricNode& b = graph.nodes[link.node[1]];
        const bool trunk = a.kind == FabricNodeKind::NVSWITCH;
        if (link.IsUp() && (trunk || b.kind == FabricNodeKind::NVSWITCH))
        {
            const FabricNode& leaf = trunk ? a : b;
            auto& [down, up] = rates[{leaf.hbd, leaf.place}];
            (trunk ? up : down) += link.rate.GetBitRate();
        }
    }
    TextTable table({{"domain", false}, {"leaf"}, {"down"}, {"up"}, {"oversubscription"}});
    for (const auto& [key, rate] : rates)
    {
        const double ratio =
            rate.second == 0 ? 0.0 : static_cast<double>(rate.first) / static_cast<double>(rate.second);
        table.AddRow({fmt::format("HBD {}", std::get<0>(key)),
                      std::to_string(std::get<1>(key)),
                      RateText(rate.first),
                      RateText(rate.second),
                      rate.second == 0 ? "-" : fmt::format("{:.3g} : 1", ratio)});
    }
    return table.Render();
}

std::string
LeavesText(const ns3::hbd::ScaleOutSummary& summary)
{
    TextTable table({{"leaf", false}, {"rail"}, {"NICs"}, {"down"}, {"up"}, {"oversubscription"}});
    for (const auto& leaf : summary.leaves)
    {
        const double ratio = leaf.GetOversubscription();
        table.AddRow({leaf.name,
                      leaf.rail == ns3::hbd::FABRIC_NONE ? "-" : std::to_string(leaf.rail),
                      std::to_string(leaf.nics),
                      RateText(leaf.downBitRate),
                      leaf.upBitRate == 0 ? "-" : RateText(leaf.upBitRate),
                      leaf.upBitRate == 0 ? "-" : fmt::format("{:.3g} : 1", ratio)});
    }
    return table.Render();
}

/// Bandwidth between the first half of the GPUs and the second.
std::string
BisectionText(const FabricGraph& graph, bool hasScaleOut)
{
    std::string text = "bisection (GPUs of the first half to those of the second, each direction)\n";
    const uint64_t up = ns3::hbd::GetBisectionBitRate(graph, FabricTier::SCALE_UP);
    text += fmt::format("  scale-up   {}\n", up == 0 ? "none: no domain spans the halves" : RateText(up));
    if (hasScaleOut)
    {
        text += fmt::format("  scale-out  {}\n", RateText(ns3::hbd::GetBisectionBitRate(graph, FabricTier::SCALE_OUT)));
    }
    return text;
}

/// A node of a drawing.
std::string
DotNode(const FabricNode& node)
{
    static const std::map<FabricNodeKind, const char*> shapes = {{FabricNodeKind::GPU, "box"},
                                                                 {FabricNodeKind::NVSWITCH, "hexagon"},
                                                                 {FabricNodeKind::NIC, "oval"},
                                                                 {FabricNodeKind::ETHERNET_SWITCH, "diamond"}};
    return fmt::format("\"{}\" [shape={}];\n", node.name, shapes.at(node.kind));
}

} // namespace

const char*
KindText(FabricNodeKind kind)
{
    switch (kind)
    {
    case FabricNodeKind::GPU:
        return "gpu";
    case FabricNodeKind::NVSWITCH:
        return "nvswitch";
    case FabricNodeKind::NIC:
        return "nic";
    case FabricNodeKind::ETHERNET_SWITCH:
        return "ethernet-switch";
    }
    return "?";
}

const char*
TierText(FabricTier tier)
{
    switch (tier)
    {
    case FabricTier::SCALE_UP:
        return "scale-up";
    case FabricTier::HOST:
        return "host";
    case FabricTier::SCALE_OUT:
        return "scale-out";
    }
    return "?";
}

std::string
RateText(uint64_t bitRate)
{
    return ScaledText(static_cast<double>(bitRate)) + "b/s";
}

std::string
FabricTable(const FabricGraph& graph,
            const ns3::hbd::ScaleUpTopology& scaleUp,
            const ns3::hbd::ScaleOutTopology& scaleOut)
{
    const bool hasScaleOut = !scaleOut.name.empty();
    const ns3::hbd::FabricRoutes routes(graph);
    std::string text =
        fmt::format("{} GPUs in {} domain(s) of {}, {}: {} link(s) of {} a GPU, each direction, {}\n",
                    graph.gpus,
                    graph.gpus / scaleUp.hbdSize,
                    scaleUp.hbdSize,
                    scaleUp.name,
                    scaleUp.GetLinksOfPair() * (scaleUp.name == "mesh" ? scaleUp.hbdSize - 1 : 1),
                    RateText(scaleUp.linkRate.GetBitRate()),
                    scaleUp.name == "mesh" ? "to all others" : fmt::format("over {} plane(s)", scaleUp.planes));
    if (hasScaleOut)
    {
        const uint32_t rails = std::min(scaleOut.gpusPerServer, graph.gpus);
        const uint32_t servers = (graph.gpus + scaleOut.gpusPerServer - 1) / scaleOut.gpusPerServer;
        text += fmt::format("{} server(s), {} rail(s), scale-out: {}\n", servers, rails, scaleOut.name);
    }
    else
    {
        text += "no scale-out fabric: one domain holds all GPUs\n";
    }
    text += "\n" + NodesText(graph) + "\n" + LinksText(graph) + "\n" + HopsText(graph, scaleUp, routes) + "\n";
    if (scaleUp.name == "two-tier" && scaleUp.hbdSize > 1)
    {
        text += NvlinkLeavesText(graph) + "\n";
    }
    if (!graph.broken.empty())
    {
        text += fmt::format("down: {}\n\n", fmt::join(graph.broken, ", "));
    }
    if (hasScaleOut)
    {
        const auto summary = ns3::hbd::SummarizeScaleOut(graph, routes);
        if (summary.pairsWithoutWay != 0)
        {
            text += fmt::format("{} ordered pairs of NICs do not reach each other\n\n", summary.pairsWithoutWay);
        }
        text += fmt::format("{}\nequal-cost paths: at most {} a pair\n\n", LeavesText(summary), summary.maxPaths);
    }
    return text + BisectionText(graph, hasScaleOut);
}

std::string
FabricDot(const FabricGraph& graph)
{
    std::map<uint32_t, std::string> domains;
    std::string others;
    for (const auto& node : graph.nodes)
    {
        (node.hbd == ns3::hbd::FABRIC_NONE ? others : domains[node.hbd]) += "    " + DotNode(node);
    }
    std::string text = "graph fabric {\n  rankdir=BT;\n";
    for (const auto& [domain, nodes] : domains)
    {
        text += fmt::format("  subgraph cluster_{0} {{\n    label=\"HBD {0}\";\n{1}  }}\n", domain, nodes);
    }
    text += others;
    std::map<std::tuple<uint32_t, uint32_t, uint64_t, bool>, uint32_t> lines;
    for (const auto& link : graph.links)
    {
        ++lines[{link.node[0], link.node[1], link.rate.GetBitRate(), link.IsUp()}];
    }
    for (const auto& [line, count] : lines)
    {
        const auto& [a, b, rate, isUp] = line;
        text += fmt::format("  \"{}\" -- \"{}\" [label=\"{}{}{}\"];\n",
                            graph.nodes[a].name,
                            graph.nodes[b].name,
                            count > 1 ? fmt::format("{} x ", count) : "",
                            RateText(rate),
                            isUp ? "" : ", down\", style=\"dashed");
    }
    return text + "}\n";
}

} // namespace hbd::runner
