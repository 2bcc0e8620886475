/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

#include <algorithm>
#include <numeric>

namespace hbd::traffic
{

std::vector<std::vector<uint32_t>>
RingOrders(const GroupLayout& layout)
{
    if (layout.domains.size() == 1 && layout.meshPeers > 0)
    {
        return MeshRings(static_cast<uint32_t>(layout.domainOf.size()));
    }
    if (!layout.TwoLevel())
    {
        std::vector<uint32_t> order(layout.domainOf.size());
        std::iota(order.begin(), order.end(), 0);
        return {order};
    }
    const uint32_t local = static_cast<uint32_t>(layout.domains[0].size());
    std::vector<std::vector<uint32_t>> rings(std::min(local, kMaxRings));
    for (uint32_t ring = 0; ring < rings.size(); ++ring)
    {
        // Spread the rings' entries evenly when there are fewer rings than members.
        const uint32_t first = static_cast<uint32_t>(static_cast<uint64_t>(ring) * local / rings.size());
        for (uint32_t domain = 0; domain < layout.domains.size(); ++domain)
        {
            for (uint32_t i = 0; i < local; ++i)
            {
                const uint32_t forward = (first + i) % local;
                const uint32_t backward = (first + local - 1 - i) % local;
                rings[ring].push_back(layout.domains[domain][domain % 2 == 0 ? forward : backward]);
            }
        }
    }
    return rings;
}

} // namespace hbd::traffic
