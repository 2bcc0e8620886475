/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-link-retry.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace hbd
{

void
LinkRetry::Configure(double bitErrorRate, int64_t delayPs)
{
    m_bitErrorRate = bitErrorRate;
    m_delayPs = delayPs;
    m_drawn = false;
    if (IsOn() && !m_random)
    {
        m_random = CreateObject<UniformRandomVariable>();
    }
}

void
LinkRetry::AssignStream(int64_t stream)
{
    if (m_random)
    {
        m_random->SetStream(stream);
        m_drawn = false;
    }
}

void
LinkRetry::Draw()
{
    // geometric, by inversion; 1 - u is in (0, 1]
    constexpr double MOST = 9e18;
    double bits = std::log(1.0 - m_random->GetValue(0.0, 1.0)) / std::log1p(-m_bitErrorRate);
    m_goodBits = static_cast<uint64_t>(std::min(bits, MOST));
    m_drawn = true;
}

LinkRetry::Cost
LinkRetry::Send(uint64_t wireBytes, uint32_t packets, uint64_t packetBytes, int64_t txPs)
{
    Cost cost;
    if (!m_drawn)
    {
        Draw();
    }
    uint64_t left = wireBytes; // of the unit, from the packet on that is sent next
    uint32_t next = 0;
    while (m_goodBits < left * 8)
    {
        uint32_t bad = std::min(packets - 1 - next, static_cast<uint32_t>(m_goodBits / 8 / packetBytes));
        next += bad;
        left -= bad * packetBytes;
        uint64_t badBytes = next + 1 == packets ? left : packetBytes;
        auto badPs = static_cast<int64_t>(
            std::llround(static_cast<double>(txPs) * static_cast<double>(badBytes) / static_cast<double>(wireBytes)));
        cost.ps += badPs + m_delayPs;
        cost.busyPs += badPs;
        cost.bytes += badBytes;
        cost.packets++;
        Draw();
    }
    m_goodBits -= left * 8;
    return cost;
}

} // namespace hbd
} // namespace ns3
