/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"
#include "shares.h"

namespace hbd::traffic
{

/**
 * Relay around the rings, n - 1 steps: in each step a member passes on all that has come to it and is for others, first
 * what it has itself. Only neighbours talk; a pair's data travels up to n - 1 hops, n / 2 on average.
 */
Lowering
LowerRingAllToAll(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const uint32_t n = builder.Size();
    const auto rings = RingOrders(builder.Layout());
    for (size_t ring = 0; ring < rings.size(); ++ring)
    {
        const auto& order = rings[ring];
        MemberOps ready(n); // by position: what to pass on is here
        for (uint32_t step = 0; step + 1 < n; ++step)
        {
            MemberOps next(n);
            for (uint32_t position = 0; position < n; ++position)
            {
                const uint32_t source = order[(position + n - step) % n]; // whose data is at this position now
                std::vector<DataPiece> pieces;
                for (uint32_t further = 1; further + step < n; ++further)
                {
                    const uint32_t block = source * n + order[(position + further) % n];
                    const uint64_t bytes = request.pairBytes[block];
                    pieces.push_back({block, ShareOffset(bytes, rings.size(), ring), ShareOf(bytes, rings.size(), ring)});
                }
                const uint32_t to = (position + 1) % n;
                next[to] = builder.Transfer(order[position], order[to], pieces, ready[position]);
            }
            ready = std::move(next);
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
