/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

#include <map>

namespace hbd::traffic
{

namespace
{

/// What a relay sends to one destination in another domain.
struct Batch
{
    std::vector<DataPiece> pieces;
    OpList received; ///< at the relay
};

/// Sends data for other domains to the relays. \return batches by relay and destination
std::vector<std::map<uint32_t, Batch>>
AddToRelays(LoweringBuilder& builder)
{
    const GroupLayout& layout = builder.Layout();
    const uint32_t n = builder.Size();
    const uint32_t domains = static_cast<uint32_t>(layout.domains.size());
    std::vector<std::map<uint32_t, Batch>> batches(n);
    for (uint32_t distance = 1; distance < domains; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            const auto& home = layout.domains[layout.domainOf[from]];
            for (uint32_t to : layout.domains[(layout.domainOf[from] + distance) % domains])
            {
                const DataPiece piece{from * n + to, 0, builder.Request().pairBytes[from * n + to]};
                const uint32_t relay = home[layout.localOf[to] % home.size()];
                Batch& batch = batches[relay][to];
                batch.pieces.push_back(piece);
                if (relay != from)
                {
                    Append(batch.received, builder.Transfer(from, relay, {piece}, {}));
                }
            }
        }
    }
    return batches;
}

} // namespace

/**
 * Data for another domain goes inside the domain to the member in the destination's position (its rail), which sends
 * the data of the whole domain for that destination in one message over its NIC. Data for the own domain goes directly.
 * A domain with fewer members than the destination's lets each relay serve several positions. One domain, or one member
 * in each: direct.
 */
Lowering
LowerHierarchicalAllToAll(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const GroupLayout& layout = builder.Layout();
    const uint32_t n = builder.Size();
    if (layout.domains.size() == 1 || layout.domains.size() == n)
    {
        AddDirectAllToAll(builder);
        return builder.Take();
    }
    auto batches = AddToRelays(builder);
    for (uint32_t distance = 1; distance < n; ++distance)
    {
        for (uint32_t from = 0; from < n; ++from)
        {
            const uint32_t to = layout.PeerAt(from, distance);
            if (layout.domainOf[from] == layout.domainOf[to])
            {
                builder.Transfer(from, to, {{from * n + to, 0, request.pairBytes[from * n + to]}}, {});
            }
            else if (auto batch = batches[from].find(to); batch != batches[from].end())
            {
                builder.Transfer(from, to, batch->second.pieces, batch->second.received);
            }
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
