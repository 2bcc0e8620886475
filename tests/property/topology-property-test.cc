/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: fabrics of any size have the paths that their construction gives. Method: random sizes; number of shortest
// paths and of their links in closed form: fat tree of k ports (Al-Fares et al., SIGCOMM 2008): 1 path of 2 links below
// one edge switch, k/2 of 4 in one pod, (k/2)^2 of 6 else; with fewer switches as many as there are of them. Rails: 1
// of 2 links at one leaf, as many as spines of 4 else, none between rails that are not connected.

#include "ns3-module/model/hbd-fabric-routes.h"
#include "ns3-module/model/topologies/hbd-scale-up-topology.h"
#include "ns3-module/model/topologies/hbd-topology-table.h"

#include <gtest/gtest.h>
#include <random>
#include <tuple>

namespace ns3::hbd
{
namespace
{

/// Hops and number of shortest paths.
using Ways = std::pair<uint32_t, uint64_t>;

class TopologyProperty : public testing::TestWithParam<uint32_t>
{
  protected:
    TopologyProperty()
        : m_random(GetParam())
    {
        m_topology.nicRate = DataRate("400Gbps");
        m_topology.hostRate = DataRate("500Gbps");
        m_topology.hostDelay = NanoSeconds(200);
        m_topology.linkDelay = NanoSeconds(50);
    }

    uint32_t Draw(uint32_t least, uint32_t most)
    {
        return std::uniform_int_distribution<uint32_t>(least, most)(m_random);
    }

    FabricGraph Graph() const
    {
        FabricGraph graph;
        ScaleUpTopology scaleUp;
        scaleUp.gpus = m_topology.gpus;
        scaleUp.hbdSize = 1;
        AddScaleUp(graph, scaleUp);
        AddScaleOut(graph, m_topology);
        return graph;
    }

    /// Compares random pairs.
    template <class Expected>
    void Check(const FabricGraph& graph, Expected expected)
    {
        FabricRoutes routes(graph);
        for (uint32_t i = 0; i < 200; i++)
        {
            const uint32_t a = Draw(0, m_topology.gpus - 1);
            const uint32_t b = Draw(0, m_topology.gpus - 1);
            if (a != b)
            {
                const Ways ways(routes.GetHops(a, b), routes.GetPathCount(a, b));
                EXPECT_EQ(ways, expected(a, b)) << a << " to " << b << " of " << m_topology.gpus;
                EXPECT_EQ(routes.GetPath(a, b).size(), ways.first == FABRIC_NONE ? 0 : ways.first);
            }
        }
    }

    std::mt19937 m_random;
    ScaleOutTopology m_topology;
};

TEST_P(TopologyProperty, FatTreeHasThePathsOfItsSwitches)
{
    m_topology.name = "fat-tree";
    const uint32_t half = Draw(1, 6);
    m_topology.gpus = Draw(2, 2 * half * half * half);
    m_topology.radix = 2 * half;
    if (Draw(0, 1) == 1)
    {
        m_topology.aggregations = Draw(1, half);
        m_topology.cores = Draw(m_topology.aggregations, m_topology.aggregations * half);
    }
    const uint64_t aggregations = m_topology.aggregations == 0 ? half : m_topology.aggregations;
    const uint64_t cores = m_topology.cores == 0 ? uint64_t{half} * half : m_topology.cores;
    const FabricGraph graph = Graph();
    Check(graph, [&](uint32_t a, uint32_t b) {
        if (a / half == b / half)
        {
            return Ways(2, 1);
        }
        return a / (half * half) == b / (half * half) ? Ways(4, aggregations) : Ways(6, cores);
    });
    // routes keep a set of ports once however many NICs it leads to: as many sets as NICs and lower switches, and one upwards
    FabricRoutes routes(graph);
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
    {
        if (graph.nodes[node].kind == FabricNodeKind::ETHERNET_SWITCH)
        {
            EXPECT_LE(routes.GetSwitch(node).sets.size(), graph.nodes[node].ports.size() + 1);
        }
    }
    // no switch has more ports than it was given
    for (const auto& node : graph.nodes)
    {
        EXPECT_LE(node.ports.size(), node.kind == FabricNodeKind::ETHERNET_SWITCH ? 2 * half : 2) << node.name;
    }
}

TEST_P(TopologyProperty, RailsHaveThePathsOfTheirSpines)
{
    m_topology.name = "rail-optimized";
    m_topology.gpusPerServer = Draw(1, 8);
    m_topology.gpus = Draw(2, 200);
    m_topology.serversPerLeaf = Draw(1, 8);
    m_topology.spines = Draw(1, 9);
    m_topology.crossRail = Draw(0, 1) == 1;
    Check(Graph(), [&](uint32_t a, uint32_t b) {
        const bool sameRail = a % m_topology.gpusPerServer == b % m_topology.gpusPerServer;
        const uint32_t groupA = a / m_topology.gpusPerServer / m_topology.serversPerLeaf;
        const uint32_t groupB = b / m_topology.gpusPerServer / m_topology.serversPerLeaf;
        if (sameRail && groupA == groupB)
        {
            return Ways(2, 1);
        }
        return sameRail || m_topology.crossRail ? Ways(4, m_topology.spines) : Ways(FABRIC_NONE, 0);
    });
}

TEST_P(TopologyProperty, LinksThatAreDownLeaveThePathsOfTheOthers)
{
    m_topology.name = "rail-optimized";
    m_topology.gpusPerServer = Draw(1, 4);
    m_topology.gpus = m_topology.gpusPerServer * Draw(2, 12);
    m_topology.serversPerLeaf = 1;
    m_topology.spines = Draw(1, 6);
    FabricGraph graph = Graph();
    // by leaf and spine: whether their link is up
    std::vector<std::vector<bool>> up(m_topology.gpus, std::vector<bool>(m_topology.spines, true));
    const uint32_t firstLeaf = 2 * m_topology.gpus;
    for (auto& link : graph.links)
    {
        if (link.tier == FabricTier::SCALE_OUT && graph.nodes[link.node[1]].level == 1 && Draw(0, 2) == 0)
        {
            link.down = true;
            up[link.node[0] - firstLeaf][link.node[1] - firstLeaf - m_topology.gpus] = false;
        }
    }
    FabricRoutes routes(graph);
    for (uint32_t a = 0; a < m_topology.gpus; a++)
    {
        for (uint32_t b = 0; b < m_topology.gpus; b++)
        {
            uint64_t shared = 0; // spines that both leaves reach; each GPU has a leaf of its own
            for (uint32_t spine = 0; spine < m_topology.spines; spine++)
            {
                shared += up[a][spine] && up[b][spine] ? 1 : 0;
            }
            if (a != b && shared != 0)
            {
                EXPECT_EQ(routes.GetHops(a, b), 4U);
                EXPECT_EQ(routes.GetPathCount(a, b), shared);
            }
            else if (a != b && routes.HasWay(a, b))
            {
                EXPECT_GT(routes.GetHops(a, b), 4U); // through other leaves
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TopologyProperty, testing::Range(0U, 60U));

} // namespace
} // namespace ns3::hbd
