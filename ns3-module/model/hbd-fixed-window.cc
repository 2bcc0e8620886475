/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fixed-window.h"

#include "hbd-statistics.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(FixedWindow);

TypeId
FixedWindow::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::FixedWindow")
            .SetParent<CongestionControl>()
            .SetGroupName("Hbd")
            .AddConstructor<FixedWindow>()
            .AddAttribute("PacingRate",
                          "Most that a queue pair sends, in wire bits per second; 0 = the line rate, which is what a "
                          "NIC without rate limits does.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&FixedWindow::m_rate),
                          MakeDataRateChecker());
    return tid;
}

void
FixedWindow::Setup(const CongestionSetup& setup)
{
    m_window = setup.windowBytes;
    m_lineBitRate = setup.lineBitRate;
    if (m_rate.GetBitRate() >= setup.lineBitRate)
    {
        m_rate = DataRate(0);
    }
}

uint64_t
FixedWindow::GetWindowBytes() const
{
    return m_window;
}

int64_t
FixedWindow::OnSend(int64_t /* nowPs */, uint32_t wireBytes)
{
    uint64_t rate = m_rate.GetBitRate();
    return rate == 0 ? 0
                     : static_cast<int64_t>((static_cast<WideInteger>(wireBytes) * 8000000000000ULL + rate - 1) / rate);
}

void
FixedWindow::OnAck(const CongestionAck& /* ack */)
{
    // the window is fixed
}

uint64_t
FixedWindow::GetBitRate() const
{
    return m_rate.GetBitRate() == 0 ? m_lineBitRate : m_rate.GetBitRate();
}

void
FixedWindow::SaveState(int64_t /* nowPs */, std::vector<uint32_t>& /* words */) const
{
    // always as after Setup
}

void
FixedWindow::RestoreState(int64_t /* nowPs */, const uint32_t* /* words */, uint32_t /* count */)
{
    // see SaveState
}

} // namespace hbd
} // namespace ns3
