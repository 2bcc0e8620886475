/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FIXED_WINDOW_H
#define HBD_FIXED_WINDOW_H

#include "hbd-congestion-control.h"

#include "ns3/data-rate.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * No reaction to congestion: the transport's window, and optionally a fixed rate per queue pair. Flow control alone
 * keeps the network lossless.
 */
class FixedWindow : public CongestionControl
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

  private:
    DataRate m_rate;
    uint64_t m_window = 0;
    uint64_t m_lineBitRate = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FIXED_WINDOW_H */
