/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-swift.h"

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

NS_OBJECT_ENSURE_REGISTERED(Swift);

namespace
{

/// A decrease that long ago, in picoseconds, allows another whatever the round trip: what is saved of it is bounded.
constexpr int64_t LONG_AGO_PS = 10000000000;

} // namespace

TypeId
Swift::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::Swift")
            .SetParent<CongestionControl>()
            .SetGroupName("Hbd")
            .AddConstructor<Swift>()
            .AddAttribute(
                "BaseTarget",
                "Target delay of a large window without hop scaling; 0 = BaseTargetRtts round trips. Google's "
                "values, tens of us, include slower hosts and longer ways.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&Swift::m_baseTarget),
                MakeTimeChecker(Time(0)))
            .AddAttribute("BaseTargetRtts",
                          "The same in round trips of the queue pair's way when empty. Default: an assumption.",
                          DoubleValue(2),
                          MakeDoubleAccessor(&Swift::m_baseTargetRtts),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("HopScale",
                          "Target delay for each Ethernet link of the way. Default: none, because a target in round "
                          "trips grows with the way; an assumption.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Swift::m_hopScale),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScaleRange",
                          "Most that small windows add to the target (fs_range), in base targets. Default: an "
                          "assumption.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Swift::m_flowScaleRange),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("FlowScaleMinWindow",
                          "cwnd in packets from which down the whole range is added. Default: an assumption.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&Swift::m_flowScaleMin),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("FlowScaleMaxWindow",
                          "cwnd in packets from which up nothing is added. Default: an assumption.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&Swift::m_flowScaleMax),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("AdditiveIncrease",
                          "Packets per round trip (ai). Not published; an assumption.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Swift::m_additive),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Beta",
                          "Multiplicative decrease by the share of the delay above the target. Not published; as "
                          "TIMELY's.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Swift::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxMdf",
                          "Most that one decrease takes of the window (max_mdf). Not published; an assumption.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Swift::m_maxMdf),
                          MakeDoubleChecker<double>(0, 0.99))
            .AddAttribute("MinWindow",
                          "Least cwnd in packets. Default: Kumar et al. speak of windows as small as 0.001.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&Swift::m_minWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("RetxResetThreshold",
                          "Timeouts in a row that leave MinWindow. Not published; an assumption.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Swift::m_retxReset),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
Swift::Setup(const CongestionSetup& setup)
{
    if (setup.baseRttPs <= 0 && m_baseTarget.IsZero())
    {
        throw std::invalid_argument("Swift needs the round trip of an empty fabric, or a BaseTarget");
    }
    if (m_flowScaleMin >= m_flowScaleMax)
    {
        throw std::invalid_argument("Swift's FlowScaleMinWindow is not below its FlowScaleMaxWindow");
    }
    m_lineBitRate = setup.lineBitRate;
    m_transportWindow = setup.windowBytes;
    m_mtu = setup.mtu;
    double basePs = m_baseTarget.IsZero() ? m_baseTargetRtts * static_cast<double>(setup.baseRttPs)
                                          : static_cast<double>(m_baseTarget.GetPicoSeconds());
    m_baseRttPs = setup.baseRttPs > 0 ? setup.baseRttPs : m_baseTarget.GetPicoSeconds();
    m_fixedTargetPs = basePs + static_cast<double>(setup.hops * m_hopScale.GetPicoSeconds());
    m_rangePs = m_flowScaleRange * basePs;
    m_scaleA = m_rangePs / (1 / std::sqrt(m_flowScaleMin) - 1 / std::sqrt(m_flowScaleMax));
    m_scaleB = -m_scaleA / std::sqrt(m_flowScaleMax);
    m_most = std::max(static_cast<double>(m_transportWindow) / m_mtu, m_minWindow);
    double product = static_cast<double>(m_lineBitRate) * static_cast<double>(m_baseRttPs) / 8e12 / m_mtu;
    m_first = std::min(std::max(product, 1.0), m_most);
    RestoreState(setup.nowPs, nullptr, 0);
}

double
Swift::GetTargetPs() const
{
    double flow = std::min(m_scaleA / std::sqrt(m_cwnd) + m_scaleB, m_rangePs);
    return m_fixedTargetPs + std::max(0.0, flow);
}

uint64_t
Swift::GetWindowBytes() const
{
    return static_cast<uint64_t>(m_cwnd * m_mtu);
}

uint64_t
Swift::GetBitRate() const
{
    double rate = m_cwnd * m_mtu * 8e12 / static_cast<double>(m_rttPs);
    return static_cast<uint64_t>(std::min(rate, static_cast<double>(m_lineBitRate)));
}

int64_t
Swift::OnSend(int64_t /* nowPs */, uint32_t wireBytes)
{
    if (m_cwnd >= 1)
    {
        return 0;
    }
    double packets = std::max(1.0, std::floor(static_cast<double>(wireBytes) / m_mtu));
    return static_cast<int64_t>(std::ceil(packets * static_cast<double>(m_rttPs) / m_cwnd));
}

bool
Swift::CanDecrease(int64_t nowPs) const
{
    return nowPs - m_decreasePs >= std::min(m_rttPs, LONG_AGO_PS);
}

void
Swift::SetWindow(int64_t nowPs, double cwnd)
{
    cwnd = std::min(std::max(cwnd, m_minWindow), m_most);
    if (cwnd < m_cwnd)
    {
        m_decreasePs = nowPs;
    }
    uint64_t before = GetWindowBytes();
    m_cwnd = cwnd;
    if (GetWindowBytes() != before)
    {
        m_windowTrace(before, GetWindowBytes());
    }
}

void
Swift::OnAck(const CongestionAck& ack)
{
    m_timeouts = 0;
    if (ack.rttPs <= 0)
    {
        return; // sent twice: no delay is known
    }
    m_rttPs = ack.rttPs;
    auto delay = static_cast<double>(ack.rttPs);
    double target = GetTargetPs();
    if (delay < target)
    {
        double acked = static_cast<double>(ack.bytes) / m_mtu;
        SetWindow(ack.nowPs, m_cwnd + m_additive * acked / std::max(m_cwnd, 1.0));
    }
    else if (CanDecrease(ack.nowPs))
    {
        SetWindow(ack.nowPs, m_cwnd * std::max(1 - m_beta * (delay - target) / delay, 1 - m_maxMdf));
    }
}

void
Swift::OnLoss(int64_t nowPs, bool timeout)
{
    m_timeouts = timeout ? m_timeouts + 1 : 0;
    if (m_timeouts >= m_retxReset)
    {
        SetWindow(nowPs, m_minWindow);
    }
    else if (CanDecrease(nowPs))
    {
        SetWindow(nowPs, m_cwnd * (1 - m_maxMdf));
    }
}

void
Swift::SaveState(int64_t nowPs, std::vector<uint32_t>& words) const
{
    int64_t sinceDecrease = std::min(nowPs - m_decreasePs, LONG_AGO_PS);
    if (m_cwnd == m_first && m_rttPs == m_baseRttPs && m_timeouts == 0 && sinceDecrease == LONG_AGO_PS)
    {
        return;
    }
    StateWriter(words).Put(m_cwnd).Put(m_rttPs).Put(sinceDecrease).Put(m_timeouts);
}

void
Swift::RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count)
{
    double cwnd = m_first;
    int64_t sinceDecrease = LONG_AGO_PS;
    m_rttPs = m_baseRttPs;
    m_timeouts = 0;
    if (count != 0)
    {
        StateReader(words).Get(cwnd).Get(m_rttPs).Get(sinceDecrease).Get(m_timeouts);
    }
    SetWindow(nowPs, cwnd);
    m_decreasePs = nowPs - sinceDecrease;
}

} // namespace hbd
} // namespace ns3
