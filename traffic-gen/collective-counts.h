/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVE_COUNTS_H
#define HBD_TRAFFIC_COLLECTIVE_COUNTS_H

#include "scenario.h"

#include <cstdint>

/**
 * How the number of operations of a collective grows: upper bounds of all operations that move data and all receives,
 * of all members, known before any is built. Each algorithm of the table names one. Where messages carry many pieces,
 * those count too.
 */
namespace hbd::traffic
{

/// What a bound depends on.
struct GroupScale
{
    uint64_t ranks;  ///< members
    uint64_t bytes;  ///< size as nccl-tests counts it
    uint64_t domain; ///< GPUs in a domain
    const KernelSpec& kernel;
};

/// Bound on the operations of one collective.
using CountFunction = uint64_t (*)(const GroupScale&);

/// A message from one member to each other.
uint64_t CountSpread(const GroupScale& scale);
/// A message between each two members.
uint64_t CountPairs(const GroupScale& scale);
/// Two of them.
uint64_t CountPairsTwice(const GroupScale& scale);
/// n - 1 steps around each ring.
uint64_t CountRings(const GroupScale& scale);
/// Twice that.
uint64_t CountRingsTwice(const GroupScale& scale);
/// n - 1 steps around each ring with up to n - 1 pieces each.
uint64_t CountRingRelay(const GroupScale& scale);
/// Each block to each member in up to kMaxChunks parts.
uint64_t CountParts(const GroupScale& scale);
/// Twice that.
uint64_t CountPartsTwice(const GroupScale& scale);
/// Every part of a pipelined payload to each member.
uint64_t CountPipeline(const GroupScale& scale);
/// Twice that.
uint64_t CountPipelineTwice(const GroupScale& scale);
/// log2 n exchanges of each member there and back, with up to n pieces.
uint64_t CountHalving(const GroupScale& scale);
/// Chunks of nvls: flags, reductions and multicasts.
uint64_t CountNvls(const GroupScale& scale);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVE_COUNTS_H
