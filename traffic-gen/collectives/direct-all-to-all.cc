/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

namespace hbd::traffic
{

void
AddDirectAllToAll(LoweringBuilder& builder)
{
    const uint32_t n = builder.Size();
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            const uint32_t to = builder.Layout().PeerAt(from, distance);
            const uint32_t block = from * n + to;
            builder.Transfer(from, to, {{block, 0, builder.Request().pairBytes[block]}}, {});
        }
    }
}

/// Each member sends each other member its data: exactly the pair's bytes, one step, both tiers at the same time.
Lowering
LowerDirectAllToAll(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    AddDirectAllToAll(builder);
    return builder.Take();
}

} // namespace hbd::traffic
