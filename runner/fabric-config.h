/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_FABRIC_CONFIG_H
#define HBD_RUNNER_FABRIC_CONFIG_H

#include "ns3-module/model/hbd-fabric.h"
#include "traffic-gen/scenario.h"

namespace hbd::runner
{

/**
 * The fabric that a scenario describes.
 * \param scenario a point
 * \return the module's configuration: one set of counters for each of prefill and decode; the seed salts the hash of
 * the Ethernet switches
 */
ns3::hbd::FabricConfig MakeFabricConfig(const traffic::Scenario& scenario);

} // namespace hbd::runner

#endif // HBD_RUNNER_FABRIC_CONFIG_H
