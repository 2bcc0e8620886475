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

/**
 * One part of the block of `owner`, which is in another domain than `holder` (same position): the neighbours of the
 * holder send it their contributions, it sends the sum to the owner.
 */
void
AddPartialSum(LoweringBuilder& builder,
              uint32_t holder,
              const DataPiece& piece,
              const MemberOps& after,
              MemberOps& done)
{
    const uint32_t owner = piece.block;
    const auto& domain = builder.Layout().domains[builder.Layout().domainOf[holder]];
    OpList contributions;
    for (uint32_t distance = 1; distance < domain.size(); ++distance)
    {
        const uint32_t from = domain[(builder.Layout().localOf[holder] + domain.size() - distance) % domain.size()];
        Append(contributions, builder.Transfer(from, holder, {piece}, after[from]));
    }
    OpList ready = builder.Reduce(holder, (domain.size() + 1) * piece.bytes, contributions);
    Append(ready, after[holder]);
    Append(done[owner], builder.Transfer(holder, owner, {piece}, ready));
}

/// Contributions of each member to the blocks of its neighbours.
void
AddInsideDomain(LoweringBuilder& builder, const MemberOps& after, MemberOps& done)
{
    const GroupLayout& layout = builder.Layout();
    const uint32_t local = static_cast<uint32_t>(layout.domains[0].size());
    for (uint32_t distance = 1; distance < local; ++distance)
    {
        for (uint32_t from = 0; from < builder.Size(); ++from)
        {
            const uint32_t to = layout.domains[layout.domainOf[from]][(layout.localOf[from] + distance) % local];
            const DataPiece piece{to, 0, builder.Request().blockBytes[to]};
            Append(done[to], builder.Transfer(from, to, {piece}, after[from]));
        }
    }
}

} // namespace

MemberOps
AddHierarchicalReduceScatter(LoweringBuilder& builder, const MemberOps& after)
{
    const GroupLayout& layout = builder.Layout();
    if (!layout.TwoLevel())
    {
        return layout.even ? AddDirectReduceScatter(builder, after) : AddRingReduceScatter(builder, after);
    }
    const uint32_t domains = static_cast<uint32_t>(layout.domains.size());
    const auto& blocks = builder.Request().blockBytes;
    MemberOps done(builder.Size());
    // What has to cross first: the NICs start early and the domain's own blocks follow.
    for (uint32_t distance = 1; distance < domains; ++distance)
    {
        for (uint64_t chunk = 0; chunk < kMaxChunks; ++chunk)
        {
            for (uint32_t holder = 0; holder < builder.Size(); ++holder)
            {
                const uint32_t domain = (layout.domainOf[holder] + distance) % domains;
                const uint32_t owner = layout.domains[domain][layout.localOf[holder]];
                const auto chunks = ChunksOf(owner, blocks[owner]);
                if (chunk < chunks.size())
                {
                    AddPartialSum(builder, holder, chunks[chunk], after, done);
                }
            }
        }
    }
    AddInsideDomain(builder, after, done);
    for (uint32_t member = 0; member < builder.Size(); ++member)
    {
        // Reads its own contribution, those of the neighbours and one sum per other domain; writes the result.
        const uint64_t operands = layout.domains[0].size() + domains;
        done[member] = builder.Reduce(member, operands * blocks[member], done[member]);
    }
    return done;
}

/**
 * Mirror of the hierarchical all-gather: inside the domain the blocks of each other domain are summed at the member in
 * the owner's position, part by part, and the partial sums cross to the owner over the NIC. With D domains a rank sends
 * (D - 1) / n of the input over the NIC and D (n / D - 1) / n inside the domain.
 */
Lowering
LowerHierarchicalReduceScatter(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    AddHierarchicalReduceScatter(builder, MemberOps(builder.Size()));
    return builder.Take();
}

} // namespace hbd::traffic
