/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/halving-doubling.h"

namespace hbd::traffic
{

/**
 * Recursive halving: (n - 1) / n of the input a rank in log2 n steps. When n is no power of two, the extras send their
 * contributions to a neighbour before and get the sum of their block from it after.
 */
Lowering
LowerHalvingReduceScatter(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const FoldedGroup group(builder);
    MemberOps ready(group.Participants());
    for (uint32_t participant = 0; participant < group.Participants(); ++participant)
    {
        if (const auto extra = group.ExtraOf(participant))
        {
            const uint32_t member = group.MemberOf(participant);
            const auto pieces = group.BlocksExcept(*extra);
            const OpList received = builder.Transfer(*extra, member, pieces, {});
            ready[participant] = builder.Reduce(member, 3 * BytesOf(pieces), received);
        }
    }
    ready = AddRecursiveHalving(builder, group, ready);
    for (uint32_t participant = 0; participant < group.Participants(); ++participant)
    {
        if (const auto extra = group.ExtraOf(participant))
        {
            const uint64_t bytes = request.blockBytes[*extra];
            const OpList received =
                builder.Transfer(group.MemberOf(participant), *extra, {{*extra, 0, bytes}}, ready[participant]);
            builder.Reduce(*extra, 3 * bytes, received);
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
