/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "point-groups.h"

#include "decimal.h"

#include <algorithm>

namespace hbd::analysis
{

namespace
{

/// The unit of a value text without its prefix is not needed to compare: a key has values of one dimension only.
bool
AllQuantities(const std::vector<std::string>& values)
{
    return std::all_of(values.begin(), values.end(), [](const auto& value) { return ValueSize(value).has_value(); });
}

SweptKeys
Without(const SweptKeys& keys, const std::string& left)
{
    SweptKeys rest;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(rest), [&left](const auto& key) {
        return key.first != left;
    });
    return rest;
}

} // namespace

std::vector<std::string>
OrderedValues(const std::vector<PointResult>& points, const std::string& key)
{
    std::vector<std::string> values;
    for (const auto& point : points)
    {
        const auto value = point.Key(key);
        if (value && std::find(values.begin(), values.end(), *value) == values.end())
        {
            values.push_back(*value);
        }
    }
    if (AllQuantities(values))
    {
        std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
            return *ValueSize(a) < *ValueSize(b);
        });
    }
    return values;
}

std::vector<PointSeries>
SeriesOver(const std::vector<PointResult>& points, const std::string& over)
{
    const auto values = OrderedValues(points, over);
    const auto position = [&values, &over](const PointResult* point) {
        return std::find(values.begin(), values.end(), *point->Key(over)) - values.begin();
    };
    std::vector<PointSeries> allSeries;
    for (const auto& point : points)
    {
        if (!point.Key(over))
        {
            continue;
        }
        const SweptKeys others = Without(point.keys, over);
        auto series =
            std::find_if(allSeries.begin(), allSeries.end(), [&others](const auto& s) { return s.others == others; });
        if (series == allSeries.end())
        {
            series = allSeries.insert(allSeries.end(), PointSeries{others, {}});
        }
        series->points.push_back(&point);
    }
    for (auto& series : allSeries)
    {
        std::stable_sort(series.points.begin(), series.points.end(), [&position](const auto* a, const auto* b) {
            return position(a) < position(b);
        });
    }
    return allSeries;
}

bool
SameValue(const std::string& a, const std::string& b)
{
    const auto sizeA = ValueSize(a);
    const auto sizeB = ValueSize(b);
    return sizeA && sizeB ? *sizeA == *sizeB : a == b;
}

std::string
KeysText(const SweptKeys& keys, const std::set<std::string>& without)
{
    std::string text;
    for (const auto& [key, value] : keys)
    {
        if (without.count(key) == 0)
        {
            text += (text.empty() ? "" : ", ") + key + "=" + value;
        }
    }
    return text;
}

} // namespace hbd::analysis
