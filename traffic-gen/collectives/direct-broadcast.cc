/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

#include <numeric>

namespace hbd::traffic
{

/// The root sends the whole payload to each other member, one step: (n - 1) payloads leave it.
Lowering
LowerDirectBroadcast(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const auto& blocks = request.blockBytes;
    const auto payload = PayloadRange(blocks, 0, std::accumulate(blocks.begin(), blocks.end(), uint64_t{0}));
    for (uint32_t distance = 1; distance < builder.Size(); ++distance)
    {
        builder.Transfer(0, builder.Layout().PeerAt(0, distance), payload, {});
    }
    return builder.Take();
}

} // namespace hbd::traffic
