/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SCALE_OUT_NICS_H
#define HBD_SCALE_OUT_NICS_H

#include "hbd-fabric-graph.h"

namespace ns3
{
namespace hbd
{

/// Number of rails: positions in a server. \param topology gpus and gpusPerServer
uint32_t GetRails(const ScaleOutTopology& topology);
/// Number of servers, the last one perhaps not full. \param topology gpus and gpusPerServer
uint32_t GetServers(const ScaleOutTopology& topology);

/**
 * Adds one NIC a GPU with its host link: port 0 of the NIC. Sets the rail of GPUs and NICs.
 * \param graph with its GPUs
 * \param topology sizes, host rate per direction, host delay one way
 * \return node index of NIC 0; NIC i is i further
 * \throws std::invalid_argument when the graph has another number of GPUs, gpusPerServer is 0 or a NIC, host rate is 0
 */
uint32_t AddNics(FabricGraph& graph, const ScaleOutTopology& topology);

/// Adds an Ethernet switch. \param level 0 next to the NICs \param rail of a leaf, or FABRIC_NONE \return its node
/// index
uint32_t AddEthernetSwitch(FabricGraph& graph, const std::string& name, uint32_t level, uint32_t rail = FABRIC_NONE);

} // namespace hbd
} // namespace ns3

#endif /* HBD_SCALE_OUT_NICS_H */
