/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/halving-doubling.h"

namespace hbd::traffic
{

/**
 * Recursive doubling: (n - 1) / n of the output a rank in log2 n steps. When n is no power of two, the extras send their
 * block to a neighbour before and get all others from it after.
 */
Lowering
LowerDoublingAllGather(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const FoldedGroup group(builder);
    MemberOps ready(group.Participants());
    for (uint32_t participant = 0; participant < group.Participants(); ++participant)
    {
        if (const auto extra = group.ExtraOf(participant))
        {
            const DataPiece block{*extra, 0, request.blockBytes[*extra]};
            ready[participant] = builder.Transfer(*extra, group.MemberOf(participant), {block}, {});
        }
    }
    Holdings has = OwnBlocks(group);
    ready = AddRecursiveDoubling(builder, group, ready, has);
    for (uint32_t participant = 0; participant < group.Participants(); ++participant)
    {
        if (const auto extra = group.ExtraOf(participant))
        {
            const auto pieces = group.BlocksExcept(*extra);
            builder.Transfer(group.MemberOf(participant), *extra, pieces, ready[participant]);
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
