/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/nvls.h"

namespace hbd::traffic
{

/**
 * Per chunk: every member multicasts its block, copy out. In one domain 1 / n of the output leaves each GPU and all of
 * it arrives. A chunk is sent when all have copied the one that is kNvlsSlots before it out (flags) or, without
 * staging, have received it.
 */
Lowering
LowerNvlsAllGather(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    NvlsLowering nvls(builder);
    const uint32_t n = builder.Size();
    std::vector<MemberOps> freed; // by chunk
    for (uint32_t chunk = 0; chunk < nvls.Chunks(); ++chunk)
    {
        MemberOps done = nvls.Spread(chunk, chunk < kNvlsSlots ? MemberOps(n) : freed[chunk - kNvlsSlots]);
        for (uint32_t member = 0; member < n; ++member)
        {
            done[member] = nvls.Copy(member, CopyKind::Out, nvls.PiecesOf(chunk, member), done[member]);
        }
        freed.push_back(nvls.Stages() && chunk + kNvlsSlots < nvls.Chunks() ? nvls.Barrier(done) : done);
    }
    return builder.Take();
}

} // namespace hbd::traffic
