/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRACE_HELPER_H
#define HBD_TRACE_HELPER_H

#include "ns3/trace-helper.h"

#include <string>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Captures of the ports of a fabric: EnablePcap, EnablePcapAll, EnableAscii and so on of its bases, by device, node or
 * name. What a port sends and what has arrived at it are both captured. A simulation unit of several packets appears as
 * several packets, each at the time at which it starts on the wire.
 *
 * Pcap files have nanosecond time stamps. Ethernet ports: DLT_EN10MB without frame check sequence, RoCEv2 inside. NVLink
 * and host-link ports: DLT_USER0 (147) with the header that NvlinkHeader or HostLinkHeader documents.
 *
 * Nothing is replayed while a capture is on. Captures change no result.
 */
class HbdTraceHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  private:
    void EnablePcapInternal(std::string prefix, Ptr<NetDevice> device, bool promiscuous, bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_TRACE_HELPER_H */
