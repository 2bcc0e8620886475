/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/nvls.h"

namespace hbd::traffic
{

namespace
{

/// Sends a chunk to all. \return by member: what arrived
MemberOps
AddChunk(LoweringBuilder& builder, NvlsLowering& nvls, uint32_t chunk, const MemberOps& ready)
{
    const GroupLayout& layout = builder.Layout();
    const auto& home = layout.domains[0]; // of member 0, the root
    MemberOps arrivals(builder.Size());
    nvls.MulticastAt(0, nvls.PiecesOf(chunk, builder.Size()), ready[0], arrivals);
    for (uint32_t local = 0; local < home.size(); ++local)
    {
        const uint32_t carrier = home[local];
        std::vector<DataPiece> pieces;
        for (uint32_t block = local; block < builder.Size(); block += static_cast<uint32_t>(home.size()))
        {
            pieces.push_back(nvls.PieceOf(chunk, block));
        }
        const OpList here = carrier == 0 ? ready[0] : arrivals[carrier];
        for (size_t domain = 1; domain < layout.domains.size(); ++domain)
        {
            const uint32_t head = layout.domains[domain][local % layout.domains[domain].size()];
            OpList received = builder.Transfer(carrier, head, pieces, here);
            Append(arrivals[head], received);
            if (!received.empty())
            {
                Append(received, ready[head]);
                nvls.MulticastAt(head, pieces, received, arrivals);
            }
        }
    }
    return arrivals;
}

} // namespace

/**
 * Per chunk: the root multicasts it in its domain, copy out. Into other domains the members of the root's domain send
 * the blocks over their NICs, each its share, and who gets it there multicasts it. The payload leaves each GPU at most
 * once in the domain. A chunk is sent when all have copied the one that is kNvlsSlots before it out (flags) or, without
 * staging, have received it.
 */
Lowering
LowerNvlsBroadcast(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    NvlsLowering nvls(builder);
    const uint32_t n = builder.Size();
    std::vector<MemberOps> freed; // by chunk
    for (uint32_t chunk = 0; chunk < nvls.Chunks(); ++chunk)
    {
        MemberOps done = AddChunk(builder, nvls, chunk, chunk < kNvlsSlots ? MemberOps(n) : freed[chunk - kNvlsSlots]);
        for (uint32_t member = 1; member < n; ++member)
        {
            done[member] = nvls.Copy(member, CopyKind::Out, nvls.PiecesOf(chunk, n), done[member]);
        }
        freed.push_back(nvls.Stages() && chunk + kNvlsSlots < nvls.Chunks() ? nvls.Barrier(done) : done);
    }
    return builder.Take();
}

} // namespace hbd::traffic
