/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ETHERNET_ELEMENT_H
#define HBD_ETHERNET_ELEMENT_H

#include "hbd-fabric-element.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What stands behind Ethernet ports: a switch or a NIC.
 */
class EthernetElement : public FabricElement
{
  public:
    /// A port has sent the last byte of a unit (pause frames included). \param port index of the port in this element
    virtual void OnSent(uint32_t port) = 0;
    /// The link of a port has gone down or come up: EthernetDevice::IsUp tells. \param port index of the port in this element
    virtual void OnLinkChange(uint32_t /* port */)
    {
    }
    /**
     * A user gave a packet to NetDevice::Send of a port.
     * \param port index of the port in this element
     * \param unit the packet as a unit of one packet
     * \return false when this element sends nothing of its own, or cannot send it; the unit stays the caller's
     */
    virtual bool SendRaw(uint32_t port, PacketUnit& unit) = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_ETHERNET_ELEMENT_H */
