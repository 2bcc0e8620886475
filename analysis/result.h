/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_RESULT_H
#define HBD_ANALYSIS_RESULT_H

#include "records.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hbd::analysis
{

/// A point as tables and comparisons see it: its swept keys and its metrics.
struct PointResult
{
    std::string point;        ///< name of its folder
    std::string scenarioHash; ///< empty when it was read from points.csv
    WorkloadKind workload = WorkloadKind::Inference;
    SweptKeys keys;                        ///< in axis order
    std::map<std::string, double> metrics; ///< by key; empty ones are absent

    /// \return the value of a metric; nothing when it is empty
    std::optional<double> Metric(const std::string& key) const
    {
        const auto found = metrics.find(key);
        return found == metrics.end() ? std::nullopt : std::optional<double>(found->second);
    }

    /// \return the text of a swept key; nothing when the key is not swept
    std::optional<std::string> Key(const std::string& path) const
    {
        for (const auto& [key, value] : keys)
        {
            if (key == path)
            {
                return value;
            }
        }
        return std::nullopt;
    }
};

/// A point of a network-only run with its collectives.
struct CollectiveResult
{
    PointResult point;
    std::vector<CollectiveRow> collectives;
};

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_RESULT_H
