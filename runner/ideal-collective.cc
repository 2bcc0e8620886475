/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-collective.h"

#include "ns3-module/model/hbd-ethernet-device.h"
#include "ns3-module/model/hbd-host-link-device.h"
#include "ns3-module/model/hbd-rdma-nic.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace hbd::runner
{

namespace
{

/// What the devices of a fabric add to payload and latency, read off the first of each kind.
ns3::hbd::IdealTraits
TraitsOf(const ns3::hbd::Fabric& fabric)
{
    ns3::hbd::IdealTraits traits;
    traits.nvswitchPs = fabric.GetConfig().nvswitchDelay.GetPicoSeconds();
    traits.ethernetSwitchPs = fabric.GetConfig().ethernetSwitchDelay.GetPicoSeconds();
    const auto& graph = fabric.GetGraph();
    for (uint32_t link = graph.links.size(); link > 0; link--)
    {
        ns3::hbd::FabricPort& port = fabric.GetPort(link - 1, 0);
        if (auto nvlink = dynamic_cast<ns3::hbd::NvlinkDevice*>(&port))
        {
            traits.nvlinkPayload = nvlink->GetPacketPayload();
            traits.nvlinkHeader = nvlink->GetHeaderBytes();
            traits.nvlinkFlit = nvlink->GetFlitBytes();
        }
        else if (auto ethernet = dynamic_cast<ns3::hbd::EthernetDevice*>(&port))
        {
            traits.rocePayload = ethernet->GetPacketPayload();
            traits.roceOverhead = ethernet->GetPacketOverhead();
        }
        else
        {
            ns3::UintegerValue value;
            port.GetAttribute("TlpPayload", value);
            traits.tlpPayload = value.Get();
            port.GetAttribute("TlpOverhead", value);
            traits.tlpOverhead = value.Get();
        }
    }
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
    {
        if (graph.nodes[node].kind == ns3::hbd::FabricNodeKind::NIC)
        {
            traits.nicPs = fabric.GetNodes().Get(node)->GetObject<ns3::hbd::RdmaNic>()->GetProcessingDelay().GetPicoSeconds();
            break;
        }
    }
    return traits;
}

} // namespace

IdealCollective::IdealCollective(const ns3::hbd::Fabric& fabric)
    : m_bound(fabric.GetGraph(), TraitsOf(fabric))
{
}

IdealTime
IdealCollective::Compute(uint32_t collective, uint32_t group, const DependencyChain::Members& members) const
{
    DependencyChain chain(collective, group, members, [this](uint32_t source, uint32_t destination, uint64_t bytes) {
        return m_bound.GetLatencyPs(source, destination, bytes);
    });
    std::vector<ns3::hbd::IdealTransfer> transfers;
    int64_t shortestPs = std::numeric_limits<int64_t>::max();
    for (const auto& message : chain.GetMessages())
    {
        transfers.push_back({message.source, message.destination, message.bytes});
        shortestPs = std::min(shortestPs, m_bound.GetPropagationPs(message.source, message.destination));
    }
    if (transfers.empty())
    {
        return {0, chain.GetLongestPs()};
    }
    IdealTime ideal;
    ideal.bytesPs = m_bound.GetBoundPs(transfers);
    int64_t byBytesPs = chain.GetEarliestPostPs() + ideal.bytesPs + shortestPs;
    ideal.latencyPs = std::max(byBytesPs, chain.GetLongestPs()) - ideal.bytesPs;
    return ideal;
}

} // namespace hbd::runner
