/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-dcqcn.h"

#include "hbd-state-words.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdDcqcn");

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

namespace
{

/// base^exponent by multiplications only: the same bits on every machine.
double
Power(double base, uint64_t exponent)
{
    double result = 1;
    for (; exponent != 0; exponent >>= 1)
    {
        if (exponent & 1)
        {
            result *= base;
        }
        base *= base;
    }
    return result;
}

} // namespace

TypeId
Dcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::Dcqcn")
            .SetParent<CongestionControl>()
            .SetGroupName("Hbd")
            .AddConstructor<Dcqcn>()
            .AddAttribute("Gain",
                          "g of alpha. Default: 1 - DCE_TCP_G of ConnectX, which is 1019/1024 and the weight that the "
                          "old alpha keeps (NVIDIA, DCQCN CC Parameters). The paper: 1/256.",
                          DoubleValue(5.0 / 1024),
                          MakeDoubleAccessor(&Dcqcn::m_gain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AlphaPeriod",
                          "Time between updates of alpha. Default: DCE_TCP_RTT of ConnectX. The paper: 55 us.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&Dcqcn::m_alphaPeriod),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("AlphaOnCnp",
                          "Alpha goes up with each CNP and down after each AlphaPeriod without one, as in the paper; "
                          "else once every AlphaPeriod, up or down. Default: ConnectX.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Dcqcn::m_alphaOnCnp),
                          MakeBooleanChecker())
            .AddAttribute("InitialAlpha",
                          "alpha at the first CNP. Default: INITIAL_ALPHA_VALUE of ConnectX, 1023 of 1024. The paper: "
                          "1.",
                          DoubleValue(1023.0 / 1024),
                          MakeDoubleAccessor(&Dcqcn::m_initialAlpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("RateReducePeriod",
                          "Least time between two cuts. Default: RATE_REDUCE_MONITOR_PERIOD of ConnectX.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&Dcqcn::m_reducePeriod),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Gd",
                          "A cut takes alpha x 2^(10 - Gd) of the rate. Default: RPG_GD of ConnectX: alpha / 2, as in "
                          "the paper.",
                          UintegerValue(11),
                          MakeUintegerAccessor(&Dcqcn::m_gd),
                          MakeUintegerChecker<uint32_t>(10, 20))
            .AddAttribute("MinDecreaseFactor",
                          "A cut leaves at least this share of the rate. Default: RPG_MIN_DEC_FAC of ConnectX, 50 %.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Dcqcn::m_minDecreaseFactor),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("ClampTargetRate",
                          "Every cut lowers the target rate to the rate before it, as in the paper. Default: "
                          "CLAMP_TGT_RATE of ConnectX: only when the rate was increased since the last cut.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Dcqcn::m_clampTarget),
                          MakeBooleanChecker())
            .AddAttribute("ClampTargetRateAfterTimeIncrease",
                          "An increase by time since the last cut is enough for that, not only one by bytes. Default: "
                          "CLAMP_TGT_RATE_AFTER_TIME_INC of ConnectX.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Dcqcn::m_clampTargetAfterTime),
                          MakeBooleanChecker())
            .AddAttribute("RateOnFirstCnp",
                          "Both rates after the first CNP, bit/s; 0 = the line rate and a cut. Default: "
                          "RATE_TO_SET_ON_FIRST_CNP of ConnectX.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Dcqcn::m_firstRate),
                          MakeDataRateChecker())
            .AddAttribute("TimeReset",
                          "Time between increases by time. Default: RPG_TIME_RESET of ConnectX. The paper: 55 us.",
                          TimeValue(MicroSeconds(300)),
                          MakeTimeAccessor(&Dcqcn::m_timeReset),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "ByteReset",
                "Wire bytes between increases by bytes, 0 = none. Default: RPG_BYTE_RESET of ConnectX, 32767, "
                "taken as units of 64 B: mstflint's text says bytes, but a field of 15 bits of them could not "
                "hold the 150000 B of IEEE 802.1Qau, and testers default to 2 MB (Spirent). The paper: 10 MB.",
                UintegerValue(32767 * 64),
                MakeUintegerAccessor(&Dcqcn::m_byteReset),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "Threshold",
                "F: increases of one kind in fast recovery. Default: RPG_THRESHOLD of ConnectX. The paper: 5.",
                UintegerValue(1),
                MakeUintegerAccessor(&Dcqcn::m_threshold),
                MakeUintegerChecker<uint32_t>(0, 1 << 16))
            .AddAttribute("AdditiveIncrease",
                          "What an additive increase adds to the target rate. Default: RPG_AI_RATE of ConnectX.",
                          DataRateValue(DataRate("5Mbps")),
                          MakeDataRateAccessor(&Dcqcn::m_additive),
                          MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "What a hyper increase adds to the target rate. Default: RPG_HAI_RATE of ConnectX.",
                          DataRateValue(DataRate("50Mbps")),
                          MakeDataRateAccessor(&Dcqcn::m_hyper),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Least rate. Default: RPG_MIN_RATE of ConnectX.",
                          DataRateValue(DataRate("1Mbps")),
                          MakeDataRateAccessor(&Dcqcn::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "MaxRate",
                "Rate at which a queue pair is not limited any more; 0 = the line rate. Default: RPG_MAX_RATE "
                "of ConnectX.",
                DataRateValue(DataRate(0)),
                MakeDataRateAccessor(&Dcqcn::m_maxRate),
                MakeDataRateChecker())
            .AddAttribute("RateUnit",
                          "A rate that is less than this below MaxRate counts as MaxRate. Default: the unit of "
                          "ConnectX's rates; an assumption.",
                          DataRateValue(DataRate("1Mbps")),
                          MakeDataRateAccessor(&Dcqcn::m_rateUnit),
                          MakeDataRateChecker());
    return tid;
}

void
Dcqcn::Setup(const CongestionSetup& setup)
{
    m_window = setup.windowBytes;
    m_lineBitRate = setup.lineBitRate;
    uint64_t most = m_maxRate.GetBitRate();
    m_top = static_cast<double>(most == 0 ? m_lineBitRate : std::min(most, m_lineBitRate));
    m_limiter = Limiter();
}

uint64_t
Dcqcn::GetWindowBytes() const
{
    return m_window;
}

Dcqcn::Limiter
Dcqcn::At(int64_t nowPs) const
{
    Limiter limiter = m_limiter;
    Advance(limiter, nowPs);
    return limiter;
}

void
Dcqcn::Advance(Limiter& limiter, int64_t nowPs) const
{
    while (limiter.limited)
    {
        int64_t cutPs = limiter.cutPs + m_reducePeriod.GetPicoSeconds();
        if (limiter.cutPending && cutPs <= std::min(nowPs, limiter.increasePs))
        {
            Cut(limiter, cutPs);
        }
        else if (limiter.increasePs <= nowPs)
        {
            IncreaseByTime(limiter, nowPs);
        }
        else
        {
            return;
        }
    }
}

void
Dcqcn::AdvanceAlpha(Limiter& limiter, int64_t nowPs) const
{
    int64_t period = m_alphaPeriod.GetPicoSeconds();
    auto periods = static_cast<uint64_t>((nowPs - limiter.alphaPs) / period);
    if (periods == 0)
    {
        return;
    }
    limiter.alphaPs += static_cast<int64_t>(periods) * period;
    if (limiter.cnpInPeriod)
    {
        limiter.cnpInPeriod = false;
        limiter.alpha = (1 - m_gain) * limiter.alpha + m_gain;
        periods--;
    }
    limiter.alpha *= Power(1 - m_gain, periods);
}

void
Dcqcn::Cut(Limiter& limiter, int64_t atPs) const
{
    AdvanceAlpha(limiter, atPs);
    bool increased = limiter.byteEvents != 0 || (m_clampTargetAfterTime && limiter.timeEvents != 0);
    if (m_clampTarget || increased)
    {
        limiter.target = limiter.current;
    }
    double kept = std::max(1 - std::ldexp(limiter.alpha, 10 - static_cast<int>(m_gd)), m_minDecreaseFactor);
    double least = std::min(static_cast<double>(m_minRate.GetBitRate()), m_top);
    limiter.current = std::max(limiter.current * kept, least);
    limiter.target = std::max(limiter.target, limiter.current);
    limiter.cutPending = false;
    limiter.cutPs = atPs;
    limiter.increasePs = atPs + m_timeReset.GetPicoSeconds();
    limiter.bytes = 0;
    limiter.timeEvents = 0;
    limiter.byteEvents = 0;
}

void
Dcqcn::IncreaseByTime(Limiter& limiter, int64_t nowPs) const
{
    Limiter before = limiter;
    Increase(limiter);
    if (!limiter.limited)
    {
        return;
    }
    limiter.timeEvents = std::min(limiter.timeEvents + 1, m_threshold + 1);
    int64_t period = m_timeReset.GetPicoSeconds();
    limiter.increasePs += period;
    bool settled = limiter.current == before.current && limiter.target == before.target &&
                   limiter.timeEvents == before.timeEvents && !limiter.cutPending;
    if (settled && limiter.increasePs <= nowPs)
    {
        limiter.increasePs += ((nowPs - limiter.increasePs) / period + 1) * period; // all that follow are like this one
    }
}

void
Dcqcn::Increase(Limiter& limiter) const
{
    uint32_t least = std::min(limiter.timeEvents, limiter.byteEvents);
    uint32_t most = std::max(limiter.timeEvents, limiter.byteEvents);
    if (least > m_threshold)
    {
        limiter.target += static_cast<double>(m_hyper.GetBitRate());
    }
    else if (most >= m_threshold)
    {
        limiter.target += static_cast<double>(m_additive.GetBitRate());
    }
    limiter.target = std::min(limiter.target, m_top);
    limiter.current = (limiter.target + limiter.current) / 2;
    if (!limiter.cutPending && m_top - limiter.current < static_cast<double>(m_rateUnit.GetBitRate()))
    {
        limiter = Limiter(); // released
    }
}

void
Dcqcn::Begin(Limiter& limiter, int64_t nowPs) const
{
    limiter.limited = true;
    limiter.alpha = m_initialAlpha;
    limiter.alphaPs = nowPs;
    limiter.current = m_top;
    limiter.target = m_top;
    if (m_firstRate.GetBitRate() == 0)
    {
        Cut(limiter, nowPs);
        return;
    }
    limiter.current = std::min(m_top, static_cast<double>(m_firstRate.GetBitRate()));
    limiter.target = limiter.current;
    limiter.cutPs = nowPs;
    limiter.increasePs = nowPs + m_timeReset.GetPicoSeconds();
}

void
Dcqcn::OnCnp(int64_t nowPs)
{
    uint64_t before = GetBitRate();
    Advance(m_limiter, nowPs);
    bool first = !m_limiter.limited;
    if (first)
    {
        Begin(m_limiter, nowPs);
    }
    AdvanceAlpha(m_limiter, nowPs);
    if (!first && nowPs - m_limiter.cutPs >= m_reducePeriod.GetPicoSeconds())
    {
        Cut(m_limiter, nowPs);
    }
    else if (!first)
    {
        m_limiter.cutPending = true;
    }
    if (m_alphaOnCnp)
    {
        m_limiter.alpha = (1 - m_gain) * m_limiter.alpha + m_gain;
        m_limiter.alphaPs = nowPs;
    }
    else
    {
        m_limiter.cnpInPeriod = !first; // the first one has set alpha
    }
    TraceRate(before);
}

int64_t
Dcqcn::OnSend(int64_t nowPs, uint32_t wireBytes)
{
    if (!m_limiter.limited)
    {
        return 0;
    }
    uint64_t before = GetBitRate();
    Advance(m_limiter, nowPs);
    m_limiter.bytes += wireBytes;
    while (m_limiter.limited && m_byteReset != 0 && m_limiter.bytes >= m_byteReset)
    {
        m_limiter.bytes -= m_byteReset;
        Increase(m_limiter);
        m_limiter.byteEvents = std::min(m_limiter.byteEvents + 1, m_threshold + 1);
    }
    TraceRate(before);
    if (!m_limiter.limited)
    {
        m_limiter = Limiter(); // nothing is counted for it
        return 0;
    }
    return static_cast<int64_t>(std::ceil(wireBytes * 8e12 / m_limiter.current));
}

void
Dcqcn::OnAck(const CongestionAck& ack)
{
    uint64_t before = GetBitRate();
    Advance(m_limiter, ack.nowPs);
    TraceRate(before);
}

uint64_t
Dcqcn::GetBitRate() const
{
    return m_limiter.limited ? static_cast<uint64_t>(m_limiter.current) : m_lineBitRate;
}

bool
Dcqcn::IsLimited(int64_t nowPs) const
{
    return At(nowPs).limited;
}

double
Dcqcn::GetCurrentBitRate(int64_t nowPs) const
{
    Limiter limiter = At(nowPs);
    return limiter.limited ? limiter.current : static_cast<double>(m_lineBitRate);
}

double
Dcqcn::GetTargetBitRate(int64_t nowPs) const
{
    Limiter limiter = At(nowPs);
    return limiter.limited ? limiter.target : static_cast<double>(m_lineBitRate);
}

double
Dcqcn::GetAlpha(int64_t nowPs) const
{
    Limiter limiter = At(nowPs);
    if (!limiter.limited)
    {
        return m_initialAlpha;
    }
    AdvanceAlpha(limiter, nowPs);
    return limiter.alpha;
}

void
Dcqcn::TraceRate(uint64_t before)
{
    uint64_t now = GetBitRate();
    if (now != before)
    {
        NS_LOG_LOGIC("rate " << before << " -> " << now << " bit/s");
        m_rateTrace(before, now);
    }
}

void
Dcqcn::SaveState(int64_t nowPs, std::vector<uint32_t>& words) const
{
    Limiter limiter = At(nowPs);
    if (!limiter.limited)
    {
        return;
    }
    int64_t sinceCut = std::min(nowPs - limiter.cutPs, m_reducePeriod.GetPicoSeconds()); // longer ago is all the same
    uint32_t flags = (limiter.cnpInPeriod ? 1 : 0) | (limiter.cutPending ? 2 : 0);
    StateWriter(words)
        .Put(flags)
        .Put(limiter.current)
        .Put(limiter.target)
        .Put(limiter.alpha)
        .Put(nowPs - limiter.alphaPs)
        .Put(sinceCut)
        .Put(limiter.increasePs - nowPs)
        .Put(limiter.bytes)
        .Put(limiter.timeEvents)
        .Put(limiter.byteEvents);
}

void
Dcqcn::RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count)
{
    uint64_t before = GetBitRate();
    m_limiter = Limiter();
    if (count != 0)
    {
        uint32_t flags;
        int64_t sinceAlpha;
        int64_t sinceCut;
        int64_t untilIncrease;
        StateReader(words)
            .Get(flags)
            .Get(m_limiter.current)
            .Get(m_limiter.target)
            .Get(m_limiter.alpha)
            .Get(sinceAlpha)
            .Get(sinceCut)
            .Get(untilIncrease)
            .Get(m_limiter.bytes)
            .Get(m_limiter.timeEvents)
            .Get(m_limiter.byteEvents);
        m_limiter.limited = true;
        m_limiter.cnpInPeriod = (flags & 1) != 0;
        m_limiter.cutPending = (flags & 2) != 0;
        m_limiter.alphaPs = nowPs - sinceAlpha;
        m_limiter.cutPs = nowPs - sinceCut;
        m_limiter.increasePs = nowPs + untilIncrease;
    }
    TraceRate(before);
}

} // namespace hbd
} // namespace ns3
