/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_DOMAIN_CHECKS_H
#define HBD_TRAFFIC_DOMAIN_CHECKS_H

#include "scenario-checks.h"

namespace hbd::traffic
{

/// More cables than this no machine's memory holds as devices.
constexpr uint64_t kMostLinks = 10000000;

/// The size of a domain: divides the GPUs, and the layout exists for it.
void CheckHbd(PointContext& context);
/// The layout of a domain: keys that need each other, keys of other layouts, rates that divide. Resolves leaf-size and trunk-rate.
void CheckHbdLinks(PointContext& context);
/// Packets, and the buffers and tables that take one.
void CheckHbdPackets(PointContext& context);
/// The packets that kernels of the library ask for must be ones that the links have.
void CheckKernelPackets(PointContext& context);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_DOMAIN_CHECKS_H
