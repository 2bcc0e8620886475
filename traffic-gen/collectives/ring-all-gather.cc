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
AddRingAllGather(LoweringBuilder& builder, const MemberOps& after)
{
    const uint32_t n = builder.Size();
    const auto& blocks = builder.Request().blockBytes;
    const auto rings = RingOrders(builder.Layout());
    MemberOps done(n);
    for (size_t ring = 0; ring < rings.size(); ++ring)
    {
        const auto& order = rings[ring];
        MemberOps ready(n); // by position: the block to pass on is here
        for (uint32_t step = 0; step + 1 < n; ++step)
        {
            MemberOps next(n);
            for (uint32_t position = 0; position < n; ++position)
            {
                const uint32_t from = order[position];
                const uint32_t to = order[(position + 1) % n];
                const uint32_t block = order[(position + n - step) % n];
                const DataPiece piece{block,
                                      ShareOffset(blocks[block], rings.size(), ring),
                                      ShareOf(blocks[block], rings.size(), ring)};
                const OpList& wait = step == 0 ? after[from] : ready[position];
                OpList& received = next[(position + 1) % n];
                received = builder.Transfer(from, to, {piece}, wait);
                Append(done[to], received);
            }
            ready = std::move(next);
        }
    }
    return done;
}

/// Blocks travel once around: (n - 1) / n of the output a rank, n - 1 steps.
Lowering
LowerRingAllGather(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    AddRingAllGather(builder, MemberOps(builder.Size()));
    return builder.Take();
}

} // namespace hbd::traffic
