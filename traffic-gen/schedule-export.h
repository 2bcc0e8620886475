/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCHEDULE_EXPORT_H
#define HBD_TRAFFIC_SCHEDULE_EXPORT_H

#include "cluster-shape.h"
#include "schedule.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// Writes a schedule as text. The schedule is pulled from its beginning and rewound.
using ExportFunction = void (*)(Schedule& schedule, const ClusterShape& shape, std::ostream& out);

/// A text format of schedules.
struct ExportFormat
{
    const char* name;
    ExportFunction write;
    const char* doc; ///< one line
};

/// All formats: csv, json, goal.
const std::vector<ExportFormat>& ExportFormats();

/// The format, or nullptr.
const ExportFormat* FindExportFormat(const std::string& name);

/**
 * One line a message: phase, step, layer, collective, op, algorithm, group, source, destination, bytes, match, tier,
 * repeat, delay_s, kind. A multicast is one line for each receiver, a read and a reduction in the switch (kind) one for
 * each member that supplies; their match is 0. Items with the same operations (layers, decode steps) are written once,
 * with the step and layer of the first; `repeat` is how often they occur. The layer of embedding, LM head and the like
 * is empty; `group` is kind:number; `delay_s` is what a send waits for by itself in seconds: the time of a message in a
 * list, or the latency of the library.
 */
void WriteCsv(Schedule& schedule, const ClusterShape& shape, std::ostream& out);

/**
 * One JSON object: ranks, phases, stages, collectives (labels and members) and items, each different one once with
 * `repeat` and the first one's step, layer and durations (picoseconds, one list of stages per compute); an item has
 * each rank's operations with dependencies.
 */
void WriteJson(Schedule& schedule, const ClusterShape& shape, std::ostream& out);

/**
 * The whole unrolled program in GOAL, the language of LogGOPSim and its relatives: `calc` in nanoseconds, `send`,
 * `recv`, `requires`. Software latencies of sends are left out, since those simulators have their own. GOAL knows only
 * sends and receives: a multicast is a send to each receiver, a read and a reduction in the switch a send from each
 * other member that supplies, which that member makes when its block begins (a supplier has no operation for it), so
 * that the bytes of each pair are right but not the time at which data that comes up inside the block is read.
 */
void WriteGoal(Schedule& schedule, const ClusterShape& shape, std::ostream& out);

/// Traffic of one collective over the whole schedule.
struct TrafficRow
{
    std::string phase;
    std::string collective;
    std::string op;
    std::string algorithm;
    std::string group;
    uint32_t ranks = 0;
    uint64_t sizeBytes = 0;     ///< of one occurrence, as nccl-tests counts
    uint64_t occurrences = 0;   ///< items in which it occurs
    uint64_t messages = 0;      ///< of all ranks and occurrences
    uint64_t scaleUpBytes = 0;  ///< payload of all ranks and occurrences between GPUs of one domain; counted as
                                ///< ForEachTransfer() does
    uint64_t scaleOutBytes = 0; ///< the same between domains
};

/// Adds up by phase and collective, in order of first occurrence.
std::vector<TrafficRow> SummarizeTraffic(Schedule& schedule, const ClusterShape& shape);

/// The rows as an aligned table with a total for each phase.
void WriteTrafficSummary(const std::vector<TrafficRow>& rows, std::ostream& out);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCHEDULE_EXPORT_H
