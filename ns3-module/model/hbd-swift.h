/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SWIFT_H
#define HBD_SWIFT_H

#include "hbd-congestion-control.h"

#include "ns3/nstime.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Swift: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", SIGCOMM 2020,
 * algorithm 1 for the fabric's delay. A window of cwnd packets that holds the round trip at a target:
 *
 *     delay < target:  cwnd += ai acked / cwnd (cwnd >= 1), ai acked (cwnd < 1)
 *     else, once a round trip:  cwnd *= max(1 - beta (delay - target) / delay, 1 - max_mdf)
 *     loss, once a round trip:  cwnd *= 1 - max_mdf; the RetxResetThreshold-th timeout in a row: min_cwnd
 *     target = base + hops HopScale + max(0, min(a / sqrt(cwnd) + b, fs_range))
 *     a = fs_range / (1 / sqrt(fs_min) - 1 / sqrt(fs_max)),  b = -a / sqrt(fs_max)
 *
 * A cwnd below 1 sends one packet each round trip / cwnd. Packets are of MTU payload; the window is never more than the
 * transport's. Swift also controls the delay in hosts; NICs here have none that depends on load.
 */
class Swift : public CongestionControl
{
  public:
    static TypeId GetTypeId();

    void Setup(const CongestionSetup& setup) override;
    uint64_t GetWindowBytes() const override;
    int64_t OnSend(int64_t nowPs, uint32_t wireBytes) override;
    void OnAck(const CongestionAck& ack) override;
    void OnLoss(int64_t nowPs, bool timeout) override;
    uint64_t GetBitRate() const override;
    void SaveState(int64_t nowPs, std::vector<uint32_t>& words) const override;
    void RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count) override;

    /// cwnd, packets.
    double GetWindow() const
    {
        return m_cwnd;
    }

    /// The present target delay, picoseconds.
    double GetTargetPs() const;

  private:
    bool CanDecrease(int64_t nowPs) const;
    void SetWindow(int64_t nowPs, double cwnd);

    Time m_baseTarget;
    double m_baseTargetRtts;
    Time m_hopScale;
    double m_flowScaleRange;
    double m_flowScaleMin;
    double m_flowScaleMax;
    double m_additive;
    double m_beta;
    double m_maxMdf;
    double m_minWindow;
    uint32_t m_retxReset;

    uint64_t m_lineBitRate = 0;
    uint64_t m_transportWindow = 0;
    uint32_t m_mtu = 1;
    int64_t m_baseRttPs = 0;
    double m_fixedTargetPs = 0; ///< base and hops
    double m_rangePs = 0;       ///< fs_range
    double m_scaleA = 0;
    double m_scaleB = 0;
    double m_most = 0;  ///< largest cwnd
    double m_first = 0; ///< cwnd after Setup: the bandwidth-delay product of the empty fabric

    double m_cwnd = 0;
    int64_t m_rttPs = 0;      ///< latest
    int64_t m_decreasePs = 0; ///< kernel time of the last decrease
    uint32_t m_timeouts = 0;  ///< in a row
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_SWIFT_H */
