/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-collective.h"

#include <algorithm>
#include <limits>

namespace hbd::runner
{

IdealCollective::IdealCollective(const ns3::hbd::Fabric& fabric)
    : m_bound(fabric.GetIdealBound())
{
}

IdealTime
IdealCollective::Compute(uint32_t collective, uint32_t group, const DependencyChain::Members& members) const
{
    DependencyChain chain(collective, group, members, [this](const ns3::hbd::IdealTransfer& transfer) {
        return m_bound.GetLatencyPs(transfer);
    });
    const auto& transfers = chain.GetMessages();
    int64_t shortestPs = std::numeric_limits<int64_t>::max();
    for (const auto& transfer : transfers)
    {
        shortestPs = std::min(shortestPs, m_bound.GetPropagationPs(transfer));
    }
    if (transfers.empty())
    {
        return {0, chain.GetLongestPs()};
    }
    IdealTime ideal;
    ideal.bytesPs = m_bound.GetBoundPs(transfers);
    int64_t byBytesPs = chain.GetEarliestPostPs() + ideal.bytesPs + shortestPs;
    ideal.latencyPs = std::max(byBytesPs, chain.GetLongestPs()) - ideal.bytesPs;
    return ideal;
}

} // namespace hbd::runner
