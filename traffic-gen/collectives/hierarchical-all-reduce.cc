/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

namespace hbd::traffic
{

/// Hierarchical reduce-scatter, then hierarchical all-gather.
Lowering
LowerHierarchicalAllReduce(const CollectiveRequest& request, const CollectiveContext& context)
{
    LoweringBuilder builder(request, context);
    const MemberOps reduced = AddHierarchicalReduceScatter(builder, MemberOps(builder.Size()));
    AddHierarchicalAllGather(builder, reduced);
    return builder.Take();
}

} // namespace hbd::traffic
