/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_FABRIC_TEXT_H
#define HBD_RUNNER_FABRIC_TEXT_H

#include "ns3-module/model/hbd-fabric-graph.h"

#include <string>

namespace hbd::runner
{

/**
 * A fabric as tables for a terminal.
 * \param graph the whole fabric
 * \param scaleUp what its domains were built from
 * \param scaleOut what its scale-out part was built from; its name is empty when there is none
 */
std::string FabricTable(const ns3::hbd::FabricGraph& graph,
                        const ns3::hbd::ScaleUpTopology& scaleUp,
                        const ns3::hbd::ScaleOutTopology& scaleOut);

/// A fabric as a Graphviz graph: a box a domain, parallel links as one line with their number.
std::string FabricDot(const ns3::hbd::FabricGraph& graph);

/// \name Words for the parts of a fabric, as the records spell them
/// \{
const char* KindText(ns3::hbd::FabricNodeKind kind);
const char* TierText(ns3::hbd::FabricTier tier);
/// \}

/// A rate with a decimal prefix: 400 Gb/s.
std::string RateText(uint64_t bitRate);

} // namespace hbd::runner

#endif // HBD_RUNNER_FABRIC_TEXT_H
