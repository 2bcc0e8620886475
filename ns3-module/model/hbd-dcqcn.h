/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_DCQCN_H
#define HBD_DCQCN_H

#include "hbd-congestion-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Reaction point of DCQCN: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3,
 * with the parameters and the order of things of ConnectX NICs (NVIDIA, "DCQCN CC Parameters"; mstflint, descriptions
 * of the fields).
 *
 * A queue pair sends at line rate until its first congestion notification packet (CNP), which gives it a rate limiter:
 *
 * - Cut, on a CNP: Rt = Rc, Rc = Rc (1 - alpha/2) (equation 1), at most once a RateReducePeriod: a CNP that comes
 * sooner after a cut counts at the end of the period. Rt stays when nothing has increased the rate since the last cut.
 * - Alpha: every AlphaPeriod, alpha = (1 - g) alpha + g when a CNP came in it, else alpha = (1 - g) alpha. With
 *   AlphaOnCnp as in equations 1 and 2: up with each CNP, behind the cut; down after each AlphaPeriod without one.
 * - Increase, at each TimeReset since the cut and each ByteReset bytes sent since the cut. With T and B events of each
 *   kind so far and F = Threshold: fast recovery while max(T, B) < F, Rc = (Rt + Rc) / 2 (equation 3); hyper increase
 *   when min(T, B) > F, Rt += HyperIncrease first; else additive increase, Rt += AdditiveIncrease first (equation 4).
 * - A rate that has come within RateUnit of MaxRate gives the limiter back: the next CNP is a first one again.
 *
 * At one time, an alpha period ends before a cut, a cut comes before an increase, and all of them before what is
 * called. There are no events: each call first works out what has happened since the last one, to the bit the same
 * whatever was called in between. So the trace source Rate fires at the first call after a change.
 *
 * Loss changes nothing. The window is the transport's.
 */
class Dcqcn : public CongestionControl
{
  public:
    static TypeId GetTypeId();

    void Setup(const CongestionSetup& setup) override;
    uint64_t GetWindowBytes() const override;
    int64_t OnSend(int64_t nowPs, uint32_t wireBytes) override;
    void OnAck(const CongestionAck& ack) override;
    void OnCnp(int64_t nowPs) override;

    bool NeedsCnp() const override
    {
        return true;
    }

    uint64_t GetBitRate() const override;
    void SaveState(int64_t nowPs, std::vector<uint32_t>& words) const override;
    void RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count) override;

    /// Whether it has a rate limiter. \param nowPs kernel time, picoseconds, not before any other call's
    bool IsLimited(int64_t nowPs) const;
    /// Rc, bit/s; the line rate without a limiter. \param nowPs see IsLimited
    double GetCurrentBitRate(int64_t nowPs) const;
    /// Rt, bit/s; the line rate without a limiter. \param nowPs see IsLimited
    double GetTargetBitRate(int64_t nowPs) const;
    /// alpha, 0 .. 1; its first value without a limiter. \param nowPs see IsLimited
    double GetAlpha(int64_t nowPs) const;

  private:
    /// The rate limiter of the queue pair.
    struct Limiter
    {
        bool limited = false;     ///< else nothing else means anything
        bool cnpInPeriod = false; ///< a CNP came in the alpha period that began at alphaPs
        bool cutPending = false;  ///< a CNP waits for the end of the period that began at cutPs
        double current = 0;       ///< Rc, bit/s
        double target = 0;        ///< Rt, bit/s
        double alpha = 0;         ///< at alphaPs
        int64_t alphaPs = 0;      ///< start of an alpha period
        int64_t cutPs = 0;        ///< last cut
        int64_t increasePs = 0;   ///< next increase by time
        uint64_t bytes = 0;       ///< sent since the cut or the last increase by bytes
        uint32_t timeEvents = 0;  ///< increases by time since the cut, at most Threshold + 1
        uint32_t byteEvents = 0;  ///< the same by bytes
    };

    Limiter At(int64_t nowPs) const;
    void Advance(Limiter& limiter, int64_t nowPs) const;
    void AdvanceAlpha(Limiter& limiter, int64_t nowPs) const;
    void Cut(Limiter& limiter, int64_t atPs) const;
    void IncreaseByTime(Limiter& limiter, int64_t nowPs) const;
    void Increase(Limiter& limiter) const;
    void Begin(Limiter& limiter, int64_t nowPs) const;
    void TraceRate(uint64_t before);

    double m_gain;
    Time m_alphaPeriod;
    bool m_alphaOnCnp;
    double m_initialAlpha;
    Time m_reducePeriod;
    uint32_t m_gd;
    double m_minDecreaseFactor;
    bool m_clampTarget;
    bool m_clampTargetAfterTime;
    DataRate m_firstRate;
    Time m_timeReset;
    uint64_t m_byteReset;
    uint32_t m_threshold;
    DataRate m_additive;
    DataRate m_hyper;
    DataRate m_minRate;
    DataRate m_maxRate;
    DataRate m_rateUnit;

    uint64_t m_window = 0;
    uint64_t m_lineBitRate = 0;
    double m_top = 0; ///< most that Rt can be, bit/s
    Limiter m_limiter;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_DCQCN_H */
