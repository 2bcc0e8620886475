/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-rail-optimized-topology.h"

#include "hbd-scale-out-nics.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

namespace
{

/// Smallest number of uplinks that carry what the NICs of one leaf can send.
uint32_t
NonBlockingSpines(const ScaleOutTopology& topology, uint32_t serversPerLeaf, DataRate uplinkRate)
{
    uint64_t down = serversPerLeaf * topology.nicRate.GetBitRate();
    return static_cast<uint32_t>((down + uplinkRate.GetBitRate() - 1) / uplinkRate.GetBitRate());
}

/// Spines of one set of leaves after the other: leaf i belongs to set i mod sets.
void
AddSpines(FabricGraph& graph, uint32_t firstLeaf, uint32_t leaves, uint32_t sets, uint32_t spines, DataRate rate, Time delay)
{
    auto firstSpine = static_cast<uint32_t>(graph.nodes.size());
    for (uint32_t spine = 0; spine < sets * spines; spine++)
    {
        AddEthernetSwitch(graph, "spine" + std::to_string(spine), 1);
    }
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
    {
        for (uint32_t spine = 0; spine < spines; spine++)
        {
            graph.AddLink(firstLeaf + leaf, firstSpine + leaf % sets * spines + spine, rate, delay, FabricTier::SCALE_OUT);
        }
    }
}

} // namespace

void
AddRailOptimized(FabricGraph& graph, const ScaleOutTopology& topology)
{
    uint32_t firstNic = AddNics(graph, topology);
    uint32_t rails = GetRails(topology);
    uint32_t servers = GetServers(topology);
    uint32_t perLeaf = topology.serversPerLeaf == 0 ? servers : std::min(servers, topology.serversPerLeaf);
    uint32_t leaves = (servers + perLeaf - 1) / perLeaf * rails;
    auto firstLeaf = static_cast<uint32_t>(graph.nodes.size());
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
    {
        AddEthernetSwitch(graph, "leaf" + std::to_string(leaf), 0, leaf % rails);
    }
    for (uint32_t gpu = 0; gpu < topology.gpus; gpu++)
    {
        uint32_t group = gpu / topology.gpusPerServer / perLeaf;
        uint32_t leaf = firstLeaf + group * rails + gpu % topology.gpusPerServer;
        graph.AddLink(firstNic + gpu, leaf, topology.nicRate, topology.linkDelay, FabricTier::SCALE_OUT);
    }
    uint32_t sets = topology.crossRail ? 1 : rails;
    if (leaves > sets)
    {
        DataRate uplinkRate = topology.uplinkRate.GetBitRate() == 0 ? topology.nicRate : topology.uplinkRate;
        uint32_t spines = topology.spines == 0 ? NonBlockingSpines(topology, perLeaf, uplinkRate) : topology.spines;
        AddSpines(graph, firstLeaf, leaves, sets, spines, uplinkRate, topology.linkDelay);
    }
}

} // namespace hbd
} // namespace ns3
