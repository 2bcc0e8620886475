/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ideal-bound.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace hbd
{

// What IdealBound knows of the kinds of messages inside a domain; hbd-ideal-bound.cc has the rest.

uint64_t
IdealBound::GetRequestBytes(MessageKind kind) const
{
    return kind == MessageKind::READ ? m_traits.nvlinkRequest : m_traits.nvlinkHeader;
}

void
IdealBound::AddScaleUp(std::vector<Cut>& cuts, const IdealTransfer& transfer) const
{
    uint64_t payload = GetNvlinkPayload(transfer.packetPayload);
    uint64_t dataBytes = GetWireBytes(FabricTier::SCALE_UP, transfer.bytes, transfer.packetPayload);
    uint64_t requestBytes = std::max<uint64_t>(1, (transfer.bytes + payload - 1) / payload) * GetRequestBytes(transfer.kind);
    switch (transfer.kind)
    {
    case MessageKind::WRITE:
        Add(cuts, transfer.source, transfer.destination, dataBytes);
        break;
    case MessageKind::READ:
        Add(cuts, transfer.source, transfer.destination, dataBytes);
        Add(cuts, transfer.destination, transfer.source, requestBytes);
        break;
    case MessageKind::MULTICAST:
        cuts[transfer.source].outBytes += dataBytes;
        for (uint32_t member : *transfer.group)
        {
            cuts[member].inBytes += dataBytes;
        }
        break;
    case MessageKind::REDUCE:
        cuts[transfer.destination].outBytes += requestBytes;
        cuts[transfer.destination].inBytes += dataBytes;
        for (uint32_t member : *transfer.group)
        {
            cuts[member].inBytes += requestBytes;
            cuts[member].outBytes += dataBytes;
        }
        break;
    }
}

uint32_t
IdealBound::GetGroup(uint32_t gpu) const
{
    uint32_t leaf = m_scaleUpRoutes.GetLeaf(gpu, 0);
    return leaf == FABRIC_NONE ? 0 : leaf; // the leaf of the first plane stands for all
}

void
IdealBound::NoteScaleUp(const FabricLink& link)
{
    const FabricNode& a = m_graph.nodes[link.node[0]];
    const FabricNode& b = m_graph.nodes[link.node[1]];
    uint64_t rate = link.IsUp() ? link.rate.GetBitRate() : 0;
    if (a.kind != FabricNodeKind::GPU)
    {
        // trunks start at the leaf; those of its group count together
        m_trunkRate = link.rate.GetBitRate();
        m_trunks.resize(m_graph.nodes.size());
        for (uint32_t node : a.ports)
        {
            uint32_t gpu = m_graph.Peer(node, link.node[0]);
            if (m_graph.nodes[gpu].kind == FabricNodeKind::GPU)
            {
                m_trunks[GetGroup(gpu)].rate += rate;
                break;
            }
        }
        return;
    }
    m_linkRate = link.rate.GetBitRate();
    m_linkDelayPs = link.delay.GetPicoSeconds();
    m_scaleUp[a.gpu].rate += rate;
    if (b.kind == FabricNodeKind::GPU)
    {
        m_mesh = true;
        m_scaleUp[b.gpu].rate += rate;
    }
}

int64_t
IdealBound::GetScaleUpBoundPs(const std::vector<IdealTransfer>& transfers) const
{
    std::vector<Cut> gpus = m_scaleUp;
    std::vector<Cut> trunks = m_trunks;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> pairs; // mesh: wire bytes from one to another
    for (const auto& transfer : transfers)
    {
        if (!IsScaleUp(transfer))
        {
            continue;
        }
        AddScaleUp(gpus, transfer);
        bool single = transfer.kind == MessageKind::WRITE || transfer.kind == MessageKind::READ;
        uint64_t wireBytes = GetWireBytes(FabricTier::SCALE_UP, transfer.bytes, transfer.packetPayload);
        if (single && !trunks.empty())
        {
            Add(trunks, GetGroup(transfer.source), GetGroup(transfer.destination), wireBytes);
        }
        if (single && m_mesh)
        {
            pairs[{transfer.source, transfer.destination}] += wireBytes;
        }
    }
    int64_t worst = std::max(GetWorstPs(gpus), GetWorstPs(trunks));
    for (const auto& [pair, wireBytes] : pairs)
    {
        uint64_t links = std::max(1U, m_scaleUpRoutes.CountStripe(pair.first, pair.second));
        worst = std::max(worst, GetTxPs(wireBytes, links * m_linkRate));
    }
    return worst;
}

uint32_t
IdealBound::GetScaleUpLinks(const IdealTransfer& transfer) const
{
    bool single = transfer.kind == MessageKind::WRITE || transfer.kind == MessageKind::READ;
    return single ? m_scaleUpRoutes.GetLinks(transfer.source, transfer.destination) : 2;
}

int64_t
IdealBound::GetScaleUpPropagationPs(const IdealTransfer& transfer) const
{
    int64_t hops = GetScaleUpLinks(transfer);
    int64_t oneWayPs = hops * m_linkDelayPs + (hops - 1) * m_traits.nvswitchPs + m_traits.gpuNvlinkPs;
    switch (transfer.kind)
    {
    case MessageKind::READ:
        return 2 * oneWayPs + m_traits.readPs;
    case MessageKind::REDUCE:
        return 2 * oneWayPs + m_traits.readPs + m_traits.reductionPs;
    default:
        return oneWayPs;
    }
}

int64_t
IdealBound::GetScaleUpLatencyPs(const IdealTransfer& transfer) const
{
    bool single = transfer.kind == MessageKind::WRITE || transfer.kind == MessageKind::READ;
    uint64_t links = single ? m_scaleUpRoutes.CountStripe(transfer.source, transfer.destination)
                            : m_scaleUp[transfer.kind == MessageKind::MULTICAST ? transfer.source : transfer.destination].rate / m_linkRate;
    links = std::max<uint64_t>(1, links);
    // the fullest link carries at least its share of the packets, all of which but the message's last are full
    uint64_t payload = GetNvlinkPayload(transfer.packetPayload);
    uint64_t packets = std::max<uint64_t>(1, (transfer.bytes + payload - 1) / payload);
    uint64_t full = GetWireBytes(FabricTier::SCALE_UP, payload, transfer.packetPayload);
    uint64_t last = GetWireBytes(FabricTier::SCALE_UP, transfer.bytes - (packets - 1) * payload, transfer.packetPayload);
    uint64_t share = ((packets + links - 1) / links - 1) * full + last;
    share = std::max(share, GetWireBytes(FabricTier::SCALE_UP, transfer.bytes, transfer.packetPayload) / links);
    // a header is ahead on every link on the way: there, and for what is asked for also on the way back
    bool asks = transfer.kind == MessageKind::READ || transfer.kind == MessageKind::REDUCE;
    uint32_t hops = GetScaleUpLinks(transfer);
    auto aheadPs = [this, hops](uint32_t bytes) {
        int64_t trunksPs = hops == 4 ? 2 * GetTxPs(bytes, m_trunkRate) : 0;
        return hops == 1 ? 0 : GetTxPs(bytes, m_linkRate) + trunksPs;
    };
    int64_t headersPs = aheadPs(m_traits.nvlinkHeader);
    if (asks)
    {
        auto request = static_cast<uint32_t>(GetRequestBytes(transfer.kind));
        headersPs += GetTxPs(request, m_linkRate) + aheadPs(request);
    }
    return headersPs + GetTxPs(share, m_linkRate) + GetScaleUpPropagationPs(transfer);
}

} // namespace hbd
} // namespace ns3
