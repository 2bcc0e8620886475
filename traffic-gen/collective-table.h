/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVE_TABLE_H
#define HBD_TRAFFIC_COLLECTIVE_TABLE_H

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
    const char* doc; ///< one line
};

/// All algorithms. A new one is a file in collectives/ and a line in collective-table.cc.
const std::vector<CollectiveEntry>& CollectiveTable();

/// The entry, or nullptr when the collective has no such algorithm. `direct` is another name of an all-reduce's
/// two-shot.
const CollectiveEntry* FindCollective(CollectiveOp op, const std::string& algorithm);

/// The names of a collective's algorithms, in table order.
std::vector<std::string> AlgorithmsOf(CollectiveOp op);

/**
 * The one rule by which the library chooses. All-to-all: library.allToAll, whatever the size. Others: direct
 * (all-reduce: two-shot, which is direct twice) when the largest block of a member (all-gather: what it contributes;
 * reduce-scatter: what it keeps; all-reduce: its share of the payload, and so of a broadcast) is at most
 * library.directLimit, else library.largeAlgorithm. The rule looks at all groups of a collective together, so that they
 * use the same. \param largestBlock bytes
 */
std::string ChooseAlgorithm(CollectiveOp op, uint64_t largestBlock, const LibrarySpec& library);

/// Lowers with a named algorithm. Throws std::invalid_argument when the collective has none of that name.
Lowering LowerCollective(const CollectiveRequest& request,
                         const CollectiveContext& context,
                         const std::string& algorithm);

/**
 * Size as nccl-tests counts it, in bytes: all-reduce and broadcast the payload of a rank; all-gather the output;
 * reduce-scatter the input; all-to-all the largest input of a rank, own part included.
 */
uint64_t CollectiveSize(const CollectiveRequest& request);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVE_TABLE_H
