/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-records.h"

#include "ns3/simulator.h"

#include <map>
#include <optional>
#include <utility>

namespace hbd::runner
{

namespace
{

std::string
KindName(ns3::hbd::FabricNodeKind kind)
{
    switch (kind)
    {
    case ns3::hbd::FabricNodeKind::GPU:
        return "gpu";
    case ns3::hbd::FabricNodeKind::NVSWITCH:
        return "nvswitch";
    case ns3::hbd::FabricNodeKind::NIC:
        return "nic";
    case ns3::hbd::FabricNodeKind::ETHERNET_SWITCH:
        return "ethernet-switch";
    }
    return "";
}

std::string
TierName(ns3::hbd::FabricTier tier)
{
    switch (tier)
    {
    case ns3::hbd::FabricTier::SCALE_UP:
        return "scale-up";
    case ns3::hbd::FabricTier::HOST:
        return "host";
    case ns3::hbd::FabricTier::SCALE_OUT:
        return "scale-out";
    }
    return "";
}

std::optional<uint32_t>
Known(uint32_t value)
{
    return value == ns3::hbd::FABRIC_NONE ? std::nullopt : std::optional<uint32_t>(value);
}

/// Which of the links between its two nodes each link is; none where there is only one.
std::vector<std::optional<uint32_t>>
NumberParallelLinks(const ns3::hbd::FabricGraph& graph)
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
    std::vector<uint32_t> numbers;
    for (const auto& link : graph.links)
    {
        numbers.push_back(counts[{link.node[0], link.node[1]}]++);
    }
    std::vector<std::optional<uint32_t>> result;
    for (uint32_t i = 0; i < graph.links.size(); i++)
    {
        const bool alone = counts[{graph.links[i].node[0], graph.links[i].node[1]}] == 1;
        result.push_back(alone ? std::nullopt : std::optional<uint32_t>(numbers[i]));
    }
    return result;
}

/// Name of a link's direction; links of a pair of nodes that has several are numbered.
std::string
DirectionName(const ns3::hbd::FabricGraph& graph, const ns3::hbd::FabricLink& link, uint32_t end, std::optional<uint32_t> number)
{
    const std::string name = graph.nodes[link.node[end]].name + "->" + graph.nodes[link.node[1 - end]].name;
    return number ? name + "#" + std::to_string(*number) : name;
}

analysis::LinkRow
MakeLinkRow(const ns3::hbd::Fabric& fabric, uint32_t number, uint32_t end, uint32_t phase)
{
    const auto& link = fabric.GetGraph().links[number];
    const ns3::hbd::FabricPort& port = fabric.GetPort(number, end);
    const auto& bank = fabric.GetContext().statistics;
    const uint64_t* sums = &bank.sums[port.GetSums(phase)];
    analysis::LinkRow row;
    row.tier = TierName(link.tier);
    row.rateBps = port.GetBitRate();
    row.txBytes = sums[ns3::hbd::PORT_TX_BYTES];
    row.txPackets = sums[ns3::hbd::PORT_TX_PACKETS];
    row.busyPs = static_cast<int64_t>(sums[ns3::hbd::PORT_TX_PS]);
    row.maxQueueBytes = bank.maxima[port.GetMaximum(phase)];
    row.queueBytePs = bank.integrals[port.GetIntegral(phase)];
    row.ecnMarked = sums[ns3::hbd::PORT_ECN_MARKED];
    row.pausePs = static_cast<int64_t>(sums[ns3::hbd::PORT_PAUSE_PS]);
    row.pauseFrames = sums[ns3::hbd::PORT_PAUSE_FRAMES];
    row.creditStallPs = static_cast<int64_t>(sums[ns3::hbd::PORT_STALL_PS]);
    row.drops = sums[ns3::hbd::PORT_DROPS];
    row.controlFlits = sums[ns3::hbd::PORT_CONTROL_FLITS];
    row.receiveErrors = sums[ns3::hbd::PORT_RECEIVE_ERRORS];
    row.retriedPackets = sums[ns3::hbd::PORT_RETRIED_PACKETS];
    return row;
}

} // namespace

void
FillFabricRecords(const ns3::hbd::Fabric& fabric, const std::vector<std::string>& phases, analysis::PointRecords& records)
{
    const auto& graph = fabric.GetGraph();
    for (const auto& node : graph.nodes)
    {
        records.nodes.push_back({node.name, KindName(node.kind), Known(node.gpu), Known(node.hbd), Known(node.rail), node.level});
    }
    const auto parallel = NumberParallelLinks(graph);
    for (uint32_t i = 0; i < graph.links.size(); i++)
    {
        const auto& link = graph.links[i];
        records.cables.push_back({graph.nodes[link.node[0]].name,
                                  graph.nodes[link.node[1]].name,
                                  TierName(link.tier),
                                  link.plane,
                                  link.rate.GetBitRate(),
                                  link.delay.GetPicoSeconds()});
        for (uint32_t end = 0; end < 2; end++)
        {
            for (uint32_t phase = 0; phase < phases.size(); phase++)
            {
                records.links.push_back(MakeLinkRow(fabric, i, end, phase));
                records.links.back().link = DirectionName(graph, link, end, parallel[i]);
                records.links.back().phase = phases[phase];
            }
        }
    }
}

void
FillCost(ns3::hbd::Fabric& fabric, const ns3::hbd::Player& player, analysis::PointRecords& records)
{
    const auto& context = fabric.GetContext();
    const uint64_t* sums = &context.statistics.sums[context.globalSums];
    ns3::hbd::Player::ReplayCounts replay = player.GetReplayCounts();
    records.cost.events = fabric.GetKernel().GetRecordCount();
    records.cost.unitHops = sums[ns3::hbd::SUM_UNIT_HOPS];
    records.cost.packetHops = sums[ns3::hbd::SUM_PACKET_HOPS];
    records.cost.spans = replay.spans;
    records.cost.replayedSpans = replay.replayed;
    records.cost.replayedPs = replay.replayedPs;
    records.cost.simulatedPs = player.GetEndPs();
    if (!replay.note.empty())
    {
        records.cost.notes.push_back(replay.note);
    }
}

} // namespace hbd::runner
