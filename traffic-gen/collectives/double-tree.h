/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVES_DOUBLE_TREE_H
#define HBD_TRAFFIC_COLLECTIVES_DOUBLE_TREE_H

#include <cstdint>
#include <vector>

namespace hbd::traffic
{

/// A tree over the positions 0 .. n - 1.
struct Tree
{
    std::vector<uint32_t> parent; ///< by position; of the root itself
    std::vector<uint32_t> order;  ///< positions, parents before children
};

/**
 * Two binary trees in which the leaves of one are inner nodes of the other, except for one or two positions (Sanders,
 * Speck, Traff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing 35, 2009): when
 * each carries half of the payload, no position sends or receives more than one payload up and one down. Built as NCCL
 * does (src/graph/trees.cc): the first numbers positions so that the lowest set bit is the height, the second is its
 * mirror image (even n) or shifted by one (odd n).
 */
std::vector<Tree> DoubleTree(uint32_t n);

/// The same for a broadcast: position 0 is the root of both and has one child in each, the other n - 1 are arranged as
/// in DoubleTree().
std::vector<Tree> DoubleTreeBelowRoot(uint32_t n);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVES_DOUBLE_TREE_H
