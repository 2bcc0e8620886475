/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

#include <numeric>

namespace hbd::traffic
{

/// Each member sends its whole payload to each other member and sums what it gets: n - 1 payloads a rank, one step.
Lowering
LowerOneShotAllReduce(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const uint32_t n = builder.Size();
    const auto& blocks = request.blockBytes;
    const uint64_t bytes = std::accumulate(blocks.begin(), blocks.end(), uint64_t{0});
    const auto payload = PayloadRange(blocks, 0, bytes);
    MemberOps received(n);
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            const uint32_t to = builder.Layout().PeerAt(from, distance);
            Append(received[to], builder.Transfer(from, to, payload, {}));
        }
    }
    for (uint32_t member = 0; member < n; ++member)
    {
        builder.Reduce(member, (n + 1) * bytes, received[member]); // reads n payloads, writes one
    }
    return builder.Take();
}

} // namespace hbd::traffic
