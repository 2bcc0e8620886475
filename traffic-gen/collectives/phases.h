/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVES_PHASES_H
#define HBD_TRAFFIC_COLLECTIVES_PHASES_H

#include "collective-lowering.h"

#include <vector>

/**
 * Building blocks that the collectives share: each adds one reduce-scatter or all-gather of the request's blocks to a
 * builder. `after[m]` is what member m must have done before it may send its own data; the result holds, by member,
 * what to wait for until its own data is complete (reduce-scatter: its block; all-gather: all blocks). An all-reduce is
 * an all-gather after a reduce-scatter.
 */
namespace hbd::traffic
{

using MemberOps = std::vector<OpList>;

MemberOps AddDirectReduceScatter(LoweringBuilder& builder, const MemberOps& after);
MemberOps AddDirectAllGather(LoweringBuilder& builder, const MemberOps& after);
MemberOps AddRingReduceScatter(LoweringBuilder& builder, const MemberOps& after);
MemberOps AddRingAllGather(LoweringBuilder& builder, const MemberOps& after);
/// Falls back to direct when the group is one domain or has one member in each, to ring when domains hold different
/// numbers of members.
MemberOps AddHierarchicalReduceScatter(LoweringBuilder& builder, const MemberOps& after);
/// Falls back as the reduce-scatter does.
MemberOps AddHierarchicalAllGather(LoweringBuilder& builder, const MemberOps& after);
/// Each member sends each other member its data, all at once, in the order of GroupLayout::PeerAt().
void AddDirectAllToAll(LoweringBuilder& builder);

/// Most rings that a ring collective uses at once.
constexpr uint32_t kMaxRings = 8;

/**
 * The rings of a group: the data is split evenly over them. Inside one domain, or with one member a domain, or with
 * unequal domains: one ring in the order of the group. Else as many as a domain has members (at most kMaxRings), ring c
 * leaving and entering every domain through other members than the other rings, so that all NICs work: the order in a
 * domain starts at local member c and is reversed in every second domain, which keeps a hop between domains on one rail
 * (except the last hop of an odd number of domains).
 */
std::vector<std::vector<uint32_t>> RingOrders(const GroupLayout& layout);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVES_PHASES_H
