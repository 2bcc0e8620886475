/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_EVENT_RATE_H
#define HBD_RUNNER_EVENT_RATE_H

#include <cstdint>

namespace hbd::runner
{

/// CPU time that this process has used so far, in seconds.
double CpuSeconds();

/**
 * Measures the rate of bare ns-3 events: stock member-function events through Simulator::Schedule, default
 * implementation and scheduler, 10,000 pending, delays uniform between 0.5 and 0.7 us (drawn before the clock starts).
 * No simulation may be under way. \param events how many to run, at least 10,000 \return events a CPU-second
 */
double MeasureEventRate(uint64_t events);

} // namespace hbd::runner

#endif // HBD_RUNNER_EVENT_RATE_H
