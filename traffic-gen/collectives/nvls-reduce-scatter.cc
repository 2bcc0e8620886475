/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/nvls.h"

namespace hbd::traffic
{

/**
 * Per chunk: copy in, flags, every owner sums its block in the switches, straight to where it belongs. In one domain
 * the whole input leaves each GPU and 1 / n of it arrives. A chunk is copied in when all have summed the one that is
 * kNvlsSlots before it, which takes another round of flags.
 */
Lowering
LowerNvlsReduceScatter(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    NvlsLowering nvls(builder);
    std::vector<MemberOps> freed; // by chunk
    for (uint32_t chunk = 0; chunk < nvls.Chunks(); ++chunk)
    {
        nvls.Sum(chunk, nvls.Stage(chunk, chunk < kNvlsSlots ? MemberOps(builder.Size()) : freed[chunk - kNvlsSlots]));
        freed.push_back(nvls.Stages() && chunk + kNvlsSlots < nvls.Chunks() ? nvls.Barrier(nvls.ReductionsOf(chunk))
                                                                            : MemberOps());
    }
    return builder.Take();
}

} // namespace hbd::traffic
