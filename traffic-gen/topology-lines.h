/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_TOPOLOGY_LINES_H
#define HBD_TRAFFIC_TOPOLOGY_LINES_H

#include "topology-file.h"

namespace hbd::traffic
{

/// A topology with the lines that it came from.
struct TopologyLines
{
    std::string name; ///< of the file
    ListedTopology topology;
    std::vector<int> nodeLines; ///< by node
    std::vector<int> linkLines; ///< by link
};

/**
 * Reads either form of ReadTopology line by line: words, names, units, duplicates and counts; not what nodes and links
 * make together. \param problems every problem found is added \return what is right
 */
TopologyLines ReadTopologyLines(const std::string& text, const std::string& name, std::vector<Problem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_TOPOLOGY_LINES_H
