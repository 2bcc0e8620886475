/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-file.h"

#include "topology-lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <istream>
#include <iterator>

namespace hbd::traffic
{

namespace
{

constexpr uint32_t kNone = 0xffffffff;

/// Links of each node, by index of the link.
std::vector<std::vector<uint32_t>>
LinksOf(const ListedTopology& topology)
{
    std::vector<std::vector<uint32_t>> links(topology.nodes.size());
    for (uint32_t i = 0; i < topology.links.size(); ++i)
    {
        links[topology.links[i].ends[0]].push_back(i);
        links[topology.links[i].ends[1]].push_back(i);
    }
    return links;
}

/// Links from a node to every other, over switches only; kNone = no way.
std::vector<uint32_t>
Distances(const ListedTopology& topology, const std::vector<std::vector<uint32_t>>& links, uint32_t from)
{
    std::vector<uint32_t> distance(topology.nodes.size(), kNone);
    std::vector<uint32_t> queue{from};
    distance[from] = 0;
    for (size_t i = 0; i < queue.size(); ++i)
    {
        const uint32_t node = queue[i];
        if (node != from && !topology.nodes[node].isSwitch)
        {
            continue;
        }
        for (const uint32_t link : links[node])
        {
            const uint32_t* ends = topology.links[link].ends;
            const uint32_t next = ends[0] == node ? ends[1] : ends[0];
            if (distance[next] == kNone)
            {
                distance[next] = distance[node] + 1;
                queue.push_back(next);
            }
        }
    }
    return distance;
}

/// What is wrong with NICs that have all their lines right: not one link, not to a switch, out of reach.
void
CheckNics(const TopologyLines& lines, uint32_t gpus, std::vector<Problem>& problems)
{
    const ListedTopology& topology = lines.topology;
    const uint32_t nics = topology.Nics();
    auto complain = [&](int line, const std::string& expected, const std::string& given) {
        AddProblem(problems, {lines.name, line, "", expected, given, ""});
    };
    if (nics != gpus)
    {
        complain(0, fmt::format("one NIC for each of cluster.gpus = {}", gpus), fmt::format("{} NICs", nics));
    }
    const auto links = LinksOf(topology);
    bool good = true;
    uint32_t first = kNone;
    for (uint32_t node = 0; node < topology.nodes.size(); ++node)
    {
        if (topology.nodes[node].isSwitch)
        {
            continue;
        }
        first = std::min(first, node);
        const std::string& name = topology.nodes[node].name;
        uint32_t cables = 0;
        for (const uint32_t link : links[node])
        {
            cables += topology.links[link].number;
            const uint32_t* ends = topology.links[link].ends;
            const uint32_t peer = ends[0] == node ? ends[1] : ends[0];
            if (!topology.nodes[peer].isSwitch && node < peer)
            {
                complain(lines.linkLines[link],
                         "a link of a NIC to a switch",
                         name + " to " + topology.nodes[peer].name);
                good = false;
            }
        }
        if (cables != 1)
        {
            complain(lines.nodeLines[node], "one link of " + name + " to a switch", fmt::format("{}", cables));
            good = false;
        }
    }
    if (!good || first == kNone)
    {
        return;
    }
    const auto distance = Distances(topology, links, first);
    for (uint32_t node = 0; node < topology.nodes.size(); ++node)
    {
        if (!topology.nodes[node].isSwitch && distance[node] == kNone)
        {
            complain(lines.nodeLines[node],
                     "a way between all NICs",
                     "none from " + topology.nodes[first].name + " to " + topology.nodes[node].name);
        }
    }
}

} // namespace

uint32_t
ListedTopology::Nics() const
{
    return static_cast<uint32_t>(
        std::count_if(nodes.begin(), nodes.end(), [](const auto& node) { return !node.isSwitch; }));
}

std::vector<uint32_t>
ListedTopology::SwitchesFrom(uint32_t nic) const
{
    std::vector<uint32_t> nics;
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        if (!nodes[node].isSwitch)
        {
            nics.push_back(node);
        }
    }
    const auto distance = Distances(*this, LinksOf(*this), nics.at(nic));
    std::vector<uint32_t> switches;
    for (const uint32_t node : nics)
    {
        switches.push_back(distance[node] == kNone || distance[node] == 0 ? 0 : distance[node] - 1);
    }
    return switches;
}

ListedTopology
ReadTopology(std::istream& input, const std::string& name, uint32_t gpus, std::vector<Problem>& problems)
{
    const std::string text{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
    const size_t before = problems.size();
    TopologyLines lines = ReadTopologyLines(text, name, problems);
    if (problems.size() == before)
    {
        CheckNics(lines, gpus, problems);
    }
    return std::move(lines.topology);
}

ListedTopology
ReadTopologyFile(const std::string& path, uint32_t gpus, std::vector<Problem>& problems)
{
    std::ifstream file(path);
    if (!file)
    {
        AddProblem(problems, {path, 0, "", "a file that can be read", "none", ""});
        return {};
    }
    return ReadTopology(file, path, gpus, problems);
}

std::string
WriteTopology(const ListedTopology& topology)
{
    std::string text;
    for (const auto& node : topology.nodes)
    {
        text += fmt::format("{} {}\n", node.isSwitch ? "switch" : "nic", node.name);
    }
    for (const auto& link : topology.links)
    {
        text += fmt::format("link {} {} {} {}",
                            topology.nodes[link.ends[0]].name,
                            topology.nodes[link.ends[1]].name,
                            ToText(link.rate),
                            ToText(link.delay));
        text += link.number > 1 ? fmt::format(" x{}", link.number) : "";
        text += link.loss > 0 ? fmt::format(" loss {}", link.loss) : "";
        text += "\n";
    }
    return text;
}

} // namespace hbd::traffic
