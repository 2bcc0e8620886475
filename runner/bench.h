/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_BENCH_H
#define HBD_RUNNER_BENCH_H

#include <optional>
#include <string>
#include <vector>

namespace hbd::runner
{

/// One figure of `hbd bench`.
struct BenchFigure
{
    std::string name;
    double value = 0;
    std::string unit;
    std::optional<double> target; ///< the least value that is wanted; nothing = for information

    /// Whether the target is reached; nothing without one.
    std::optional<bool> Met() const
    {
        return target ? std::optional<bool>(value >= *target) : std::nullopt;
    }
};

/**
 * Measures: bare ns-3 events a CPU-second (see MeasureEventRate); packet-hops a CPU-second of a 64-GPU all-to-all
 * inside one domain and across a leaf-spine, each packet simulated on its own (burst = 1 packet, replay off); and how
 * many packet-hops fit into the time of one bare event. The three measurements alternate five times; each figure is the
 * median. \throw as LoadPoint and Simulate
 */
std::vector<BenchFigure> RunBench();

/// The figures as a table.
std::string BenchTable(const std::vector<BenchFigure>& figures);

/// The figures as JSON.
std::string BenchJson(const std::vector<BenchFigure>& figures);

} // namespace hbd::runner

#endif // HBD_RUNNER_BENCH_H
