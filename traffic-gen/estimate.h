/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_ESTIMATE_H
#define HBD_TRAFFIC_ESTIMATE_H

#include "scenario.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace hbd::traffic
{

/// What `--dry-run` says about a point. Nothing is simulated.
struct Estimate
{
    double ttftS = 0;                  ///< time to first token; of a network-only workload the time of all its items
    std::optional<double> tpotS;       ///< time per output token; none for one output token or without a model
    double prefillCommS = 0;           ///< part of ttftS in which the slowest rank of a layer does not compute
    double decodeCommS = 0;            ///< the same of tpotS
    uint64_t packets = 0;              ///< wire packets x links crossed, of the whole run
    uint64_t unitHops = 0;             ///< simulation units x links crossed that have to be simulated
    double simulationSecondsGuess = 0; ///< of one core, from unitHops
    uint64_t memoryBytes = 0;          ///< guess of the simulation's memory
};

/// Simulation units x links that a core handles in a second: an assumption for the guess, measured by `hbd bench`.
constexpr double kUnitHopsPerSecond = 3e6;

/// Links over which two different GPUs of a domain reach each other when something is down.
using LinksBetween = std::function<uint32_t(uint32_t a, uint32_t b)>;

/**
 * Alpha-beta estimate. The operations of each different item are executed in dependency order; a message takes its
 * software latency, then its wire bytes over the rate of its tier (it waits while an earlier one occupies the sender's
 * or the receiver's port), then the latency of the unloaded path. A multicast leaves once and arrives at every member;
 * a read takes the latency of the path for its request first; a reduction in the switch leaves every member and arrives
 * once. No packets, no congestion inside the fabric. Ranks
 * start every item together. Decode is taken at its middle step. With acceleration.replay each different item is
 * simulated once, else all of them are.
 * \param linksLeft when something is down: the rate of two GPUs is that of the links that are left between them. Trunks that
 * are down do not count, unless no way is left in their plane
 */
Estimate EstimateOf(const Scenario& scenario, const LinksBetween& linksLeft = nullptr);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_ESTIMATE_H
