/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-hpcc.h"

#include "hbd-state-words.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(Hpcc);

TypeId
Hpcc::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::Hpcc")
                            .SetParent<CongestionControl>()
                            .SetGroupName("Hbd")
                            .AddConstructor<Hpcc>()
                            .AddAttribute("Eta",
                                          "Target utilisation of the busiest link. Default: Li et al., section 5.1.",
                                          DoubleValue(0.95),
                                          MakeDoubleAccessor(&Hpcc::m_eta),
                                          MakeDoubleChecker<double>(0.01, 1))
                            .AddAttribute("MaxStage",
                                          "Additive increases of the reference window before a multiplicative one. "
                                          "Default: Li et al., section 5.1.",
                                          UintegerValue(5),
                                          MakeUintegerAccessor(&Hpcc::m_maxStage),
                                          MakeUintegerChecker<uint32_t>())
                            .AddAttribute("AdditiveIncrease",
                                          "W_AI, bytes: with n flows on a link, n W_AI beyond Eta are under way on it. "
                                          "Default: Li et al., section 5.1.",
                                          DoubleValue(80),
                                          MakeDoubleAccessor(&Hpcc::m_additive),
                                          MakeDoubleChecker<double>(1e-3))
                            .AddAttribute("BaseRtt",
                                          "T, the round trip on an empty fabric; 0 = that of the queue pair's own way. "
                                          "The paper takes one T for all, slightly above the largest.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&Hpcc::m_baseRtt),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
Hpcc::Setup(const CongestionSetup& setup)
{
    int64_t rttPs = m_baseRtt.IsZero() ? setup.baseRttPs : m_baseRtt.GetPicoSeconds();
    if (rttPs <= 0)
    {
        throw std::invalid_argument("HPCC needs the round trip of an empty fabric: set BaseRtt");
    }
    m_transportWindow = setup.windowBytes;
    m_lineBitRate = setup.lineBitRate;
    m_rttPs = static_cast<double>(rttPs);
    m_first = static_cast<double>(m_lineBitRate) * m_rttPs / 8e12;
    RestoreState(setup.nowPs, nullptr, 0);
}

uint64_t
Hpcc::GetWindowBytes() const
{
    return std::min(m_transportWindow, static_cast<uint64_t>(m_window));
}

uint64_t
Hpcc::GetBitRate() const
{
    return m_window >= m_first ? m_lineBitRate : static_cast<uint64_t>(m_window * 8e12 / m_rttPs);
}

int64_t
Hpcc::OnSend(int64_t /* nowPs */, uint32_t wireBytes)
{
    return m_window >= m_first ? 0 : static_cast<int64_t>(std::ceil(wireBytes * m_rttPs / m_window));
}

bool
Hpcc::IsSameWay(const Telemetry& telemetry) const
{
    return telemetry.hops == m_last.hops &&
           std::equal(telemetry.hop.begin(),
                      telemetry.hop.begin() + telemetry.hops,
                      m_last.hop.begin(),
                      [](const TelemetryHop& a, const TelemetryHop& b) { return a.port == b.port; });
}

bool
Hpcc::MeasureInflight(const Telemetry& telemetry)
{
    double most = -1;
    double tauPs = 0;
    for (uint32_t i = 0; i < telemetry.hops; i++)
    {
        const TelemetryHop& now = telemetry.hop[i];
        const TelemetryHop& before = m_last.hop[i];
        if (now.timePs <= before.timePs)
        {
            continue; // overtaken: nothing can be said of the time between
        }
        auto elapsedPs = static_cast<double>(now.timePs - before.timePs);
        auto bitRate = static_cast<double>(now.bitRate);
        double txBitRate = static_cast<double>(now.txBytes - before.txBytes) * 8e12 / elapsedPs;
        auto queue = static_cast<double>(std::min(now.queueBytes, before.queueBytes));
        double u = queue * 8e12 / (bitRate * m_rttPs) + txBitRate / bitRate;
        if (u > most)
        {
            most = u;
            tauPs = elapsedPs;
        }
    }
    if (most < 0)
    {
        return false;
    }
    double share = std::min(tauPs, m_rttPs) / m_rttPs;
    m_utilization = (1 - share) * m_utilization + share * most;
    return true;
}

void
Hpcc::ComputeWindow(bool updateReference)
{
    bool multiplicative = m_utilization >= m_eta || m_stage >= m_maxStage;
    double window = (multiplicative ? m_reference / (m_utilization / m_eta) : m_reference) + m_additive;
    window = std::min(window, m_first); // also when U is 0
    if (updateReference)
    {
        m_stage = multiplicative ? 0 : m_stage + 1;
        m_reference = window;
    }
    SetWindow(window);
}

void
Hpcc::SetWindow(double window)
{
    uint64_t oldBytes = GetWindowBytes();
    uint64_t oldRate = GetBitRate();
    m_window = window;
    if (GetWindowBytes() != oldBytes)
    {
        m_windowTrace(oldBytes, GetWindowBytes());
    }
    if (GetBitRate() != oldRate)
    {
        m_rateTrace(oldRate, GetBitRate());
    }
}

void
Hpcc::OnAck(const CongestionAck& ack)
{
    if (ack.telemetry != nullptr && ack.telemetry->hops != 0)
    {
        bool update = ack.acked > m_lastUpdate;
        if (IsSameWay(*ack.telemetry) && MeasureInflight(*ack.telemetry))
        {
            ComputeWindow(update);
            m_lastUpdate = update ? ack.sent : m_lastUpdate;
        }
        m_last = *ack.telemetry;
    }
}

void
Hpcc::OnRest()
{
    m_last.hops = 0;
}

void
Hpcc::SaveState(int64_t /* nowPs */, std::vector<uint32_t>& words) const
{
    if (m_window == m_first && m_reference == m_first && m_utilization == 0 && m_stage == 0)
    {
        return;
    }
    StateWriter(words).Put(m_window).Put(m_reference).Put(m_utilization).Put(m_stage);
}

void
Hpcc::RestoreState(int64_t /* nowPs */, const uint32_t* words, uint32_t count)
{
    double window = m_first;
    m_reference = m_first;
    m_utilization = 0;
    m_stage = 0;
    m_lastUpdate = 0;
    m_last.hops = 0;
    if (count != 0)
    {
        StateReader(words).Get(window).Get(m_reference).Get(m_utilization).Get(m_stage);
    }
    SetWindow(window);
}

} // namespace hbd
} // namespace ns3
