/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-topology-table.h"

#include "hbd-fat-tree-topology.h"
#include "hbd-listed-topology.h"
#include "hbd-mesh-topology.h"
#include "hbd-rail-optimized-topology.h"
#include "hbd-single-switch-topology.h"
#include "hbd-single-tier-topology.h"
#include "hbd-two-tier-topology.h"

#include <stdexcept>

namespace ns3
{
namespace hbd
{

const std::vector<ScaleUpTopologyEntry>&
GetScaleUpTopologies()
{
    static const std::vector<ScaleUpTopologyEntry> table = {
        {"single-tier", &AddSingleTier, "one switch a plane, to which every GPU of the domain is connected", "planes, linksPerPlane or links"},
        {"two-tier",
         &AddTwoTier,
         "leaf switches for groups of GPUs and spine switches above them, in every plane",
         "planes, linksPerPlane or links, leafSize, spines, trunks, trunkRate"},
        {"mesh", &AddMesh, "no switches: each two GPUs of the domain are connected", "linksPerPeer"},
    };
    return table;
}

const std::vector<ScaleOutTopologyEntry>&
GetScaleOutTopologies()
{
    static const std::vector<ScaleOutTopologyEntry> table = {
        {"rail-optimized",
         &AddRailOptimized,
         "leaf-spine with one leaf a rail and group of servers",
         "serversPerLeaf, spines, crossRail, uplinkRate"},
        {"fat-tree",
         &AddFatTree,
         "pods of edge and aggregation switches, and cores above them (k-ary, three levels)",
         "radix, aggregations, cores, uplinkRate"},
        {"file", &AddListed, "nodes and links as a file lists them", "nodes, links"},
        {"single-switch", &AddSingleSwitch, "all NICs on one switch", ""},
    };
    return table;
}

void
AddScaleOut(FabricGraph& graph, const ScaleOutTopology& topology)
{
    std::string known;
    for (const auto& entry : GetScaleOutTopologies())
    {
        if (entry.name == topology.name)
        {
            entry.build(graph, topology);
            return;
        }
        known += (known.empty() ? "" : ", ") + entry.name;
    }
    throw std::invalid_argument("there is no scale-out topology '" + topology.name + "'; there are: " + known);
}

} // namespace hbd
} // namespace ns3
