/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric-scale-out.h"

#include "hbd-ethernet-switch.h"
#include "hbd-fabric-routes.h"
#include "hbd-ideal-bound.h"
#include "hbd-rdma-nic.h"
#include "hbd-roce-headers.h"

#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

/// Most packets that PacketUnit::packets takes, with room.
constexpr uint64_t MOST_PACKETS = 60000;

/// The graph, elements and ports that the functions below read.
struct Parts
{
    const FabricGraph& graph;
    const FabricConfig& config;
    const std::vector<FabricElement*>& elements;
    const std::vector<Ptr<FabricPort>>& linkPorts;

    RdmaNic* AsNic(uint32_t node) const
    {
        return graph.nodes[node].kind == FabricNodeKind::NIC ? static_cast<RdmaNic*>(elements[node]) : nullptr;
    }

    EthernetSwitch* AsSwitch(uint32_t node) const
    {
        return graph.nodes[node].kind == FabricNodeKind::ETHERNET_SWITCH ? static_cast<EthernetSwitch*>(elements[node])
                                                                         : nullptr;
    }

    /// The port of a node at one end of a link of it.
    Ptr<FabricPort> PortOf(uint32_t node, uint32_t index) const
    {
        uint32_t link = graph.nodes[node].ports[index];
        bool first = graph.links[link].node[0] == node && graph.links[link].port[0] == index;
        return linkPorts[link * 2 + (first ? 0 : 1)];
    }

    Ptr<FabricPort> PeerOf(uint32_t node, uint32_t index) const
    {
        uint32_t link = graph.nodes[node].ports[index];
        bool first = graph.links[link].node[0] == node && graph.links[link].port[0] == index;
        return linkPorts[link * 2 + (first ? 1 : 0)];
    }

    Time ProcessingOf(uint32_t node) const
    {
        const RdmaNic* nic = AsNic(node);
        return nic ? nic->GetProcessingDelay() : config.ethernetSwitchDelay;
    }

    uint64_t HeadroomOf(uint32_t node) const
    {
        const RdmaNic* nic = AsNic(node);
        return nic ? nic->GetHeadroom() : AsSwitch(node)->GetHeadroom();
    }

    /// Whether what one end of a link receives is protected by flow control.
    bool IsProtected(uint32_t node) const
    {
        return AsNic(node) || AsSwitch(node)->HasFlowControl();
    }
};

/**
 * Most packets of a unit for which the headroom at one end of a link is enough.
 * \throws std::invalid_argument when it is not enough for single packets
 */
uint64_t
PacketsForHeadroom(const Parts& parts, uint32_t number, uint32_t end)
{
    const FabricLink& link = parts.graph.links[number];
    if (!parts.IsProtected(link.node[end]))
    {
        return MOST_PACKETS;
    }
    auto port = DynamicCast<EthernetDevice>(parts.linkPorts[number * 2 + end]);
    uint64_t packet = port->GetPacketPayload() + port->GetPacketOverhead();
    int64_t processingPs = (parts.ProcessingOf(link.node[0]) + parts.ProcessingOf(link.node[1])).GetPicoSeconds();
    // a pause must also be renewed in time: half of it is as long as the renewal may take
    uint64_t room = std::min<uint64_t>(parts.HeadroomOf(link.node[end]), 32ULL * port->GetPauseQuanta());
    uint64_t head = packet + roce::RETH;
    uint64_t single = EthernetDevice::GetRequiredHeadroom(link, processingPs, head, head, port->GetPauseBytes());
    if (single > room)
    {
        throw std::invalid_argument(parts.graph.nodes[link.node[end]].name + " needs a headroom of at least " +
                                    std::to_string(single) + " B for the link to " +
                                    parts.graph.nodes[link.node[1 - end]].name + ", not " + std::to_string(room) +
                                    " B, else packets could be lost");
    }
    return 1 + (room - single) / (3 * packet);
}

/// Whether anything on the way of a packet can lose it.
bool
CanLose(const Parts& parts)
{
    return CanLosePackets(parts.config.faults) ||
           std::any_of(parts.linkPorts.begin(), parts.linkPorts.end(), [](const Ptr<FabricPort>& port) {
               auto ethernet = DynamicCast<EthernetDevice>(port);
               return ethernet && (ethernet->GetLossRate() > 0 || ethernet->GetCorruptionRate() > 0);
           });
}

/// Most packets of a unit that all buffers and windows on any way allow. One where packets are lost one by one, or rates
/// change under way.
uint32_t
FindMaxPackets(const Parts& parts, bool mayLose)
{
    uint64_t packets = mayLose || !parts.config.faults.empty() ? 1 : MOST_PACKETS;
    for (uint32_t node = 0; node < parts.graph.nodes.size(); node++)
    {
        if (parts.AsSwitch(node) && parts.AsSwitch(node)->IsPerPacket())
        {
            return 1;
        }
        if (const RdmaNic* nic = parts.AsNic(node))
        {
            auto host = DynamicCast<HostLinkDevice>(parts.PortOf(node, RdmaNic::HOST_PORT));
            auto gpuPort = DynamicCast<HostLinkDevice>(parts.PeerOf(node, RdmaNic::HOST_PORT));
            uint64_t mtu = host->GetPacketPayload();
            uint64_t credits = std::min(host->GetCreditWindow(), gpuPort->GetCreditWindow());
            packets = std::min({packets,
                                parts.config.burstBytes / mtu,
                                nic->GetWindow() / 4 / mtu,
                                credits / 4 / host->GetWireBytes(static_cast<uint32_t>(mtu))});
        }
    }
    for (uint32_t link = 0; link < parts.graph.links.size(); link++)
    {
        if (parts.graph.links[link].tier == FabricTier::SCALE_OUT)
        {
            packets = std::min({packets, PacketsForHeadroom(parts, link, 0), PacketsForHeadroom(parts, link, 1)});
        }
    }
    return static_cast<uint32_t>(std::max<uint64_t>(1, packets));
}

/// Finds out what all NICs and switches must know before they are set up.
void
PrepareContext(FabricContext& context, const Parts& parts)
{
    uint32_t dataPriorities = 0; // bit per priority
    for (uint32_t node = 0; node < parts.graph.nodes.size(); node++)
    {
        if (const RdmaNic* nic = parts.AsNic(node))
        {
            dataPriorities |= 1U << nic->GetDataPriority();
            TypeIdValue type;
            nic->GetAttribute("CongestionControl", type);
            ObjectFactory factory;
            factory.SetTypeId(type.Get());
            if (factory.Create<CongestionControl>()->NeedsTelemetry())
            {
                context.telemetry.Enable();
            }
        }
    }
    for (uint32_t node = 0; node < parts.graph.nodes.size(); node++)
    {
        const EthernetSwitch* ethernetSwitch = parts.AsSwitch(node);
        for (uint32_t priority = 0; ethernetSwitch && priority < ETHERNET_PRIORITIES; priority++)
        {
            context.mayLose = context.mayLose || (dataPriorities >> priority & 1 && ethernetSwitch->IsLossy(priority));
        }
    }
}

void
SetupNic(FabricContext& context, const Parts& parts, uint32_t node, uint32_t maxPackets)
{
    RdmaNic& nic = *parts.AsNic(node);
    Ptr<FabricPort> host = parts.PortOf(node, RdmaNic::HOST_PORT);
    Ptr<FabricPort> ethernet = parts.PortOf(node, RdmaNic::ETHERNET_PORT);
    host->SetProcessingDelay(nic.GetProcessingDelay());
    ethernet->SetProcessingDelay(nic.GetProcessingDelay());
    const FabricLink& link = parts.graph.links[parts.graph.nodes[node].ports[RdmaNic::ETHERNET_PORT]];
    nic.Setup(context,
              parts.graph.nodes[node].gpu,
              parts.graph.gpus,
              DynamicCast<HostLinkDevice>(host),
              DynamicCast<HostLinkDevice>(parts.PeerOf(node, RdmaNic::HOST_PORT)),
              DynamicCast<EthernetDevice>(ethernet),
              link.rate,
              maxPackets);
}

void
SetupSwitch(FabricContext& context, const Parts& parts, uint32_t node, const FabricRoutes& routes)
{
    std::vector<Ptr<EthernetDevice>> ports;
    for (uint32_t index = 0; index < parts.graph.nodes[node].ports.size(); index++)
    {
        ports.push_back(DynamicCast<EthernetDevice>(parts.PortOf(node, index)));
    }
    EthernetSwitch& ethernetSwitch = *parts.AsSwitch(node);
    ethernetSwitch.Setup(context, ports, routes.GetSwitch(node), node);
    for (uint32_t nic = 0; nic < parts.graph.nodes.size(); nic++)
    {
        const RdmaNic* found = parts.AsNic(nic);
        bool known = !found || ethernetSwitch.IsLossless(found->GetDataPriority()) ||
                     ethernetSwitch.IsLossy(found->GetDataPriority());
        if (found && (!known ||
                      ethernetSwitch.GetControlPriority() != found->GetControlPriority()))
        {
            throw std::invalid_argument(parts.graph.nodes[node].name + " neither protects nor drops the data priority of " +
                                        parts.graph.nodes[nic].name + ", or has another control priority");
        }
    }
}

/// What the devices add, for the ideal bound.
IdealTraits
ReadTraits(const Parts& parts)
{
    IdealTraits traits;
    bool cutThrough = false;
    traits.nvswitchPs = parts.config.nvswitchDelay.GetPicoSeconds();
    traits.ethernetSwitchPs = parts.config.ethernetSwitchDelay.GetPicoSeconds();
    for (uint32_t node = 0; node < parts.graph.nodes.size(); node++)
    {
        if (const RdmaNic* nic = parts.AsNic(node))
        {
            traits.nicPs = nic->GetProcessingDelay().GetPicoSeconds();
        }
        else if (const EthernetSwitch* ethernetSwitch = parts.AsSwitch(node))
        {
            cutThrough = cutThrough || ethernetSwitch->IsCutThrough();
        }
        else if (parts.graph.nodes[node].kind == FabricNodeKind::GPU)
        {
            traits.readPs = static_cast<GpuEndpoint*>(parts.elements[node])->GetReadLatency().GetPicoSeconds();
        }
        else if (parts.graph.nodes[node].kind == FabricNodeKind::NVSWITCH)
        {
            traits.reductionPs = static_cast<NvSwitch*>(parts.elements[node])->GetReductionDelay().GetPicoSeconds();
        }
    }
    for (const auto& port : parts.linkPorts)
    {
        int64_t receivePs = port->GetElement().IsEndPoint() ? port->GetProcessingDelay().GetPicoSeconds() : 0;
        if (auto nvlink = DynamicCast<NvlinkDevice>(port))
        {
            traits.nvlinkPayload = nvlink->GetPacketPayload();
            traits.nvlinkHeader = nvlink->GetHeaderBytes();
            traits.nvlinkRequest = nvlink->GetRequestBytes();
            traits.nvlinkFlit = nvlink->GetFlitBytes();
            traits.gpuNvlinkPs = std::max(traits.gpuNvlinkPs, receivePs);
        }
        else if (auto host = DynamicCast<HostLinkDevice>(port))
        {
            traits.tlpPayload = host->GetTlpPayload();
            traits.tlpOverhead = host->GetTlpOverhead();
            traits.gpuHostPs = std::max(traits.gpuHostPs, receivePs);
        }
        else if (auto ethernet = DynamicCast<EthernetDevice>(port))
        {
            traits.rocePayload = ethernet->GetPacketPayload();
            traits.roceOverhead = ethernet->GetPacketOverhead();
            traits.roceFirst = roce::RETH;
            traits.cutThroughBytes = cutThrough ? ethernet->GetCutThroughBytes() : 0;
        }
    }
    return traits;
}

} // namespace

Ptr<Object>
FabricScaleOut::CreateElement(Fabric& fabric, uint32_t node)
{
    if (fabric.m_graph.nodes[node].kind == FabricNodeKind::NIC)
    {
        Ptr<RdmaNic> nic = fabric.m_config.nic.Create<RdmaNic>();
        fabric.m_elements[node] = PeekPointer(nic);
        fabric.m_scaleOut[fabric.m_graph.nodes[node].gpu] = PeekPointer(nic);
        return nic;
    }
    Ptr<EthernetSwitch> ethernetSwitch = fabric.m_config.ethernetSwitch.Create<EthernetSwitch>();
    fabric.m_elements[node] = PeekPointer(ethernetSwitch);
    return ethernetSwitch;
}

RdmaNic&
Fabric::GetNic(uint32_t gpu) const
{
    return *static_cast<RdmaNic*>(m_scaleOut.at(gpu));
}

HostUnitSource*
FabricScaleOut::GetHostSource(Fabric& fabric, uint32_t gpu)
{
    return static_cast<RdmaNic*>(fabric.m_scaleOut[gpu]);
}

void
FabricScaleOut::Setup(Fabric& fabric)
{
    Parts parts{fabric.m_graph, fabric.m_config, fabric.m_elements, fabric.m_linkPorts};
    PrepareContext(fabric.m_context, parts);
    fabric.m_idealBound = std::make_shared<IdealBound>(fabric.m_graph, ReadTraits(parts));
    FabricRoutes routes(fabric.m_graph);
    if (!routes.HasScaleOut())
    {
        return;
    }
    fabric.m_context.mayLose = fabric.m_context.mayLose || CanLose(parts);
    uint32_t maxPackets = FindMaxPackets(parts, fabric.m_context.mayLose);
    for (uint32_t node = 0; node < fabric.m_graph.nodes.size(); node++)
    {
        if (parts.AsNic(node))
        {
            SetupNic(fabric.m_context, parts, node, maxPackets);
            parts.AsNic(node)->SetIdealBound(fabric.m_idealBound.get());
        }
        else if (parts.AsSwitch(node))
        {
            SetupSwitch(fabric.m_context, parts, node, routes);
        }
    }
}

uint32_t
FabricScaleOut::GetBurstPackets(const Fabric& fabric, uint64_t bytes)
{
    const auto& nic = *static_cast<const RdmaNic*>(fabric.m_scaleOut.front());
    uint64_t packets = std::min<uint64_t>(nic.GetMaxPackets(), bytes / 2 / nic.GetMtu());
    return static_cast<uint32_t>(std::max<uint64_t>(1, packets));
}

int64_t
FabricScaleOut::GetIdealMessagePs(const Fabric& fabric, uint32_t source, uint32_t destination, uint64_t bytes)
{
    return fabric.GetIdealBound().GetLatencyPs(source, destination, bytes);
}

} // namespace hbd
} // namespace ns3
