/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fat-tree-topology.h"

#include "hbd-scale-out-nics.h"

#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

/// How many there are of everything.
struct Shape
{
    uint32_t half; ///< k / 2
    uint32_t edges;
    uint32_t pods;
    uint32_t aggregations; ///< of a pod
    uint32_t cores;
};

uint64_t
MostNics(uint64_t radix)
{
    return radix * radix * radix / 4;
}

Shape
FindShape(const ScaleOutTopology& topology)
{
    uint32_t radix = topology.radix == 0 ? GetFatTreeRadix(topology.gpus) : topology.radix;
    if (radix < 2 || radix % 2 != 0 || radix > FabricGraph::MOST_PORTS)
    {
        throw std::invalid_argument("the switches of a fat tree have an even number of ports from 2 to " +
                                    std::to_string(FabricGraph::MOST_PORTS) + ", not " + std::to_string(radix));
    }
    if (topology.gpus > MostNics(radix))
    {
        throw std::invalid_argument("a fat tree of switches with " + std::to_string(radix) + " ports has room for " +
                                    std::to_string(MostNics(radix)) + " NICs, not for " +
                                    std::to_string(topology.gpus));
    }
    Shape shape;
    shape.half = radix / 2;
    shape.edges = (topology.gpus + shape.half - 1) / shape.half;
    shape.pods = (shape.edges + shape.half - 1) / shape.half;
    shape.aggregations = topology.aggregations == 0 ? shape.half : topology.aggregations;
    if (shape.aggregations > shape.half)
    {
        throw std::invalid_argument("an edge switch of " + std::to_string(radix) + " ports reaches at most " +
                                    std::to_string(shape.half) + " aggregation switches, not " +
                                    std::to_string(shape.aggregations));
    }
    uint64_t most = static_cast<uint64_t>(shape.aggregations) * shape.half;
    if (topology.cores > most)
    {
        throw std::invalid_argument(std::to_string(shape.aggregations) +
                                    " aggregation switches a pod have uplinks for " + std::to_string(most) +
                                    " cores, not for " + std::to_string(topology.cores));
    }
    shape.cores = topology.cores == 0 ? static_cast<uint32_t>(most) : topology.cores;
    shape.cores = shape.pods > 1 ? shape.cores : 0;
    shape.aggregations = shape.edges > 1 ? shape.aggregations : 0;
    return shape;
}

/// Adds switches of one level. \return node of the first
uint32_t
AddLevel(FabricGraph& graph, const std::string& name, uint32_t number, uint32_t level)
{
    auto first = static_cast<uint32_t>(graph.nodes.size());
    for (uint32_t i = 0; i < number; i++)
    {
        AddEthernetSwitch(graph, name + std::to_string(i), level);
    }
    return first;
}

} // namespace

uint32_t
GetFatTreeRadix(uint32_t nics)
{
    uint32_t radix = 2;
    while (MostNics(radix) < nics)
    {
        radix += 2;
    }
    return radix;
}

void
AddFatTree(FabricGraph& graph, const ScaleOutTopology& topology)
{
    Shape shape = FindShape(topology);
    uint32_t nics = AddNics(graph, topology);
    uint32_t edges = AddLevel(graph, "edge", shape.edges, 0);
    uint32_t aggregations = AddLevel(graph, "aggregation", shape.pods * shape.aggregations, 1);
    uint32_t cores = AddLevel(graph, "core", shape.cores, 2);
    DataRate uplink = topology.uplinkRate.GetBitRate() == 0 ? topology.nicRate : topology.uplinkRate;
    auto connect = [&](uint32_t a, uint32_t b, DataRate rate) {
        graph.AddLink(a, b, rate, topology.linkDelay, FabricTier::SCALE_OUT);
    };
    for (uint32_t nic = 0; nic < topology.gpus; nic++)
    {
        connect(nics + nic, edges + nic / shape.half, topology.nicRate);
    }
    for (uint32_t edge = 0; edge < shape.edges; edge++)
    {
        for (uint32_t i = 0; i < shape.aggregations; i++)
        {
            connect(edges + edge, aggregations + edge / shape.half * shape.aggregations + i, uplink);
        }
    }
    for (uint32_t pod = 0; pod < shape.pods; pod++)
    {
        for (uint32_t core = 0; core < shape.cores; core++)
        {
            connect(aggregations + pod * shape.aggregations + core % shape.aggregations, cores + core, uplink);
        }
    }
}

} // namespace hbd
} // namespace ns3
