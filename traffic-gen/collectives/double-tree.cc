/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/double-tree.h"

#include <algorithm>
#include <numeric>

namespace hbd::traffic
{

namespace
{

/// Parent of a label in the tree of n labels whose root is 0.
uint32_t
ParentOf(uint32_t label, uint32_t n)
{
    if (label == 0)
    {
        return 0;
    }
    const uint32_t bit = label & (~label + 1);
    const uint32_t above = (label ^ bit) | (bit << 1);
    return above < n ? above : label ^ bit;
}

/// The tree whose position p has the label labels[p].
Tree
TreeOf(const std::vector<uint32_t>& labels)
{
    const auto n = static_cast<uint32_t>(labels.size());
    std::vector<uint32_t> positionOf(n);
    std::vector<uint32_t> depth(n, 0);
    Tree tree;
    tree.parent.resize(n);
    tree.order.resize(n);
    for (uint32_t position = 0; position < n; ++position)
    {
        positionOf[labels[position]] = position;
        for (uint32_t label = labels[position]; label != 0; label = ParentOf(label, n))
        {
            ++depth[position];
        }
    }
    for (uint32_t position = 0; position < n; ++position)
    {
        tree.parent[position] = positionOf[ParentOf(labels[position], n)];
    }
    std::iota(tree.order.begin(), tree.order.end(), 0);
    std::stable_sort(tree.order.begin(), tree.order.end(), [&](uint32_t a, uint32_t b) { return depth[a] < depth[b]; });
    return tree;
}

} // namespace

std::vector<Tree>
DoubleTree(uint32_t n)
{
    std::vector<uint32_t> first(n);
    std::vector<uint32_t> second(n);
    for (uint32_t position = 0; position < n; ++position)
    {
        first[position] = position;
        second[position] = n % 2 == 0 ? n - 1 - position : (position + n - 1) % n;
    }
    return {TreeOf(first), TreeOf(second)};
}

std::vector<Tree>
DoubleTreeBelowRoot(uint32_t n)
{
    std::vector<uint32_t> first(n, 0);
    std::vector<uint32_t> second(n, 0);
    for (uint32_t position = 1; position < n; ++position)
    {
        first[position] = position;
        second[position] = n % 2 == 1 ? n - position : position % (n - 1) + 1;
    }
    return {TreeOf(first), TreeOf(second)};
}

} // namespace hbd::traffic
