/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_SIMULATION_H
#define HBD_RUNNER_SIMULATION_H

#include "analysis/records.h"
#include "traffic-gen/scenario.h"

#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>

namespace ns3::hbd
{
class SpanCache;
}

namespace hbd::runner
{

/// What one simulation has learned and the next may use. Only for points that have the same fabric, mapping and traffic (they may differ in how long
/// computes take). No record but run.json depends on it.
struct SimulationCache
{
    SimulationCache();
    ~SimulationCache();
    std::shared_ptr<ns3::hbd::SpanCache> spans;
};

/// How far a point is.
struct SimulationProgress
{
    double simulatedSeconds = 0; ///< simulated time
    uint64_t packetHops = 0;     ///< wire packets x links so far, replayed ones included
    double fraction = 0;         ///< share of the point that is done, 0 .. 1
};

/// What a simulation may be told from outside. Nothing here changes a record.
struct SimulationOptions
{
    std::function<void(const SimulationProgress&)> progress; ///< called a few times a second of wall time; may be empty
    const volatile std::sig_atomic_t* interrupted = nullptr; ///< looked at now and then: not 0 = stop
    SimulationCache* cache = nullptr;                        ///< kept from point to point, or null
};

/// The simulation failed: watchdog, unfinished messages, lost data, faster than the ideal bound.
struct SimulationError : std::runtime_error
{
    using runtime_error::runtime_error;
};

/// The simulation was told to stop.
struct InterruptedError : std::runtime_error
{
    using runtime_error::runtime_error;
};

/**
 * Simulates one point. The time resolution must be picoseconds: Time::SetResolution(Time::PS), first thing in main, once.
 * \param scenario the point
 * \param options progress and interruption
 * \return everything that it leaves behind
 * \throw SimulationError, InterruptedError
 */
analysis::PointRecords Simulate(const traffic::Scenario& scenario, const SimulationOptions& options);

} // namespace hbd::runner

#endif // HBD_RUNNER_SIMULATION_H
