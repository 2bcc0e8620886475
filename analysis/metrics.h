/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_METRICS_H
#define HBD_ANALYSIS_METRICS_H

#include "decimal.h"
#include "records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hbd::analysis
{

/**
 * \name Metrics of a point
 * Pure functions of its records; what they cannot give (tokens of a network-only run, the pace of a second token that
 * was never asked for) is empty, not zero. All throw std::invalid_argument when the records contradict themselves. B =
 * batch, O = output tokens, N = GPUs.
 * \{
 */
/// TTFT in seconds: arrival of the batch to the last of its B first tokens.
std::optional<Ratio> TimeToFirstToken(const PointRecords& records);
/// TPOT in seconds: (last token - first token) / (O - 1); empty when O = 1.
std::optional<Ratio> TimePerOutputToken(const PointRecords& records);
/// B (O - 1) / decode time, in tokens a second; empty when O = 1.
std::optional<Ratio> DecodeThroughput(const PointRecords& records);
/// B O / (TTFT + decode time) / N, in tokens a second and GPU.
std::optional<Ratio> ThroughputPerGpu(const PointRecords& records);
/// Arrival to the last token in seconds; of a network-only run the makespan.
std::optional<Ratio> EndToEndTime(const PointRecords& records);
/// Mean over the ranks of the time that the compute engine is busy in the phase, in seconds.
std::optional<Ratio> ComputeTime(const PointRecords& records, const std::string& phase);
/// Mean over the ranks of the time blocked on data in flight, in seconds.
std::optional<Ratio> CommunicationTime(const PointRecords& records, const std::string& phase);
/// Mean over the ranks of the time blocked on a sender that had not posted, in seconds.
std::optional<Ratio> SkewTime(const PointRecords& records, const std::string& phase);
/// Mean over the ranks of (comm + skew) / the phase's time.
std::optional<Ratio> CommunicationShare(const PointRecords& records, const std::string& phase);

/** \} */

/// One metric: the columns of points.csv, the keys of summary.json and docs/records.md come from this table.
struct MetricDefinition
{
    const char* key;  ///< ends in the unit
    const char* unit; ///< for docs/records.md
    const char* meaning;
    int digits; ///< digits behind the point when printed; trailing zeros are left out
    std::optional<Ratio> (*evaluate)(const PointRecords& records);
};

/// \return the table of metrics, in the order of points.csv
const std::vector<MetricDefinition>& Metrics();

/// \return the definition of that key, or nullptr
const MetricDefinition* FindMetric(const std::string& key);

/**
 * Whether a smaller value of the metric is the better one: times and shares, as against throughputs.
 * \param key a metric's key
 */
bool SmallerIsBetter(const std::string& key);

/**
 * \name Metrics of a collective
 * As nccl-tests defines them (its PERFORMANCE.md), with the time from the first post to the last arrival. Its size: of
 * an all-gather what a rank ends up with, of a reduce-scatter and an all-to-all what a rank starts with, of an
 * all-reduce and a broadcast the vector.
 * \{
 */
/// size / time, in GB/s (1e9 bytes a second); empty when it took no time.
std::optional<Ratio> AlgorithmBandwidth(const CollectiveRow& row);
/// algbw x the factor that makes it comparable with a link's rate, in GB/s.
std::optional<Ratio> BusBandwidth(const CollectiveRow& row);
/// all-reduce 2 (n-1)/n; reduce-scatter, all-gather, all-to-all (n-1)/n; broadcast and others 1.
Ratio BusFactor(const std::string& op, uint32_t ranks);
/// time / ideal time; empty when the ideal is zero.
std::optional<Ratio> Slowdown(const CollectiveRow& row);
/** \} */

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_METRICS_H
