/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-single-switch-topology.h"

#include "hbd-scale-out-nics.h"

namespace ns3
{
namespace hbd
{

void
AddSingleSwitch(FabricGraph& graph, const ScaleOutTopology& topology)
{
    uint32_t firstNic = AddNics(graph, topology);
    uint32_t leaf = AddEthernetSwitch(graph, "leaf0", 0);
    for (uint32_t gpu = 0; gpu < topology.gpus; gpu++)
    {
        graph.AddLink(firstNic + gpu, leaf, topology.nicRate, topology.linkDelay, FabricTier::SCALE_OUT);
    }
}

} // namespace hbd
} // namespace ns3
