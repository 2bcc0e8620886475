/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SCALE_UP_ROUTES_H
#define HBD_SCALE_UP_ROUTES_H

#include "hbd-fabric-graph.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Ways through one NVLink switch. All of it by GPU of the switch's domain, counted from firstGpu.
 */
struct NvSwitchTable
{
    static constexpr uint16_t NO_LANE = 0xffff;

    uint32_t firstGpu = 0;                   ///< of the domain
    std::vector<std::vector<uint16_t>> sets; ///< distinct lists of outputs, each in port order
    std::vector<uint32_t> setOf;             ///< by GPU: index into sets, or FABRIC_NONE where there is no way
    std::vector<uint32_t> leafOf;            ///< by GPU: which leaf of the plane it is connected to
    uint32_t leaves = 1;                     ///< of the plane
    std::vector<uint16_t> lanes;             ///< by port: rank among the links of its GPU that are up, NO_LANE to other switches
};

/**
 * \ingroup hbd
 * Over which of its links a GPU sends. All of it by GPU of the domain, counted from firstGpu.
 */
struct GpuStripes
{
    uint32_t firstGpu = 0;
    std::vector<std::vector<uint32_t>> lists; ///< distinct lists of the GPU's port numbers, ascending; the first: all that are up
    std::vector<uint32_t> of;                 ///< by destination: index into lists; empty: the first for all
};

/**
 * \ingroup hbd
 * Ways inside high-bandwidth domains. Two GPUs use, of every plane that connects them, as many links as both have up to it: both ends count their links
 * that are up, and the k-th of one goes with the k-th of the other. A plane that is broken for either is left out. In a mesh they use the links between
 * them.
 */
class ScaleUpRoutes
{
  public:
    /// \param graph outlives this
    explicit ScaleUpRoutes(const FabricGraph& graph);

    /// Ports of `source` over which it sends to `destination`, another GPU of its domain, ascending; empty when there is no way.
    std::vector<uint32_t> FindStripe(uint32_t source, uint32_t destination) const;
    /// How many ports FindStripe gives.
    uint32_t CountStripe(uint32_t source, uint32_t destination) const;
    /// FindStripe for all destinations.
    GpuStripes MakeStripes(uint32_t gpu) const;
    /// Ways through a switch. \param node its index in the graph
    NvSwitchTable MakeTable(uint32_t node) const;
    /// Links from GPU to GPU: 1 in a mesh, 2 over one switch, 4 over leaf, spine and leaf.
    uint32_t GetLinks(uint32_t source, uint32_t destination) const;
    /// Something broken that two GPUs of a domain would use. \return index into FabricGraph::broken, or FABRIC_NONE
    uint32_t FindBroken(uint32_t source, uint32_t destination) const;
    /// Leaf switch (node) of a GPU in a plane, or FABRIC_NONE in a mesh.
    uint32_t GetLeaf(uint32_t gpu, uint32_t plane) const
    {
        return plane < m_planes ? m_leafOf[gpu * m_planes + plane] : FABRIC_NONE;
    }

  private:
    bool IsScaleUp(uint32_t link) const
    {
        return m_graph.links[link].tier == FabricTier::SCALE_UP;
    }
    bool AreConnected(uint32_t leafA, uint32_t leafB) const;
    std::vector<uint16_t> PortsUpTo(uint32_t node, uint32_t peer) const;
    std::vector<uint16_t> PortsTowards(uint32_t node, uint32_t leaf) const;

    const FabricGraph& m_graph;
    uint32_t m_planes = 0;
    bool m_mesh = false;
    bool m_whole = true;            ///< every link is up
    std::vector<uint32_t> m_leafOf; ///< by GPU and plane
    std::vector<uint32_t> m_firstGpu; ///< by domain
    std::vector<uint32_t> m_size;     ///< by domain: GPUs
    mutable std::map<std::pair<uint32_t, uint32_t>, bool> m_connected; ///< by two leaves, as far as it was asked for
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_SCALE_UP_ROUTES_H */
