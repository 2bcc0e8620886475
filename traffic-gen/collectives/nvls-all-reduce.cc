/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/nvls.h"

#include <algorithm>

namespace hbd::traffic
{

/**
 * Per chunk: copy in, flags, every owner sums its block in the switches, multicasts the sum, copy out. In one domain
 * (n + 1) / n of the payload leaves each GPU (all its data to the switches, its sum to the others) and as much arrives.
 * With k = kNvlsSlots slots of a chunk in the staging buffer the engine copies in the order in 0, ..., in k - 2, then
 * in k - 1, out 0, in k, out 1, ...: chunks are copied in while those before them are summed and spread. No further
 * flags are needed: a member that copies chunk c + k in has copied chunk c out, so that all sums of chunk c were made;
 * and the sums of chunk c + k need the flags of all members, so that all have copied chunk c out.
 */
Lowering
LowerNvlsAllReduce(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    NvlsLowering nvls(builder);
    const uint32_t n = builder.Size();
    const MemberOps atOnce(n);
    std::vector<MemberOps> staged; // by chunk
    for (uint32_t chunk = 0; chunk < nvls.Chunks(); ++chunk)
    {
        while (staged.size() < std::min(nvls.Chunks(), chunk + kNvlsSlots))
        {
            staged.push_back(nvls.Stage(static_cast<uint32_t>(staged.size()), atOnce));
        }
        const MemberOps arrivals = nvls.Spread(chunk, nvls.Sum(chunk, staged[chunk]));
        for (uint32_t member = 0; member < n; ++member)
        {
            nvls.Copy(member, CopyKind::Out, nvls.PiecesOf(chunk, n), arrivals[member]);
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
