/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"
#include "shares.h"

#include <algorithm>
#include <numeric>

namespace hbd::traffic
{

/// The payload goes around each ring from the root to the member before it, part by part: no member sends it more than
/// once, whatever their number; a part takes n - 1 steps.
Lowering
LowerRingBroadcast(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    auto rings = RingOrders(builder.Layout());
    const uint64_t bytes = std::accumulate(request.blockBytes.begin(), request.blockBytes.end(), uint64_t{0});
    std::vector<Pipeline> pipelines;
    uint32_t parts = 0;
    for (size_t ring = 0; ring < rings.size(); ++ring)
    {
        std::rotate(rings[ring].begin(), std::find(rings[ring].begin(), rings[ring].end(), 0), rings[ring].end());
        pipelines.emplace_back(builder, ShareOffset(bytes, rings.size(), ring), ShareOf(bytes, rings.size(), ring));
        parts = std::max(parts, pipelines.back().Parts());
    }
    for (uint32_t part = 0; part < parts; ++part)
    {
        for (uint32_t ring = 0; ring < rings.size(); ++ring)
        {
            OpList received;
            for (uint32_t hop = 0; hop + 1 < builder.Size() && part < pipelines[ring].Parts(); ++hop)
            {
                received = pipelines[ring].Transfer(part, rings[ring][hop], rings[ring][hop + 1], 0, received);
            }
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
