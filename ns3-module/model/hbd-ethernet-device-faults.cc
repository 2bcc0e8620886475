/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ethernet-device.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{
namespace hbd
{

// The half of EthernetDevice that loses packets; hbd-ethernet-device.cc sends them.

NS_LOG_COMPONENT_DEFINE("HbdEthernetDeviceFaults");

void
EthernetDevice::SetLossRate(double rate)
{
    m_lossRate = rate;
    RefreshRandom();
}

void
EthernetDevice::SetCorruptionRate(double rate)
{
    m_corruptionRate = rate;
    RefreshRandom();
}

void
EthernetDevice::RefreshRandom()
{
    if (m_lossRate > 0 || m_corruptionRate > 0)
    {
        NS_ABORT_MSG_IF(m_ethernet && !m_context->mayLose,
                        "a LossRate or CorruptionRate is set in a fabric that was built without");
        if (!m_random)
        {
            m_random = CreateObject<UniformRandomVariable>();
            AssignStreams(m_stream);
        }
    }
}

int64_t
EthernetDevice::AssignStreams(int64_t stream)
{
    m_stream = stream;
    if (m_random && stream >= 0)
    {
        m_random->SetStream(stream);
    }
    return 1;
}

void
EthernetDevice::SetRate(DataRate rate)
{
    ChangeRate(rate);
    m_pausePs = GetTxTimePs(static_cast<uint64_t>(m_quanta) * 64);
}

void
EthernetDevice::SetUp(bool up)
{
    if (m_up == up)
    {
        return;
    }
    NS_ABORT_MSG_IF(!m_tracking, "port " << GetId() << " does not remember what is on its link");
    NS_LOG_INFO("the link of port " << GetId() << (up ? " comes up" : " goes down"));
    m_up = up;
    if (up)
    {
        m_pending = m_pausing;
        RequestArbitration();
    }
    else
    {
        LoseFlight();
        EndPauses();
    }
    m_ethernet->OnLinkChange(m_index);
    m_linkChange();
}

void
EthernetDevice::EndPauses()
{
    for (uint32_t priority = 0; priority < ETHERNET_PRIORITIES; priority++)
    {
        if (m_paused >> priority & 1)
        {
            m_context->kernel->CancelTimer(m_expiry[priority]);
        }
    }
    m_paused = 0;
    m_pending = 0;
    if (m_pausedSincePs >= 0)
    {
        int64_t paused = m_context->kernel->NowPs() - m_pausedSincePs;
        m_context->statistics.sums[GetSums(m_pausedClass) + PORT_PAUSE_PS] += static_cast<uint64_t>(paused);
        m_pausedSincePs = -1;
    }
    RequestArbitration();
}

void
EthernetDevice::PushFlight(const PacketUnit& unit)
{
    if (m_flightTail - m_flightHead == m_flight.size())
    {
        std::vector<Flight> larger(std::max<size_t>(16, m_flight.size() * 2));
        for (uint64_t i = m_flightHead; i < m_flightTail; i++)
        {
            larger[i & (larger.size() - 1)] = m_flight[i & (m_flight.size() - 1)];
        }
        m_flight.swap(larger);
    }
    m_flight[m_flightTail++ & (m_flight.size() - 1)] = Flight{unit.index, !m_up};
}

bool
EthernetDevice::PopFlight()
{
    return m_flight[m_flightHead++ & (m_flight.size() - 1)].lost; // units arrive in the order in which they were sent
}

void
EthernetDevice::LoseFlight()
{
    int64_t now = m_context->kernel->NowPs();
    for (uint64_t i = m_flightHead; i < m_flightTail; i++)
    {
        Flight& flight = m_flight[i & (m_flight.size() - 1)];
        // what has come out of the cable is safe, whatever the other end still does with it
        bool out = m_context->units.Get(flight.unit).tailPs - m_peer->GetProcessingDelayPs() <= now;
        flight.lost = flight.lost || !out;
    }
}

bool
EthernetDevice::Draw(double probability)
{
    if (probability <= 0)
    {
        return false;
    }
    m_context->randomDraws++;
    return m_random->GetValue(0, 1) < probability;
}

bool
EthernetDevice::LoseArriving(PacketUnit& unit)
{
    if (unit.flags & UNIT_HELD)
    {
        return false; // it arrived before
    }
    auto sender = static_cast<EthernetDevice*>(m_peer);
    bool gone = sender->m_tracking && sender->PopFlight();
    bool lost = sender->Draw(sender->m_lossRate);
    bool corrupt = sender->Draw(sender->m_corruptionRate);
    if (gone || lost)
    {
        sender->Drop(unit);
        return true;
    }
    if (corrupt)
    {
        m_context->statistics.sums[GetSums(unit.accounting) + PORT_RECEIVE_ERRORS] += unit.packets;
        Drop(unit);
    }
    return corrupt;
}

bool
EthernetDevice::IsLinkUp() const
{
    return FabricPort::IsLinkUp() && m_up;
}

void
EthernetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

} // namespace hbd
} // namespace ns3
