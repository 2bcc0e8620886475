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

/**
 * Double binary tree below the root: each tree carries half of the payload, part by part, so that the root sends one
 * payload and no other member more than one; log2 n steps. Over several domains as many pairs of trees as there are
 * rings (RingOrders()).
 */
Lowering
LowerTreeBroadcast(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    auto orders = RingOrders(builder.Layout());
    const auto trees = DoubleTreeBelowRoot(builder.Size());
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
    for (auto& order : orders)
    {
        std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
    }
    for (uint32_t part = 0; part < parts; ++part)
    {
        for (size_t i = 0; i < pipelines.size(); ++i)
        {
            const auto& order = orders[i / 2];
            MemberOps received(order.size()); // by position
            for (uint32_t position : trees[i % 2].order)
            {
                const uint32_t parent = trees[i % 2].parent[position];
                if (parent != position && part < pipelines[i].Parts())
                {
                    received[position] =
                        pipelines[i].Transfer(part, order[parent], order[position], 0, received[parent]);
                }
            }
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
