/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ethernet-switch.h"

#include "hbd-algorithm-table.h"
#include "hbd-ecmp-load-balancer.h"
#include "hbd-hash.h"
#include "hbd-roce-headers.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdEthernetSwitch");

NS_OBJECT_ENSURE_REGISTERED(EthernetSwitch);

namespace
{

/// Largest of EthernetSwitch's Weights; products with a turn's bytes stay far below 64 bits.
constexpr uint32_t MOST_WEIGHT = 1000000;

} // namespace

TypeId
EthernetSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::EthernetSwitch")
            .SetParent<Object>()
            .SetGroupName("Hbd")
            .AddConstructor<EthernetSwitch>()
            .AddAttribute("BufferSize",
                          "Packet memory for lossless traffic in bytes, headroom included. Default: lossless pool of "
                          "a 51.2 Tb/s Tomahawk 5 "
                          "(sonic-buildimage, Arista-7060X6-64PE-O128S2).",
                          UintegerValue(165660324),
                          MakeUintegerAccessor(&EthernetSwitch::m_bufferSize),
                          MakeUintegerChecker<uint64_t>(1, 1ULL << 40))
            .AddAttribute("Headroom",
                          "Memory per port and lossless priority for what arrives after XOFF, in bytes. Default: xoff "
                          "of the 400G "
                          "profile of the same switch.",
                          UintegerValue(612140),
                          MakeUintegerAccessor(&EthernetSwitch::m_headroom),
                          MakeUintegerChecker<uint64_t>(0, 1ULL << 32))
            .AddAttribute("ControlReserve",
                          "Memory of the whole switch, beside BufferSize, for acknowledgements that find the shared "
                          "part full, in bytes. Not published; an assumption: 190 acknowledgements for each of 64 "
                          "ports.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&EthernetSwitch::m_controlReserve),
                          MakeUintegerChecker<uint64_t>(0, 1ULL << 32))
            .AddAttribute(
                "XonOffset",
                "XON is sent that many bytes below the XOFF threshold. Default: xon_offset of the same profile.",
                UintegerValue(3556),
                MakeUintegerAccessor(&EthernetSwitch::m_xonOffset),
                MakeUintegerChecker<uint64_t>(0, 1ULL << 32))
            .AddAttribute("PfcAlpha",
                          "Dynamic threshold: a (port, priority) is paused above PfcAlpha x free shared memory. "
                          "Default: exponent 0 of "
                          "the same profile, 2^0.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&EthernetSwitch::m_alpha),
                          MakeDoubleChecker<double>(1.0 / 1024, 1024))
            .AddAttribute("LosslessPriorities",
                          "Bit per priority that is protected by priority flow control. Default: priority 3 alone, as "
                          "RoCE is usually "
                          "deployed.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&EthernetSwitch::m_lossless),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("LossyPriorities",
                          "Bit per priority that is dropped when its queue is too long. The NICs' data priority must "
                          "be one of these or of LosslessPriorities.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EthernetSwitch::m_lossy),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("LossyAlpha",
                          "Dynamic threshold: a packet of a lossy priority is dropped when its queue (egress port and "
                          "priority) would be above LossyAlpha x free shared memory. Default: exponent 0 of "
                          "egress_lossy_profile of the switch named at BufferSize, 2^0.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&EthernetSwitch::m_lossyAlpha),
                          MakeDoubleChecker<double>(1.0 / 1024, 1024))
            .AddAttribute("Weights",
                          "Shares of a link for priorities 0 .. 7 when several wait, eight whole numbers of at least 1; "
                          "ControlPriority goes ahead of all. Default: equal.",
                          StringValue("1,1,1,1,1,1,1,1"),
                          MakeStringAccessor(&EthernetSwitch::m_weights),
                          MakeStringChecker())
            .AddAttribute("CutThrough",
                          "Whether a packet can be sent on when its headers have arrived, to an egress that is not "
                          "faster than its ingress; else it is stored first. Default: it is stored, as in switches "
                          "with deep look-ups whose latencies are quoted so.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&EthernetSwitch::m_cutThrough),
                          MakeBooleanChecker())
            .AddAttribute(
                "ControlPriority",
                "Priority of acknowledgements, sent ahead of all others. Default: CNP_802P_PRIO of ConnectX-5.",
                UintegerValue(6),
                MakeUintegerAccessor(&EthernetSwitch::m_controlPriority),
                MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("EcnKmin",
                          "ECN: up to that many bytes waiting in its queue (egress port and priority) no packet is "
                          "marked. Default: SONiC's profile AZURE_LOSSLESS (sonic-buildimage, qos_config.j2).",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&EthernetSwitch::m_ecnKmin),
                          MakeUintegerChecker<uint64_t>(0, 1ULL << 40))
            .AddAttribute("EcnKmax",
                          "ECN: above that many bytes waiting in its queue every packet is marked; 0 = no marking. "
                          "The profile named at EcnKmin has 2 MiB.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EthernetSwitch::m_ecnKmax),
                          MakeUintegerChecker<uint64_t>(0, 1ULL << 40))
            .AddAttribute("EcnPmax",
                          "ECN: probability of a mark at EcnKmax; between EcnKmin and EcnKmax it grows from 0 in "
                          "proportion (DCQCN, SIGCOMM 2015). Default: the profile named at EcnKmin.",
                          DoubleValue(0.05),
                          MakeDoubleAccessor(&EthernetSwitch::m_ecnPmax),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("EcnReferenceRate",
                          "ECN: EcnKmin and EcnKmax are those of a port of this rate, and those of others are in "
                          "proportion to their rates (as in HPCC, SIGCOMM 2019, section 5.1); 0 = the same for all.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&EthernetSwitch::m_ecnReferenceRate),
                          MakeDataRateChecker())
            .AddAttribute("EcnAtDequeue",
                          "ECN: whether a packet is marked by the queue that it leaves behind when it is sent, not by "
                          "the one that it meets. Default: not, as RED.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&EthernetSwitch::m_ecnAtDequeue),
                          MakeBooleanChecker())
            .AddAttribute("HashSalt",
                          "Changes which of the equal-cost paths each flow takes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EthernetSwitch::m_hashSalt),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("LoadBalancer",
                          "TypeId of the LoadBalancer that chooses among equal-cost ports.",
                          TypeIdValue(EcmpLoadBalancer::GetTypeId()),
                          MakeTypeIdAccessor(&EthernetSwitch::m_loadBalancerType),
                          MakeTypeIdChecker())
            .AddAttribute("LoadBalancerParameters",
                          "Attributes of it that are not at their defaults, as `Name=value, Name=value`.",
                          StringValue(""),
                          MakeStringAccessor(&EthernetSwitch::m_loadBalancerParameters),
                          MakeStringChecker())
            .AddTraceSource("Enqueue",
                            "A unit enters the queue of an egress port.",
                            MakeTraceSourceAccessor(&EthernetSwitch::m_enqueueTrace),
                            "ns3::hbd::EthernetSwitch::QueueTracedCallback")
            .AddTraceSource("Dequeue",
                            "A unit leaves the queue of an egress port to be sent.",
                            MakeTraceSourceAccessor(&EthernetSwitch::m_dequeueTrace),
                            "ns3::hbd::EthernetSwitch::QueueTracedCallback")
            .AddTraceSource("Drop",
                            "A unit is thrown away: its queue is too long, there is no memory or no way, or the link is down.",
                            MakeTraceSourceAccessor(&EthernetSwitch::m_dropTrace),
                            "ns3::hbd::EthernetSwitch::QueueTracedCallback")
            .AddTraceSource("EcnMark",
                            "A unit is marked because of the queue of its egress port.",
                            MakeTraceSourceAccessor(&EthernetSwitch::m_markTrace),
                            "ns3::hbd::EthernetSwitch::QueueTracedCallback")
            .AddTraceSource("PauseCause",
                            "A (port, priority) holds more than its threshold, so that its peer is paused: with the "
                            "egress port for which most of that waits.",
                            MakeTraceSourceAccessor(&EthernetSwitch::m_pauseCauseTrace),
                            "ns3::hbd::EthernetSwitch::PauseCauseTracedCallback");
    return tid;
}

void
EthernetSwitch::DoDispose()
{
    m_ports.clear();
    m_loadBalancer = nullptr;
    Object::DoDispose();
}

void
EthernetSwitch::Setup(FabricContext& context,
                      const std::vector<Ptr<EthernetDevice>>& ports,
                      SwitchRoutes routes,
                      uint32_t salt)
{
    m_context = &context;
    m_ports = ports;
    m_routes = std::move(routes);
    CheckPriorities();
    SetupQueues();
    SetupBuffer();
    CheckControlReserve();
    SetupEcn();
    ObjectFactory factory = MakeFactory(m_loadBalancerType, m_loadBalancerParameters);
    m_loadBalancer = factory.Create<LoadBalancer>();
    m_loadBalancer->Setup(context, ports, MixHash(salt + 1) ^ m_hashSalt);
}

bool
EthernetSwitch::IsPerPacket() const
{
    return MakeFactory(m_loadBalancerType, m_loadBalancerParameters).Create<LoadBalancer>()->IsPerPacket();
}

void
EthernetSwitch::SetRoutes(SwitchRoutes routes)
{
    m_routes = std::move(routes);
}

void
EthernetSwitch::CheckPriorities() const
{
    if ((m_lossless & m_lossy) != 0 || IsLossy(m_controlPriority))
    {
        throw std::invalid_argument("LossyPriorities of an Ethernet switch has a bit of LosslessPriorities, or that of "
                                    "ControlPriority");
    }
}

void
EthernetSwitch::SetupQueues()
{
    PriorityQueues::Weights weights{};
    std::istringstream text(m_weights);
    std::string word;
    size_t count = 0;
    while (std::getline(text, word, ','))
    {
        std::istringstream number(word);
        uint32_t weight = 0;
        bool good = (number >> weight) && (number >> std::ws).eof() && word.find('-') == std::string::npos;
        if (!good || weight == 0 || weight > MOST_WEIGHT || count == weights.size())
        {
            count = 0;
            break;
        }
        weights[count++] = weight;
    }
    if (count != weights.size())
    {
        throw std::invalid_argument("Weights of an Ethernet switch are eight whole numbers of 1 to " +
                                    std::to_string(MOST_WEIGHT) + ", separated by commas, not `" + m_weights + "`");
    }
    m_queues.assign(m_ports.size(), PriorityQueues());
    for (auto& queues : m_queues)
    {
        queues.SetControl(m_controlPriority);
        queues.SetWeights(weights);
    }
    m_sending.assign(m_ports.size(), Sending());
    for (const auto& port : m_ports)
    {
        port->SetCutThrough(m_cutThrough);
    }
}

void
EthernetSwitch::SetupBuffer()
{
    SharedBufferConfig config;
    config.ports = static_cast<uint32_t>(m_ports.size());
    config.size = static_cast<int64_t>(m_bufferSize);
    config.headroom = static_cast<int64_t>(m_headroom);
    config.control = static_cast<int64_t>(m_controlReserve);
    config.xonOffset = static_cast<int64_t>(m_xonOffset);
    config.alpha = m_alpha;
    config.lossyAlpha = m_lossyAlpha;
    config.lossless = m_lossless;
    m_buffer.Configure(config);
}

void
EthernetSwitch::CheckControlReserve() const
{
    uint64_t needed = 0;
    for (const auto& port : m_ports)
    {
        needed += port->GetPacketOverhead() + roce::AETH;
    }
    if (m_controlReserve < needed)
    {
        throw std::invalid_argument("a control reserve of " + std::to_string(m_controlReserve) +
                                    " B does not hold one acknowledgement for each of " +
                                    std::to_string(m_ports.size()) + " ports, which is " + std::to_string(needed) +
                                    " B");
    }
}

void
EthernetSwitch::SetupEcn()
{
    std::vector<uint64_t> bitRates;
    for (const auto& port : m_ports)
    {
        DataRateValue rate;
        port->GetAttribute("DataRate", rate);
        bitRates.push_back(rate.Get().GetBitRate());
    }
    m_ecn.Configure(EcnConfig{m_ecnKmin, m_ecnKmax, m_ecnPmax, m_ecnReferenceRate.GetBitRate()}, bitRates);
}

int64_t
EthernetSwitch::AssignStreams(int64_t stream)
{
    m_ecn.AssignStream(stream);
    return 1 + m_loadBalancer->AssignStreams(stream + 1);
}

bool
EthernetSwitch::SendRaw(uint32_t /* port */, PacketUnit& /* unit */)
{
    return false;
}

bool
EthernetSwitch::IsTraced() const
{
    return !m_enqueueTrace.IsEmpty() || !m_dequeueTrace.IsEmpty() || !m_dropTrace.IsEmpty() || !m_markTrace.IsEmpty() ||
           !m_pauseCauseTrace.IsEmpty();
}

void
EthernetSwitch::SaveState(std::vector<uint32_t>& words) const
{
    for (const auto& queues : m_queues)
    {
        words.push_back(queues.GetPointer());
    }
    m_loadBalancer->SaveState(words);
}

void
EthernetSwitch::RestoreState(const uint32_t*& words)
{
    for (auto& queues : m_queues)
    {
        queues.SetPointer(*words++);
    }
    m_loadBalancer->RestoreState(words);
}

bool
EthernetSwitch::IsDrained() const
{
    bool idle = std::all_of(m_ports.begin(), m_ports.end(), [](const auto& port) { return port->IsIdle(); });
    bool empty = std::all_of(m_queues.begin(), m_queues.end(), [](const auto& queues) { return queues.IsEmpty(); });
    return idle && empty && m_buffer.IsEmpty();
}

void
EthernetSwitch::DescribeBlocked(std::vector<std::string>& lines) const
{
    for (size_t port = 0; port < m_ports.size(); port++)
    {
        if (m_queues[port].IsEmpty())
        {
            continue;
        }
        std::ostringstream line;
        line << "switch output " << port << " (port " << m_ports[port]->GetId() << "): " << m_queues[port].GetUnits()
             << " units, " << m_ports[port]->GetQueuedBytes() << " B wait, priorities paused by the peer:";
        for (uint32_t priority = 0; priority < ETHERNET_PRIORITIES; priority++)
        {
            if (m_ports[port]->GetPaused() >> priority & 1)
            {
                line << " " << priority;
            }
        }
        lines.push_back(line.str());
    }
}

void
EthernetSwitch::GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const
{
    // what waits here holds the memory of the port it came through: once that is paused, the sender there waits for
    // this output
    for (size_t egress = 0; egress < m_ports.size(); egress++)
    {
        std::vector<bool> seen(m_ports.size(), false); // by ingress
        for (uint32_t priority = 0; priority < ETHERNET_PRIORITIES; priority++)
        {
            uint32_t index = m_queues[egress].GetQueue(priority).head;
            while (index != NO_INDEX)
            {
                const PacketUnit& unit = m_context->units.Get(index);
                if (!seen[unit.ingress] && m_buffer.IsPaused(unit.ingress, priority))
                {
                    seen[unit.ingress] = true;
                    waits.emplace_back(m_ports[unit.ingress]->GetPeer()->GetId(), m_ports[egress]->GetId());
                }
                index = unit.next;
            }
        }
    }
}

} // namespace hbd
} // namespace ns3
