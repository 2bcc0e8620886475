/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_DOMAIN_CHECKS_H
#define HBD_TRAFFIC_DOMAIN_CHECKS_H

#include "scenario-checks.h"

#include <string_view>
#include <vector>

namespace hbd::traffic
{

/// More cables than this no machine's memory holds as devices.
constexpr uint64_t kMostLinks = 10000000;

/// A key that means something in some layouts only, and which.
struct LayoutKey
{
    std::string_view path;
    std::vector<std::string_view> topologies;
    std::string_view owners; ///< the same in words
};

/**
 * Complains of keys that the scenario gives for another layout, unless they say only what holds anyway; those of a preset get
 * their defaults.
 * \param keys the keys
 * \param topology the layout \param path the key that chooses it
 */
void CheckLayoutKeys(PointContext& context, const std::vector<LayoutKey>& keys, const std::string& topology, const std::string& path);

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
