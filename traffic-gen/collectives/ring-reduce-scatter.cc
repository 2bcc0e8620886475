/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"
#include "shares.h"

namespace hbd::traffic
{

MemberOps
AddRingReduceScatter(LoweringBuilder& builder, const MemberOps& after)
{
    const uint32_t n = builder.Size();
    const auto& blocks = builder.Request().blockBytes;
    const auto rings = RingOrders(builder.Layout());
    MemberOps done(n);
    for (size_t ring = 0; ring < rings.size(); ++ring)
    {
        const auto& order = rings[ring];
        MemberOps ready(n); // by position: the block to pass on has been reduced
        for (uint32_t step = 0; step + 1 < n; ++step)
        {
            MemberOps next(n);
            for (uint32_t position = 0; position < n; ++position)
            {
                const uint32_t from = order[position];
                const uint32_t to = order[(position + 1) % n];
                const uint32_t block = order[(position + 2 * n - step - 1) % n];
                const DataPiece piece{block,
                                      ShareOffset(blocks[block], rings.size(), ring),
                                      ShareOf(blocks[block], rings.size(), ring)};
                const OpList& wait = step == 0 ? after[from] : ready[position];
                const OpList received = builder.Transfer(from, to, {piece}, wait);
                // Reads its own contribution and what came, writes the sum.
                next[(position + 1) % n] = builder.Reduce(to, 3 * piece.bytes, received);
            }
            ready = std::move(next);
        }
        for (uint32_t position = 0; position < n; ++position)
        {
            Append(done[order[position]], ready[position]);
        }
    }
    return done;
}

/// Partial sums travel once around: (n - 1) / n of the input a rank, n - 1 steps.
Lowering
LowerRingReduceScatter(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    AddRingReduceScatter(builder, MemberOps(builder.Size()));
    return builder.Take();
}

} // namespace hbd::traffic
