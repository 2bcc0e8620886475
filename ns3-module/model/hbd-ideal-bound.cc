/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ideal-bound.h"

#include "hbd-roce-headers.h"

#include "hbd-statistics.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

namespace
{

uint64_t
CountPackets(uint64_t bytes, uint64_t payload)
{
    return bytes == 0 ? 1 : (bytes + payload - 1) / payload;
}

uint64_t
RoundUp(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

} // namespace

IdealBound::IdealBound(const FabricGraph& graph, const IdealTraits& traits)
    : m_graph(graph),
      m_routes(graph),
      m_traits(traits),
      m_scaleUpRoutes(m_graph),
      m_scaleUp(graph.gpus),
      m_host(graph.gpus),
      m_nic(graph.gpus),
      m_leaf(graph.nodes.size())
{
    const FabricLink* between = nullptr; // first link between Ethernet switches
    for (const auto& link : graph.links)
    {
        const FabricNode& a = graph.nodes[link.node[0]];
        const FabricNode& b = graph.nodes[link.node[1]];
        uint64_t rate = link.rate.GetBitRate();
        uint32_t gpu = a.gpu != FABRIC_NONE ? a.gpu : b.gpu;
        bool nic = a.kind == FabricNodeKind::NIC || b.kind == FabricNodeKind::NIC;
        if (link.tier == FabricTier::SCALE_UP)
        {
            NoteScaleUp(link);
        }
        else if (link.tier == FabricTier::HOST)
        {
            m_host[gpu].rate += rate;
        }
        else if (nic)
        {
            m_nic[gpu].rate += rate;
            m_domain.resize(std::max<size_t>(m_domain.size(), graph.nodes[gpu].hbd + 1));
            m_domain[graph.nodes[gpu].hbd].rate += rate;
        }
        else
        {
            between = between ? between : &link;
            m_uniform = m_uniform && rate == between->rate.GetBitRate() && link.delay == between->delay;
            m_leaf[link.node[0]].rate += a.level == 0 ? rate : 0;
            m_leaf[link.node[1]].rate += b.level == 0 ? rate : 0;
        }
    }
}

bool
IdealBound::IsScaleUp(uint32_t a, uint32_t b) const
{
    return m_graph.nodes[a].hbd == m_graph.nodes[b].hbd;
}

bool
IdealBound::IsScaleUp(const IdealTransfer& transfer) const
{
    return transfer.kind != MessageKind::WRITE || IsScaleUp(transfer.source, transfer.destination);
}

uint64_t
IdealBound::GetNvlinkPayload(uint32_t packetPayload) const
{
    return packetPayload == 0 ? m_traits.nvlinkPayload : std::min<uint64_t>(packetPayload, m_traits.nvlinkPayload);
}

uint64_t
IdealBound::GetWireBytes(FabricTier tier, uint64_t bytes, uint32_t packetPayload) const
{
    switch (tier)
    {
    case FabricTier::SCALE_UP: {
        uint64_t payload = GetNvlinkPayload(packetPayload);
        uint64_t before = CountPackets(bytes, payload) - 1;
        return before * (RoundUp(payload, m_traits.nvlinkFlit) + m_traits.nvlinkHeader) +
               RoundUp(bytes - before * payload, m_traits.nvlinkFlit) + m_traits.nvlinkHeader;
    }
    case FabricTier::HOST: {
        // per network packet: full ones and a last one
        uint64_t full = CountPackets(bytes, m_traits.rocePayload) - 1;
        uint64_t tlps = full * CountPackets(m_traits.rocePayload, m_traits.tlpPayload) +
                        CountPackets(bytes - full * m_traits.rocePayload, m_traits.tlpPayload);
        return bytes + tlps * m_traits.tlpOverhead;
    }
    default:
        return RoundUp(bytes, 4) + CountPackets(bytes, m_traits.rocePayload) * m_traits.roceOverhead +
               m_traits.roceFirst;
    }
}

int64_t
IdealBound::GetTxPs(uint64_t wireBytes, uint64_t rate)
{
    return static_cast<int64_t>(static_cast<WideInteger>(wireBytes) * 8000000000000ULL / rate);
}

void
IdealBound::Add(std::vector<Cut>& cuts, uint32_t from, uint32_t to, uint64_t wireBytes)
{
    if (from != to)
    {
        cuts[from].outBytes += wireBytes;
        cuts[to].inBytes += wireBytes;
    }
}

int64_t
IdealBound::GetWorstPs(const std::vector<Cut>& cuts)
{
    int64_t worst = 0;
    for (const auto& cut : cuts)
    {
        uint64_t bytes = std::max(cut.outBytes, cut.inBytes);
        if (bytes != 0 && cut.rate != 0) // all of it broken: nothing gets that far
        {
            worst = std::max(worst, GetTxPs(bytes, cut.rate));
        }
    }
    return worst;
}

int64_t
IdealBound::GetBoundPs(const std::vector<IdealTransfer>& transfers) const
{
    std::vector<Cut> host = m_host;
    std::vector<Cut> nic = m_nic;
    std::vector<Cut> domain = m_domain;
    std::vector<Cut> leaf = m_leaf;
    for (const auto& transfer : transfers)
    {
        uint32_t from = transfer.source;
        uint32_t to = transfer.destination;
        if (IsScaleUp(transfer))
        {
            continue;
        }
        uint64_t wireBytes = GetWireBytes(FabricTier::SCALE_OUT, transfer.bytes);
        Add(host, from, to, GetWireBytes(FabricTier::HOST, transfer.bytes));
        Add(nic, from, to, wireBytes);
        Add(domain, m_graph.nodes[from].hbd, m_graph.nodes[to].hbd, wireBytes);
        Add(leaf, m_routes.GetLeaf(from), m_routes.GetLeaf(to), wireBytes);
    }
    return std::max({GetScaleUpBoundPs(transfers), GetWorstPs(host), GetWorstPs(nic), GetWorstPs(domain), GetWorstPs(leaf)});
}

std::vector<IdealBound::Cable>
IdealBound::GetCables(uint32_t source, uint32_t destination) const
{
    std::vector<Cable> cables;
    auto cableOf = [this](uint32_t number) {
        const FabricLink& link = m_graph.links[number];
        return Cable{link.rate.GetBitRate(), link.delay.GetPicoSeconds()};
    };
    if (m_uniform)
    {
        for (uint32_t link : m_routes.GetPath(source, destination))
        {
            cables.push_back(cableOf(link));
        }
        return cables;
    }
    for (const auto& links : m_routes.GetWays(source, destination))
    {
        Cable best = cableOf(links.front());
        for (uint32_t link : links)
        {
            best.rate = std::max(best.rate, cableOf(link).rate);
            best.delayPs = std::min(best.delayPs, cableOf(link).delayPs);
        }
        cables.push_back(best);
    }
    return cables;
}

std::vector<IdealBound::Hop>
IdealBound::GetHops(uint32_t source, uint32_t destination) const
{
    auto hostHop = [this](uint32_t gpu, int64_t processing) {
        const FabricLink& link = m_graph.links[m_graph.nodes[m_routes.GetNic(gpu)].ports.front()];
        return Hop{link.tier, link.rate.GetBitRate(), link.delay.GetPicoSeconds() + processing, false};
    };
    std::vector<Cable> cables = GetCables(source, destination);
    std::vector<Hop> hops{hostHop(source, m_traits.nicPs)};
    for (size_t i = 0; i < cables.size(); i++)
    {
        bool last = i + 1 == cables.size();
        int64_t processing = last ? m_traits.nicPs : m_traits.ethernetSwitchPs;
        bool cutThrough = m_traits.cutThroughBytes != 0 && !last && cables[i + 1].rate <= cables[i].rate;
        hops.push_back(Hop{FabricTier::SCALE_OUT, cables[i].rate, cables[i].delayPs + processing, cutThrough});
    }
    hops.push_back(hostHop(destination, m_traits.gpuHostPs));
    return hops;
}

int64_t
IdealBound::GetPropagationPs(uint32_t source, uint32_t destination) const
{
    return GetPropagationPs(IdealTransfer{source, destination, 0});
}

int64_t
IdealBound::GetPropagationPs(const IdealTransfer& transfer) const
{
    if (IsScaleUp(transfer))
    {
        return GetScaleUpPropagationPs(transfer);
    }
    int64_t total = 0;
    for (const auto& hop : GetHops(transfer.source, transfer.destination))
    {
        total += hop.flightPs;
    }
    return total;
}

int64_t
IdealBound::GetRoundTripPs(uint32_t source, uint32_t destination) const
{
    uint64_t data = m_traits.rocePayload + m_traits.roceOverhead;
    uint64_t answer = m_traits.roceOverhead + roce::AETH;
    int64_t total = 2 * m_traits.nicPs; // into each NIC
    std::vector<Cable> path = GetCables(source, destination);
    // what must have come over a link before the switch behind it can begin with the next one
    auto waitPs = [&](uint64_t bytes, size_t i, bool intoSwitch, size_t next) {
        bool through = m_traits.cutThroughBytes != 0 && intoSwitch && path[next].rate <= path[i].rate;
        return GetTxPs(through ? m_traits.cutThroughBytes : bytes, path[i].rate);
    };
    for (size_t i = 0; i < path.size(); i++)
    {
        total += waitPs(data, i, i + 1 < path.size(), i + 1) + waitPs(answer, i, i > 0, i - 1) + 2 * path[i].delayPs;
    }
    return total + 2 * static_cast<int64_t>(path.size() - 1) * m_traits.ethernetSwitchPs;
}

int64_t
IdealBound::GetLatencyPs(const IdealTransfer& transfer) const
{
    return IsScaleUp(transfer) ? GetScaleUpLatencyPs(transfer) : GetLatencyPs(transfer.source, transfer.destination, transfer.bytes);
}

int64_t
IdealBound::GetLatencyPs(uint32_t source, uint32_t destination, uint64_t bytes) const
{
    if (IsScaleUp(source, destination))
    {
        return GetScaleUpLatencyPs(IdealTransfer{source, destination, bytes});
    }
    uint64_t packets = CountPackets(bytes, m_traits.rocePayload);
    uint64_t first = std::min(bytes, m_traits.rocePayload);
    uint64_t last = bytes - (packets - 1) * m_traits.rocePayload;
    std::vector<Hop> hops = GetHops(source, destination);
    // the whole message passes the slowest link; on the others, its first packet comes before and its last one after
    // that
    int64_t before = 0;
    int64_t after = 0;
    int64_t flight = 0;
    uint64_t notFirst = packets > 1 ? m_traits.roceFirst : 0;
    auto lastPs = [&](const Hop& hop) {
        return GetTxPs(GetWireBytes(hop.tier, last) - (hop.tier == FabricTier::SCALE_OUT ? notFirst : 0), hop.rate);
    };
    auto headPs = [&](const Hop& hop) { return GetTxPs(m_traits.cutThroughBytes, hop.rate); };
    // by which the end of the last packet on a link is behind that on the one before
    auto afterPs = [&](size_t i) {
        return i > 0 && hops[i - 1].cutThrough ? lastPs(hops[i]) - lastPs(hops[i - 1]) + headPs(hops[i - 1])
                                               : lastPs(hops[i]);
    };
    for (size_t i = 0; i < hops.size(); i++)
    {
        after += afterPs(i);
        flight += hops[i].flightPs;
    }
    int64_t worst = 0;
    for (size_t i = 0; i < hops.size(); i++)
    {
        after -= afterPs(i);
        worst = std::max(worst, before + GetTxPs(GetWireBytes(hops[i].tier, bytes), hops[i].rate) + after);
        before += hops[i].cutThrough ? headPs(hops[i]) : GetTxPs(GetWireBytes(hops[i].tier, first), hops[i].rate);
    }
    return flight + worst;
}

} // namespace hbd
} // namespace ns3
