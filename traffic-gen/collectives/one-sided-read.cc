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
 * Every member reads its part from every other one, after a barrier of flags in its domain which says that the data is
 * there: how combine kernels over NVLink pull. What comes from other domains is written by its sender, as in direct.
 * Without data there is no barrier either.
 */
Lowering
LowerOneSidedRead(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const GroupLayout& layout = builder.Layout();
    const uint32_t n = builder.Size();
    if (std::accumulate(request.pairBytes.begin(), request.pairBytes.end(), uint64_t{0}) == 0)
    {
        return builder.Take();
    }
    MemberOps flags(n);
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            const uint32_t to = layout.PeerAt(from, distance);
            if (layout.domainOf[from] == layout.domainOf[to])
            {
                Append(flags[to], builder.Flag(from, to, {}).received);
            }
        }
    }
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t member = 0; member < n; ++member)
        {
            const uint32_t peer = layout.PeerAt(member, distance);
            if (layout.domainOf[member] == layout.domainOf[peer])
            {
                const uint32_t block = peer * n + member;
                builder.Read(member, peer, {{block, 0, request.pairBytes[block]}}, flags[member]);
            }
            else
            {
                const uint32_t block = member * n + peer;
                builder.Transfer(member, peer, {{block, 0, request.pairBytes[block]}}, {});
            }
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
