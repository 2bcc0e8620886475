/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/halving-doubling.h"

namespace hbd::traffic
{

/**
 * Rabenseifner's algorithm: reduce-scatter by recursive halving, all-gather by recursive doubling. 2 (n - 1) / n of the
 * payload a rank in 2 log2 n steps; when n is no power of two, the extras send their payload to a neighbour before and
 * get the result from it after.
 */
Lowering
LowerHalvingDoublingAllReduce(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const FoldedGroup group(builder);
    const auto payload = group.BlocksExcept(builder.Size());
    MemberOps ready(group.Participants());
    for (uint32_t participant = 0; participant < group.Participants(); ++participant)
    {
        if (const auto extra = group.ExtraOf(participant))
        {
            const uint32_t member = group.MemberOf(participant);
            const OpList received = builder.Transfer(*extra, member, payload, {});
            ready[participant] = builder.Reduce(member, 3 * BytesOf(payload), received);
        }
    }
    ready = AddRecursiveHalving(builder, group, ready);
    Holdings has = OwnBlocks(group);
    ready = AddRecursiveDoubling(builder, group, ready, has);
    for (uint32_t participant = 0; participant < group.Participants(); ++participant)
    {
        if (const auto extra = group.ExtraOf(participant))
        {
            builder.Transfer(group.MemberOf(participant), *extra, payload, ready[participant]);
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
