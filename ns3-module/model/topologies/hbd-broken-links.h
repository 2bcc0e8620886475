/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_BROKEN_LINKS_H
#define HBD_BROKEN_LINKS_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/**
 * Marks the links that ScaleUpTopology::broken names as down.
 * \param graph complete scale-up part
 * \param broken names; forms as there
 * \throws std::invalid_argument that names the first one that is none of a form, or of nothing in the graph; names given twice are fine
 */
void BreakLinks(FabricGraph& graph, const std::vector<std::string>& broken);

} // namespace hbd
} // namespace ns3

#endif /* HBD_BROKEN_LINKS_H */
