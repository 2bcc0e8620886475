/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-topology-table.h"

#include "hbd-rail-optimized-topology.h"
#include "hbd-single-switch-topology.h"

#include <stdexcept>

namespace ns3
{
namespace hbd
{

const std::vector<ScaleOutTopologyEntry>&
GetScaleOutTopologies()
{
    static const std::vector<ScaleOutTopologyEntry> table = {
        {"rail-optimized",
         &AddRailOptimized,
         "leaf-spine with one leaf a rail and group of servers",
         "serversPerLeaf, spines, uplinkRate"},
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
