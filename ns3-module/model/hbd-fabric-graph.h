/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FABRIC_GRAPH_H
#define HBD_FABRIC_GRAPH_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace hbd
{

/// What a node of the fabric is.
enum class FabricNodeKind : uint8_t
{
    GPU,
    NVSWITCH,
    NIC,
    ETHERNET_SWITCH,
};

/// Which part of the fabric a link belongs to.
enum class FabricTier : uint8_t
{
    SCALE_UP,  ///< GPU to NVSwitch
    HOST,      ///< GPU to NIC (PCIe)
    SCALE_OUT, ///< Ethernet
};

/// No value (FabricNode::hbd and the like).
constexpr uint32_t FABRIC_NONE = 0xffffffff;

struct FabricNode
{
    FabricNodeKind kind;
    std::string name;             ///< unique, stable: gpu3, nvswitch-h0-p5, nic3, leaf2, spine0
    uint32_t gpu = FABRIC_NONE;   ///< GPU, NIC: the GPU's number
    uint32_t hbd = FABRIC_NONE;   ///< GPU, NIC, NVSWITCH: domain
    uint32_t rail = FABRIC_NONE;  ///< GPU, NIC, leaf switch: rail
    uint32_t level = 0;           ///< switches: 0 next to the hosts, 1 above, ...
    std::vector<uint32_t> ports;  ///< links that end here, in port order
};

/// A full-duplex cable: two ports, the same rate and delay in each direction.
struct FabricLink
{
    uint32_t node[2];      ///< the nodes at its ends
    uint32_t port[2];      ///< port number on each
    DataRate rate;         ///< per direction
    Time delay;            ///< one way propagation
    FabricTier tier;
    uint32_t plane = 0;    ///< SCALE_UP: switch plane
};

/**
 * The fabric as plain data, before any device exists: what topologies build, what routes are computed on, what the ideal bound and `hbd fabric` read.
 */
struct FabricGraph
{
    std::vector<FabricNode> nodes;
    std::vector<FabricLink> links;
    uint32_t gpus = 0;

    /// Adds a node. \return its index
    uint32_t AddNode(FabricNode node);
    /// Adds a link between two nodes, on the next free port of each. \return its index
    uint32_t AddLink(uint32_t a, uint32_t b, DataRate rate, Time delay, FabricTier tier, uint32_t plane = 0);
    /// The node at the other end of a link.
    uint32_t Peer(uint32_t link, uint32_t node) const
    {
        return links[link].node[0] == node ? links[link].node[1] : links[link].node[0];
    }
};

/// Scale-up part: every domain has `planes` switches and each GPU has `linksPerPlane` links to each. No links when hbdSize is 1.
struct ScaleUpTopology
{
    uint32_t gpus = 8;
    uint32_t hbdSize = 8;
    uint32_t planes = 18;
    uint32_t linksPerPlane = 1;
    DataRate linkRate;  ///< per link and direction
    Time linkDelay;
};

/// Scale-out part. One NIC a GPU.
struct ScaleOutTopology
{
    std::string name;            ///< entry of the topology table: single-switch, rail-optimized
    uint32_t gpus = 8;
    uint32_t gpusPerServer = 8;  ///< rail = gpu mod this
    uint32_t serversPerLeaf = 0; ///< 0 = all
    uint32_t spines = 0;         ///< 0 = non-blocking
    DataRate nicRate;
    DataRate hostRate;
    DataRate uplinkRate;
    Time hostDelay;
    Time linkDelay;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FABRIC_GRAPH_H */
