/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ethernet-switch.h"

#include "hbd-ecmp-load-balancer.h"
#include "hbd-hash.h"
#include "hbd-roce-headers.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
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
                          MakeTypeIdChecker());
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
    m_queues.assign(ports.size(), PriorityQueues());
    for (auto& queues : m_queues)
    {
        queues.SetControl(m_controlPriority);
    }
    m_sending.assign(ports.size(), Sending());
    SharedBufferConfig config;
    config.ports = static_cast<uint32_t>(ports.size());
    config.size = static_cast<int64_t>(m_bufferSize);
    config.headroom = static_cast<int64_t>(m_headroom);
    config.control = static_cast<int64_t>(m_controlReserve);
    config.xonOffset = static_cast<int64_t>(m_xonOffset);
    config.alpha = m_alpha;
    config.lossless = m_lossless;
    m_buffer.Configure(config);
    CheckControlReserve();
    SetupEcn();
    ObjectFactory factory;
    factory.SetTypeId(m_loadBalancerType);
    m_loadBalancer = factory.Create<LoadBalancer>();
    m_loadBalancer->Setup(ports, MixHash(salt + 1) ^ m_hashSalt);
}

void
EthernetSwitch::SetRoutes(SwitchRoutes routes)
{
    m_routes = std::move(routes);
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
    return 2; // the second one is for a load balancer
}

/// The packets of a burst are marked all or none: of all packets, the share is that of single ones.
void
EthernetSwitch::MarkEcn(uint32_t egress, PacketUnit& unit)
{
    if (unit.flags & (UNIT_ACK | UNIT_RAW))
    {
        return; // not ECN-capable
    }
    if (m_ecn.Decide(egress, m_queues[egress].GetBytes(unit.channel), m_context->randomDraws))
    {
        unit.flags |= UNIT_ECN_MARKED;
        m_context->statistics.sums[m_ports[egress]->GetSums(unit.accounting) + PORT_ECN_MARKED] += unit.packets;
    }
}

void
EthernetSwitch::AdmitUnit(uint32_t port, const PacketUnit& unit)
{
    bool pause;
    try
    {
        pause = m_buffer.Admit(port, unit.channel, unit.wireBytes);
    }
    catch (const std::overflow_error& error)
    {
        std::ostringstream text;
        text << "a packet would be lost at the switch port with kernel id " << m_ports[port]->GetId() << ": "
             << error.what();
        throw std::runtime_error(text.str());
    }
    if (pause)
    {
        m_ports[port]->SendPause(unit.channel, true, unit.accounting);
    }
}

uint32_t
EthernetSwitch::SelectEgress(const PacketUnit& unit)
{
    const std::vector<uint16_t>& candidates = m_routes.PortsTo(unit.destination);
    if (candidates.empty())
    {
        return NO_INDEX;
    }
    uint32_t egress = candidates.size() == 1 ? candidates.front() : m_loadBalancer->Select(unit, candidates);
    NS_LOG_LOGIC("unit of GPU " << unit.source << " for GPU " << unit.destination << " takes port " << egress << " of "
                                << candidates.size());
    return egress;
}

void
EthernetSwitch::ReceiveUnit(uint32_t port, PacketUnit& unit)
{
    if (unit.flags & UNIT_PAUSE)
    {
        m_ports[port]->ReceivePause(unit);
        return;
    }
    if (unit.flags & UNIT_HELD)
    {
        unit.flags &= static_cast<uint8_t>(~UNIT_HELD);
        Enqueue(unit.next, unit);
        return;
    }
    uint32_t egress = SelectEgress(unit);
    if (egress == NO_INDEX || (m_context->mayLose && !m_buffer.HasRoom(port, unit.channel, unit.wireBytes)))
    {
        m_ports[port]->Drop(unit); // there is no way, or a pause frame was lost
        return;
    }
    AdmitUnit(port, unit);
    if (m_ports[egress]->GetBitRate() > m_ports[port]->GetBitRate())
    {
        int64_t wait = m_ports[egress]->GetGaplessStartPs(unit) - m_context->kernel->NowPs();
        if (wait > 0)
        {
            unit.flags |= UNIT_HELD;
            unit.next = egress; // free while it stands in no queue
            m_context->kernel->Schedule(RecordKind::ARRIVAL, wait, m_ports[port]->GetId(), unit.index);
            return;
        }
    }
    Enqueue(egress, unit);
}

void
EthernetSwitch::Enqueue(uint32_t egress, PacketUnit& unit)
{
    if (!m_ports[egress]->IsUp())
    {
        FreeMemory(unit.ingress, unit.channel, unit.wireBytes, unit.accounting);
        m_ports[egress]->Drop(unit);
        return;
    }
    if (m_ecn.IsOn() && !m_ecnAtDequeue)
    {
        MarkEcn(egress, unit);
    }
    m_queues[egress].Push(m_context->units, unit);
    m_ports[egress]->AddQueued(unit, unit.wireBytes);
    m_ports[egress]->RequestArbitration();
}

void
EthernetSwitch::Arbitrate(uint32_t port)
{
    PriorityQueues& queues = m_queues[port];
    EthernetDevice& out = *m_ports[port];
    uint32_t priority = queues.Select(out.GetPaused());
    if (priority == PriorityQueues::PRIORITIES)
    {
        if (!queues.IsEmpty())
        {
            out.NotePaused(queues.Front(m_context->units).accounting);
        }
        return;
    }
    PacketUnit& unit = queues.Pop(m_context->units, priority);
    out.AddQueued(unit, -static_cast<int64_t>(unit.wireBytes));
    if (m_ecn.IsOn() && m_ecnAtDequeue)
    {
        MarkEcn(port, unit);
    }
    m_sending[port] = Sending{unit.ingress, priority, unit.wireBytes, unit.accounting};
    out.Transmit(unit);
}

void
EthernetSwitch::OnSent(uint32_t port)
{
    Sending sent = m_sending[port];
    m_sending[port].bytes = 0;
    if (sent.bytes != 0)
    {
        FreeMemory(sent.ingress, sent.priority, sent.bytes, sent.accounting);
    }
}

void
EthernetSwitch::FreeMemory(uint32_t ingress, uint32_t priority, uint32_t bytes, uint8_t accounting)
{
    if (m_buffer.Release(ingress, priority, bytes))
    {
        m_ports[ingress]->SendPause(priority, false, accounting);
    }
}

void
EthernetSwitch::OnLinkChange(uint32_t port)
{
    EthernetDevice& out = *m_ports[port];
    while (!out.IsUp() && !m_queues[port].IsEmpty())
    {
        PacketUnit& unit = m_queues[port].Pop(m_context->units, m_queues[port].Select(0));
        out.AddQueued(unit, -static_cast<int64_t>(unit.wireBytes));
        FreeMemory(unit.ingress, unit.channel, unit.wireBytes, unit.accounting);
        out.Drop(unit);
    }
}

bool
EthernetSwitch::SendRaw(uint32_t /* port */, PacketUnit& /* unit */)
{
    return false;
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
