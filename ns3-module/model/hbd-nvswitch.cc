/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-nvswitch.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdNvSwitch");

NS_OBJECT_ENSURE_REGISTERED(NvSwitch);

TypeId
NvSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::NvSwitch")
            .SetParent<Object>()
            .SetGroupName("Hbd")
            .AddConstructor<NvSwitch>()
            .AddAttribute("PathChoice",
                          "How a unit's way to another switch is chosen among several of two tiers: round-robin (each input takes them in turn for "
                          "each leaf), hash (of source, destination and the unit's place in its message) or least-queued (fewest bytes waiting, "
                          "ties in turn). Not published for real chips; an assumption.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          StringValue("round-robin"),
                          MakeStringAccessor(&NvSwitch::m_pathChoiceName),
                          MakeStringChecker())
            .AddAttribute("KeepPointers",
                          "Whether the round-robin pointers of an output outlive the moment in which nothing waits for it. False: they "
                          "start again at the first input, so that equal traffic is served equally every time. The arbiters of real "
                          "chips are not public; an assumption. It only decides ties of units that reach an idle output together.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          BooleanValue(false),
                          MakeBooleanAccessor(&NvSwitch::m_keepPointers),
                          MakeBooleanChecker())
            .AddAttribute("ReductionRate",
                          "Payload of contributions that the chip's adders take, in bits a second over all ports; 0 = as fast as the links bring "
                          "them. Not published; an assumption, half to all of the sum of the ports' rates is plausible.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&NvSwitch::m_reductionRate),
                          MakeDataRateChecker())
            .AddAttribute("ReductionTableSize",
                          "Payload, in bytes, of all results that the chip is summing at a time: requests beyond wait. Not published; an "
                          "assumption, 64 KiB to 8 MiB are plausible (line rate times the round trip to the GPUs takes about 100 KB).",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&NvSwitch::m_reductionTable),
                          MakeUintegerChecker<uint32_t>(16, 1 << 26))
            .AddAttribute("GroupUnitSize",
                          "Most payload, in bytes, of a simulation unit of a multicast or of a sum; at least one packet. All members of a group work on one "
                          "message, and what they share - the table of sums, the input buffer that a multicast leaves only with its last copy - takes turns by "
                          "the unit, so that these are smaller than those of writes: 4 KiB come within 4 % of single packets when a board of 8 GPUs sums and "
                          "multicasts at the same time, 16 KiB within 15 %.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(4096),
                          MakeUintegerAccessor(&NvSwitch::m_groupUnit),
                          MakeUintegerChecker<uint32_t>(1, 1 << 26))
            .AddAttribute("ReductionDelay",
                          "Time from the head of the last contribution to the head of the result, beside the chip's forwarding latency. Not "
                          "published; an assumption, 0 to 200 ns are plausible.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          TimeValue(NanoSeconds(50)),
                          MakeTimeAccessor(&NvSwitch::m_reductionDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MulticastGroups",
                          "Groups that the table of a chip takes; the chips of a domain hold the same ones. Not published; an assumption, 64 to "
                          "4096 are plausible.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(1024),
                          MakeUintegerAccessor(&NvSwitch::m_multicastGroups),
                          MakeUintegerChecker<uint32_t>(0, 1 << 20))
            .AddTraceSource("ReductionTable",
                            "The use of the table of sums has changed: payload, in bytes, of all results that were asked for and have not left.",
                            MakeTraceSourceAccessor(&NvSwitch::m_tableTrace),
                            "ns3::hbd::NvSwitch::TableTracedCallback");
    return tid;
}

void
NvSwitch::DoDispose()
{
    m_reduction.reset();
    m_ports.clear();
    Object::DoDispose();
}

void
NvSwitch::Setup(FabricContext& context,
                const std::vector<Ptr<NvlinkDevice>>& ports,
                const NvSwitchTable& table)
{
    m_context = &context;
    m_ports = ports;
    m_table = table;
    SetupPaths();
    m_channels = ports.front()->GetVirtualChannels();
    m_inputs = static_cast<uint32_t>(ports.size()) + 1;
    m_outputs.resize(ports.size() * m_channels);
    for (auto& output : m_outputs)
    {
        output.queues.resize(m_inputs);
        output.waiting.assign((m_inputs + 63) / 64, 0);
    }
    m_channelPointer.assign(ports.size(), 0);
    if (m_reductionTable < ports.front()->GetPacketPayload())
    {
        throw std::invalid_argument("a ReductionTableSize of " + std::to_string(m_reductionTable) +
                                    " B takes no full packet, whose payload is " + std::to_string(ports.front()->GetPacketPayload()) + " B");
    }
    SwitchReduction::Settings settings;
    settings.bitRate = m_reductionRate.GetBitRate();
    settings.tableBytes = m_reductionTable;
    settings.delayPs = m_reductionDelay.GetPicoSeconds();
    SwitchReductionHost& host = *this;
    NS_LOG_DEBUG("a chip of " << ports.size() << " ports, its table of sums takes " << m_reductionTable << " B");
    m_reduction = std::make_unique<SwitchReduction>(context, host, settings, static_cast<uint32_t>(ports.size()));
}

void
NvSwitch::ReceiveUnit(uint32_t port, PacketUnit& unit)
{
    if (unit.kind >= UnitKind::MULTICAST)
    {
        ReceiveForGroup(port, unit);
        return;
    }
    Forward(port, unit);
}

void
NvSwitch::Queue(uint32_t output, uint32_t input, PacketUnit& unit)
{
    NvlinkDevice& out = *m_ports[output];
    OutputChannel& channel = GetChannel(output, unit.channel);
    channel.queues[input].Push(m_context->units, unit);
    channel.waiting[input / 64] |= 1ULL << (input % 64);
    channel.units++;
    out.AddQueued(unit, unit.wireBytes);
    out.RequestArbitration();
}

uint32_t
NvSwitch::SelectInput(const OutputChannel& channel) const
{
    auto words = static_cast<uint32_t>(channel.waiting.size());
    uint32_t word = channel.pointer / 64;
    uint64_t bits = channel.waiting[word] & (~0ULL << (channel.pointer % 64));
    for (uint32_t i = 0; i <= words; i++)
    {
        if (bits != 0)
        {
            return word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
        }
        word = word + 1 == words ? 0 : word + 1;
        bits = channel.waiting[word];
    }
    return NO_INDEX;
}

void
NvSwitch::Arbitrate(uint32_t port)
{
    NvlinkDevice& out = *m_ports[port];
    for (uint32_t i = 0; i < m_channels; i++)
    {
        uint32_t number = (m_channelPointer[port] + i) % m_channels;
        OutputChannel& channel = GetChannel(port, number);
        if (channel.units == 0)
        {
            continue;
        }
        uint32_t input = SelectInput(channel);
        const PacketUnit& unit = channel.queues[input].Front(m_context->units);
        if (!out.HasCredit(number, out.GetWireBytes(unit)))
        {
            out.NoteStall(unit.accounting);
            continue;
        }
        m_channelPointer[port] = (number + 1) % m_channels;
        SendFrom(port, number, input);
        return;
    }
}

void
NvSwitch::SendFrom(uint32_t output, uint32_t number, uint32_t input)
{
    OutputChannel& channel = GetChannel(output, number);
    PacketUnit& unit = channel.queues[input].Pop(m_context->units);
    channel.units--;
    if (channel.queues[input].IsEmpty())
    {
        channel.waiting[input / 64] &= ~(1ULL << (input % 64));
    }
    channel.pointer = input + 1 == m_inputs || (channel.units == 0 && !m_keepPointers) ? 0 : input + 1;
    NvlinkDevice& out = *m_ports[output];
    uint32_t freed = unit.wireBytes;
    out.AddQueued(unit, -static_cast<int64_t>(freed));
    out.Transmit(unit);
    Release(input, unit, freed, out.GetBusyUntilPs() - m_context->kernel->NowPs());
}

void
NvSwitch::SetPointer(uint32_t output, uint32_t channel, uint32_t input)
{
    GetChannel(output, channel).pointer = input;
}

void
NvSwitch::SaveState(std::vector<uint32_t>& words) const
{
    for (const auto& output : m_outputs)
    {
        words.push_back(output.pointer);
    }
    words.insert(words.end(), m_channelPointer.begin(), m_channelPointer.end());
}

void
NvSwitch::RestoreState(const uint32_t*& words)
{
    for (auto& output : m_outputs)
    {
        output.pointer = *words++;
    }
    for (auto& pointer : m_channelPointer)
    {
        pointer = *words++;
    }
}

bool
NvSwitch::IsDrained() const
{
    for (const auto& output : m_outputs)
    {
        if (output.units != 0)
        {
            return false;
        }
    }
    for (const auto& port : m_ports)
    {
        if (!port->IsIdle())
        {
            return false;
        }
    }
    return m_replication.GetInUse() == 0 && m_reduction->IsDrained();
}

uint64_t
NvSwitch::GetQueuedBytes(const OutputChannel& channel) const
{
    uint64_t bytes = 0;
    for (const auto& queue : channel.queues)
    {
        for (uint32_t unit = queue.head; unit != NO_INDEX; unit = m_context->units.Get(unit).next)
        {
            bytes += m_context->units.Get(unit).wireBytes;
        }
    }
    return bytes;
}

void
NvSwitch::DescribeBlocked(std::vector<std::string>& lines) const
{
    for (uint32_t port = 0; port < m_ports.size(); port++)
    {
        for (uint32_t number = 0; number < m_channels; number++)
        {
            const OutputChannel& channel = GetChannel(port, number);
            if (channel.units != 0)
            {
                std::ostringstream line;
                line << "switch output " << port << " (port " << m_ports[port]->GetId() << "), virtual channel " << number << ": "
                     << channel.units << " units, " << GetQueuedBytes(channel) << " B wait for credit";
                lines.push_back(line.str());
            }
        }
    }
    m_reduction->DescribeBlocked(lines);
}

void
NvSwitch::GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const
{
    // what waits at an output holds the buffers of its inputs: the senders there wait for this output
    for (uint32_t port = 0; port < m_ports.size(); port++)
    {
        for (uint32_t number = 0; number < m_channels; number++)
        {
            const OutputChannel& channel = GetChannel(port, number);
            for (uint32_t input = 0; input < m_ports.size(); input++) // results hold no buffer of an input
            {
                if (!channel.queues[input].IsEmpty())
                {
                    waits.emplace_back(m_ports[input]->GetPeer()->GetId(), m_ports[port]->GetId());
                }
            }
        }
    }
    m_reduction->GetWaits(waits);
}

} // namespace hbd
} // namespace ns3
