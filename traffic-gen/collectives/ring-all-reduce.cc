/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

namespace hbd::traffic
{

/// Ring reduce-scatter, then ring all-gather: 2 (n - 1) / n of the payload a rank, 2 (n - 1) steps.
Lowering
LowerRingAllReduce(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const MemberOps reduced = AddRingReduceScatter(builder, MemberOps(builder.Size()));
    AddRingAllGather(builder, reduced);
    return builder.Take();
}

} // namespace hbd::traffic
