/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

namespace hbd::traffic
{

MemberOps
AddDirectReduceScatter(LoweringBuilder& builder, const MemberOps& after)
{
    const uint32_t n = builder.Size();
    const auto& blocks = builder.Request().blockBytes;
    MemberOps done(n);
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            const uint32_t to = builder.Layout().PeerAt(from, distance);
            Append(done[to], builder.Transfer(from, to, {{to, 0, blocks[to]}}, after[from]));
        }
    }
    for (uint32_t member = 0; member < n; ++member)
    {
        // Reads n contributions, writes one result.
        done[member] = builder.Reduce(member, (n + 1) * blocks[member], done[member]);
    }
    return done;
}

/// Each member sends each other member its contribution to that member's block: (n - 1) / n of the input a rank, one
/// step.
Lowering
LowerDirectReduceScatter(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    AddDirectReduceScatter(builder, MemberOps(builder.Size()));
    return builder.Take();
}

} // namespace hbd::traffic
