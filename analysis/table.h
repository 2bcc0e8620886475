/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_TABLE_H
#define HBD_ANALYSIS_TABLE_H

#include "result.h"
#include "text-table.h"

#include <string>
#include <vector>

namespace hbd::analysis
{

/// The key whose smallest value the result table compares with.
constexpr const char* kCompareKey = "cluster.hbd.size";

/**
 * The result table of an inference run: per point the swept keys, TTFT, TPOT, decode throughput, per-GPU throughput,
 * prefill and decode communication share, and the change of TTFT, TPOT and per-GPU throughput against the point that
 * has the smallest value of a key and the same other keys. Without a second value of that key the changes are left out.
 * \param points of one run
 * \param compareKey the key
 * \param width display columns to fit in
 */
std::string ResultTable(const std::vector<PointResult>& points,
                        const std::string& compareKey = kCompareKey,
                        size_t width = kTableWidth);

/// The same as a Markdown table.
std::string ResultMarkdown(const std::vector<PointResult>& points, const std::string& compareKey = kCompareKey);

/**
 * The result table of a network-only run: per collective the swept keys, op, algorithm, ranks, size, time, algbw,
 * busbw, ideal time and slowdown.
 */
std::string CollectiveTable(const std::vector<CollectiveResult>& results, size_t width = kTableWidth);

/// \return a size with the largest binary unit that divides it (4 MiB, 1500 B)
std::string SizeText(uint64_t bytes);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_TABLE_H
