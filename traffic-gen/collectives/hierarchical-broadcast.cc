/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

namespace hbd::traffic
{

namespace
{

/// A member sends a piece to all others of its domain but the root, which has it.
void
AddSpread(LoweringBuilder& builder, uint32_t from, const DataPiece& piece, const OpList& after)
{
    const auto& domain = builder.Layout().domains[builder.Layout().domainOf[from]];
    for (uint32_t distance = 1; distance < domain.size(); ++distance)
    {
        const uint32_t to = domain[(builder.Layout().localOf[from] + distance) % domain.size()];
        if (to != 0)
        {
            builder.Transfer(from, to, {piece}, after);
        }
    }
}

} // namespace

/**
 * The blocks are dealt out over the root's domain; the member that gets a block sends it over its NIC to one member of
 * each other domain, in its own position, and to its neighbours; those members pass it on to theirs. The root sends one
 * payload, whatever the number of members, and all NICs of its domain work. Domains of any sizes.
 */
Lowering
LowerHierarchicalBroadcast(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const GroupLayout& layout = builder.Layout();
    const auto& home = layout.domains[0]; // of member 0, the root
    for (uint64_t chunk = 0; chunk < kMaxChunks; ++chunk)
    {
        for (uint32_t block = 0; block < builder.Size(); ++block)
        {
            const auto chunks = ChunksOf(block, request.blockBytes[block]);
            if (chunk >= chunks.size())
            {
                continue;
            }
            const DataPiece& piece = chunks[chunk];
            const uint32_t carrier = home[block % home.size()];
            const OpList here = carrier == 0 ? OpList() : builder.Transfer(0, carrier, {piece}, {});
            for (size_t domain = 1; domain < layout.domains.size(); ++domain)
            {
                const auto& others = layout.domains[domain];
                const uint32_t other = others[layout.localOf[carrier] % others.size()];
                AddSpread(builder, other, piece, builder.Transfer(carrier, other, {piece}, here));
            }
            AddSpread(builder, carrier, piece, here);
        }
    }
    return builder.Take();
}

} // namespace hbd::traffic
