/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: topologies are what their names say, routes are shortest and complete, load balancing is deterministic, traffic
// on them is lossless and in canonical order.

#include "ns3-module/model/topologies/hbd-scale-up-topology.h"
#include "ns3-module/model/topologies/hbd-topology-table.h"
#include "scale-out-fixture.h"

#include <map>
#include <random>
#include <set>

namespace
{

using namespace scale_out;

/// A list: a leaf for each 4 NICs, all linked to two spines by cables of different number, rate and delay.
void
Listed(ScaleOutTopology& topology)
{
    auto link = [&](uint32_t a, uint32_t b, uint32_t number, const char* rate, int64_t ns) {
        ListedLink cable;
        cable.ends[0] = a;
        cable.ends[1] = b;
        cable.number = number;
        cable.rate = ns3::DataRate(rate);
        cable.delay = ns3::NanoSeconds(ns);
        topology.links.push_back(cable);
    };
    topology.nodes = {{"spineA", true}, {"spineB", true}};
    for (uint32_t nic = 0; nic < topology.gpus; nic++)
    {
        if (nic % 4 == 0)
        {
            const auto leaf = static_cast<uint32_t>(topology.nodes.size());
            topology.nodes.push_back({"leaf" + std::to_string(nic / 4), true});
            link(leaf, 0, 2, "400Gbps", 100 + nic);
            link(1, leaf, 1, "800Gbps", 170 + nic);
        }
        topology.nodes.push_back({"host" + std::to_string(nic), false});
        const auto host = static_cast<uint32_t>(topology.nodes.size() - 1);
        link(host, host - nic % 4 - 1, 1, nic % 3 == 0 ? "200Gbps" : "400Gbps", 40 + nic);
    }
}

ScaleOutTopology
Topology(const std::string& name, uint32_t gpus)
{
    ScaleOutTopology topology;
    topology.name = name;
    topology.gpus = gpus;
    topology.gpusPerServer = 4;
    topology.serversPerLeaf = 2;
    topology.nicRate = ns3::DataRate("400Gbps");
    topology.hostRate = ns3::DataRate("500Gbps");
    topology.hostDelay = ns3::NanoSeconds(200);
    topology.linkDelay = ns3::NanoSeconds(50);
    if (name == "file")
    {
        Listed(topology);
    }
    return topology;
}

FabricGraph
Graph(const ScaleOutTopology& topology)
{
    FabricGraph graph;
    ScaleUpTopology scaleUp;
    scaleUp.gpus = topology.gpus;
    scaleUp.hbdSize = 1;
    AddScaleUp(graph, scaleUp);
    AddScaleOut(graph, topology);
    return graph;
}

TEST(ScaleUpTopology, GpuPortIsPlaneTimesLinksPlusLink)
{
    FabricGraph graph;
    ScaleUpTopology topology;
    topology.gpus = 8;
    topology.hbdSize = 4;
    topology.planes = 3;
    topology.linksPerPlane = 2;
    topology.linkRate = ns3::DataRate("400Gbps");
    AddScaleUp(graph, topology);
    ASSERT_EQ(graph.nodes.size(), 8U + 2 * 3);
    ASSERT_EQ(graph.links.size(), 8U * 6);
    EXPECT_EQ(graph.nodes[8 + 3 + 1].name, "nvswitch-h1-p1");
    for (uint32_t gpu = 0; gpu < 8; gpu++)
    {
        for (uint32_t port = 0; port < 6; port++)
        {
            uint32_t link = graph.nodes[gpu].ports[port];
            uint32_t peer = graph.Peer(link, gpu);
            EXPECT_EQ(graph.nodes[peer].hbd, gpu / 4);
            EXPECT_EQ(peer, 8 + gpu / 4 * 3 + port / 2);
            EXPECT_EQ(graph.links[link].plane, port / 2);
            EXPECT_EQ(graph.links[link].port[1], gpu % 4 * 2 + port % 2); // in order of GPU
        }
    }
}

TEST(ScaleUpTopology, RefusesDomainsThatDoNotDivideTheGpus)
{
    FabricGraph graph;
    ScaleUpTopology topology;
    topology.gpus = 12;
    topology.hbdSize = 8;
    topology.linkRate = ns3::DataRate("400Gbps");
    EXPECT_THROW(AddScaleUp(graph, topology), std::invalid_argument);
}

TEST(ScaleOutTopology, UnknownNameIsRefusedWithTheKnownOnes)
{
    FabricGraph graph;
    try
    {
        Graph(Topology("torus", 8));
        FAIL();
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_NE(std::string(error.what()).find("rail-optimized"), std::string::npos);
    }
}

TEST(ScaleOutTopology, RailOptimizedHasALeafPerRailAndGroupAndIsNonBlocking)
{
    FabricGraph graph = Graph(Topology("rail-optimized", 16)); // 4 servers: 2 groups x 4 rails
    FabricRoutes routes(graph);
    ScaleOutSummary summary = SummarizeScaleOut(graph, routes);
    ASSERT_EQ(summary.leaves.size(), 8U);
    for (const auto& leaf : summary.leaves)
    {
        EXPECT_EQ(leaf.nics, 2U);
        EXPECT_EQ(leaf.GetOversubscription(), 1.0);
    }
    EXPECT_EQ(summary.bisectionBitRate, 8 * 400000000000ULL);
    EXPECT_EQ(graph.nodes[routes.GetLeaf(13)].rail, 1U);
    EXPECT_EQ(routes.GetHops(1, 5), 2U);  // same rail and group
    EXPECT_EQ(routes.GetHops(1, 13), 4U); // same rail, other group
    EXPECT_EQ(routes.GetHops(1, 2), 4U);  // other rail
    EXPECT_EQ(routes.GetPathCount(1, 2), 2U);
    EXPECT_EQ(summary.pairsByHops[2], 16U);
    EXPECT_EQ(summary.pairsByHops[4], 16U * 15 - 16);
}

TEST(ScaleOutTopology, FewerSpinesOversubscribeAndHalveTheBisection)
{
    ScaleOutTopology topology = Topology("rail-optimized", 32);
    topology.serversPerLeaf = 4;
    topology.spines = 2;
    FabricGraph graph = Graph(topology);
    ScaleOutSummary summary = SummarizeScaleOut(graph, FabricRoutes(graph));
    EXPECT_EQ(summary.leaves.front().GetOversubscription(), 2.0);
    EXPECT_EQ(summary.bisectionBitRate, 16 * 400000000000ULL / 2);
}

TEST(ScaleOutTopology, FatTreeOfFourPortsIsThatOfThePaper)
{
    // figure 3 of Al-Fares et al., SIGCOMM 2008: 16 hosts, 4 pods of 2 + 2 switches, 4 cores
    FabricGraph graph = Graph(Topology("fat-tree", 16));
    FabricRoutes routes(graph);
    ScaleOutSummary summary = SummarizeScaleOut(graph, routes);
    std::map<uint32_t, uint32_t> levels;
    for (const auto& node : graph.nodes)
    {
        if (node.kind == FabricNodeKind::ETHERNET_SWITCH)
        {
            levels[node.level]++;
            EXPECT_EQ(node.ports.size(), 4U);
        }
    }
    EXPECT_EQ(levels, (std::map<uint32_t, uint32_t>{{0, 8}, {1, 8}, {2, 4}}));
    EXPECT_EQ(summary.bisectionBitRate, 8 * 400000000000ULL); // full
    EXPECT_EQ(summary.maxPaths, 4U);
    EXPECT_EQ(summary.pairsByHops[2], 16U);
    EXPECT_EQ(summary.pairsByHops[4], 16U * 2);
    EXPECT_EQ(summary.pairsByHops[6], 16U * 12);
}

TEST(ScaleOutTopology, FatTreeIsOversubscribedAtEachLevelByItsNumbers)
{
    ScaleOutTopology topology = Topology("fat-tree", 128);
    topology.radix = 8;        // 4 NICs an edge, 16 a pod
    topology.aggregations = 2; // 2 to 1 at the edge
    topology.cores = 2;        // 4 edges below each aggregation switch, 1 core above: 4 to 1
    FabricGraph graph = Graph(topology);
    ScaleOutSummary summary = SummarizeScaleOut(graph, FabricRoutes(graph));
    for (const auto& leaf : summary.leaves)
    {
        EXPECT_EQ(leaf.GetOversubscription(), leaf.level == 0 ? 2.0 : 4.0) << leaf.name;
    }
    EXPECT_EQ(summary.bisectionBitRate, 64 * 400000000000ULL / 8);
}

TEST(ScaleOutTopology, RailsWithoutCrossingDoNotReachEachOther)
{
    ScaleOutTopology topology = Topology("rail-optimized", 16); // 4 servers: 2 groups x 4 rails
    topology.crossRail = false;
    FabricGraph graph = Graph(topology);
    FabricRoutes routes(graph);
    EXPECT_EQ(routes.GetHops(1, 5), 2U);
    EXPECT_EQ(routes.GetHops(1, 13), 4U);
    EXPECT_EQ(routes.GetPathCount(1, 13), 2U);
    EXPECT_FALSE(routes.HasWay(1, 2));
    EXPECT_EQ(routes.GetHops(1, 2), FABRIC_NONE);
    EXPECT_EQ(routes.GetPathCount(1, 2), 0U);
    EXPECT_TRUE(routes.GetPath(1, 2).empty());
    EXPECT_EQ(SummarizeScaleOut(graph, routes).pairsWithoutWay, 16U * 12);
}

TEST(ScaleOutTopology, MessageBetweenRailsWithoutCrossingIsRefused)
{
    Network network;
    network.config.scaleOut = Topology("rail-optimized", 8);
    network.config.scaleOut.crossRail = false;
    network.Build(8);
    network.PostAt(0, 1, 5, 4096);
    network.PostAt(1000, 1, 2, 4096);
    try
    {
        network.Run();
        FAIL();
    }
    catch (const FabricError& error)
    {
        EXPECT_NE(std::string(error.what()).find("no way from gpu1 to gpu2 at"), std::string::npos) << error.what();
    }
}

TEST(ScaleOutTopology, SizesThatDoNotFitAreRefused)
{
    auto refused = [](uint32_t radix, uint32_t aggregations, uint32_t cores) {
        ScaleOutTopology topology = Topology("fat-tree", 16);
        topology.radix = radix;
        topology.aggregations = aggregations;
        topology.cores = cores;
        try
        {
            Graph(topology);
        }
        catch (const std::invalid_argument&)
        {
            return true;
        }
        return false;
    };
    EXPECT_FALSE(refused(4, 2, 4));
    EXPECT_TRUE(refused(2, 0, 0)); // room for 2
    EXPECT_TRUE(refused(5, 0, 0)); // odd
    EXPECT_TRUE(refused(4, 3, 0)); // 2 uplinks
    EXPECT_TRUE(refused(4, 2, 5));
    EXPECT_TRUE(refused(65540, 0, 0));
}

TEST(ScaleOutTopology, NodeOfMorePortsThanRoutesCanNameIsRefused)
{
    FabricGraph graph;
    FabricNode node;
    node.kind = FabricNodeKind::ETHERNET_SWITCH;
    node.name = "big";
    graph.AddNode(node);
    for (uint32_t i = 0; i < FabricGraph::MOST_PORTS; i++)
    {
        node.name = "peer" + std::to_string(i);
        graph.AddLink(0, graph.AddNode(node), ns3::DataRate("400Gbps"), ns3::Time(0), FabricTier::SCALE_OUT);
    }
    uint32_t last = graph.AddNode(node);
    EXPECT_THROW(graph.AddLink(0, last, ns3::DataRate("400Gbps"), ns3::Time(0), FabricTier::SCALE_OUT),
                 std::invalid_argument);
}

TEST(ScaleOutTopology, ListOfNodesAndLinksIsTheFabric)
{
    FabricGraph graph = Graph(Topology("file", 8));
    FabricRoutes routes(graph);
    EXPECT_EQ(routes.GetHops(0, 3), 2U);
    EXPECT_EQ(routes.GetHops(0, 4), 4U);
    EXPECT_EQ(routes.GetPathCount(0, 4), 2U * 2 + 1); // cables of both leaves to spineA, and those to spineB
    EXPECT_EQ(routes.GetPathCount(0, 1), 1U);
    EXPECT_EQ(graph.nodes[routes.GetNic(5)].name, "host5");
    EXPECT_EQ(graph.nodes[routes.GetLeaf(5)].name, "leaf1");
    for (const auto& node : graph.nodes)
    {
        if (node.kind == FabricNodeKind::ETHERNET_SWITCH)
        {
            EXPECT_EQ(node.level, node.name.substr(0, 4) == "leaf" ? 0U : 1U);
        }
    }
    ScaleOutSummary summary = SummarizeScaleOut(graph, routes);
    EXPECT_EQ(summary.leaves.front().upBitRate, 1600000000000ULL);
    EXPECT_EQ(summary.leaves.front().downBitRate, 1200000000000ULL); // NICs 0 and 3 have half the rate
    EXPECT_EQ(summary.bisectionBitRate, 1200000000000ULL);           // NICs 0 to 3
}

TEST(ScaleOutTopology, EachCableHasItsOwnDelayAndRate)
{
    // one way through three switches, all cables different: the sum of their delays, of a packet's time on each, and
    // what devices add
    Network network;
    ScaleOutTopology& topology = network.config.scaleOut;
    topology.name = "file";
    topology.nodes = {{"a", false}, {"b", false}, {"x", true}, {"y", true}, {"z", true}};
    const std::vector<std::tuple<uint32_t, uint32_t, const char*, int64_t>> cables = {{0, 2, "400Gbps", 1000},
                                                                                      {2, 3, "100Gbps", 2},
                                                                                      {3, 4, "800Gbps", 3000},
                                                                                      {4, 1, "200Gbps", 500}};
    for (const auto& [a, b, rate, ns] : cables)
    {
        ListedLink link;
        link.ends[0] = a;
        link.ends[1] = b;
        link.rate = ns3::DataRate(rate);
        link.delay = ns3::NanoSeconds(ns);
        topology.links.push_back(link);
    }
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(2 << 20));
    network.Build(2);
    network.PostAt(0, 0, 1, 1024);
    network.Run();
    const int64_t hostPs = (1024 + 4 * 24) * 16LL; // 500 Gb/s
    const int64_t wire = 1024 + 82 + 16;
    const int64_t etherPs = wire * (20 + 80 + 10 + 40);
    const int64_t delays = (1000 + 2 + 3000 + 500) * 1000LL;
    EXPECT_EQ(network.EndPs(), 2 * (hostPs + 200000 + 250000) + etherPs + delays + 3 * 600000);
    EXPECT_EQ(network.fabric->GetIdealMessagePs(0, 1, 1024), network.EndPs());
}

TEST(ScaleOutTopology, BoundHoldsWhereWaysOfEqualLengthDiffer)
{
    for (uint32_t salt = 0; salt < 8; salt++)
    {
        Network network;
        network.config.scaleOut = Topology("file", 8);
        network.config.ethernetSwitch.Set("HashSalt", ns3::UintegerValue(salt));
        network.Build(8);
        network.PostAt(0, 1, 6, 1 << 20);
        network.Run();
        EXPECT_GE(network.EndPs(), network.fabric->GetIdealMessagePs(1, 6, 1 << 20)) << salt;
    }
}

TEST(ScaleOutTopology, ListsThatAreNoFabricAreRefused)
{
    ScaleOutTopology topology = Topology("file", 8);
    topology.gpus = 9;
    EXPECT_THROW(Graph(topology), std::invalid_argument);
    topology = Topology("file", 8);
    topology.links.back().ends[0] = 99;
    EXPECT_THROW(Graph(topology), std::invalid_argument);
    topology = Topology("file", 8);
    topology.links.push_back(topology.links.back()); // a second link of a NIC
    EXPECT_THROW(FabricRoutes routes(Graph(topology)), std::invalid_argument);
}

/// Every entry of the topology table.
class EveryTopology : public testing::TestWithParam<std::string>
{
};

TEST_P(EveryTopology, ReachesEveryNicByShortestWays)
{
    FabricGraph graph = Graph(Topology(GetParam(), 24));
    FabricRoutes routes(graph);
    for (uint32_t a = 0; a < graph.gpus; a++)
    {
        for (uint32_t b = 0; b < graph.gpus; b++)
        {
            if (a == b)
            {
                continue;
            }
            std::vector<uint32_t> path = routes.GetPath(a, b);
            ASSERT_EQ(path.size(), routes.GetHops(a, b));
            uint32_t node = routes.GetNic(a);
            for (uint32_t link : path)
            {
                ASSERT_TRUE(graph.links[link].node[0] == node || graph.links[link].node[1] == node);
                node = graph.Peer(link, node);
            }
            EXPECT_EQ(node, routes.GetNic(b));
            EXPECT_GE(routes.GetPathCount(a, b), 1U);
        }
    }
}

TEST_P(EveryTopology, HasPortsThatAgreeWithItsLinks)
{
    FabricGraph graph = Graph(Topology(GetParam(), 24));
    std::set<std::string> names;
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
    {
        EXPECT_TRUE(names.insert(graph.nodes[node].name).second) << graph.nodes[node].name;
        for (uint32_t port = 0; port < graph.nodes[node].ports.size(); port++)
        {
            const FabricLink& link = graph.links[graph.nodes[node].ports[port]];
            uint32_t end = link.node[0] == node ? 0 : 1;
            EXPECT_EQ(link.node[end], node);
            EXPECT_EQ(link.port[end], port);
        }
    }
}

/// Random messages under small buffers and windows, the same for each seed.
std::vector<Delivery>
RunRandom(const std::string& topology, uint64_t seed, uint64_t shuffle, bool observed)
{
    Network network;
    network.config.scaleOut = Topology(topology, 12);
    network.config.scaleOut.spines = topology == "rail-optimized" ? 1 : 0;
    network.config.burstBytes = 12288;
    network.config.kernel.Set("ShuffleSeed", ns3::UintegerValue(shuffle));
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(200000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(12 * 200000 + 300000));
    network.Build(12);
    uint64_t packets = 0;

    struct Sink
    {
        uint64_t& packets;

        void OnPacket(ns3::Ptr<const ns3::Packet> /* packet */)
        {
            packets++;
        }
    } sink{packets};

    if (observed)
    {
        const std::string leaf = topology == "fat-tree" ? "edge0" : "leaf0";
        network.EthernetPort(leaf, 0).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&Sink::OnPacket, &sink));
        network.EthernetPort(leaf, 1).TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&Sink::OnPacket, &sink));
    }
    std::mt19937_64 random(seed);
    for (uint32_t i = 0; i < 200; i++)
    {
        auto source = static_cast<uint32_t>(random() % 12);
        auto destination = static_cast<uint32_t>(random() % 3 == 0 ? 11 : random() % 12);
        uint64_t bytes = random() % (random() % 4 == 0 ? 1000000 : 10000);
        auto at = static_cast<int64_t>(random() % 20 * 1000000);
        if (source != destination)
        {
            network.PostAt(at, source, destination, bytes);
        }
    }
    network.Run();
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0U);
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_POSTED), network.GlobalCounter(SUM_BYTES_DELIVERED));
    EXPECT_EQ(packets > 0, observed);
    return network.deliveries;
}

TEST_P(EveryTopology, RandomTrafficIsDeliveredWholeAndLeavesNothingBehind)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
    {
        EXPECT_GT(RunRandom(GetParam(), seed, 0, false).size(), 150U);
    }
}

TEST_P(EveryTopology, OrderOfSimultaneousRecordsDoesNotMatter)
{
    std::vector<Delivery> plain = RunRandom(GetParam(), 1, 0, false);
    EXPECT_EQ(RunRandom(GetParam(), 1, 7, false), plain);
    EXPECT_EQ(RunRandom(GetParam(), 1, 8, false), plain);
}

TEST_P(EveryTopology, WatchingPacketsChangesNothing)
{
    EXPECT_EQ(RunRandom(GetParam(), 2, 0, true), RunRandom(GetParam(), 2, 0, false));
}

std::vector<std::string>
TopologyNames()
{
    std::vector<std::string> names;
    for (const auto& entry : GetScaleOutTopologies())
    {
        names.push_back(entry.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryTopology, testing::ValuesIn(TopologyNames()), [](const auto& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

/// Bytes that leaf0 sent on each uplink for one message to another rail.
std::vector<uint64_t>
UplinkBytes(uint32_t salt, uint32_t destinations)
{
    Network network;
    network.config.scaleOut = Topology("rail-optimized", 32);
    network.config.scaleOut.serversPerLeaf = 0;
    network.config.ethernetSwitch.Set("HashSalt", ns3::UintegerValue(salt));
    network.Build(32);
    for (uint32_t i = 0; i < destinations; i++)
    {
        network.PostAt(0, 0, 1 + i * 4 % 32 + i / 8, 65536);
    }
    network.Run();
    std::vector<uint64_t> bytes;
    const FabricNode& leaf = network.fabric->GetGraph().nodes[network.Find("leaf0")];
    for (uint32_t index = 8; index < leaf.ports.size(); index++)
    {
        bytes.push_back(network.Sum(leaf.ports[index], 0, PORT_TX_BYTES));
    }
    return bytes;
}

TEST(Ecmp, FlowKeepsOnePath)
{
    std::vector<uint64_t> bytes = UplinkBytes(0, 1);
    ASSERT_EQ(bytes.size(), 8U);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0U), 7);
}

TEST(Ecmp, FlowsSpreadTheSameWayInEveryRunAndByTheSalt)
{
    std::vector<uint64_t> bytes = UplinkBytes(0, 24);
    EXPECT_LE(std::count(bytes.begin(), bytes.end(), 0U), 3);
    EXPECT_EQ(UplinkBytes(0, 24), bytes);
    EXPECT_NE(UplinkBytes(1, 24), bytes);
}

} // namespace
