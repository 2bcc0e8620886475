/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-config.h"

#include "ns3-module/model/hbd-algorithm-table.h"
#include "traffic-gen/link-faults.h"
#include "traffic-gen/topology-file.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <boost/algorithm/string.hpp>
#include <map>

namespace hbd::runner
{

namespace
{

ns3::DataRate
RateOf(traffic::BitRate rate)
{
    return ns3::DataRate(rate.BitsPerSecond());
}

ns3::Time
TimeOf(traffic::Duration duration)
{
    return ns3::PicoSeconds(duration.Picoseconds());
}

ns3::UintegerValue
CountOf(traffic::Bytes bytes)
{
    return ns3::UintegerValue(bytes.Count());
}

/// What a seed adds to the hash of the Ethernet switches: the finalizer of SplitMix64 (Steele, Lea, Flood 2014), folded
/// to 32 bits. Seed 1 gives 0, the attribute's default.
uint32_t
SaltOf(uint64_t seed)
{
    uint64_t bits = seed - 1;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return static_cast<uint32_t>(bits ^ (bits >> 32));
}

/// The entries of cluster.hbd.broken.
std::vector<std::string>
BrokenOf(const traffic::HbdSpec& hbd)
{
    std::vector<std::string> broken;
    if (hbd.broken != "none")
    {
        boost::split(broken, hbd.broken, boost::is_any_of(","));
        for (auto& entry : broken)
        {
            boost::trim(entry);
        }
    }
    return broken;
}

/// cluster.scale-out.faults, which was checked when the scenario was read.
std::vector<ns3::hbd::LinkFault>
FaultsOf(const traffic::ScaleOutSpec& spec)
{
    static const std::map<traffic::LinkFaultSpec::Kind, ns3::hbd::LinkFault::Kind> kinds = {
        {traffic::LinkFaultSpec::Kind::Down, ns3::hbd::LinkFault::Kind::DOWN},
        {traffic::LinkFaultSpec::Kind::Up, ns3::hbd::LinkFault::Kind::UP},
        {traffic::LinkFaultSpec::Kind::Rate, ns3::hbd::LinkFault::Kind::RATE},
        {traffic::LinkFaultSpec::Kind::Loss, ns3::hbd::LinkFault::Kind::LOSS},
        {traffic::LinkFaultSpec::Kind::Corruption, ns3::hbd::LinkFault::Kind::CORRUPTION},
    };
    std::vector<ns3::hbd::LinkFault> faults;
    std::vector<traffic::FaultProblem> problems;
    for (const auto& given : traffic::ReadLinkFaults(spec.faults, problems))
    {
        ns3::hbd::LinkFault fault;
        fault.kind = kinds.at(given.kind);
        fault.ends[0] = given.ends[0];
        fault.ends[1] = given.ends[1];
        fault.number = given.number.value_or(ns3::hbd::FABRIC_NONE);
        fault.at = TimeOf(given.at);
        fault.rate = RateOf(given.rate);
        fault.probability = given.probability;
        faults.push_back(fault);
    }
    return faults;
}

void
SetScaleUp(const traffic::ClusterSpec& cluster, ns3::hbd::FabricConfig& config)
{
    const traffic::HbdSpec& hbd = cluster.hbd;
    config.scaleUp.gpus = cluster.gpus;
    config.scaleUp.hbdSize = hbd.size;
    config.scaleUp.planes = hbd.planes;
    config.scaleUp.linksPerPlane = hbd.linksPerPlane;
    config.scaleUp.name = hbd.topology;
    config.scaleUp.links = hbd.links;
    config.scaleUp.linksPerPeer = hbd.linksPerPeer;
    config.scaleUp.leafSize = hbd.leafSize;
    config.scaleUp.spines = hbd.spines;
    config.scaleUp.trunks = hbd.trunks;
    config.scaleUp.trunkRate = RateOf(hbd.trunkRate);
    config.scaleUp.broken = BrokenOf(hbd);
    config.brokenFails = hbd.onBroken == "fail";
    // quoted for all links and both directions
    config.scaleUp.linkRate = RateOf(hbd.RatePerLink());
    config.nvswitch.Set("PathChoice", ns3::StringValue(hbd.pathChoice));
    config.nvswitch.Set("ReductionRate", ns3::DataRateValue(RateOf(hbd.reductionRate)));
    config.nvswitch.Set("ReductionTableSize", CountOf(hbd.reductionTable));
    config.nvswitch.Set("ReductionDelay", ns3::TimeValue(TimeOf(hbd.reductionDelay)));
    config.nvswitch.Set("GroupUnitSize", CountOf(hbd.reductionUnit));
    config.nvswitch.Set("MulticastGroups", ns3::UintegerValue(hbd.multicastGroups));
    config.gpu.Set("ReadLatency", ns3::TimeValue(TimeOf(hbd.readLatency)));
    config.gpu.Set("ReadWindow", CountOf(hbd.readWindow));
    config.scaleUp.linkDelay = TimeOf(hbd.linkDelay);
    config.nvswitchDelay = TimeOf(hbd.switchDelay);
    config.nvlink.Set("PacketPayload", CountOf(hbd.packetPayload));
    config.nvlink.Set("FlitBytes", CountOf(hbd.flit));
    config.nvlink.Set("HeaderFlits", ns3::UintegerValue(hbd.headerFlits));
    config.nvlink.Set("RequestFlits", ns3::UintegerValue(hbd.requestFlits));
    config.nvlink.Set("PacketFlits", ns3::UintegerValue(hbd.packetFlits));
    config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(hbd.packetsPerAck));
    config.nvlink.Set("BitErrorRate", ns3::DoubleValue(hbd.bitErrorRate));
    config.nvlink.Set("RetryDelay", ns3::TimeValue(TimeOf(hbd.retryDelay)));
    config.nvlink.Set("VirtualChannels", ns3::UintegerValue(hbd.virtualChannels));
    config.nvlink.Set("CreditWindow", CountOf(hbd.creditWindow));
    config.nvlink.Set("CreditDelay", ns3::TimeValue(TimeOf(hbd.creditDelay)));
}

/// The nodes and links of a topology file, and its links that lose packets as faults.
void
SetListed(const traffic::ListedTopology& listed, ns3::hbd::FabricConfig& config)
{
    for (const auto& node : listed.nodes)
    {
        config.scaleOut.nodes.push_back({node.name, node.isSwitch});
    }
    for (const auto& given : listed.links)
    {
        ns3::hbd::ListedLink link;
        link.ends[0] = given.ends[0];
        link.ends[1] = given.ends[1];
        link.number = given.number;
        link.rate = RateOf(given.rate);
        link.delay = TimeOf(given.delay);
        config.scaleOut.links.push_back(link);
        if (given.loss > 0)
        {
            ns3::hbd::LinkFault fault;
            fault.kind = ns3::hbd::LinkFault::Kind::LOSS;
            fault.ends[0] = listed.nodes[given.ends[0]].name;
            fault.ends[1] = listed.nodes[given.ends[1]].name;
            fault.probability = given.loss;
            config.faults.push_back(fault);
        }
    }
}

/// Parameters of an algorithm as the module takes them.
ns3::StringValue
ParametersOf(const std::string& text)
{
    return ns3::StringValue(text == "none" ? "" : text);
}

void
SetAlgorithms(const traffic::ScaleOutSpec& spec, ns3::hbd::FabricConfig& config)
{
    using namespace ns3::hbd;
    const auto control = FindAlgorithm(GetCongestionControls(), spec.congestionControl).type;
    const auto balancer = FindAlgorithm(GetLoadBalancers(), spec.loadBalancing).type;
    config.nic.Set("CongestionControl", ns3::TypeIdValue(control));
    config.nic.Set("CongestionParameters", ParametersOf(spec.congestionParameters));
    config.ethernetSwitch.Set("LoadBalancer", ns3::TypeIdValue(balancer));
    config.ethernetSwitch.Set("LoadBalancerParameters", ParametersOf(spec.loadBalancingParameters));
}

/// Where packets of a queue pair take several ways, one that is behind a gap is no sign of loss.
void
SetRecovery(const traffic::ScaleOutSpec& spec, ns3::hbd::FabricConfig& config)
{
    constexpr uint32_t any = 0x7fffffff;
    const bool severalWays = spec.loadBalancing != "ecmp";
    const std::string chosen = severalWays ? "selective-repeat" : "go-back-n";
    config.nic.Set("Recovery", ns3::StringValue(spec.recovery == "auto" ? chosen : spec.recovery));
    const uint32_t packets = spec.reorderPackets == 0 && severalWays ? any : spec.reorderPackets;
    config.nic.Set("ReorderPackets", ns3::UintegerValue(packets));
}

void
SetScaleOut(const traffic::ClusterSpec& cluster, uint64_t seed, ns3::hbd::FabricConfig& config)
{
    const traffic::ScaleOutSpec& spec = cluster.scaleOut;
    if (cluster.gpus == cluster.hbd.size)
    {
        return; // one domain: nothing to connect
    }
    auto& topology = config.scaleOut;
    topology.name = spec.topology;
    topology.gpus = cluster.gpus;
    topology.gpusPerServer = spec.gpusPerServer;
    topology.serversPerLeaf = spec.serversPerLeaf;
    topology.spines = spec.spines;
    topology.crossRail = spec.crossRail;
    topology.radix = spec.radix;
    topology.aggregations = spec.aggregations;
    topology.cores = spec.cores;
    topology.nicRate = RateOf(spec.nicRate);
    topology.hostRate = RateOf(spec.hostRate);
    topology.uplinkRate = RateOf(spec.uplinkRate);
    topology.hostDelay = TimeOf(spec.hostDelay);
    topology.linkDelay = TimeOf(spec.linkDelay);
    if (spec.listed)
    {
        SetListed(*spec.listed, config);
    }
    const auto faults = FaultsOf(spec); // behind those of the file: they may say otherwise
    config.faults.insert(config.faults.end(), faults.begin(), faults.end());
    config.ethernetSwitchDelay = TimeOf(spec.switchDelay);
    config.hostLink.Set("PacketPayload", CountOf(spec.mtu));
    config.ethernet.Set("PacketPayload", CountOf(spec.mtu));
    config.ethernetSwitch.Set("BufferSize", CountOf(spec.switchBuffer));
    config.ethernetSwitch.Set("Headroom", CountOf(spec.headroom));
    config.ethernetSwitch.Set("XonOffset", CountOf(spec.pfcXonOffset));
    config.ethernetSwitch.Set("PfcAlpha", ns3::DoubleValue(spec.pfcAlpha));
    if (spec.flowControl == "none")
    {
        // nothing but control is protected
        config.ethernetSwitch.Set("LosslessPriorities", ns3::UintegerValue(0));
        config.ethernetSwitch.Set("LossyPriorities", ns3::UintegerValue(1 << 3)); // RdmaNic::DataPriority
        // a NIC's buffer takes what it can, and pauses nobody
        config.nic.Set("Headroom", ns3::UintegerValue(0));
        config.nic.Set("PfcAlpha", ns3::DoubleValue(1024));
    }
    config.ethernetSwitch.Set("CutThrough", ns3::BooleanValue(spec.forwarding == "cut-through"));
    config.ethernetSwitch.Set("EcnKmin", CountOf(spec.ecnKmin));
    // dcqcn without marks would do nothing: SONiC's AZURE_LOSSLESS, with the default of ecn-kmin
    const bool marks = spec.congestionControl == "dcqcn" && spec.ecnKmax.IsZero();
    config.ethernetSwitch.Set("EcnKmax", CountOf(marks ? std::max(spec.ecnKmin, traffic::Bytes::FromBytes(2 << 20)) : spec.ecnKmax));
    config.ethernetSwitch.Set("EcnPmax", ns3::DoubleValue(spec.ecnPmax));
    config.ethernetSwitch.Set("HashSalt", ns3::UintegerValue(SaltOf(seed)));
    config.nic.Set("ReceiveBuffer", CountOf(spec.nicBuffer));
    config.nic.Set("Headroom", CountOf(spec.headroom));
    config.nic.Set("XonOffset", CountOf(spec.pfcXonOffset));
    config.nic.Set("PfcAlpha", ns3::DoubleValue(spec.pfcAlpha));
    config.nic.Set("Window", CountOf(spec.window));
    config.nic.Set("AckEvery", ns3::UintegerValue(spec.ackEvery));
    config.nic.Set("QueuePairs", ns3::UintegerValue(spec.queuePairs));
    SetRecovery(spec, config);
    config.nic.Set("RetransmitTimeout", ns3::TimeValue(TimeOf(spec.retransmitTimeout)));
    config.nic.Set("RetryCount", ns3::UintegerValue(spec.retryCount));
    config.nic.Set("CnpInterval", ns3::TimeValue(TimeOf(spec.cnpInterval)));
    SetAlgorithms(spec, config);
}

} // namespace

ns3::hbd::FabricConfig
MakeFabricConfig(const traffic::Scenario& scenario)
{
    ns3::hbd::FabricConfig config;
    SetScaleUp(scenario.cluster, config);
    SetScaleOut(scenario.cluster, scenario.seed, config);
    config.burstBytes = scenario.burst.Count();
    config.accountingClasses = scenario.workload.inference ? 2 : 1;
    return config;
}

} // namespace hbd::runner
