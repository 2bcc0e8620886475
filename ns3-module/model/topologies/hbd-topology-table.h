/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TOPOLOGY_TABLE_H
#define HBD_TOPOLOGY_TABLE_H

#include "hbd-fabric-graph.h"

#include <string>
#include <vector>

namespace ns3
{
namespace hbd
{

/// Adds switches and links to a graph that has its GPUs.
using ScaleUpBuilder = void (*)(FabricGraph& graph, const ScaleUpTopology& topology);

/**
 * \ingroup hbd
 * One scale-up topology.
 */
struct ScaleUpTopologyEntry
{
    std::string name; ///< as ScaleUpTopology::name
    ScaleUpBuilder build;
    std::string summary;    ///< one line
    std::string parameters; ///< the fields of ScaleUpTopology that it reads, beside gpus, hbdSize, linkRate and linkDelay
};

/// All scale-up topologies. A new one is a file of its own and a line in hbd-topology-table.cc.
const std::vector<ScaleUpTopologyEntry>& GetScaleUpTopologies();

/// Adds NICs, Ethernet switches and their links to a graph that has its GPUs.
using ScaleOutBuilder = void (*)(FabricGraph& graph, const ScaleOutTopology& topology);

/**
 * \ingroup hbd
 * One scale-out topology.
 */
struct ScaleOutTopologyEntry
{
    std::string name; ///< as ScaleOutTopology::name
    ScaleOutBuilder build;
    std::string summary;    ///< one line
    std::string parameters; ///< the fields of ScaleOutTopology that it reads, beside gpus, gpusPerServer and the host
                            ///< and NIC rates and delays
};

/// All scale-out topologies. A new one is a file of its own and a line in hbd-topology-table.cc.
const std::vector<ScaleOutTopologyEntry>& GetScaleOutTopologies();

/**
 * Adds the scale-out part that topology.name names.
 * \throws std::invalid_argument when the table has no such name (the text lists them), or as the builder does
 */
void AddScaleOut(FabricGraph& graph, const ScaleOutTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_TOPOLOGY_TABLE_H */
