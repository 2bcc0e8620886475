/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TIMELY_H
#define HBD_TIMELY_H

#include "hbd-congestion-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * TIMELY: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, algorithm 1. A rate
 * that follows the gradient of the round trip:
 *
 *     rtt_diff = (1 - alpha) rtt_diff + alpha (rtt - rtt before);  gradient = rtt_diff / minRTT
 *     rtt < Tlow:     rate += delta
 *     rtt > Thigh:    rate *= 1 - beta (1 - Thigh / rtt)
 *     gradient <= 0:  rate += N delta, N = 5 from the fifth such event in a row on (hyperactive increase), else 1
 *     else:           rate *= 1 - beta gradient
 *
 * once per Segment acknowledged (a completion event), with the round trip of the acknowledgement that completes it,
 * less the serialisation of what it acknowledges. A segment is sent at once; the next one waits until the rate allows
 * it. The window is the transport's.
 */
class Timely : public CongestionControl
{
  public:
    static TypeId GetTypeId();

    void Setup(const CongestionSetup& setup) override;
    uint64_t GetWindowBytes() const override;
    int64_t OnSend(int64_t nowPs, uint32_t wireBytes) override;
    void OnAck(const CongestionAck& ack) override;
    uint64_t GetBitRate() const override;
    void SaveState(int64_t nowPs, std::vector<uint32_t>& words) const override;
    void RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count) override;

    /// The rate, bit/s.
    double GetRate() const
    {
        return m_rate;
    }

    /// The gradient of the round trip, a share of the least one per completion event.
    double GetGradient() const
    {
        return m_rttDiffPs / m_minRttPs;
    }

  private:
    void OnCompletion(double rttPs);
    void SetRate(double rate);

    double m_alpha;
    double m_beta;
    DataRate m_delta;
    Time m_low;
    Time m_high;
    uint32_t m_hyperEvents;
    uint32_t m_hyperFactor;
    uint32_t m_segment;
    Time m_minRtt;
    DataRate m_initialRate;
    DataRate m_minRate;

    uint64_t m_window = 0;
    uint64_t m_lineBitRate = 0;
    double m_minRttPs = 1;
    double m_first = 0; ///< rate after Setup, bit/s
    double m_least = 0; ///< bit/s

    double m_rate = 0;   ///< bit/s
    double m_rttPs = -1; ///< of the last completion event; below 0: none
    double m_rttDiffPs = 0;
    uint32_t m_fallingEvents = 0; ///< completion events in a row with a gradient of 0 or less, at most HyperEvents
    uint64_t m_acked = 0;         ///< payload since the last completion event
    uint64_t m_sent = 0;          ///< wire bytes of the present segment
    int64_t m_segmentPs = 0;      ///< kernel time at which it began
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_TIMELY_H */
