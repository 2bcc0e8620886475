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

/// Levels of a binary tree, or steps of a recursive doubling.
uint32_t
Log2Up(uint32_t count)
{
    uint32_t steps = 0;
    while ((uint64_t{1} << steps) < count)
    {
        ++steps;
    }
    return steps;
}

/// Steps of which those between domains go through the NIC, and bytes that may all have to.
CollectiveCost
LogarithmicCost(uint32_t phases, uint32_t extraSteps, double bytes, const GroupSpread& spread)
{
    CollectiveCost cost;
    cost.acrossSteps = phases * Log2Up(spread.domains);
    cost.insideSteps = phases * Log2Up(spread.ranks) + extraSteps - cost.acrossSteps;
    cost.insideBytes = spread.largest > 1 ? bytes : 0;
    cost.acrossBytes = spread.domains > 1 ? bytes : 0;
    return cost;
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
    spread.meshPeers = layout.meshPeers;
    return spread;
}

CollectiveCost
DirectCost(CollectiveOp op, const GroupSpread& spread)
{
    const uint32_t phases = Phases(op);
    const double part = static_cast<double>(phases) / spread.ranks;
    CollectiveCost cost;
    (spread.domains > 1 ? cost.acrossSteps : cost.insideSteps) = spread.ranks > 1 ? phases : 0;
    cost.peers = spread.largest - 1;
    cost.insideBytes = part * (spread.largest > 1 && spread.meshPeers > 0 ? spread.meshPeers : spread.largest - 1);
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
    if (spread.meshPeers > 0)
    {
        cost.insideBytes *= spread.meshPeers * (spread.domains == 1 ? MeshRingShare(spread.ranks) : 1);
    }
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
    cost.peers = spread.largest - 1;
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

CollectiveCost
TreeCost(CollectiveOp op, const GroupSpread& spread)
{
    // In one tree a member is an inner node and sends half of the payload to two children, in the other it is a leaf.
    const uint32_t phases = Phases(op);
    return LogarithmicCost(phases, 0, spread.ranks > 1 ? phases : 0, spread);
}

CollectiveCost
HalvingDoublingCost(CollectiveOp op, const GroupSpread& spread)
{
    const uint32_t phases = op == CollectiveOp::Broadcast ? 2 : Phases(op);
    const bool folds = (spread.ranks & (spread.ranks - 1)) != 0;
    const double bytes = phases * (spread.ranks - 1.0) / spread.ranks + (folds ? 1 : 0);
    return LogarithmicCost(phases, folds ? phases : 0, bytes, spread);
}

CollectiveCost
RingRelayCost(CollectiveOp op, const GroupSpread& spread)
{
    CollectiveCost cost = RingCost(op, spread);
    const double hops = spread.ranks / 2.0; // of a part, in the mean over its n - 1 destinations
    cost.insideBytes *= hops;
    cost.acrossBytes *= hops;
    return cost;
}

CollectiveCost
OneSidedCost(CollectiveOp op, const GroupSpread& spread)
{
    CollectiveCost cost = DirectCost(op, spread);
    (spread.domains > 1 ? cost.acrossSteps : cost.insideSteps) += spread.ranks > 1 ? 1 : 0;
    return cost;
}

CollectiveCost
NvlsCost(CollectiveOp op, const GroupSpread& spread)
{
    const bool sums = op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter;
    const bool spreads = op != CollectiveOp::ReduceScatter;
    CollectiveCost cost;
    cost.insideSteps = (sums ? 2 : 0) + (spreads ? 1 : 0);                               // flags and sums, multicast
    cost.insideBytes = sums && spreads ? 1 + 1.0 / spread.largest : 1;                   // of the busier direction
    cost.shares = spread.ranks;
    cost.aloneBytes = (sums ? 1 : 0) + (spreads ? 1 : 0);
    cost.copiedBytes = (sums ? 1 : 0) + (spreads ? 1 : 0);
    cost.acrossSteps = spread.domains > 1 ? Phases(op) : 0;
    cost.acrossBytes = Phases(op) * (spread.domains - 1.0) / spread.ranks;
    return cost;
}

} // namespace hbd::traffic
