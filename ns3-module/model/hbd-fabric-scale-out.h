/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FABRIC_SCALE_OUT_H
#define HBD_FABRIC_SCALE_OUT_H

#include "hbd-fabric.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * The part of Fabric::Build that makes NICs and Ethernet switches.
 */
class FabricScaleOut
{
  public:
    /// Makes the element of a NIC or Ethernet switch node and enters it in Fabric::m_elements. \return the object
    static Ptr<Object> CreateElement(Fabric& fabric, uint32_t node);
    /// What the host port of a GPU sends, or null without a NIC.
    static HostUnitSource* GetHostSource(Fabric& fabric, uint32_t gpu);
    /// Gives NICs and switches their ports and routes, after all ports exist and are connected. \throws
    /// std::invalid_argument
    static void Setup(Fabric& fabric);
    /// Fabric::GetBurstPackets for a message through the NICs.
    static uint32_t GetBurstPackets(const Fabric& fabric, uint64_t bytes);
    /// Fabric::GetIdealMessagePs for a message through the NICs.
    static int64_t GetIdealMessagePs(const Fabric& fabric, uint32_t source, uint32_t destination, uint64_t bytes);
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FABRIC_SCALE_OUT_H */
