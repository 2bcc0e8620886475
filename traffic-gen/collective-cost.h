/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVE_COST_H
#define HBD_TRAFFIC_COLLECTIVE_COST_H

#include "collective-lowering.h"

#include <cstdint>

namespace hbd::traffic
{

/// How a group lies in the domains, as far as the cost of a collective depends on it.
struct GroupSpread
{
    uint32_t ranks = 1;
    uint32_t domains = 1;
    uint32_t largest = 1; ///< members in the domain that has most of them
    bool even = true;     ///< all domains have the same number
    uint32_t meshPeers = 0; ///< GroupLayout::meshPeers

    /// All values; GroupLayout::TwoLevel() in short.
    bool TwoLevel() const
    {
        return even && domains > 1 && largest > 1;
    }

    friend bool operator==(const GroupSpread& a, const GroupSpread& b)
    {
        return a.ranks == b.ranks && a.domains == b.domains && a.largest == b.largest && a.even == b.even &&
               a.meshPeers == b.meshPeers;
    }
};

/// The spread of a group.
GroupSpread SpreadOf(const GroupLayout& layout);

/**
 * What a library's own cost model knows of an algorithm, as NCCL's tuner does: the dependent steps one after the other,
 * and the bytes that the busiest GPU sends, per byte of the size as nccl-tests counts it (an all-to-all: of the largest
 * input of a rank).
 */
struct CollectiveCost
{
    uint32_t insideSteps = 0; ///< over the links of a domain
    uint32_t acrossSteps = 0; ///< over the NICs
    uint32_t peers = 0;       ///< other members in the domain
    double insideBytes = 0;   ///< over the links of a domain; in a mesh as many times more as it leaves links unused
    double acrossBytes = 0;   ///< over the NIC
    double copiedBytes = 0;   ///< into and out of a staging buffer, where the kernel has one
    uint32_t shares = 0;      ///< chunk by chunk: so many of KernelSpec::chunk move at once; 0 = all at once
    double aloneBytes = 0;    ///< of a chunk without others beside it: over the links, one after the other
};

/// The cost of an algorithm of one collective for one group of at least 1 member.
using CostFunction = CollectiveCost (*)(CollectiveOp op, const GroupSpread& spread);

/// Every part straight to where it belongs; an all-reduce does that twice.
CollectiveCost DirectCost(CollectiveOp op, const GroupSpread& spread);
/// Around rings: see RingOrders(). Of the steps of a ring only those that leave a domain go through the NIC.
CollectiveCost RingCost(CollectiveOp op, const GroupSpread& spread);
/// Inside the domain and across it between GPUs of one rail; where that makes no sense as the algorithms fall back.
CollectiveCost HierarchicalCost(CollectiveOp op, const GroupSpread& spread);

/// A broadcast: the whole payload straight to every member.
CollectiveCost SpreadCost(CollectiveOp op, const GroupSpread& spread);
/// A broadcast in parts along the chain of each ring.
CollectiveCost PipelineCost(CollectiveOp op, const GroupSpread& spread);
/// A broadcast whose blocks cross the NICs once a domain, on all rails.
CollectiveCost HierarchicalBroadcastCost(CollectiveOp op, const GroupSpread& spread);

/// A double binary tree: two trees, each with half of the payload; an all-reduce goes up and down, a broadcast down.
CollectiveCost TreeCost(CollectiveOp op, const GroupSpread& spread);
/// Recursive halving and doubling; groups that are no power of two fold first and unfold at the end.
CollectiveCost HalvingDoublingCost(CollectiveOp op, const GroupSpread& spread);
/// An all-to-all relayed around rings: a part travels as many hops as its destination is away.
CollectiveCost RingRelayCost(CollectiveOp op, const GroupSpread& spread);
/// Direct writes or reads with a barrier of flags.
CollectiveCost OneSidedCost(CollectiveOp op, const GroupSpread& spread);
/// Sums and multicasts in the switches of a domain, sums of domains across the NICs between GPUs of one rail.
CollectiveCost NvlsCost(CollectiveOp op, const GroupSpread& spread);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVE_COST_H
