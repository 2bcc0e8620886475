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

/// A part of a remote block that has arrived over the NIC and goes on to the neighbours.
struct Arrival
{
    uint32_t member;
    DataPiece piece;
    OpList received;
};

/// Each member sends its block to its counterparts in the other domains.
std::vector<Arrival>
AddCrossDomainExchange(LoweringBuilder& builder, const MemberOps& after)
{
    const GroupLayout& layout = builder.Layout();
    const uint32_t domains = static_cast<uint32_t>(layout.domains.size());
    std::vector<Arrival> arrivals;
    for (uint32_t distance = 1; distance < domains; ++distance)
    {
        for (uint32_t from = 0; from < builder.Size(); ++from)
        {
            const uint32_t domain = (layout.domainOf[from] + distance) % domains;
            const uint32_t to = layout.domains[domain][layout.localOf[from]];
            for (const auto& piece : ChunksOf(from, builder.Request().blockBytes[from]))
            {
                arrivals.push_back({to, piece, builder.Transfer(from, to, {piece}, after[from])});
            }
        }
    }
    return arrivals;
}

/// A member sends a piece to all its neighbours in the domain.
void
AddSpread(LoweringBuilder& builder, uint32_t from, const DataPiece& piece, const OpList& after, MemberOps& done)
{
    const auto& domain = builder.Layout().domains[builder.Layout().domainOf[from]];
    for (uint32_t distance = 1; distance < domain.size(); ++distance)
    {
        const uint32_t to = domain[(builder.Layout().localOf[from] + distance) % domain.size()];
        Append(done[to], builder.Transfer(from, to, {piece}, after));
    }
}

} // namespace

MemberOps
AddHierarchicalAllGather(LoweringBuilder& builder, const MemberOps& after)
{
    const GroupLayout& layout = builder.Layout();
    if (!layout.TwoLevel())
    {
        return layout.even ? AddDirectAllGather(builder, after) : AddRingAllGather(builder, after);
    }
    MemberOps done(builder.Size());
    const auto arrivals = AddCrossDomainExchange(builder, after);
    for (uint32_t member = 0; member < builder.Size(); ++member)
    {
        AddSpread(builder, member, {member, 0, builder.Request().blockBytes[member]}, after[member], done);
    }
    for (const auto& arrival : arrivals)
    {
        Append(done[arrival.member], arrival.received);
        AddSpread(builder, arrival.member, arrival.piece, arrival.received, done);
    }
    return done;
}

/**
 * Each member exchanges its block with its counterparts (same position) in the other domains over the NIC and at the
 * same time spreads it inside its domain; each remote part is spread as it arrives. With D domains a rank sends (D - 1)
 * / n of the output over the NIC and D (n / D - 1) / n inside the domain.
 */
Lowering
LowerHierarchicalAllGather(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    AddHierarchicalAllGather(builder, MemberOps(builder.Size()));
    return builder.Take();
}

} // namespace hbd::traffic
