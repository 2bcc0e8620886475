/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ideal-bound.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

// What IdealBound knows of the kinds of messages inside a domain; hbd-ideal-bound.cc has the rest.

void
IdealBound::AddScaleUp(std::vector<Cut>& cuts, const IdealTransfer& transfer) const
{
    uint64_t payload = GetNvlinkPayload(transfer.packetPayload);
    uint64_t dataBytes = GetWireBytes(FabricTier::SCALE_UP, transfer.bytes, transfer.packetPayload);
    uint64_t requestBytes = std::max<uint64_t>(1, (transfer.bytes + payload - 1) / payload) * m_traits.nvlinkHeader;
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

int64_t
IdealBound::GetScaleUpPropagationPs(MessageKind kind) const
{
    int64_t oneWayPs = 2 * m_linkDelayPs + m_traits.nvswitchPs + m_traits.gpuNvlinkPs;
    switch (kind)
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
    // the fullest link carries at least its share of the packets, all of which but the message's last are full
    uint64_t payload = GetNvlinkPayload(transfer.packetPayload);
    uint64_t packets = std::max<uint64_t>(1, (transfer.bytes + payload - 1) / payload);
    uint64_t full = GetWireBytes(FabricTier::SCALE_UP, payload, transfer.packetPayload);
    uint64_t last = GetWireBytes(FabricTier::SCALE_UP, transfer.bytes - (packets - 1) * payload, transfer.packetPayload);
    uint64_t share = ((packets + m_links - 1) / m_links - 1) * full + last;
    share = std::max(share, GetWireBytes(FabricTier::SCALE_UP, transfer.bytes, transfer.packetPayload) / m_links);
    // a header is ahead on every link on the way: there, and for what is asked for also on the way back
    int64_t headers = transfer.kind == MessageKind::WRITE || transfer.kind == MessageKind::MULTICAST ? 1 : 3;
    return headers * GetTxPs(m_traits.nvlinkHeader, m_linkRate) + GetTxPs(share, m_linkRate) + GetScaleUpPropagationPs(transfer.kind);
}

} // namespace hbd
} // namespace ns3
