/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVE_TABLE_H
#define HBD_TRAFFIC_COLLECTIVE_TABLE_H

#include "collective-cost.h"
#include "collective-counts.h"
#include "collective-lowering.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

/// Lowers one collective of one group. Pure: the same request gives the same operations.
using LowerFunction = Lowering (*)(const CollectiveRequest&, const CollectiveContext&);

/// One algorithm of one collective.
struct CollectiveEntry
{
    CollectiveOp op;
    const char* algorithm; ///< direct, ring, hierarchical, ...
    LowerFunction lower;
    CountFunction mostOperations;
    CostFunction cost; ///< for libraries that choose the cheapest kernel
    const char* doc; ///< one line
};

/// All algorithms. A new one is a file in collectives/ and a line in collective-table.cc.
const std::vector<CollectiveEntry>& CollectiveTable();

/// The entry, or nullptr when the collective has no such algorithm. `direct` is another name of an all-reduce's
/// two-shot.
const CollectiveEntry* FindCollective(CollectiveOp op, const std::string& algorithm);

/// The names of a collective's algorithms, in table order.
std::vector<std::string> AlgorithmsOf(CollectiveOp op);

/// Lowers with a named algorithm. Throws std::invalid_argument when the collective has none of that name.
Lowering LowerCollective(const CollectiveRequest& request,
                         const CollectiveContext& context,
                         const std::string& algorithm);

/**
 * Size as nccl-tests counts it, in bytes: all-reduce and broadcast the payload of a rank; all-gather the output;
 * reduce-scatter the input; all-to-all the largest input of a rank, own part included.
 */
uint64_t CollectiveSize(const CollectiveRequest& request);

/// Largest block of a rank, of an all-to-all what one rank has for another one, in bytes.
uint64_t LargestBlock(const CollectiveRequest& request);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVE_TABLE_H
