/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-credit-port.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdCreditPort");

NS_OBJECT_ENSURE_REGISTERED(CreditPort);

TypeId
CreditPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::CreditPort")
            .SetParent<FabricPort>()
            .SetGroupName("Hbd")
            .AddAttribute("VirtualChannels",
                          "Virtual channels of the link, each with its own credits.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(2),
                          MakeUintegerAccessor(&CreditPort::m_virtualChannels),
                          MakeUintegerChecker<uint32_t>(1, 8))
            .AddAttribute("CreditWindow",
                          "Receive buffer of this port per virtual channel, in wire bytes. Depths are not published; 1 MiB is a "
                          "declared candidate.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&CreditPort::m_window),
                          MakeUintegerChecker<uint32_t>(64, 1 << 27))
            .AddAttribute("CreditDelay",
                          "Time from a freed buffer to a usable credit at the sender, propagation excluded. Not published; an "
                          "assumption.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          TimeValue(NanoSeconds(50)),
                          MakeTimeAccessor(&CreditPort::m_creditDelay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
CreditPort::Start()
{
    FabricPort::Start();
    auto peer = dynamic_cast<CreditPort*>(GetPeer());
    NS_ABORT_MSG_IF(!peer, "the other end of a credit link is no credit port");
    NS_ABORT_MSG_IF(peer->m_virtualChannels != m_virtualChannels, "both ends of a link need the same VirtualChannels");
    m_creditDelayPs = m_creditDelay.GetPicoSeconds();
    m_credits.assign(m_virtualChannels, peer->m_window);
}

void
CreditPort::CheckPacketFits(uint32_t packetBytes) const
{
    uint32_t window = static_cast<const CreditPort*>(GetPeer())->m_window;
    if (packetBytes > window)
    {
        throw std::invalid_argument("a CreditWindow of " + std::to_string(window) +
                                    " B never takes a full packet of this " + GetInstanceTypeId().GetName() +
                                    ", which is " + std::to_string(packetBytes) + " B on the wire");
    }
}

void
CreditPort::NoteStall(uint8_t accountingClass)
{
    if (m_stalledSincePs < 0)
    {
        NS_LOG_LOGIC("port " << GetId() << " waits for credit");
        m_stalledSincePs = m_context->kernel->NowPs();
        m_stalledClass = accountingClass;
    }
}

void
CreditPort::ReturnCredit(uint32_t channel, uint32_t wireBytes, int64_t extraPs)
{
    m_context->kernel->Schedule(RecordKind::CREDIT,
                                extraPs + m_delayPs + m_creditDelayPs,
                                m_peer->GetId(),
                                channel << CHANNEL_SHIFT | wireBytes);
}

void
CreditPort::OnCredit(uint32_t argument)
{
    m_credits[argument >> CHANNEL_SHIFT] += argument & ((1U << CHANNEL_SHIFT) - 1);
    RequestArbitration();
}

int64_t
CreditPort::OnTransmit(PacketUnit& unit, int64_t /* txPs */)
{
    int64_t& credits = m_credits[unit.channel];
    credits -= unit.wireBytes;
    NS_ABORT_MSG_IF(credits < 0, "port " << GetId() << " sent " << -credits << " B more than it had credit for");
    if (m_stalledSincePs >= 0)
    {
        int64_t stalled = m_context->kernel->NowPs() - m_stalledSincePs;
        NS_LOG_LOGIC("port " << GetId() << " sends again after " << stalled << " ps without credit");
        m_context->statistics.sums[GetSums(m_stalledClass) + PORT_STALL_PS] += static_cast<uint64_t>(stalled);
        m_stalledSincePs = -1;
    }
    return 0;
}

bool
CreditPort::IsIdle() const
{
    auto peer = static_cast<const CreditPort*>(GetPeer());
    for (int64_t credits : m_credits)
    {
        if (credits != static_cast<int64_t>(peer->m_window))
        {
            return false;
        }
    }
    return !IsBusy();
}

} // namespace hbd
} // namespace ns3
