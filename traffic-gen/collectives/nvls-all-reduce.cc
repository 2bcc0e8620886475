/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/nvls.h"

namespace hbd::traffic
{

/**
 * Per chunk: copy in, flags, every owner sums its block in the switches, multicasts the sum, copy out. In one domain
 * (n + 1) / n of the payload leaves each GPU (all its data to the switches, its sum to the others) and as much arrives.
 * The engine copies in the order in 0, in 1, out 0, in 2, out 1, ...: a chunk is copied in while the one before it is
 * summed. Two chunks of staging are enough without further flags: a member that copies chunk c + 2 in has copied chunk
 * c out, so that all sums of chunk c were made; and the sums of chunk c + 2 need the flags of all members, so that all
 * have copied chunk c out.
 */
Lowering
LowerNvlsAllReduce(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    NvlsLowering nvls(builder);
    const uint32_t n = builder.Size();
    const MemberOps atOnce(n);
    MemberOps staged = nvls.Chunks() > 0 ? nvls.Stage(0, atOnce) : atOnce;
    for (uint32_t chunk = 0; chunk < nvls.Chunks(); ++chunk)
    {
        const MemberOps next = chunk + 1 < nvls.Chunks() ? nvls.Stage(chunk + 1, atOnce) : atOnce;
        const MemberOps arrivals = nvls.Spread(chunk, nvls.Sum(chunk, staged));
        for (uint32_t member = 0; member < n; ++member)
        {
            nvls.Copy(member, CopyKind::Out, nvls.PiecesOf(chunk, n), arrivals[member]);
        }
        staged = next;
    }
    return builder.Take();
}

} // namespace hbd::traffic
