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

/**
 * \ingroup hbd
 * What a node of the fabric is.
 */
enum class FabricNodeKind : uint8_t
{
    GPU,
    NVSWITCH,
    NIC,
    ETHERNET_SWITCH,
};

/**
 * \ingroup hbd
 * Which part of the fabric a link belongs to.
 */
enum class FabricTier : uint8_t
{
    SCALE_UP,  ///< GPU to NVSwitch, between NVSwitches, GPU to GPU
    HOST,      ///< GPU to NIC (PCIe)
    SCALE_OUT, ///< Ethernet
};

/// No value (FabricNode::hbd and the like).
constexpr uint32_t FABRIC_NONE = 0xffffffff;

/**
 * \ingroup hbd
 * A GPU, NIC or switch.
 */
struct FabricNode
{
    FabricNodeKind kind;
    std::string name;             ///< unique, stable: gpu3, nvswitch-h0-p5, nic3, leaf2, spine0
    uint32_t gpu = FABRIC_NONE;   ///< GPU, NIC: the GPU's number
    uint32_t hbd = FABRIC_NONE;   ///< GPU, NIC, NVSWITCH: domain
    uint32_t rail = FABRIC_NONE;  ///< GPU, NIC, leaf switch: rail
    uint32_t level = 0;           ///< switches: 0 next to the hosts, 1 above, ...
    uint32_t plane = FABRIC_NONE; ///< NVSWITCH: switch plane of its domain
    uint32_t place = 0;           ///< NVSWITCH: number among those of its level and plane
    std::vector<uint32_t> ports;  ///< links that end here, in port order
};

/**
 * \ingroup hbd
 * A full-duplex cable: two ports, the same rate and delay in each direction.
 */
struct FabricLink
{
    uint32_t node[2];      ///< the nodes at its ends
    uint32_t port[2];      ///< port number on each
    DataRate rate;         ///< per direction
    Time delay;            ///< one way propagation
    FabricTier tier;
    uint32_t plane = 0;    ///< SCALE_UP: switch plane
    uint32_t brokenBy = FABRIC_NONE; ///< it is down from the start: index into FabricGraph::broken of what says so
    bool down = false;               ///< it is down at present (LinkFaults)

    /// Whether it carries anything.
    bool IsUp() const
    {
        return brokenBy == FABRIC_NONE && !down;
    }
};

/**
 * \ingroup hbd
 * The fabric as plain data, before any device exists: what topologies build, what routes are computed on, what the ideal bound and `hbd fabric` read.
 */
struct FabricGraph
{
    static constexpr uint32_t MOST_PORTS = 65536; ///< of a node: routes keep ports in 16 bits

    std::vector<FabricNode> nodes;
    std::vector<FabricLink> links;
    uint32_t gpus = 0;
    std::vector<std::string> broken; ///< what was given as broken

    /// Adds a node. \return its index
    uint32_t AddNode(FabricNode node);
    /**
     * Adds a link between two nodes, on the next free port of each.
     * \return its index
     * \throws std::invalid_argument when there is no such node, both are the same, the rate is 0, the delay is negative, or a node would get more
     * than MOST_PORTS ports
     */
    uint32_t AddLink(uint32_t a, uint32_t b, DataRate rate, Time delay, FabricTier tier, uint32_t plane = 0);
    /// The node at the other end of a link.
    uint32_t Peer(uint32_t link, uint32_t node) const
    {
        return links[link].node[0] == node ? links[link].node[1] : links[link].node[0];
    }
};

/**
 * \ingroup hbd
 * Scale-up part: how the GPUs of a domain are connected. No links when hbdSize is 1.
 */
struct ScaleUpTopology
{
    std::string name = "single-tier"; ///< entry of the topology table: single-tier, two-tier, mesh
    uint32_t gpus = 8;
    uint32_t hbdSize = 8;
    uint32_t planes = 18;       ///< switch planes of a domain, each of which every GPU reaches; mesh: 0
    uint32_t linksPerPlane = 1; ///< links of a GPU to each plane, when `links` is 0
    uint32_t links = 0;         ///< links of a GPU in all, spread evenly over the planes (GetLinksTo); 0: planes x linksPerPlane
    uint32_t linksPerPeer = 0;  ///< mesh: links between each two GPUs
    uint32_t leafSize = 0;      ///< two-tier: GPUs below one leaf switch; 0 = all of the domain
    uint32_t spines = 1;        ///< two-tier: spine switches of a plane
    uint32_t trunks = 1;        ///< two-tier: links between each leaf and each spine of its plane
    DataRate linkRate;          ///< per link and direction
    DataRate trunkRate;         ///< two-tier: per trunk and direction
    Time linkDelay;             ///< one way, also of trunks
    /**
     * What is down from the start, in a form of these: `gpu3.link5` (link by port number), `hbd0.plane2`, `hbd0.plane2.leaf0`, `hbd0.plane2.spine1`
     * (all links of those switches), `hbd0.plane2.leaf0-spine1.0` (a trunk, by number).
     */
    std::vector<std::string> broken;

    /// Links of a GPU to one plane. Those that do not divide go to the outer planes first: 18 links to 4 planes are 5, 4, 4, 5.
    uint32_t GetLinksTo(uint32_t plane) const;
    /// Links between two GPUs that have a whole domain between them, when nothing is broken.
    uint32_t GetLinksOfPair() const;
};

/**
 * \ingroup hbd
 * A NIC or Ethernet switch of a list.
 */
struct ListedNode
{
    std::string name; ///< unique among all nodes of the fabric
    bool isSwitch = false;
};

/**
 * \ingroup hbd
 * Like cables between two nodes of a list.
 */
struct ListedLink
{
    uint32_t ends[2] = {0, 0}; ///< places in the list of nodes
    uint32_t number = 1;       ///< of cables
    DataRate rate;             ///< of each, per direction
    Time delay;                ///< one way
};

/**
 * \ingroup hbd
 * Scale-out part. One NIC a GPU.
 */
struct ScaleOutTopology
{
    std::string name;            ///< entry of the topology table: single-switch, rail-optimized, fat-tree, file
    uint32_t gpus = 8;
    uint32_t gpusPerServer = 8;  ///< rail = gpu mod this
    uint32_t serversPerLeaf = 0; ///< 0 = all
    uint32_t spines = 0;         ///< rail-optimized: 0 = non-blocking
    bool crossRail = true;       ///< rail-optimized: spines connect the leaves of all rails, else only those of one rail
    uint32_t radix = 0;          ///< fat-tree: ports of a switch; 0 = the least that has room
    uint32_t aggregations = 0;   ///< fat-tree: aggregation switches of a pod; 0 = radix / 2
    uint32_t cores = 0;          ///< fat-tree: core switches in all; 0 = aggregations x radix / 2
    std::vector<ListedNode> nodes; ///< file: the i-th that is no switch is the NIC of GPU i
    std::vector<ListedLink> links; ///< file
    DataRate nicRate;
    DataRate hostRate;
    DataRate uplinkRate;
    Time hostDelay;
    Time linkDelay;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FABRIC_GRAPH_H */
