/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-link-faults.h"

#include "hbd-ethernet-switch.h"
#include "hbd-fabric.h"

#include "ns3/log.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdLinkFaults");

namespace
{

std::string
NameOf(const LinkFault& fault)
{
    return fault.ends[0] + "-" + fault.ends[1] +
           (fault.number == FABRIC_NONE ? "" : "." + std::to_string(fault.number));
}

/// By time; what happens at one time keeps its order.
std::vector<LinkFault>
InOrder(std::vector<LinkFault> faults)
{
    std::stable_sort(faults.begin(), faults.end(), [](const LinkFault& a, const LinkFault& b) { return a.at < b.at; });
    return faults;
}

void
CheckValues(const LinkFault& fault)
{
    if (fault.at.IsStrictlyNegative())
    {
        throw std::invalid_argument(NameOf(fault) + ": a fault cannot happen before the start");
    }
    // also refuses what is not a number
    if (!(fault.probability >= 0 && fault.probability <= 1))
    {
        throw std::invalid_argument(NameOf(fault) + ": a probability is 0 to 1, not " +
                                    std::to_string(fault.probability));
    }
}

} // namespace

bool
CanLosePackets(const std::vector<LinkFault>& faults)
{
    return std::any_of(faults.begin(), faults.end(), [](const LinkFault& fault) {
        return fault.kind == LinkFault::Kind::DOWN || fault.probability > 0;
    });
}

std::vector<uint32_t>
FindFaultLinks(const FabricGraph& graph, const LinkFault& fault)
{
    std::vector<uint32_t> links;
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
    {
        if (graph.nodes[node].name != fault.ends[0])
        {
            continue;
        }
        for (uint32_t link : graph.nodes[node].ports)
        {
            bool there = graph.nodes[graph.Peer(link, node)].name == fault.ends[1];
            if (there && graph.links[link].tier == FabricTier::SCALE_OUT)
            {
                links.push_back(link);
            }
        }
    }
    if (links.empty())
    {
        throw std::invalid_argument("there is no Ethernet link between '" + fault.ends[0] + "' and '" + fault.ends[1] +
                                    "'");
    }
    if (fault.number == FABRIC_NONE)
    {
        return links;
    }
    if (fault.number >= links.size())
    {
        throw std::invalid_argument("there are " + std::to_string(links.size()) + " links between " + fault.ends[0] +
                                    " and " + fault.ends[1] + ", no number " + std::to_string(fault.number));
    }
    return {links[fault.number]};
}

void
CheckLinkFaults(const FabricGraph& graph, const std::vector<LinkFault>& faults)
{
    std::vector<bool> down(graph.links.size(), false);
    for (const auto& fault : InOrder(faults))
    {
        CheckValues(fault);
        for (uint32_t link : FindFaultLinks(graph, fault))
        {
            bool falls = fault.kind == LinkFault::Kind::DOWN;
            if ((falls || fault.kind == LinkFault::Kind::UP) && down[link] == falls)
            {
                throw std::invalid_argument(NameOf(fault) +
                                            (falls ? " goes down when it is down" : " comes up when it is up"));
            }
            down[link] = falls || (down[link] && fault.kind != LinkFault::Kind::UP);
            // buffers are sized for the link's own rate
            if (fault.kind == LinkFault::Kind::RATE && fault.rate > graph.links[link].rate)
            {
                throw std::invalid_argument(NameOf(fault) + " has " +
                                            std::to_string(graph.links[link].rate.GetBitRate()) +
                                            " bit/s and cannot get more");
            }
        }
    }
}

LinkFaults::LinkFaults(Fabric& fabric, std::vector<LinkFault> faults)
    : m_fabric(fabric),
      m_faults(InOrder(std::move(faults)))
{
    CheckLinkFaults(fabric.GetGraph(), m_faults);
    for (uint32_t link = 0; link < fabric.GetGraph().links.size(); link++)
    {
        auto port = dynamic_cast<const EthernetDevice*>(&fabric.GetPort(link, 0));
        m_own.emplace_back(port ? port->GetLossRate() : 0, port ? port->GetCorruptionRate() : 0);
    }
    for (const auto& fault : m_faults)
    {
        if (fault.kind == LinkFault::Kind::DOWN)
        {
            for (uint32_t link : FindFaultLinks(fabric.GetGraph(), fault))
            {
                static_cast<EthernetDevice&>(fabric.GetPort(link, 0)).TrackFlight();
                static_cast<EthernetDevice&>(fabric.GetPort(link, 1)).TrackFlight();
            }
        }
    }
}

void
LinkFaults::Begin()
{
    m_beginPs = m_fabric.GetKernel().NowPs();
    if (m_happened != 0)
    {
        Restore();
    }
    m_happened = 0;
    TakeRoutes();
    Time last(-1);
    for (const auto& fault : m_faults)
    {
        if (fault.at.IsStrictlyPositive() && fault.at != last)
        {
            m_fabric.GetKernel().ScheduleExternal(fault.at, MakeCallback(&LinkFaults::HappenDue, this));
        }
        last = fault.at;
    }
    HappenDue();
}

void
LinkFaults::Restore()
{
    LinkFault whole;
    for (size_t i = 0; i < m_happened; i++)
    {
        whole = m_faults[i];
        whole.rate = DataRate(0);
        whole.probability = 0;
        whole.kind = whole.kind == LinkFault::Kind::DOWN ? LinkFault::Kind::UP : whole.kind;
        Happen(whole);
        for (uint32_t link : FindFaultLinks(m_fabric.GetGraph(), whole))
        {
            for (uint32_t end = 0; end < 2; end++)
            {
                auto& port = static_cast<EthernetDevice&>(m_fabric.GetPort(link, end));
                port.SetLossRate(m_own[link].first);
                port.SetCorruptionRate(m_own[link].second);
            }
        }
    }
}

void
LinkFaults::HappenDue()
{
    int64_t now = m_fabric.GetKernel().NowPs() - m_beginPs;
    bool moved = false;
    while (m_happened < m_faults.size() && m_faults[m_happened].at.GetPicoSeconds() <= now)
    {
        moved = Happen(m_faults[m_happened++]) || moved;
    }
    if (moved)
    {
        TakeRoutes();
    }
}

/// \return whether ways are other ones now
bool
LinkFaults::Happen(const LinkFault& fault)
{
    bool moved = fault.kind == LinkFault::Kind::DOWN || fault.kind == LinkFault::Kind::UP;
    NS_LOG_INFO(NameOf(fault) << ": fault of kind " << static_cast<int>(fault.kind));
    for (uint32_t number : FindFaultLinks(m_fabric.GetGraph(), fault))
    {
        FabricLink& link = m_fabric.m_graph.links[number];
        link.down = moved ? fault.kind == LinkFault::Kind::DOWN : link.down;
        for (uint32_t end = 0; end < 2; end++)
        {
            auto& port = static_cast<EthernetDevice&>(m_fabric.GetPort(number, end));
            switch (fault.kind)
            {
            case LinkFault::Kind::RATE:
                port.SetRate(fault.rate.GetBitRate() == 0 ? link.rate : fault.rate);
                break;
            case LinkFault::Kind::LOSS:
                port.SetLossRate(fault.probability);
                break;
            case LinkFault::Kind::CORRUPTION:
                port.SetCorruptionRate(fault.probability);
                break;
            default:
                port.SetUp(!link.down);
                break;
            }
        }
    }
    return moved;
}

void
LinkFaults::TakeRoutes()
{
    m_routes = std::make_unique<FabricRoutes>(m_fabric.GetGraph());
    for (uint32_t node = 0; node < m_fabric.GetGraph().nodes.size(); node++)
    {
        if (m_fabric.GetGraph().nodes[node].kind == FabricNodeKind::ETHERNET_SWITCH)
        {
            static_cast<EthernetSwitch*>(m_fabric.m_elements[node])->SetRoutes(m_routes->GetSwitch(node));
        }
    }
}

bool
LinkFaults::IsRepairDue() const
{
    return std::any_of(m_faults.begin() + m_happened, m_faults.end(), [](const LinkFault& fault) {
        return fault.kind == LinkFault::Kind::UP;
    });
}

std::string
LinkFaults::DescribeDown() const
{
    std::string text;
    for (const auto& link : m_fabric.GetGraph().links)
    {
        if (link.down)
        {
            text += text.empty() ? "" : ", ";
            text += m_fabric.GetGraph().nodes[link.node[0]].name + "-" + m_fabric.GetGraph().nodes[link.node[1]].name;
        }
    }
    return text;
}

} // namespace hbd
} // namespace ns3
