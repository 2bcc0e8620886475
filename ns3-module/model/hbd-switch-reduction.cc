/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-switch-reduction.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdSwitchReduction");

SwitchReduction::SwitchReduction(FabricContext& context, SwitchReductionHost& host, const Settings& settings, uint32_t ports)
    : m_context(context),
      m_host(host),
      m_settings(settings),
      m_ports(ports),
      m_kernel(context.kernel),
      m_kernelPort(m_kernel->Register(this))
{
}

SwitchReduction::~SwitchReduction()
{
    m_kernel->Unregister(m_kernelPort, 1);
}

void
SwitchReduction::OnRequest(uint32_t port, PacketUnit& unit)
{
    unit.ingress = port;
    if (!m_waiting.IsEmpty() || !HasRoom(AskedUnit::GetBytes(unit)))
    {
        NS_LOG_LOGIC("request of " << AskedUnit::GetBytes(unit) << " B from port " << port << " waits: " << m_usedBytes << " of "
                                   << m_settings.tableBytes << " B of the table are taken");
        m_waiting.Push(m_context.units, unit);
        return;
    }
    Admit(unit);
}

void
SwitchReduction::Admit(PacketUnit& unit)
{
    if (m_freeEntries.empty())
    {
        m_freeEntries.push_back(static_cast<uint32_t>(m_entries.size()));
        m_entries.emplace_back();
    }
    uint32_t number = m_freeEntries.back();
    m_freeEntries.pop_back();
    Entry& entry = m_entries[number];
    uint32_t port = unit.ingress;
    entry.port = port;
    entry.bytes = AskedUnit::GetBytes(unit);
    entry.group = m_context.messages[unit.message].group;
    entry.missing = static_cast<uint32_t>(m_context.groups.GetMembers(entry.group).size());
    entry.result = NO_INDEX;
    entry.order = m_nextOrder++;
    entry.startPs = 0;
    entry.tailPs = 0;
    entry.inUse = true;
    entry.queued = false;
    entry.arrived.assign(m_ports, false);
    m_usedEntries++;
    m_usedBytes += entry.bytes;
    m_host.OnTableUse(m_usedBytes);
    NS_LOG_LOGIC("entry " << number << ": " << entry.bytes << " B for port " << port << " over " << entry.missing << " members, "
                          << m_usedBytes << " B of the table are taken");
    unit.kind = UnitKind::REDUCE_PULL;
    unit.flowHash = number;
    uint32_t replication = m_host.CopyToMembers(port, unit);
    m_entries[number].replication = replication;
}

void
SwitchReduction::AdmitWaiting()
{
    while (!m_waiting.IsEmpty() && HasRoom(AskedUnit::GetBytes(m_waiting.Front(m_context.units))))
    {
        Admit(m_waiting.Pop(m_context.units));
    }
}

void
SwitchReduction::Consume(Entry& entry, const PacketUnit& unit)
{
    int64_t startPs = m_context.kernel->NowPs();
    int64_t tailPs = unit.tailPs;
    if (m_settings.bitRate != 0)
    {
        auto busyPs = static_cast<int64_t>((static_cast<WideInteger>(unit.payloadBytes) * 8000000000000ULL + m_settings.bitRate - 1) /
                                           m_settings.bitRate);
        startPs = std::max(startPs, m_adderFreePs);
        m_adderFreePs = startPs + busyPs;
        tailPs = std::max(tailPs, m_adderFreePs);
    }
    entry.startPs = std::max(entry.startPs, startPs);
    entry.tailPs = std::max(entry.tailPs, tailPs);
}

void
SwitchReduction::OnContribution(uint32_t port, PacketUnit& unit)
{
    uint32_t number = unit.flowHash;
    Entry& entry = m_entries[number];
    NS_ABORT_MSG_IF(!entry.inUse || entry.missing == 0 || entry.arrived[port] || unit.payloadBytes != entry.bytes,
                    "a contribution that no reduction waits for");
    entry.arrived[port] = true;
    entry.missing--;
    Consume(entry, unit);
    // taken out of the buffer as the adder goes along
    int64_t endPs = m_settings.bitRate == 0 ? unit.tailPs : std::max(unit.tailPs, m_adderFreePs);
    m_host.FreeInput(port, unit.channel, unit.wireBytes, endPs - m_context.kernel->NowPs());
    if (entry.missing != 0)
    {
        m_context.units.Free(unit);
        return;
    }
    ScheduleResult(number, unit);
}

void
SwitchReduction::ScheduleResult(uint32_t number, PacketUnit& unit)
{
    // the last contribution's unit goes on as the result; its header is another one
    PacketUnitPool::DropPacket(unit);
    Entry& entry = m_entries[number];
    const FabricPort& out = m_host.GetPort(entry.port);
    unit.kind = UnitKind::REDUCE_RESULT;
    unit.source = NO_INDEX; // the destination is the GPU that asked
    unit.wireBytes = out.GetWireBytes(unit);
    unit.tailPs = entry.tailPs + m_settings.delayPs;
    entry.result = unit.index;
    int64_t startPs = std::max(entry.startPs + m_settings.delayPs, out.GetGaplessStartPs(unit));
    int64_t now = m_context.kernel->NowPs();
    startPs = std::max(startPs, now);
    NS_LOG_LOGIC("entry " << number << " is complete, its result may start in " << startPs - now << " ps");
    m_ready.emplace_back(startPs, number);
    m_context.kernel->Schedule(RecordKind::ARRIVAL, startPs - now, m_kernelPort, 0);
}

void
SwitchReduction::QueueResults()
{
    // those of one instant in the order in which they were asked for, whatever their entries' numbers
    int64_t now = m_context.kernel->NowPs();
    auto due = std::partition(m_ready.begin(), m_ready.end(), [now](const auto& ready) { return ready.first > now; });
    std::sort(due, m_ready.end(), [this](const auto& a, const auto& b) { return m_entries[a.second].order < m_entries[b.second].order; });
    for (auto ready = due; ready != m_ready.end(); ++ready)
    {
        Entry& entry = m_entries[ready->second];
        entry.queued = true;
        m_host.QueueResult(entry.port, m_context.units.Get(entry.result));
        entry.result = NO_INDEX;
    }
    m_ready.erase(due, m_ready.end());
}

void
SwitchReduction::OnResultLeaves(const PacketUnit& unit, int64_t txPs)
{
    m_context.kernel->Schedule(RecordKind::CREDIT, txPs, m_kernelPort, unit.flowHash);
}

void
SwitchReduction::Free(uint32_t number)
{
    Entry& entry = m_entries[number];
    entry.inUse = false;
    m_usedEntries--;
    m_usedBytes -= entry.bytes;
    m_host.OnTableUse(m_usedBytes);
    NS_LOG_LOGIC("entry " << number << " is free, " << m_usedBytes << " B of the table are taken");
    m_freeEntries.push_back(number);
}

void
SwitchReduction::OnRecord(RecordKind kind, uint32_t /* port */, uint32_t argument)
{
    if (kind == RecordKind::CREDIT)
    {
        Free(argument);
        AdmitWaiting();
        return;
    }
    NS_ABORT_MSG_IF(kind != RecordKind::ARRIVAL, "a reduction has no records of kind " << static_cast<int>(kind));
    QueueResults();
}

void
SwitchReduction::DescribeBlocked(std::vector<std::string>& lines) const
{
    uint32_t requests = 0;
    for (uint32_t unit = m_waiting.head; unit != NO_INDEX; unit = m_context.units.Get(unit).next)
    {
        requests++;
    }
    if (requests != 0)
    {
        std::ostringstream line;
        line << requests << " reduction requests wait for room in the table: " << m_usedBytes << " of " << m_settings.tableBytes
             << " B taken by " << m_usedEntries << " results";
        lines.push_back(line.str());
    }
    for (const Entry& entry : m_entries)
    {
        if (entry.inUse && entry.missing != 0)
        {
            std::ostringstream line;
            line << "a reduction of " << entry.bytes << " B that port " << entry.port << " asked for waits for " << entry.missing
                 << " contributions";
            lines.push_back(line.str());
        }
    }
}

void
SwitchReduction::GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const
{
    // who waits for room waits for every result that takes some: for the port where it is to leave, or for the members that have not answered
    std::vector<uint32_t> waitsFor;
    for (const Entry& entry : m_entries)
    {
        if (!entry.inUse)
        {
            continue;
        }
        if (entry.queued)
        {
            waitsFor.push_back(m_host.GetPort(entry.port).GetId());
            continue;
        }
        for (uint32_t member : m_context.groups.GetMembers(entry.group))
        {
            uint32_t port = m_host.FindOutput(member, entry.port);
            if (!entry.arrived[port])
            {
                waitsFor.push_back(m_host.GetPort(port).GetPeer()->GetId());
            }
        }
    }
    for (uint32_t unit = m_waiting.head; unit != NO_INDEX; unit = m_context.units.Get(unit).next)
    {
        uint32_t sender = m_host.GetPort(m_context.units.Get(unit).ingress).GetPeer()->GetId();
        for (uint32_t other : waitsFor)
        {
            waits.emplace_back(sender, other);
        }
    }
}

} // namespace hbd
} // namespace ns3
