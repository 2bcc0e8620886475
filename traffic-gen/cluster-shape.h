/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_CLUSTER_SHAPE_H
#define HBD_TRAFFIC_CLUSTER_SHAPE_H

#include <cstdint>

namespace hbd::traffic
{

/**
 * Where each GPU is: its high-bandwidth domain, its server and its rail. Ranks are GPUs in order; domains and servers
 * are runs of consecutive GPUs. The rail is the position in the server, whatever the size of the domain. Pure
 * arithmetic.
 */
class ClusterShape
{
  public:
    /**
     * \param gpus number of GPUs, at least 1
     * \param hbdSize GPUs in a domain; divides gpus
     * \param gpusPerServer GPUs in a server (rails), at least 1; the last server may be smaller
     * \param mesh the GPUs of a domain are linked pair by pair, without switches
     * Throws std::invalid_argument otherwise.
     */
    ClusterShape(uint32_t gpus, uint32_t hbdSize, uint32_t gpusPerServer, bool mesh = false);

    /// Number of GPUs.
    uint32_t Gpus() const;
    /// GPUs in a domain.
    uint32_t HbdSize() const;
    /// Number of domains.
    uint32_t HbdCount() const;
    /// GPUs in a server.
    uint32_t GpusPerServer() const;
    /// Number of servers, the last one perhaps not full.
    uint32_t ServerCount() const;
    /// Number of rails: GPUs in a server, or all of them when there are fewer.
    uint32_t RailCount() const;

    /// Domain of a GPU: gpu / hbdSize. The GPU must be below Gpus(), here and in the following.
    uint32_t HbdOf(uint32_t gpu) const;
    /// Position of a GPU in its domain: gpu mod hbdSize.
    uint32_t IndexInHbd(uint32_t gpu) const;
    /// Server of a GPU: gpu / gpusPerServer.
    uint32_t ServerOf(uint32_t gpu) const;
    /// Rail of a GPU: gpu mod gpusPerServer.
    uint32_t RailOf(uint32_t gpu) const;
    /// Whether two GPUs reach each other inside one domain.
    bool SameHbd(uint32_t a, uint32_t b) const;
    /// Whether the GPUs of a domain are linked pair by pair, without switches.
    bool IsMesh() const;

  private:
    uint32_t m_gpus;
    uint32_t m_hbdSize;
    uint32_t m_gpusPerServer;
    bool m_mesh;
};

struct ClusterSpec;

/// The shape of a scenario's cluster.
ClusterShape ShapeOf(const ClusterSpec& cluster);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_CLUSTER_SHAPE_H
