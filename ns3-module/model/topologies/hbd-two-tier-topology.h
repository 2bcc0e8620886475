/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TWO_TIER_TOPOLOGY_H
#define HBD_TWO_TIER_TOPOLOGY_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * Two tiers of switches in every plane: `leafSize` consecutive GPUs of the domain share a leaf switch (level 0), and each leaf has `trunks` links to
 * each of the plane's `spines` (level 1). Traffic goes up to a spine and down again, never twice, so that credits cannot wait for each other in a
 * circle. A plane is oversubscribed when the links of its leaf's GPUs have a higher rate than the leaf's trunks.
 * \param graph with its GPUs
 * \param topology planes, linksPerPlane or links, linkRate, linkDelay, leafSize, spines, trunks, trunkRate
 * \throws std::invalid_argument as AddSingleTier, when a count is 0 or when leafSize does not divide the domain
 */
void AddTwoTier(FabricGraph& graph, const ScaleUpTopology& topology);

} // namespace hbd
} // namespace ns3

#endif /* HBD_TWO_TIER_TOPOLOGY_H */
