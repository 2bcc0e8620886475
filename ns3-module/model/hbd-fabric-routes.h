/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FABRIC_ROUTES_H
#define HBD_FABRIC_ROUTES_H

#include "hbd-fabric-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * The shortest ways of one Ethernet switch. Destinations with the same set of ports share it.
 */
struct SwitchRoutes
{
    std::vector<std::vector<uint16_t>> sets; ///< distinct sets of equal-cost egress ports, each in port order
    std::vector<uint32_t> setOf;             ///< by destination GPU: index into sets

    /// Equal-cost egress ports towards the NIC of a GPU; none when there is no way.
    const std::vector<uint16_t>& PortsTo(uint32_t gpu) const
    {
        return sets[setOf[gpu]];
    }
};

/**
 * \ingroup hbd
 * Shortest paths of the scale-out part of a fabric over the links that are up: from every Ethernet switch to every NIC,
 * all ways of equal hop count. Paths never lead through a NIC.
 */
class FabricRoutes
{
  public:
    FabricRoutes() = default;
    /**
     * \param graph GPUs, NICs and Ethernet switches; may have no scale-out part
     * \throws std::invalid_argument when a NIC is not connected to exactly one switch
     */
    explicit FabricRoutes(const FabricGraph& graph);

    /// Whether there is a scale-out part.
    bool HasScaleOut() const
    {
        return !m_leafOf.empty();
    }

    /// Routes of a switch. \param node its index in the graph
    const SwitchRoutes& GetSwitch(uint32_t node) const
    {
        return m_switches[m_switchOf[node]];
    }

    /// Whether there is a way from NIC to NIC.
    bool HasWay(uint32_t sourceGpu, uint32_t destinationGpu) const
    {
        return GetHops(sourceGpu, destinationGpu) != FABRIC_NONE;
    }

    /// Ethernet links on the way from NIC to NIC, 0 for a GPU to itself; FABRIC_NONE when there is no way.
    uint32_t GetHops(uint32_t sourceGpu, uint32_t destinationGpu) const;
    /// Number of different shortest paths from NIC to NIC (saturates at 2^64 - 1), 0 when there is no way.
    uint64_t GetPathCount(uint32_t sourceGpu, uint32_t destinationGpu) const;
    /// Links that a path from NIC to NIC takes, in order; of equal ways, the one with the smallest ports. Empty when
    /// there is no way.
    std::vector<uint32_t> GetPath(uint32_t sourceGpu, uint32_t destinationGpu) const;

    /// Links that any shortest path from NIC to NIC takes, by place on the path.
    std::vector<std::vector<uint32_t>> GetWays(uint32_t sourceGpu, uint32_t destinationGpu) const;

    /// Node of the switch that a GPU's NIC is connected to.
    uint32_t GetLeaf(uint32_t gpu) const
    {
        return m_switchNodes[m_leafOf[gpu]];
    }

    /// Node of a GPU's NIC.
    uint32_t GetNic(uint32_t gpu) const
    {
        return m_nicOf[gpu];
    }

  private:
    void FindNics(const FabricGraph& graph);
    std::vector<uint32_t> Distances(uint32_t leaf) const;
    void AddDestinations(uint32_t leaf, const std::vector<uint32_t>& distance);
    static uint32_t ShareSet(SwitchRoutes& routes, const std::vector<uint16_t>& ports);

    FabricGraph m_graph;                           ///< what the paths are on
    std::vector<uint32_t> m_switchOf;              ///< by node: index of the switch
    std::vector<uint32_t> m_switchNodes;           ///< by switch: node
    std::vector<uint32_t> m_leafOf;                ///< by GPU: switch
    std::vector<uint16_t> m_leafPort;              ///< by GPU: port of that switch
    std::vector<bool> m_nicUp;                     ///< by GPU: whether its link to that switch is up
    std::vector<uint32_t> m_nicOf;                 ///< by GPU: node
    std::vector<SwitchRoutes> m_switches;          ///< by switch
    std::vector<std::vector<uint32_t>> m_distance; ///< by leaf switch, by switch: links between them
};

/**
 * \ingroup hbd
 * One leaf of the scale-out fabric, or a switch above that has uplinks.
 */
struct LeafSummary
{
    std::string name;
    uint32_t rail = FABRIC_NONE;
    uint32_t level = 0;       ///< 0 = leaf
    uint32_t nics = 0;        ///< NICs on it
    uint64_t downBitRate = 0; ///< towards NICs and lower switches, bit/s per direction
    uint64_t upBitRate = 0;   ///< towards other switches, bit/s per direction; 0 when it has no uplinks

    /// Down rate over up rate, 0 without uplinks: above 1, the leaf is oversubscribed.
    double GetOversubscription() const
    {
        return upBitRate == 0 ? 0.0 : static_cast<double>(downBitRate) / static_cast<double>(upBitRate);
    }
};

/**
 * \ingroup hbd
 * What `hbd fabric` shows of the scale-out part.
 */
struct ScaleOutSummary
{
    std::vector<LeafSummary> leaves; ///< all of level 0, and those above that have uplinks
    uint64_t bisectionBitRate =
        0; ///< most traffic from GPUs 0 .. n/2-1 to the others, bit/s per direction (maximum flow)
    std::vector<uint64_t> pairsByHops; ///< by Ethernet links between NICs: ordered pairs of different GPUs
    uint64_t pairsWithoutWay = 0;      ///< ordered pairs of different GPUs whose NICs do not reach each other
    uint64_t maxPaths = 0;             ///< most equal-cost paths of any pair
};

/// Sums a fabric's scale-out part up; empty without one.
ScaleOutSummary SummarizeScaleOut(const FabricGraph& graph, const FabricRoutes& routes);

/// Bandwidth from GPUs 0 .. n/2-1 to the rest over the links of one tier's part (SCALE_OUT with host links, or
/// SCALE_UP), bit/s: maximum flow.
uint64_t GetBisectionBitRate(const FabricGraph& graph, FabricTier tier);

} // namespace hbd
} // namespace ns3

#endif /* HBD_FABRIC_ROUTES_H */
