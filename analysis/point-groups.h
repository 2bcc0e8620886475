/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_POINT_GROUPS_H
#define HBD_ANALYSIS_POINT_GROUPS_H

#include "result.h"

#include <set>
#include <string>
#include <vector>

namespace hbd::analysis
{

/// Points that differ in one key only, in the order of its values.
struct PointSeries
{
    SweptKeys others;                       ///< the keys that are the same, in axis order
    std::vector<const PointResult*> points; ///< by the value of the key
};

/**
 * \param points of one run
 * \param key a swept key
 * \return its values: from small to large when all are quantities (8, 400Gbps), else in the order in which they first
 * appear; a point without the key counts for nothing
 */
std::vector<std::string> OrderedValues(const std::vector<PointResult>& points, const std::string& key);

/**
 * \param points of one run; they must outlive the result
 * \param over the key that the points of a series differ in
 * \return the series, in the order of their first points; none when the key is not swept
 */
std::vector<PointSeries> SeriesOver(const std::vector<PointResult>& points, const std::string& over);

/// \return whether two value texts name the same value: equal as quantities (1.8TB/s and 1800GB/s), else as texts
bool SameValue(const std::string& a, const std::string& b);

/**
 * \param keys of a point
 * \param without keys to leave out
 * \return "precision=fp8, cluster.gpus=64"; empty when nothing is left
 */
std::string KeysText(const SweptKeys& keys, const std::set<std::string>& without = {});

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_POINT_GROUPS_H
