/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-check.h"

#include "fabric-config.h"
#include "ns3-module/model/hbd-algorithm-table.h"
#include "ns3-module/model/hbd-congestion-control.h"
#include "ns3-module/model/topologies/hbd-scale-up-topology.h"
#include "ns3-module/model/topologies/hbd-topology-table.h"
#include "scenario-input.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

namespace hbd::runner
{

namespace
{

/// The most that a switch may have, in bytes.
constexpr uint64_t kLargestBuffer = 1ull << 40;

/// What is wrong with a fabric, and with which key.
struct Flaw
{
    std::string key;
    std::string expected;
    std::string given;
};

/// The NICs, switches and cables of a point, without its domains.
ns3::hbd::FabricGraph
ScaleOutGraph(ns3::hbd::FabricConfig config)
{
    ns3::hbd::FabricGraph graph;
    config.scaleUp.hbdSize = 1;
    config.scaleUp.broken.clear();
    ns3::hbd::AddScaleUp(graph, config.scaleUp);
    ns3::hbd::AddScaleOut(graph, config.scaleOut);
    return graph;
}

/// A switch whose ports' headrooms leave nothing of its buffer.
std::optional<Flaw>
FindFullBuffer(const ns3::hbd::FabricGraph& graph, const traffic::ScaleOutSpec& spec)
{
    for (const auto& node : graph.nodes)
    {
        if (spec.flowControl == "none")
        {
            break; // no headroom
        }
        // by division: the product may have more than 64 bits
        if (node.kind == ns3::hbd::FabricNodeKind::ETHERNET_SWITCH && !spec.headroom.IsZero() &&
            (spec.switchBuffer.Count() - 1) / spec.headroom.Count() < node.ports.size())
        {
            return Flaw{"cluster.scale-out.switch-buffer",
                        fmt::format("more than the headroom of the {} ports of {}, {} x {} B",
                                    node.ports.size(),
                                    node.name,
                                    node.ports.size(),
                                    spec.headroom.Count()),
                        fmt::format("{} B", spec.switchBuffer.Count())};
        }
    }
    return std::nullopt;
}

/**
 * A cable for which the headroom is too small: builds the smallest fabric that has each kind of cable of the point,
 * since the headroom that a cable needs does not depend on their number.
 */
std::optional<Flaw>
FindSmallHeadroom(const ns3::hbd::FabricGraph& graph, ns3::hbd::FabricConfig config)
{
    const bool isListed = config.scaleOut.name == "file"; // in which any cable may be another one
    const bool hasSpines = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
        return node.kind == ns3::hbd::FabricNodeKind::ETHERNET_SWITCH && node.level > 0;
    });
    if (!isListed)
    {
        config.scaleOut.gpusPerServer = hasSpines ? 2 : 1; // a leaf a rail, and a spine between two leaves
        config.scaleOut.gpus = 2 * config.scaleOut.gpusPerServer;
    }
    config.scaleOut.serversPerLeaf = 0;
    config.scaleOut.spines = 1;
    config.scaleOut.crossRail = true;
    config.scaleOut.radix = 0;
    config.scaleOut.aggregations = 0;
    config.scaleOut.cores = 0;
    config.scaleUp.gpus = config.scaleOut.gpus;
    config.scaleUp.hbdSize = 1;
    config.faults.clear(); // which name links of the whole
    config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(kLargestBuffer));
    std::optional<Flaw> flaw;
    auto fabric = ns3::CreateObject<ns3::hbd::Fabric>();
    try
    {
        fabric->Build(config);
    }
    catch (const std::invalid_argument& error)
    {
        flaw = Flaw{"cluster.scale-out.headroom", "buffers in which no packet is lost", error.what()};
    }
    fabric->Dispose();
    ns3::Simulator::Destroy();
    return flaw;
}

/// Parameters that a congestion control or a load balancer does not have, or does not take.
std::optional<Flaw>
FindWrongParameters(const traffic::ScaleOutSpec& spec)
{
    using namespace ns3::hbd;
    const std::string& control = spec.congestionParameters;
    try
    {
        const auto type = FindAlgorithm(GetCongestionControls(), spec.congestionControl).type;
        CongestionSetup setup; // any that could be
        setup.lineBitRate = spec.nicRate.BitsPerSecond();
        setup.windowBytes = spec.window.Count();
        setup.mtu = static_cast<uint32_t>(spec.mtu.Count());
        setup.baseRttPs = 1000000;
        setup.hops = 2;
        MakeFactory(type, control == "none" ? "" : control).Create<CongestionControl>()->Setup(setup);
    }
    catch (const std::invalid_argument& error)
    {
        return Flaw{"cluster.scale-out.congestion-parameters", "parameters of " + spec.congestionControl, error.what()};
    }
    const std::string& balancing = spec.loadBalancingParameters;
    try
    {
        MakeFactory(FindAlgorithm(GetLoadBalancers(), spec.loadBalancing).type, balancing == "none" ? "" : balancing);
    }
    catch (const std::invalid_argument& error)
    {
        return Flaw{"cluster.scale-out.load-balancing-parameters", "parameters of " + spec.loadBalancing, error.what()};
    }
    return std::nullopt;
}

std::optional<Flaw>
FindFlaw(const traffic::Scenario& scenario)
{
    if (const auto flaw = FindWrongParameters(scenario.cluster.scaleOut))
    {
        return flaw;
    }
    const ns3::hbd::FabricConfig config = MakeFabricConfig(scenario);
    ns3::hbd::FabricGraph graph;
    try
    {
        graph = ScaleOutGraph(config);
    }
    catch (const std::invalid_argument& error)
    {
        return Flaw{"cluster.scale-out", "a topology that can be connected", error.what()};
    }
    try
    {
        ns3::hbd::CheckLinkFaults(graph, config.faults);
    }
    catch (const std::invalid_argument& error)
    {
        return Flaw{"cluster.scale-out.faults", "links of the fabric and what can happen to them (`hbd fabric SCENARIO --format dot` names all)", error.what()};
    }
    const auto full = FindFullBuffer(graph, scenario.cluster.scaleOut);
    return full ? full : FindSmallHeadroom(graph, config);
}

/// Two GPUs of a domain between which what is down leaves no way, or which would use it although that is an error.
std::optional<Flaw>
FindBrokenWay(const ns3::hbd::FabricGraph& graph, const ns3::hbd::FabricConfig& config)
{
    const ns3::hbd::ScaleUpRoutes routes(graph);
    for (uint32_t a = 0; a < graph.gpus; a++)
    {
        const uint32_t end = (a / config.scaleUp.hbdSize + 1) * config.scaleUp.hbdSize;
        for (uint32_t b = a + 1; b < end; b++)
        {
            const uint32_t broken = routes.FindBroken(a, b);
            const std::string pair = fmt::format("gpu{} and gpu{}", a, b);
            if (broken != ns3::hbd::FABRIC_NONE && config.brokenFails)
            {
                return Flaw{"cluster.hbd.broken",
                            "nothing that two GPUs would use, or on-broken: reroute",
                            fmt::format("{}, which {} would use", graph.broken[broken], pair)};
            }
            if (broken != ns3::hbd::FABRIC_NONE && routes.CountStripe(a, b) == 0)
            {
                return Flaw{"cluster.hbd.broken", "a way left between " + pair, config.scaleUp.broken.front() + " and others down"};
            }
        }
    }
    return std::nullopt;
}

/// What is wrong with the domains of a point.
std::optional<Flaw>
FindDomainFlaw(const traffic::Scenario& scenario)
{
    const ns3::hbd::FabricConfig config = MakeFabricConfig(scenario);
    ns3::hbd::FabricGraph graph;
    const bool isWhole = config.scaleUp.broken.empty();
    try
    {
        ns3::hbd::AddScaleUp(graph, config.scaleUp);
    }
    catch (const std::invalid_argument& error)
    {
        return Flaw{isWhole ? "cluster.hbd" : "cluster.hbd.broken", "links that exist", error.what()};
    }
    return isWhole ? std::nullopt : FindBrokenWay(graph, config);
}

/// What the fabric of a point depends on, as text.
std::string
FabricKey(const traffic::Scenario& scenario, bool withDomains)
{
    auto cluster = nlohmann::json::parse(scenario.canonicalJson).at("cluster");
    cluster.erase("gpu");
    if (!withDomains)
    {
        cluster.erase("hbd");
    }
    return cluster.dump();
}

} // namespace

std::vector<traffic::Scenario>
DistinctFabrics(const std::vector<traffic::Scenario>& points)
{
    std::set<std::string> seen;
    std::vector<traffic::Scenario> distinct;
    for (const auto& point : points)
    {
        if (seen.insert(FabricKey(point, true)).second)
        {
            distinct.push_back(point);
        }
    }
    return distinct;
}

void
AddFabricProblems(const traffic::ScenarioFile& file, std::vector<traffic::Problem>& problems)
{
    std::set<std::string> seen;
    for (const auto& point : DistinctFabrics(file.points))
    {
        if (const auto flaw = FindDomainFlaw(point))
        {
            AddPointProblem(file, point, flaw->key, flaw->expected, flaw->given, problems);
            return;
        }
    }
    for (const auto& point : file.points)
    {
        const bool oneDomain = point.cluster.gpus == point.cluster.hbd.size;
        if (oneDomain || !seen.insert(FabricKey(point, false)).second)
        {
            continue;
        }
        if (const auto flaw = FindFlaw(point))
        {
            AddPointProblem(file, point, flaw->key, flaw->expected, flaw->given, problems);
        }
    }
}

} // namespace hbd::runner
