/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

namespace hbd::traffic
{

MemberOps
AddDirectAllGather(LoweringBuilder& builder, const MemberOps& after)
{
    const uint32_t n = builder.Size();
    const auto& blocks = builder.Request().blockBytes;
    MemberOps done(n);
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            const uint32_t to = builder.Layout().PeerAt(from, distance);
            Append(done[to], builder.Transfer(from, to, {{from, 0, blocks[from]}}, after[from]));
        }
    }
    return done;
}

/// Each member sends its block to each other member: (n - 1) / n of the output a rank, one step.
Lowering
LowerDirectAllGather(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    AddDirectAllGather(builder, MemberOps(builder.Size()));
    return builder.Take();
}

} // namespace hbd::traffic
