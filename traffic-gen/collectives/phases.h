/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVES_PHASES_H
#define HBD_TRAFFIC_COLLECTIVES_PHASES_H

#include "collective-lowering.h"

#include <deque>
#include <map>
#include <tuple>
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
 * The rings of a group: the data is split evenly over them. Inside one domain with switches, or with one member a
 * domain, or with unequal domains: one ring in the order of the group. Inside one mesh: see MeshRings(). Else as many as a domain has members (at most kMaxRings), ring c
 * leaving and entering every domain through other members than the other rings, so that all NICs work: the order in a
 * domain starts at local member c and is reversed in every second domain, which keeps a hop between domains on one rail
 * (except the last hop of an odd number of domains).
 */
std::vector<std::vector<uint32_t>> RingOrders(const GroupLayout& layout);

/**
 * Rings of n members each linked with each other one, that use the links evenly: the Hamiltonian cycles into which
 * Walecki's construction (B. Alspach, The wonderful Walecki construction, 2008) takes the complete graph apart, in both
 * directions. n odd: n - 1 rings, every link in one. n even: n - 2 rings, the links to one peer of each member are not used. n =
 * 4: all 6 rings, every link in two. At most kMaxRings, in whole pairs.
 */
std::vector<std::vector<uint32_t>> MeshRings(uint32_t n);
/// Their number. At least 1.
uint32_t MeshRingCount(uint32_t n);
/// Of the data that a member sends around MeshRings(), the part that its busiest link carries.
double MeshRingShare(uint32_t n);

/// The pieces of a range of the payload, which is all blocks one after the other.
std::vector<DataPiece> PayloadRange(const std::vector<uint64_t>& blocks, uint64_t offset, uint64_t bytes);

/// A pipelined payload is cut into parts of about this size, in bytes, ...
constexpr uint64_t kPipelinePartBytes = 256 * 1024;
/// ... but not into more.
constexpr uint64_t kMaxPipelineParts = 512;
/// Latency of links and switches between two members, in seconds, beside the library's.
constexpr double kPipelinePathSeconds = 1e-6;

/**
 * Passes a range of the payload on part by part: from one member to the next a part is sent only when all but the last
 * few before it have arrived, as with the slots of a library's buffers. Without it all parts of a message would share
 * the links and arrive at the same time. Under way is what keeps the link busy during a step: its rate times the latency
 * of library and path, and a part that is on the link; at least two parts.
 */
class Pipeline
{
  public:
    Pipeline(LoweringBuilder& builder, uint64_t offset, uint64_t bytes);

    /// Number of parts; none when there are no bytes.
    uint32_t Parts() const;
    /// Sends a part. \param stream tells apart what goes between the same members for different reasons
    OpList Transfer(uint32_t part, uint32_t from, uint32_t to, uint32_t stream, const OpList& after);
    /// Bytes of a part.
    uint64_t PartBytes(uint32_t part) const;

  private:
    LoweringBuilder& m_builder;
    std::vector<std::vector<DataPiece>> m_parts;
    /// Parts that are under way between two members at most.
    uint32_t Window(uint32_t from, uint32_t to) const;

    uint64_t m_partBytes = 1;  ///< of the largest part
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::deque<OpList>>
        m_sent; ///< by from, to, stream: the last few
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVES_PHASES_H
