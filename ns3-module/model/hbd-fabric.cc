/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric.h"

#include "hbd-ethernet-device.h"
#include "hbd-ethernet-switch.h"
#include "hbd-fabric-scale-out.h"
#include "topologies/hbd-scale-up-topology.h"
#include "topologies/hbd-topology-table.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/string.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdFabric");

NS_OBJECT_ENSURE_REGISTERED(Fabric);

namespace
{

/// Finds a cycle in a sorted list of edges by depth-first search. \return its nodes in order, or nothing
std::vector<uint32_t>
FindCycle(const std::vector<std::pair<uint32_t, uint32_t>>& edges)
{
    std::set<uint32_t> done;
    for (const auto& start : edges)
    {
        std::vector<std::pair<uint32_t, size_t>> path; // node, next edge to look at
        auto enter = [&](uint32_t node) {
            auto first = std::lower_bound(edges.begin(), edges.end(), std::make_pair(node, 0U));
            path.emplace_back(node, static_cast<size_t>(first - edges.begin()));
        };
        enter(start.first);
        while (!path.empty() && done.count(start.first) == 0)
        {
            auto& [node, edge] = path.back();
            if (edge == edges.size() || edges[edge].first != node)
            {
                done.insert(node);
                path.pop_back();
                continue;
            }
            uint32_t next = edges[edge++].second;
            auto met = std::find_if(path.begin(), path.end(), [next](const auto& at) { return at.first == next; });
            if (met != path.end())
            {
                std::vector<uint32_t> cycle;
                for (; met != path.end(); ++met)
                {
                    cycle.push_back(met->first);
                }
                return cycle;
            }
            if (done.count(next) == 0)
            {
                enter(next);
            }
        }
    }
    return {};
}

/// A message under way, for an error message.
std::string
DescribeMessage(const Message& message)
{
    std::string source = "gpu" + std::to_string(message.source);
    std::string destination = "gpu" + std::to_string(message.destination);
    switch (message.kind)
    {
    case MessageKind::READ:
        return "read by " + destination + " from " + source;
    case MessageKind::MULTICAST:
        return "multicast from " + source;
    case MessageKind::REDUCE:
        return "reduction in switches for " + destination;
    default:
        return "message from " + source + " to " + destination;
    }
}

/// Prints the attributes of an object unless one of its type was printed before.
void
PrintAttributes(std::ostream& os, const ObjectBase& object, std::set<std::string>& kinds)
{
    TypeId type = object.GetInstanceTypeId();
    if (!kinds.insert(type.GetName()).second)
    {
        return;
    }
    for (TypeId tid = type; tid.GetName() != "ns3::NetDevice" && tid.HasParent() && tid != tid.GetParent(); tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); i++)
        {
            StringValue value;
            object.GetAttribute(tid.GetAttribute(i).name, value);
            os << tid.GetAttributeFullName(i) << '=' << value.Get() << '\n';
        }
    }
}

} // namespace

FabricConfig::FabricConfig()
{
    gpu.SetTypeId("ns3::hbd::GpuEndpoint");
    nvlink.SetTypeId("ns3::hbd::NvlinkDevice");
    nvswitch.SetTypeId("ns3::hbd::NvSwitch");
    hostLink.SetTypeId("ns3::hbd::HostLinkDevice");
    ethernet.SetTypeId("ns3::hbd::EthernetDevice");
    ethernetSwitch.SetTypeId("ns3::hbd::EthernetSwitch");
    nic.SetTypeId("ns3::hbd::RdmaNic");
    kernel.SetTypeId("ns3::hbd::FabricKernel");
}

TypeId
Fabric::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::Fabric").SetParent<Object>().SetGroupName("Hbd").AddConstructor<Fabric>();
    return tid;
}

Fabric::Fabric() = default;

Fabric::~Fabric() = default;

void
Fabric::DoDispose()
{
    // devices and elements belong to the nodes, which ns-3 disposes of
    m_linkPorts.clear();
    m_elements.clear();
    m_gpus.clear();
    m_scaleOut.clear();
    m_elementObjects.clear();
    if (m_context.kernel)
    {
        m_context.kernel->Dispose();
    }
    m_listener = nullptr;
    Object::DoDispose();
}

void
Fabric::Build(const FabricConfig& config)
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS,
                    "hbd needs Time::SetResolution(Time::PS) as the first thing in main");
    NS_ABORT_MSG_IF(!m_graph.nodes.empty(), "a fabric is built once");
    m_config = config;
    m_context.kernel = config.kernel.Create<FabricKernel>();
    m_context.accountingClasses = config.accountingClasses;
    m_context.listener = this;
    m_context.globalSums = m_context.statistics.AddSums(GLOBAL_SUM_COUNT);
    AddScaleUp(m_graph, config.scaleUp);
    if (!config.scaleOut.name.empty())
    {
        AddScaleOut(m_graph, config.scaleOut);
    }
    m_scaleUpRoutes = std::make_unique<ScaleUpRoutes>(m_graph);
    BuildNodes();
    CreatePorts();
    ConnectLinks();
    SetupGpus();
    SetupNvSwitches();
    FabricScaleOut::Setup(*this);
    StartPorts();
    if (!config.faults.empty())
    {
        m_faults = std::make_unique<LinkFaults>(*this, config.faults);
        m_faults->Begin();
    }
    NS_LOG_INFO(m_graph.gpus << " GPUs, " << m_graph.nodes.size() << " nodes, " << m_graph.links.size() << " links, "
                             << m_graph.broken.size() << " parts that are down");
}

void
Fabric::BuildNodes()
{
    m_nodes.Create(static_cast<uint32_t>(m_graph.nodes.size()));
    m_linkPorts.resize(m_graph.links.size() * 2);
    m_elements.assign(m_graph.nodes.size(), nullptr);
    m_scaleOut.assign(m_graph.gpus, nullptr);
    m_gpus.assign(m_graph.gpus, nullptr);
    for (uint32_t node = 0; node < m_graph.nodes.size(); node++)
    {
        Ptr<Object> object;
        switch (m_graph.nodes[node].kind)
        {
        case FabricNodeKind::GPU: {
            Ptr<GpuEndpoint> gpu = m_config.gpu.Create<GpuEndpoint>();
            m_gpus[m_graph.nodes[node].gpu] = PeekPointer(gpu);
            m_elements[node] = PeekPointer(gpu);
            object = gpu;
            break;
        }
        case FabricNodeKind::NVSWITCH: {
            Ptr<NvSwitch> chip = m_config.nvswitch.Create<NvSwitch>();
            m_elements[node] = PeekPointer(chip);
            object = chip;
            break;
        }
        default:
            object = FabricScaleOut::CreateElement(*this, node);
            break;
        }
        m_nodes.Get(node)->AggregateObject(object);
        m_elementObjects.push_back(object);
    }
}

Ptr<FabricPort>
Fabric::CreatePort(uint32_t node, const FabricLink& link)
{
    const ObjectFactory* factory = &m_config.nvlink;
    if (link.tier == FabricTier::HOST)
    {
        factory = &m_config.hostLink;
    }
    else if (link.tier == FabricTier::SCALE_OUT)
    {
        factory = &m_config.ethernet;
    }
    Ptr<FabricPort> port = factory->Create<FabricPort>();
    port->SetAttribute("DataRate", DataRateValue(link.rate));
    if (m_graph.nodes[node].kind == FabricNodeKind::NVSWITCH)
    {
        port->SetProcessingDelay(m_config.nvswitchDelay);
    }
    else if (m_graph.nodes[node].kind == FabricNodeKind::ETHERNET_SWITCH)
    {
        port->SetProcessingDelay(m_config.ethernetSwitchDelay);
    }
    return port;
}

void
Fabric::CreatePorts()
{
    for (uint32_t node = 0; node < m_graph.nodes.size(); node++)
    {
        const auto& ports = m_graph.nodes[node].ports;
        for (uint32_t index = 0; index < ports.size(); index++)
        {
            const FabricLink& link = m_graph.links[ports[index]];
            uint32_t end = link.node[0] == node && link.port[0] == index ? 0 : 1;
            Ptr<FabricPort> port = CreatePort(node, link);
            m_nodes.Get(node)->AddDevice(port);
            port->AttachTo(m_context, *m_elements[node], index);
            m_linkPorts[ports[index] * 2 + end] = port;
        }
    }
}

void
Fabric::ConnectLinks()
{
    for (uint32_t i = 0; i < m_graph.links.size(); i++)
    {
        Ptr<FabricChannel> channel = CreateObject<FabricChannel>();
        channel->SetAttribute("Delay", TimeValue(m_graph.links[i].delay));
        FabricPort::Connect(m_linkPorts[i * 2], m_linkPorts[i * 2 + 1], channel);
    }
}

void
Fabric::SetupGpus()
{
    for (uint32_t node = 0; node < m_graph.nodes.size(); node++)
    {
        if (m_graph.nodes[node].kind != FabricNodeKind::GPU)
        {
            continue;
        }
        std::vector<Ptr<NvlinkDevice>> links;
        Ptr<CreditPort> hostPort;
        for (uint32_t index = 0; index < m_graph.nodes[node].ports.size(); index++)
        {
            Ptr<NetDevice> device = m_nodes.Get(node)->GetDevice(index);
            if (m_graph.links[m_graph.nodes[node].ports[index]].tier == FabricTier::SCALE_UP)
            {
                links.push_back(DynamicCast<NvlinkDevice>(device));
            }
            else
            {
                hostPort = DynamicCast<CreditPort>(device);
            }
        }
        uint32_t gpu = m_graph.nodes[node].gpu;
        m_gpus[gpu]->Setup(m_context, gpu, links, hostPort, FabricScaleOut::GetHostSource(*this, gpu));
        m_gpus[gpu]->SetStripes(m_scaleUpRoutes->MakeStripes(gpu));
    }
}

void
Fabric::SetupNvSwitches()
{
    for (uint32_t node = 0; node < m_graph.nodes.size(); node++)
    {
        if (m_graph.nodes[node].kind != FabricNodeKind::NVSWITCH)
        {
            continue;
        }
        std::vector<Ptr<NvlinkDevice>> ports;
        for (uint32_t index = 0; index < m_graph.nodes[node].ports.size(); index++)
        {
            ports.push_back(DynamicCast<NvlinkDevice>(m_nodes.Get(node)->GetDevice(index)));
        }
        auto chip = static_cast<NvSwitch*>(m_elements[node]);
        chip->Setup(m_context, ports, m_scaleUpRoutes->MakeTable(node));
        m_chip = chip;
    }
    m_context.groups.Setup(m_graph, m_chip ? m_chip->GetMulticastGroups() : 0);
}

void
Fabric::StartPorts()
{
    for (auto& port : m_linkPorts)
    {
        port->Start();
    }
    RefreshWatched();
}

int64_t
Fabric::AssignStreams(int64_t stream)
{
    int64_t ports = 0;
    for (auto& port : m_linkPorts)
    {
        ports = std::max<int64_t>(ports, port->GetId() + 1);
        if (auto nvlink = dynamic_cast<NvlinkDevice*>(PeekPointer(port)))
        {
            nvlink->AssignStreams(stream + port->GetId());
        }
        else if (auto ethernet = dynamic_cast<EthernetDevice*>(PeekPointer(port)))
        {
            ethernet->AssignStreams(stream + port->GetId());
        }
    }
    // elements behind all ports, whatever is random at those
    int64_t next = ports;
    for (auto* element : m_elements)
    {
        next += element->AssignStreams(stream + next);
    }
    return next;
}

bool
Fabric::RefreshWatched()
{
    m_watched = false;
    m_random = false;
    for (auto& port : m_linkPorts)
    {
        port->RefreshWatched();
        m_watched = m_watched || port->IsWatched() || port->IsUnitTraced();
        auto nvlink = dynamic_cast<const NvlinkDevice*>(PeekPointer(port));
        m_random = m_random || (nvlink && nvlink->HasErrors());
    }
    for (const auto* element : m_elements)
    {
        m_watched = m_watched || element->IsTraced();
    }
    return m_watched;
}

void
Fabric::SaveState(std::vector<uint32_t>& words) const
{
    for (const auto* element : m_elements)
    {
        element->SaveState(words);
    }
    if (m_faults)
    {
        words.push_back(m_faults->GetHappened());
    }
}

void
Fabric::RestoreState(const std::vector<uint32_t>& words)
{
    const uint32_t* next = words.data();
    for (auto* element : m_elements)
    {
        element->RestoreState(next);
    }
    next += m_faults ? 1 : 0; // nothing passes over a fault
    NS_ABORT_MSG_IF(next != words.data() + words.size(), "a saved state of another fabric");
}

void
Fabric::RestartFaults()
{
    if (m_faults)
    {
        m_faults->Begin();
    }
}

void
Fabric::FlushStatistics()
{
    for (auto& port : m_linkPorts)
    {
        port->FlushQueueIntegral();
    }
}

void
Fabric::CheckDrained() const
{
    const uint64_t* sums = &m_context.statistics.sums[m_context.globalSums];
    std::ostringstream errors;
    if (m_context.messages.GetInUse() != 0)
    {
        errors << DescribeStuck();
    }
    else if (sums[SUM_BYTES_POSTED] != sums[SUM_BYTES_DELIVERED])
    {
        errors << sums[SUM_BYTES_POSTED] << " B were sent and " << sums[SUM_BYTES_DELIVERED] << " B delivered\n";
    }
    if (sums[SUM_DROPS] != 0 && !m_context.mayLose)
    {
        errors << sums[SUM_DROPS] << " packets were dropped\n";
    }
    for (uint32_t node = 0; errors.str().empty() && node < m_elements.size(); node++)
    {
        if (!m_elements[node]->IsDrained())
        {
            errors << m_graph.nodes[node].name << " still holds data or credits at the end of the run\n";
        }
    }
    if (errors.str().empty() && m_context.units.GetInUse() != 0)
    {
        errors << m_context.units.GetInUse() << " packet units were lost\n";
    }
    if (!errors.str().empty())
    {
        NS_LOG_WARN(errors.str());
        throw FabricError(errors.str());
    }
}

std::string
Fabric::DescribeStuck() const
{
    constexpr uint32_t MOST = 8;
    std::ostringstream text;
    text << m_context.messages.GetInUse() << " messages are not delivered and nothing moves\n";
    uint32_t shown = 0;
    for (uint32_t slot = 0; slot < m_context.messages.GetSlots() && shown < MOST; slot++)
    {
        const Message& message = m_context.messages[slot];
        if (message.inUse)
        {
            text << "  " << DescribeMessage(message) << ": " << message.delivered << " of "
                 << message.bytes * std::max<size_t>(1, message.memberDelivered.size()) << " B delivered\n";
            shown++;
        }
    }
    std::vector<std::string> lines;
    for (uint32_t node = 0; node < m_elements.size() && lines.size() < MOST; node++)
    {
        std::vector<std::string> own;
        m_elements[node]->DescribeBlocked(own);
        for (const auto& line : own)
        {
            lines.push_back(m_graph.nodes[node].name + ": " + line);
        }
    }
    for (const auto& line : lines)
    {
        text << "  " << line << "\n";
    }
    std::vector<std::string> cycle = FindWaitCycle();
    if (!cycle.empty())
    {
        text << "  cycle of full buffers:";
        for (const auto& name : cycle)
        {
            text << " " << name;
        }
        text << "\n";
    }
    return text.str();
}

std::vector<std::string>
Fabric::FindWaitCycle() const
{
    std::vector<std::pair<uint32_t, uint32_t>> waits;
    for (const auto* element : m_elements)
    {
        element->GetWaits(waits);
    }
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    std::vector<uint32_t> cycle = FindCycle(waits);
    std::vector<std::string> names;
    for (uint32_t port : cycle)
    {
        for (uint32_t i = 0; i < m_linkPorts.size(); i++)
        {
            if (m_linkPorts[i]->GetId() == port)
            {
                const FabricLink& link = m_graph.links[i / 2];
                names.push_back(m_graph.nodes[link.node[i % 2]].name + "->" + m_graph.nodes[link.node[1 - i % 2]].name);
            }
        }
    }
    return names;
}

std::string
Fabric::GetFingerprint() const
{
    std::ostringstream text;
    text << m_config.burstBytes << ' ' << m_config.accountingClasses << ' ' << m_config.nvswitchDelay.GetPicoSeconds() << ' '
         << m_config.ethernetSwitchDelay.GetPicoSeconds() << ' ' << m_config.scaleUp.hbdSize << ' ' << m_config.brokenFails << '\n';
    for (const auto& link : m_graph.links)
    {
        text << link.node[0] << ' ' << link.node[1] << ' ' << link.rate.GetBitRate() << ' ' << link.delay.GetPicoSeconds() << ' ' << link.IsUp() << '\n';
    }
    for (const auto& fault : m_config.faults)
    {
        text << fault.ends[0] << ' ' << fault.ends[1] << ' ' << fault.number << ' ' << static_cast<int>(fault.kind) << ' '
             << fault.at.GetPicoSeconds() << ' ' << fault.rate.GetBitRate() << ' ' << fault.probability << '\n';
    }
    // attributes are set for all devices of a kind alike: one of each stands for all
    std::set<std::string> kinds;
    for (const auto& object : m_elementObjects)
    {
        PrintAttributes(text, *object, kinds);
    }
    for (const auto& port : m_linkPorts)
    {
        PrintAttributes(text, *port, kinds);
    }
    return text.str();
}

} // namespace hbd
} // namespace ns3
