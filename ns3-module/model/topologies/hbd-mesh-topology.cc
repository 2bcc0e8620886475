/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-mesh-topology.h"

#include <stdexcept>

namespace ns3
{
namespace hbd
{

void
AddMesh(FabricGraph& graph, const ScaleUpTopology& topology)
{
    if (topology.planes != 0 || topology.linksPerPeer == 0)
    {
        throw std::invalid_argument("a mesh has no planes and at least one link between each two GPUs");
    }
    for (uint32_t a = 0; a < topology.gpus; a++)
    {
        for (uint32_t b = a + 1; b < (a / topology.hbdSize + 1) * topology.hbdSize; b++)
        {
            for (uint32_t k = 0; k < topology.linksPerPeer; k++)
            {
                graph.AddLink(a, b, topology.linkRate, topology.linkDelay, FabricTier::SCALE_UP);
            }
        }
    }
}

} // namespace hbd
} // namespace ns3
