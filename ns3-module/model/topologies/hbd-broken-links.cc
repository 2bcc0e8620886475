/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-broken-links.h"

#include <regex>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

/// A number of a name; what is too large for 32 bits names nothing.
uint32_t
NumberOf(const std::ssub_match& digits)
{
    constexpr size_t MOST_DIGITS = 9;
    return digits.length() > static_cast<std::ptrdiff_t>(MOST_DIGITS) ? FABRIC_NONE - 1 : static_cast<uint32_t>(std::stoul(digits.str()));
}

bool
BreakGpuLink(FabricGraph& graph, const std::smatch& part, uint32_t name)
{
    uint32_t gpu = NumberOf(part[1]);
    uint32_t link = NumberOf(part[2]);
    if (gpu >= graph.gpus || link >= graph.nodes[gpu].ports.size())
    {
        return false;
    }
    graph.links[graph.nodes[gpu].ports[link]].brokenBy = name;
    return true;
}

/// Breaks all links of the switches that pass a test. \return whether there was one
template <class Test>
bool
BreakSwitches(FabricGraph& graph, const std::smatch& part, uint32_t name, Test isMeant)
{
    bool found = false;
    for (const auto& node : graph.nodes)
    {
        if (node.kind == FabricNodeKind::NVSWITCH && node.hbd == NumberOf(part[1]) && node.plane == NumberOf(part[2]) && isMeant(node))
        {
            found = true;
            for (uint32_t link : node.ports)
            {
                graph.links[link].brokenBy = name;
            }
        }
    }
    return found;
}

bool
BreakTrunk(FabricGraph& graph, const std::smatch& part, uint32_t name)
{
    uint32_t number = NumberOf(part[5]);
    for (auto& link : graph.links)
    {
        const FabricNode& leaf = graph.nodes[link.node[0]];
        const FabricNode& spine = graph.nodes[link.node[1]];
        bool meant = spine.kind == FabricNodeKind::NVSWITCH && spine.level == 1 && leaf.kind == FabricNodeKind::NVSWITCH &&
                     leaf.hbd == NumberOf(part[1]) && leaf.plane == NumberOf(part[2]) && leaf.place == NumberOf(part[3]) &&
                     spine.place == NumberOf(part[4]);
        if (meant && number-- == 0)
        {
            link.brokenBy = name;
            return true;
        }
    }
    return false;
}

bool
Break(FabricGraph& graph, const std::string& text, uint32_t name)
{
    static const std::regex gpuLink("gpu(\\d+)\\.link(\\d+)");
    static const std::regex plane("hbd(\\d+)\\.plane(\\d+)");
    static const std::regex chip("hbd(\\d+)\\.plane(\\d+)\\.(leaf|spine)(\\d+)");
    static const std::regex trunk("hbd(\\d+)\\.plane(\\d+)\\.leaf(\\d+)-spine(\\d+)\\.(\\d+)");
    std::smatch part;
    if (std::regex_match(text, part, gpuLink))
    {
        return BreakGpuLink(graph, part, name);
    }
    if (std::regex_match(text, part, plane))
    {
        return BreakSwitches(graph, part, name, [](const FabricNode&) { return true; });
    }
    if (std::regex_match(text, part, chip))
    {
        return BreakSwitches(graph, part, name, [&](const FabricNode& node) {
            return node.level == (part[3] == "leaf" ? 0U : 1U) && node.place == NumberOf(part[4]);
        });
    }
    return std::regex_match(text, part, trunk) && BreakTrunk(graph, part, name);
}

} // namespace

void
BreakLinks(FabricGraph& graph, const std::vector<std::string>& broken)
{
    for (const auto& text : broken)
    {
        auto name = static_cast<uint32_t>(graph.broken.size());
        if (!Break(graph, text, name))
        {
            throw std::invalid_argument("there is no '" + text +
                                        "' in the domains of this fabric; known are gpuN.linkN, hbdN.planeN, hbdN.planeN.leafN, "
                                        "hbdN.planeN.spineN and hbdN.planeN.leafN-spineN.N, numbers from 0");
        }
        graph.broken.push_back(text);
    }
}

} // namespace hbd
} // namespace ns3
