/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe-routing.h"

#include "shares.h"

#include <fmt/format.h>
#include <stdexcept>

namespace hbd::traffic
{

BalancedRouting::BalancedRouting(uint32_t experts, uint32_t topK, uint32_t epRanks)
    : m_topK(topK),
      m_position(experts)
{
    if (topK == 0 || topK > experts || epRanks == 0)
    {
        throw std::invalid_argument(
            fmt::format("routing: top-{} of {} experts on {} EP ranks", topK, experts, epRanks));
    }
    uint32_t next = 0;
    for (uint32_t round = 0; next < experts; ++round)
    {
        for (uint32_t rank = 0; rank < epRanks; ++rank)
        {
            if (round < ShareOf(experts, epRanks, rank))
            {
                m_position[ShareOffset(experts, epRanks, rank) + round] = next++;
            }
        }
    }
}

uint64_t
BalancedRouting::Copies(TokenRange tokens, uint32_t expert) const
{
    const uint64_t experts = m_position.size();
    const auto below = [&](uint64_t copies) { return (copies + experts - 1 - m_position[expert]) / experts; };
    return below((tokens.first + tokens.count) * m_topK) - below(tokens.first * m_topK);
}

uint32_t
BalancedRouting::Experts() const
{
    return static_cast<uint32_t>(m_position.size());
}

uint32_t
BalancedRouting::TopK() const
{
    return m_topK;
}

} // namespace hbd::traffic
