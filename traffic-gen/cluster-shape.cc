/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cluster-shape.h"

#include "scenario.h"

#include <algorithm>
#include <stdexcept>

namespace hbd::traffic
{

ClusterShape::ClusterShape(uint32_t gpus, uint32_t hbdSize, uint32_t gpusPerServer, bool mesh)
    : m_gpus(gpus),
      m_hbdSize(hbdSize),
      m_gpusPerServer(gpusPerServer),
      m_mesh(mesh)
{
    if (gpus == 0 || hbdSize == 0 || gpusPerServer == 0 || gpus % hbdSize != 0)
    {
        throw std::invalid_argument("cluster shape: sizes must be positive and the domain size must divide the GPUs");
    }
}

uint32_t
ClusterShape::Gpus() const
{
    return m_gpus;
}

uint32_t
ClusterShape::HbdSize() const
{
    return m_hbdSize;
}

uint32_t
ClusterShape::HbdCount() const
{
    return m_gpus / m_hbdSize;
}

uint32_t
ClusterShape::GpusPerServer() const
{
    return m_gpusPerServer;
}

uint32_t
ClusterShape::ServerCount() const
{
    return (m_gpus - 1) / m_gpusPerServer + 1;
}

uint32_t
ClusterShape::RailCount() const
{
    return std::min(m_gpus, m_gpusPerServer);
}

uint32_t
ClusterShape::HbdOf(uint32_t gpu) const
{
    return gpu / m_hbdSize;
}

uint32_t
ClusterShape::IndexInHbd(uint32_t gpu) const
{
    return gpu % m_hbdSize;
}

uint32_t
ClusterShape::ServerOf(uint32_t gpu) const
{
    return gpu / m_gpusPerServer;
}

uint32_t
ClusterShape::RailOf(uint32_t gpu) const
{
    return gpu % m_gpusPerServer;
}

bool
ClusterShape::SameHbd(uint32_t a, uint32_t b) const
{
    return HbdOf(a) == HbdOf(b);
}

bool
ClusterShape::IsMesh() const
{
    return m_mesh;
}

ClusterShape
ShapeOf(const ClusterSpec& cluster)
{
    return ClusterShape(cluster.gpus,
                        cluster.hbd.size,
                        cluster.scaleOut.gpusPerServer,
                        cluster.hbd.topology == "mesh");
}

} // namespace hbd::traffic
