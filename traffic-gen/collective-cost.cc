/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-cost.h"

#include "collectives/phases.h"

#include <algorithm>

namespace hbd::traffic
{

namespace
{

/// An all-reduce is a reduce-scatter and an all-gather.
uint32_t
Phases(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce ? 2 : 1;
}

} // namespace

GroupSpread
SpreadOf(const GroupLayout& layout)
{
    GroupSpread spread;
    spread.ranks = static_cast<uint32_t>(layout.domainOf.size());
    spread.domains = static_cast<uint32_t>(layout.domains.size());
    for (const auto& domain : layout.domains)
    {
        spread.largest = std::max(spread.largest, static_cast<uint32_t>(domain.size()));
    }
    spread.even = layout.even;
    return spread;
}

CollectiveCost
DirectCost(CollectiveOp op, const GroupSpread& spread)
{
    const uint32_t phases = Phases(op);
    const double part = static_cast<double>(phases) / spread.ranks;
    CollectiveCost cost;
    (spread.domains > 1 ? cost.acrossSteps : cost.insideSteps) = spread.ranks > 1 ? phases : 0;
    cost.insideBytes = part * (spread.largest - 1);
    cost.acrossBytes = spread.domains > 1 ? part * (spread.ranks - spread.ranks / spread.domains) : 0;
    return cost;
}

CollectiveCost
RingCost(CollectiveOp op, const GroupSpread& spread)
{
    const uint32_t steps = Phases(op) * (spread.ranks - 1);
    const double bytes = static_cast<double>(steps) / spread.ranks;
    CollectiveCost cost;
    cost.acrossSteps = Phases(op) * (spread.domains - 1);
    cost.insideSteps = steps - cost.acrossSteps;
    cost.insideBytes = spread.largest > 1 ? bytes : 0;
    const uint32_t rings = spread.TwoLevel() ? std::min(spread.largest, kMaxRings) : 1;
    cost.acrossBytes = spread.domains > 1 ? bytes / rings : 0;
    return cost;
}

CollectiveCost
HierarchicalCost(CollectiveOp op, const GroupSpread& spread)
{
    const bool exchange = op == CollectiveOp::AllToAll;
    if (!spread.even && !exchange)
    {
        return RingCost(op, spread);
    }
    if (!spread.TwoLevel())
    {
        return DirectCost(op, spread);
    }
    const uint32_t phases = Phases(op);
    CollectiveCost cost;
    cost.insideSteps = phases;
    cost.acrossSteps = phases;
    cost.insideBytes = static_cast<double>(phases) * (spread.largest - 1) / spread.largest;
    cost.acrossBytes = exchange ? DirectCost(op, spread).acrossBytes
                                : static_cast<double>(phases) * (spread.domains - 1) / spread.ranks;
    return cost;
}

CollectiveCost
SpreadCost(CollectiveOp, const GroupSpread& spread)
{
    CollectiveCost cost;
    (spread.domains > 1 ? cost.acrossSteps : cost.insideSteps) = spread.ranks > 1 ? 1 : 0;
    cost.insideBytes = spread.largest - 1;
    cost.acrossBytes = spread.domains > 1 ? spread.ranks - spread.ranks / spread.domains : 0;
    return cost;
}

CollectiveCost
PipelineCost(CollectiveOp op, const GroupSpread& spread)
{
    // The steps of a ring; each member passes the whole payload on, not all but one block.
    CollectiveCost cost = RingCost(op, spread);
    const double whole = spread.ranks > 1 ? static_cast<double>(spread.ranks) / (spread.ranks - 1) : 0;
    cost.insideBytes *= whole;
    cost.acrossBytes *= whole;
    return cost;
}

CollectiveCost
HierarchicalBroadcastCost(CollectiveOp, const GroupSpread& spread)
{
    CollectiveCost cost;
    cost.insideSteps = spread.largest > 1 ? 2 : 0; // to the carriers, and from them to their neighbours
    cost.acrossSteps = spread.domains > 1 ? 1 : 0;
    cost.insideBytes = 2.0 * (spread.largest - 1) / spread.largest;
    cost.acrossBytes = static_cast<double>(spread.domains - 1) / spread.largest;
    return cost;
}

} // namespace hbd::traffic
