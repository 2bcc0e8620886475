/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network-checks.h"

#include "domain-checks.h"
#include "link-faults.h"
#include "topology-file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace hbd::traffic
{

namespace
{

const std::vector<LayoutKey> kLayoutKeys = {
    {"cluster.scale-out.servers-per-leaf", {"rail-optimized"}, "topology: rail-optimized"},
    {"cluster.scale-out.spines", {"rail-optimized"}, "topology: rail-optimized"},
    {"cluster.scale-out.cross-rail", {"rail-optimized"}, "topology: rail-optimized"},
    {"cluster.scale-out.radix", {"fat-tree"}, "topology: fat-tree"},
    {"cluster.scale-out.aggregations", {"fat-tree"}, "topology: fat-tree"},
    {"cluster.scale-out.cores", {"fat-tree"}, "topology: fat-tree"},
    {"cluster.scale-out.file", {"file"}, "topology: file"},
    {"cluster.scale-out.uplink-rate", {"rail-optimized", "fat-tree"}, "topologies of several switches"},
};

void
CheckFatTree(PointContext& c)
{
    const ScaleOutSpec& out = c.scenario.cluster.scaleOut;
    const uint64_t nics = c.scenario.cluster.gpus;
    const uint64_t half = out.HalfRadix(c.scenario.cluster.gpus);
    if (out.radix % 2 != 0 || 2 * half * half * half < nics)
    {
        c.Complain("cluster.scale-out.radix",
                   "an even number whose cube / 4 is at least cluster.gpus = " + std::to_string(nics),
                   std::to_string(out.radix));
        return;
    }
    const uint64_t aggregations = out.aggregations == 0 ? half : out.aggregations;
    if (aggregations > half)
    {
        c.Complain("cluster.scale-out.aggregations",
                   "at most radix / 2 = " + std::to_string(half),
                   std::to_string(aggregations));
    }
    const uint64_t cores = out.cores == 0 ? aggregations * half : out.cores;
    if (cores > aggregations * half)
    {
        c.Complain("cluster.scale-out.cores",
                   "at most aggregations x radix / 2 = " + std::to_string(aggregations * half),
                   std::to_string(cores));
    }
    const uint64_t edges = (nics + half - 1) / half;
    const uint64_t links = edges * aggregations + (edges + half - 1) / half * cores;
    if (links > kMostLinks)
    {
        c.Complain("cluster.scale-out.radix",
                   "at most " + std::to_string(kMostLinks) + " links between switches",
                   std::to_string(links));
    }
}

/// A key whose value the file gives: another one in the scenario is a problem.
template <class Quantity>
void
Resolve(PointContext& c, const std::string& path, Quantity& value, Quantity resolved)
{
    if (c.scenario.places.count(path) > 0 && value != resolved)
    {
        c.Complain(path, "nothing, or " + ToText(resolved) + " as the topology file has it", ToText(value));
    }
    value = resolved;
}

void
ReadListed(PointContext& c)
{
    namespace fs = std::filesystem;
    ScaleOutSpec& out = c.scenario.cluster.scaleOut;
    std::error_code error;
    const fs::path path = fs::weakly_canonical(fs::absolute(fs::path(c.file).parent_path() / out.file, error), error);
    if (out.file == "none" || !fs::is_regular_file(path, error) || !std::ifstream(path))
    {
        c.Complain("cluster.scale-out.file",
                   "a readable file of nodes and links, relative to the scenario's folder",
                   out.file,
                   out.file == "none" ? "cluster.scale-out.topology is file" : "looked for " + path.string());
        return;
    }
    out.file = path.string();
    std::vector<Problem> found;
    auto listed = std::make_shared<ListedTopology>(ReadTopologyFile(out.file, c.scenario.cluster.gpus, found));
    for (auto& problem : found)
    {
        AddProblem(c.problems, std::move(problem));
    }
    if (!found.empty())
    {
        return;
    }
    // what estimates and libraries count with: the slowest NIC, the longest cable
    BitRate slowest;
    Duration longest;
    for (const auto& link : listed->links)
    {
        const bool nic = !listed->nodes[link.ends[0]].isSwitch || !listed->nodes[link.ends[1]].isSwitch;
        slowest = nic && (slowest.IsZero() || link.rate < slowest) ? link.rate : slowest;
        longest = std::max(longest, link.delay);
    }
    Resolve(c, "cluster.scale-out.nic-rate", out.nicRate, slowest);
    Resolve(c, "cluster.scale-out.link-delay", out.linkDelay, longest);
    out.listed = std::move(listed);
}

} // namespace

void
CheckNetworkLayout(PointContext& c)
{
    const std::string& topology = c.scenario.cluster.scaleOut.topology;
    CheckLayoutKeys(c, kLayoutKeys, topology, "cluster.scale-out.topology");
    const bool rates = !c.IsWrong("cluster.scale-out.nic-rate") && !c.IsWrong("cluster.scale-out.link-delay");
    if (topology == "file" && rates && !c.IsWrong("cluster.scale-out.file"))
    {
        ReadListed(c);
    }
    if (topology == "fat-tree" && !c.IsWrong("cluster.scale-out.radix") &&
        !c.IsWrong("cluster.scale-out.aggregations") && !c.IsWrong("cluster.scale-out.cores"))
    {
        CheckFatTree(c);
    }
}

void
CheckFaults(PointContext& c)
{
    std::vector<FaultProblem> problems;
    ReadLinkFaults(c.scenario.cluster.scaleOut.faults, problems);
    for (const auto& problem : problems)
    {
        c.Complain("cluster.scale-out.faults", problem.expected, problem.given, problem.hint);
    }
}

} // namespace hbd::traffic
