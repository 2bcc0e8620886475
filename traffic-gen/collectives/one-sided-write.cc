/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

#include <numeric>

namespace hbd::traffic
{

/**
 * Every member writes each other one its part, and when all of it is there (release) a flag to each; a member goes on
 * when it has the flags of all (acquire): how one-sided MoE kernels dispatch. Without data there are no flags either.
 */
Lowering
LowerOneSidedWrite(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const uint32_t n = builder.Size();
    if (std::accumulate(request.pairBytes.begin(), request.pairBytes.end(), uint64_t{0}) == 0)
    {
        return builder.Take();
    }
    MemberOps written(n);
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            const uint32_t to = builder.Layout().PeerAt(from, distance);
            const uint32_t block = from * n + to;
            Append(written[from], builder.Write(from, to, {{block, 0, request.pairBytes[block]}}, {}).sent);
        }
    }
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            builder.Flag(from, builder.Layout().PeerAt(from, distance), written[from]);
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
