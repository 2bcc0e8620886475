/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-timely.h"

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

NS_OBJECT_ENSURE_REGISTERED(Timely);

TypeId
Timely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::Timely")
            .SetParent<CongestionControl>()
            .SetGroupName("Hbd")
            .AddConstructor<Timely>()
            .AddAttribute("Alpha",
                          "Weight of the newest difference in the average. Default: 0.875, as in the comparison of Zhu "
                          "et al., ECN or Delay, CoNEXT 2016.",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&Timely::m_alpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "Multiplicative decrease factor. Default: Mittal et al.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Timely::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Delta",
                          "Additive increase step. Default: Mittal et al., for links of 10 Gb/s.",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&Timely::m_delta),
                          MakeDataRateChecker())
            .AddAttribute("LowThreshold",
                          "Tlow: below this round trip the rate always goes up. Default: Mittal et al.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&Timely::m_low),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HighThreshold",
                          "Thigh: above this round trip the rate always goes down. Default: Mittal et al.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&Timely::m_high),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HyperEvents",
                          "Completion events with a gradient of 0 or less in a row for hyperactive increase. Default: "
                          "Mittal et al.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Timely::m_hyperEvents),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HyperFactor",
                          "N of hyperactive increase. Default: Mittal et al.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Timely::m_hyperFactor),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Segment",
                          "Bytes that are sent at once, and payload bytes between completion events; a larger unit "
                          "counts whole. Default: the smallest of the 16 to 64 KB of Mittal et al.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&Timely::m_segment),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinRtt",
                          "Round trip that the gradient is a share of; 0 = that of the queue pair's way when empty. "
                          "Mittal et al. fix it for the data centre.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Timely::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("InitialRate",
                          "Rate of a new queue pair; 0 = the line rate, an assumption, as published simulators do. "
                          "Mittal et al.: the line rate by the number of active flows of the host.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Timely::m_initialRate),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Least rate. Default: one step of the paper, an assumption.",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&Timely::m_minRate),
                          MakeDataRateChecker());
    return tid;
}

void
Timely::Setup(const CongestionSetup& setup)
{
    int64_t rttPs = m_minRtt.IsZero() ? setup.baseRttPs : m_minRtt.GetPicoSeconds();
    if (rttPs <= 0)
    {
        throw std::invalid_argument("TIMELY needs the round trip of an empty fabric: set MinRtt");
    }
    if (m_low > m_high)
    {
        throw std::invalid_argument("TIMELY's LowThreshold is above its HighThreshold");
    }
    m_window = setup.windowBytes;
    m_lineBitRate = setup.lineBitRate;
    m_minRttPs = static_cast<double>(rttPs);
    uint64_t first = m_initialRate.GetBitRate() == 0 ? m_lineBitRate : m_initialRate.GetBitRate();
    m_first = static_cast<double>(std::min(first, m_lineBitRate));
    m_least = static_cast<double>(std::min(std::max<uint64_t>(m_minRate.GetBitRate(), 1), m_lineBitRate));
    m_rate = m_first;
    RestoreState(setup.nowPs, nullptr, 0);
}

uint64_t
Timely::GetWindowBytes() const
{
    return m_window;
}

uint64_t
Timely::GetBitRate() const
{
    return static_cast<uint64_t>(m_rate);
}

int64_t
Timely::OnSend(int64_t nowPs, uint32_t wireBytes)
{
    auto duration = [this](uint64_t bytes) {
        return static_cast<int64_t>(std::ceil(static_cast<double>(bytes) * 8e12 / m_rate));
    };
    if (m_sent == 0 || nowPs - m_segmentPs >= duration(m_sent))
    {
        m_sent = 0; // the rate has allowed for what was sent: a new segment
        m_segmentPs = nowPs;
    }
    m_sent += wireBytes;
    if (m_sent < m_segment)
    {
        return 0;
    }
    int64_t wait = m_segmentPs + duration(m_sent) - nowPs;
    m_sent = 0;
    return std::max<int64_t>(wait, 0);
}

void
Timely::OnAck(const CongestionAck& ack)
{
    m_acked += ack.bytes;
    if (m_acked < m_segment || ack.rttPs < 0)
    {
        return;
    }
    m_acked = 0;
    OnCompletion(static_cast<double>(ack.rttPs) - ack.unitBytes * 8e12 / static_cast<double>(m_lineBitRate));
}

void
Timely::OnCompletion(double rttPs)
{
    double difference = m_rttPs < 0 ? 0 : rttPs - m_rttPs;
    m_rttPs = rttPs;
    m_rttDiffPs = (1 - m_alpha) * m_rttDiffPs + m_alpha * difference;
    auto delta = static_cast<double>(m_delta.GetBitRate());
    auto highPs = static_cast<double>(m_high.GetPicoSeconds());
    double gradient = GetGradient();
    if (rttPs < static_cast<double>(m_low.GetPicoSeconds()))
    {
        SetRate(m_rate + delta);
        return;
    }
    if (rttPs > highPs)
    {
        m_fallingEvents = 0;
        SetRate(m_rate * (1 - m_beta * (1 - highPs / rttPs)));
        return;
    }
    if (gradient > 0)
    {
        m_fallingEvents = 0;
        SetRate(m_rate * (1 - m_beta * gradient));
        return;
    }
    m_fallingEvents = std::min(m_fallingEvents + 1, m_hyperEvents);
    SetRate(m_rate + (m_fallingEvents == m_hyperEvents ? m_hyperFactor : 1) * delta);
}

void
Timely::SetRate(double rate)
{
    uint64_t before = GetBitRate();
    m_rate = std::min(std::max(rate, m_least), static_cast<double>(m_lineBitRate));
    if (GetBitRate() != before)
    {
        m_rateTrace(before, GetBitRate());
    }
}

void
Timely::SaveState(int64_t nowPs, std::vector<uint32_t>& words) const
{
    if (m_rttPs < 0 && m_acked == 0 && m_sent == 0)
    {
        return;
    }
    StateWriter(words)
        .Put(m_rate)
        .Put(m_rttPs)
        .Put(m_rttDiffPs)
        .Put(m_fallingEvents)
        .Put(m_acked)
        .Put(m_sent)
        .Put(m_sent == 0 ? int64_t(0) : nowPs - m_segmentPs);
}

void
Timely::RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count)
{
    double rate = m_first;
    m_rttPs = -1;
    m_rttDiffPs = 0;
    m_fallingEvents = 0;
    m_acked = 0;
    m_sent = 0;
    m_segmentPs = nowPs;
    if (count != 0)
    {
        int64_t since;
        StateReader(words)
            .Get(rate)
            .Get(m_rttPs)
            .Get(m_rttDiffPs)
            .Get(m_fallingEvents)
            .Get(m_acked)
            .Get(m_sent)
            .Get(since);
        m_segmentPs = nowPs - since;
    }
    SetRate(rate);
}

} // namespace hbd
} // namespace ns3
