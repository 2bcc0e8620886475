/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

namespace hbd::traffic
{

/// Two-shot: direct reduce-scatter, then direct all-gather. 2 (n - 1) / n of the payload a rank, two steps.
Lowering
LowerTwoShotAllReduce(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const MemberOps reduced = AddDirectReduceScatter(builder, MemberOps(builder.Size()));
    AddDirectAllGather(builder, reduced);
    return builder.Take();
}

} // namespace hbd::traffic
