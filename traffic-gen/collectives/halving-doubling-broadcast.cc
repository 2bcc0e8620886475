/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/halving-doubling.h"

namespace hbd::traffic
{

namespace
{

/// Deals the blocks out from participant 0 over a binomial tree. \return by participant: what it received
MemberOps
AddScatter(LoweringBuilder& builder, const FoldedGroup& group, Holdings& has)
{
    MemberOps received(group.Participants());
    has[0].assign(group.Participants(), true);
    for (uint32_t bit = 1; bit < group.Participants(); bit *= 2)
    {
        for (uint32_t from = 0; from < bit; ++from)
        {
            const uint32_t to = from | bit;
            const auto pieces = group.BlocksMatching(2 * bit - 1, to);
            received[to] = builder.Transfer(group.MemberOf(from), group.MemberOf(to), pieces, received[from]);
            for (uint32_t whose = to; whose < group.Participants(); whose += 2 * bit)
            {
                has[to][whose] = true;
            }
        }
    }
    return received;
}

} // namespace

/**
 * Scatter over a binomial tree, then all-gather by recursive doubling (van de Geijn): about 2 payloads leave the root,
 * in 2 log2 n - 1 steps. When n is no power of two, the extras get the whole payload from a neighbour at the end.
 */
Lowering
LowerScatterDoublingBroadcast(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const FoldedGroup group(builder);
    Holdings has = OwnBlocks(group);
    MemberOps ready = AddScatter(builder, group, has);
    ready = AddRecursiveDoubling(builder, group, ready, has);
    for (uint32_t participant = 0; participant < group.Participants(); ++participant)
    {
        if (const auto extra = group.ExtraOf(participant))
        {
            const auto payload = group.BlocksExcept(builder.Size());
            builder.Transfer(group.MemberOf(participant), *extra, payload, ready[participant]);
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
