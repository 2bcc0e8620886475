/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_HPCC_H
#define HBD_HPCC_H

#include "hbd-congestion-control.h"

#include "ns3/nstime.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * HPCC: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1. A window W from the telemetry
 * of switches, and the rate W / T, T being the base round trip.
 *
 * Each acknowledgement measures, for each port of the way, u = min(queue, queue before) / (B T) + rate / B over the
 * time tau since the acknowledgement before; U follows the largest u by an average over T: U = (1 - tau/T) U + (tau/T)
 * u. Then W = Wc / (U / eta) + W_AI when U >= eta or maxStage increases are through, else W = Wc + W_AI; once a round
 * trip Wc = W.
 *
 * W begins at the product of line rate and T and is never more. It counts wire bytes in the rate and payload in the
 * window, so that headers (2 % at 4 KiB) are not counted in what may be unacknowledged. The transport's own window
 * holds beside it.
 *
 * An acknowledgement with another number of hops or other ports than the one before has come another way: it only
 * starts a new comparison. So does the first one after nothing was under way.
 */
class Hpcc : public CongestionControl
{
  public:
    static TypeId GetTypeId();

    void Setup(const CongestionSetup& setup) override;
    uint64_t GetWindowBytes() const override;
    int64_t OnSend(int64_t nowPs, uint32_t wireBytes) override;
    void OnAck(const CongestionAck& ack) override;
    void OnRest() override;

    bool NeedsTelemetry() const override
    {
        return true;
    }

    uint64_t GetBitRate() const override;
    void SaveState(int64_t nowPs, std::vector<uint32_t>& words) const override;
    void RestoreState(int64_t nowPs, const uint32_t* words, uint32_t count) override;

    /// W, bytes.
    double GetWindow() const
    {
        return m_window;
    }

    /// U: in-flight bytes of the busiest port over its bandwidth-delay product.
    double GetUtilization() const
    {
        return m_utilization;
    }

  private:
    bool IsSameWay(const Telemetry& telemetry) const;
    bool MeasureInflight(const Telemetry& telemetry);
    void ComputeWindow(bool updateReference);
    void SetWindow(double window);

    double m_eta;
    uint32_t m_maxStage;
    double m_additive;
    Time m_baseRtt;

    uint64_t m_transportWindow = 0;
    uint64_t m_lineBitRate = 0;
    double m_rttPs = 1;        ///< T, picoseconds
    double m_first = 0;        ///< W at first and at most, bytes
    double m_window = 0;       ///< W
    double m_reference = 0;    ///< Wc
    double m_utilization = 0;  ///< U
    uint32_t m_stage = 0;      ///< incStage
    uint64_t m_lastUpdate = 0; ///< payload sent when Wc was last updated (lastUpdateSeq)
    Telemetry m_last;          ///< L; no hops: none
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_HPCC_H */
