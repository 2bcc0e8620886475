/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric-scale-out.h"
#include "hbd-fabric.h"
#include "hbd-ideal-bound.h"

#include "ns3/abort.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace hbd
{

// The half of Fabric that starts messages and sees their end; hbd-fabric.cc builds it.

namespace
{

/// A kind of message in an error message.
std::string
NameOf(MessageKind kind)
{
    switch (kind)
    {
    case MessageKind::READ:
        return "read";
    case MessageKind::MULTICAST:
        return "multicast";
    case MessageKind::REDUCE:
        return "reduction in switches";
    default:
        return "message";
    }
}

} // namespace

uint32_t
Fabric::GetBurstPackets(bool scaleOut, uint64_t bytes, uint32_t packetPayload) const
{
    if (scaleOut)
    {
        return FabricScaleOut::GetBurstPackets(*this, bytes);
    }
    auto device = static_cast<const NvlinkDevice*>(PeekPointer(m_linkPorts.front()));
    uint64_t links = m_config.scaleUp.GetLinksOfPair();
    uint64_t payload = device->GetPacketPayload(packetPayload);
    uint64_t flit = device->GetFlitBytes();
    uint64_t wire = (payload + flit - 1) / flit * flit + device->GetHeaderBytes();
    uint64_t packets = std::min({m_config.burstBytes / payload, bytes / (2 * links) / payload, device->GetCreditWindow() / 4 / wire});
    return static_cast<uint32_t>(std::max<uint64_t>(1, std::min<uint64_t>(packets, 60000)));
}

uint32_t
Fabric::GetBurstPackets(const Message& message) const
{
    uint64_t packets = GetBurstPackets(message.scaleOut, message.bytes, message.packetPayload);
    if (message.kind == MessageKind::WRITE)
    {
        return static_cast<uint32_t>(packets);
    }
    auto device = static_cast<const NvlinkDevice*>(PeekPointer(m_linkPorts.front()));
    uint64_t payload = device->GetPacketPayload(message.packetPayload);
    if (message.IsAsking())
    {
        uint64_t window = m_gpus[message.destination]->GetReadWindow();
        packets = std::min(packets, window == 0 ? packets : window / 4 / payload);
    }
    if (message.kind != MessageKind::READ)
    {
        uint64_t shared = std::min<uint64_t>(m_chip->GetReductionTableSize(), device->GetCreditWindow());
        packets = std::min<uint64_t>({packets, m_chip->GetGroupUnitSize() / payload, shared / 4 / payload});
    }
    return static_cast<uint32_t>(std::max<uint64_t>(1, packets));
}

int64_t
Fabric::GetIdealMessagePs(uint32_t source, uint32_t destination, uint64_t bytes, uint32_t packetPayload) const
{
    if (!SameDomain(source, destination))
    {
        return FabricScaleOut::GetIdealMessagePs(*this, source, destination, bytes);
    }
    auto device = static_cast<const NvlinkDevice*>(PeekPointer(m_linkPorts.front()));
    uint64_t payload = device->GetPacketPayload(packetPayload);
    uint64_t flit = device->GetFlitBytes();
    uint64_t links = std::max(1U, m_scaleUpRoutes->CountStripe(source, destination));
    uint64_t packets = bytes == 0 ? 1 : (bytes + payload - 1) / payload;
    uint64_t onLink = (packets + links - 1) / links;
    uint64_t fullWire = (payload + flit - 1) / flit * flit + device->GetHeaderBytes();
    uint64_t lastWire = (bytes - (packets - 1) * payload + flit - 1) / flit * flit + device->GetHeaderBytes();
    uint64_t wire = (onLink - 1) * fullWire + (packets % links == 1 || links == 1 ? lastWire : fullWire);
    // a switch sends on when it has the header
    int64_t hops = m_scaleUpRoutes->GetLinks(source, destination);
    int64_t headersPs = hops == 1 ? 0 : device->GetTxTimePs(device->GetHeaderBytes());
    if (hops == 4)
    {
        WideInteger bits = static_cast<WideInteger>(device->GetHeaderBytes()) * 8000000000000ULL;
        headersPs += 2 * static_cast<int64_t>(bits / m_config.scaleUp.trunkRate.GetBitRate());
    }
    return device->GetTxTimePs(wire) + headersPs + hops * device->GetDelayPs() + (hops - 1) * m_config.nvswitchDelay.GetPicoSeconds() +
           device->GetProcessingDelayPs();
}

int64_t
Fabric::GetIdealMessagePs(const Message& message) const
{
    if (message.kind == MessageKind::WRITE)
    {
        return GetIdealMessagePs(message.source, message.destination, message.bytes, message.packetPayload);
    }
    IdealTransfer transfer{message.source, message.destination, message.bytes};
    transfer.kind = message.kind;
    transfer.packetPayload = message.packetPayload;
    return m_idealBound->GetLatencyPs(transfer);
}

uint32_t
Fabric::Post(uint32_t source, uint32_t destination, uint64_t bytes, uint8_t accountingClass, uint64_t cookie)
{
    Posting posting;
    posting.issuer = source;
    posting.peer = destination;
    posting.bytes = bytes;
    posting.accounting = accountingClass;
    posting.cookie = cookie;
    return Post(posting);
}

uint32_t
Fabric::Post(const Posting& posting)
{
    m_context.kernel->NoteOutsideAction();
    return Launch(posting);
}

void
Fabric::CheckPosting(const Posting& posting) const
{
    std::string kind = NameOf(posting.kind);
    NS_ABORT_MSG_IF(posting.issuer >= m_graph.gpus, "there is no GPU " << posting.issuer << " that could issue a " << kind);
    if (posting.kind == MessageKind::WRITE || posting.kind == MessageKind::READ)
    {
        NS_ABORT_MSG_IF(posting.issuer == posting.peer || posting.peer >= m_graph.gpus,
                        "no " << kind << " from GPU " << posting.issuer << " to GPU " << posting.peer);
    }
    if (posting.kind == MessageKind::WRITE)
    {
        if (!SameDomain(posting.issuer, posting.peer) && !m_scaleOut[posting.issuer])
        {
            throw FabricError("GPU " + std::to_string(posting.issuer) + " has no path to GPU " + std::to_string(posting.peer) +
                              ": they are in different domains and there is no scale-out fabric");
        }
        CheckWay(posting.issuer, posting.peer);
        CheckScaleOutWay(posting.issuer, posting.peer);
        return;
    }
    std::string who = "GPU " + std::to_string(posting.issuer) + " cannot issue a " + kind;
    if (posting.kind == MessageKind::READ && !SameDomain(posting.issuer, posting.peer))
    {
        throw FabricError(who + " from GPU " + std::to_string(posting.peer) + ": they are in different domains");
    }
    if (posting.kind == MessageKind::READ)
    {
        CheckWay(posting.issuer, posting.peer);
    }
    auto link = DynamicCast<NvlinkDevice>(m_linkPorts.empty() ? nullptr : m_linkPorts.front());
    if (posting.kind != MessageKind::MULTICAST && link && link->GetVirtualChannels() <= REQUEST_CHANNEL)
    {
        throw FabricError(who + ": requests and answers need a virtual channel each, and VirtualChannels is " +
                          std::to_string(link->GetVirtualChannels()));
    }
}

void
Fabric::CheckWay(uint32_t source, uint32_t destination) const
{
    if (m_graph.broken.empty() || !SameDomain(source, destination))
    {
        return;
    }
    uint32_t broken = m_scaleUpRoutes->FindBroken(source, destination);
    std::string pair = "gpu" + std::to_string(source) + " and gpu" + std::to_string(destination);
    if (m_config.brokenFails && broken != FABRIC_NONE)
    {
        throw FabricError(m_graph.broken[broken] + " is down, and messages between " + pair + " would use it");
    }
    if (m_gpus[source]->GetStripe(destination).empty())
    {
        throw FabricError("there is no way left between " + pair + ": " + m_graph.broken[broken] + " and others are down");
    }
}

void
Fabric::CheckScaleOutWay(uint32_t source, uint32_t destination) const
{
    bool whole = SameDomain(source, destination) || m_idealBound->HasEthernetWay(source, destination);
    if (whole && (!m_faults || SameDomain(source, destination) || m_faults->HasWay(source, destination)))
    {
        return;
    }
    if (whole && m_faults->IsRepairDue())
    {
        return; // the transport tries again until then, or gives up
    }
    std::ostringstream text;
    text << "there is no way from gpu" << source << " to gpu" << destination << " at "
         << PicoSeconds(m_context.kernel->NowPs()).As(Time::US) << ": ";
    if (whole)
    {
        text << m_faults->DescribeDown() << " down";
    }
    else
    {
        text << "no links of the scale-out fabric lead from one's switch to the other's";
    }
    throw FabricError(text.str());
}

void
Fabric::CheckGroup(const Posting& posting) const
{
    const std::vector<uint32_t>& members = *posting.group;
    if (std::find(members.begin(), members.end(), posting.issuer) == members.end())
    {
        throw FabricError("GPU " + std::to_string(posting.issuer) + " cannot issue a " + NameOf(posting.kind) +
                          ": it is no member of the group itself");
    }
    if (m_graph.broken.empty())
    {
        return;
    }
    m_context.groups.Check(members); // there are ways between GPUs of one set of switches only
    for (uint32_t member : members)
    {
        if (member != posting.issuer)
        {
            CheckWay(posting.issuer, member);
        }
    }
}

void
Fabric::FillMessage(const Posting& posting, Message& message)
{
    message.kind = posting.kind;
    message.bytes = posting.bytes;
    message.postedPs = m_context.kernel->NowPs();
    message.cookie = posting.cookie;
    message.accounting = posting.accounting;
    message.channel = message.IsAsking() ? REQUEST_CHANNEL : DATA_CHANNEL;
    switch (posting.kind)
    {
    case MessageKind::WRITE:
        message.source = posting.issuer;
        message.destination = posting.peer;
        message.scaleOut = !SameDomain(posting.issuer, posting.peer);
        break;
    case MessageKind::READ:
        message.source = posting.peer;
        message.destination = posting.issuer;
        break;
    case MessageKind::MULTICAST:
        message.source = posting.issuer;
        message.destination = NO_INDEX;
        message.memberDelivered.assign(posting.group->size(), 0);
        break;
    case MessageKind::REDUCE:
        message.source = NO_INDEX;
        message.destination = posting.issuer;
        break;
    }
    // these are about how a GPU writes to its NVLinks
    message.copyRate = message.scaleOut ? 0 : posting.copyRate;
    message.packetPayload = message.scaleOut ? 0 : posting.packetPayload;
    message.burstPackets = GetBurstPackets(message);
}

uint32_t
Fabric::Launch(const Posting& posting)
{
    CheckPosting(posting);
    uint32_t group = 0;
    uint64_t copies = 1;
    if (posting.kind == MessageKind::MULTICAST || posting.kind == MessageKind::REDUCE)
    {
        CheckGroup(posting);
        group = m_context.groups.Register(*posting.group); // last: what is refused takes no room in the switches' tables
        copies = posting.kind == MessageKind::MULTICAST ? posting.group->size() - 1 : 1;
    }
    uint32_t slot = m_context.messages.Allocate();
    Message& message = m_context.messages[slot];
    message.group = group;
    FillMessage(posting, message);
    uint64_t* sums = &m_context.statistics.sums[m_context.globalSums];
    sums[SUM_BYTES_POSTED] += copies * posting.bytes;
    sums[SUM_MESSAGES_POSTED] += copies;
    Transport& transport = message.scaleOut ? *m_scaleOut[posting.issuer] : static_cast<Transport&>(*m_gpus[posting.issuer]);
    transport.Start(slot);
    return slot;
}

void
Fabric::OnDelivered(uint32_t message)
{
    if (m_context.messages[message].kind != MessageKind::MULTICAST)
    {
        m_context.statistics.sums[m_context.globalSums + SUM_MESSAGES_DELIVERED]++;
    }
    if (m_listener)
    {
        m_listener->OnDelivered(message);
    }
    m_context.messages.Free(message);
}

void
Fabric::OnCopyDelivered(uint32_t message, uint32_t gpu)
{
    m_context.statistics.sums[m_context.globalSums + SUM_MESSAGES_DELIVERED]++;
    if (m_listener)
    {
        m_listener->OnCopyDelivered(message, gpu);
    }
}

} // namespace hbd
} // namespace ns3
