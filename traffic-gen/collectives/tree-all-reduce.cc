/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/double-tree.h"
#include "collectives/phases.h"
#include "shares.h"

#include <algorithm>
#include <numeric>

namespace hbd::traffic
{

namespace
{

/// Sums a part up one tree and sends it down again. \param order members by position of the tree
void
AddPart(LoweringBuilder& builder,
        Pipeline& pipeline,
        const Tree& tree,
        const std::vector<uint32_t>& order,
        uint32_t part)
{
    std::vector<OpList> sums(order.size()); // by position: contributions of its children
    std::vector<uint64_t> children(order.size(), 0);
    for (auto position = tree.order.rbegin(); position != tree.order.rend(); ++position)
    {
        // Reads its own and its children's, writes the sum.
        const uint64_t touched = (children[*position] + 2) * pipeline.PartBytes(part);
        sums[*position] = builder.Reduce(order[*position], touched, sums[*position]);
        const uint32_t parent = tree.parent[*position];
        if (parent != *position)
        {
            Append(sums[parent], pipeline.Transfer(part, order[*position], order[parent], 0, sums[*position]));
            ++children[parent];
        }
    }
    for (uint32_t position : tree.order)
    {
        const uint32_t parent = tree.parent[position];
        if (parent != position)
        {
            sums[position] = pipeline.Transfer(part, order[parent], order[position], 1, sums[parent]);
        }
    }
}

} // namespace

/**
 * Double binary tree: each of two trees sums half of the payload up to its root and sends the sum down, part by part.
 * 2 payloads (n - 1) / n a rank on average and at most 2; 2 log2 n steps. Over several domains as many pairs of trees
 * as there are rings (RingOrders()), which cross between domains at different members.
 */
Lowering
LowerTreeAllReduce(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const auto orders = RingOrders(builder.Layout());
    const auto trees = DoubleTree(builder.Size());
    const uint64_t bytes = std::accumulate(request.blockBytes.begin(), request.blockBytes.end(), uint64_t{0});
    std::vector<Pipeline> pipelines;
    uint32_t parts = 0;
    for (size_t i = 0; i < orders.size() * 2; ++i)
    {
        pipelines.emplace_back(builder,
                               ShareOffset(bytes, orders.size() * 2, i),
                               ShareOf(bytes, orders.size() * 2, i));
        parts = std::max(parts, pipelines.back().Parts());
    }
    for (uint32_t part = 0; part < parts; ++part)
    {
        for (size_t i = 0; i < pipelines.size(); ++i)
        {
            if (part < pipelines[i].Parts())
            {
                AddPart(builder, pipelines[i], trees[i % 2], orders[i / 2], part);
            }
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
