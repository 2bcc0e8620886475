/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reference.h"

#include "metrics.h"
#include "point-groups.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace hbd::analysis
{

namespace
{

constexpr const char* kRangeMark = "..";

/// The values of a metric along a series.
struct MetricSeries
{
    std::string metric;
    SweptKeys others;
    std::vector<std::string> at; ///< values of the key that the series runs over
    std::vector<double> values;

    double LastOverFirst() const
    {
        return values.back() / values.front();
    }
};

std::vector<std::string>
MetricsOf(const PublishedMark& mark)
{
    std::vector<std::string> metrics;
    std::istringstream stream(mark.metric);
    for (std::string metric; std::getline(stream, metric, ',');)
    {
        metric.erase(0, metric.find_first_not_of(' '));
        metric.erase(metric.find_last_not_of(' ') + 1);
        metrics.push_back(metric);
    }
    return metrics;
}

/// The first and last value that a mark demands of the key it runs over; nothing when it takes what there is.
std::optional<std::pair<std::string, std::string>>
DemandedRange(const PublishedMark& mark)
{
    const auto found = mark.where.find(mark.over);
    const auto dots = found == mark.where.end() ? std::string::npos : found->second.find(kRangeMark);
    if (dots == std::string::npos)
    {
        return std::nullopt;
    }
    return std::make_pair(found->second.substr(0, dots), found->second.substr(dots + 2));
}

/// Whether the mark's `where` admits a point; the key it runs over is looked at elsewhere.
bool
Admits(const PublishedMark& mark, const PointResult& point)
{
    return std::all_of(mark.where.begin(), mark.where.end(), [&](const auto& condition) {
        const auto value = point.Key(condition.first);
        return condition.first == mark.over || (value && SameValue(*value, condition.second));
    });
}

/// The part of a series that has the metric and lies in the demanded range; empty when the range is not complete.
MetricSeries
Measure(const PointSeries& series, const PublishedMark& mark, const std::string& metric)
{
    MetricSeries measured{metric, series.others, {}, {}};
    for (const PointResult* point : series.points)
    {
        if (const auto value = point->Metric(metric))
        {
            measured.at.push_back(*point->Key(mark.over));
            measured.values.push_back(*value);
        }
    }
    if (const auto range = DemandedRange(mark))
    {
        const auto find = [&measured](const std::string& wanted) {
            return std::find_if(measured.at.begin(),
                                measured.at.end(),
                                [&](const auto& v) { return SameValue(v, wanted); }) -
                   measured.at.begin();
        };
        const ptrdiff_t first = find(range->first);
        const ptrdiff_t last = find(range->second);
        if (last == static_cast<ptrdiff_t>(measured.at.size()) || first >= last)
        {
            return {metric, series.others, {}, {}};
        }
        measured.at = {measured.at.begin() + first, measured.at.begin() + last + 1};
        measured.values = {measured.values.begin() + first, measured.values.begin() + last + 1};
    }
    return measured;
}

/// Every series of every metric of a mark that has at least two points.
std::vector<MetricSeries>
SeriesOf(const std::vector<PointResult>& points, const PublishedMark& mark)
{
    std::vector<MetricSeries> found;
    for (const auto& metric : MetricsOf(mark))
    {
        for (const auto& series : SeriesOver(points, mark.over))
        {
            if (!Admits(mark, *series.points.front()))
            {
                continue;
            }
            const MetricSeries measured = Measure(series, mark, metric);
            if (measured.values.size() >= 2)
            {
                found.push_back(measured);
            }
        }
    }
    return found;
}

/// Those that have a ratio: that do not start at zero.
std::vector<MetricSeries>
RatioSeriesOf(const std::vector<PointResult>& points, const PublishedMark& mark)
{
    auto all = SeriesOf(points, mark);
    all.erase(std::remove_if(all.begin(), all.end(), [](const auto& series) { return series.values.front() <= 0; }),
              all.end());
    return all;
}

/// The keys of a series that the mark does not fix already.
std::string
OtherKeys(const MetricSeries& series, const PublishedMark& mark)
{
    std::set<std::string> fixed;
    for (const auto& condition : mark.where)
    {
        fixed.insert(condition.first);
    }
    return KeysText(series.others, fixed);
}

/// "cluster.hbd.size 8 -> 64, precision=fp8"
std::string
Span(const MetricSeries& series, const PublishedMark& mark)
{
    const std::string others = OtherKeys(series, mark);
    return fmt::format("{} {} -> {}{}{}",
                       mark.over,
                       series.at.front(),
                       series.at.back(),
                       others.empty() ? "" : ", ",
                       others);
}

void
SetFigure(MarkResult& result, double simulated)
{
    result.covered = true;
    result.simulated = simulated;
    if (result.mark.published)
    {
        result.difference = simulated - *result.mark.published;
        if (result.mark.tolerance)
        {
            result.holds = std::abs(*result.difference) <= *result.mark.tolerance;
        }
    }
}

/// Takes the series in which a figure is the largest.
void
SetLargest(const std::vector<PointResult>& points, MarkResult& result, double (*figure)(const MetricSeries&))
{
    const auto all = RatioSeriesOf(points, result.mark);
    if (all.empty())
    {
        return;
    }
    const auto largest = std::max_element(all.begin(), all.end(), [figure](const auto& a, const auto& b) {
        return figure(a) < figure(b);
    });
    SetFigure(result, figure(*largest));
    result.explanation = fmt::format("{}; the largest of {}", Span(*largest, result.mark), all.size());
}

void
EvaluateLargestDrop(const std::vector<PointResult>& points, MarkResult& result)
{
    SetLargest(points, result, [](const MetricSeries& series) { return 1 - series.LastOverFirst(); });
}

void
EvaluateLargestGain(const std::vector<PointResult>& points, MarkResult& result)
{
    SetLargest(points, result, [](const MetricSeries& series) { return series.LastOverFirst() - 1; });
}

void
EvaluateRatio(const std::vector<PointResult>& points, MarkResult& result)
{
    const auto all = RatioSeriesOf(points, result.mark);
    if (all.size() == 1)
    {
        SetFigure(result, all.front().LastOverFirst());
        result.explanation = Span(all.front(), result.mark);
    }
    else if (!all.empty())
    {
        result.explanation = fmt::format("{} series match, `where` does not tell them apart", all.size());
    }
}

void
EvaluateFalls(const std::vector<PointResult>& points, MarkResult& result)
{
    const auto all = SeriesOf(points, result.mark);
    double largestRise = 0;
    double smallestFall = 1;
    for (const auto& series : all)
    {
        result.covered = true;
        smallestFall = std::min(smallestFall, series.values.front() - series.values.back());
        for (size_t i = 1; i < series.values.size(); ++i)
        {
            const double rise = series.values[i] - series.values[i - 1];
            largestRise = std::max(largestRise, rise);
            if (rise > kFallStepTolerance)
            {
                result.holds = false;
                result.explanation += fmt::format("{} rises by {:.4f} at {} {} -> {} ({}); ",
                                                  series.metric,
                                                  rise,
                                                  result.mark.over,
                                                  series.at[i - 1],
                                                  series.at[i],
                                                  OtherKeys(series, result.mark));
            }
        }
        if (series.values.front() - series.values.back() < kFallAtLeast)
        {
            result.holds = false;
            result.explanation += fmt::format("{} falls by {:.4f} only ({}); ",
                                              series.metric,
                                              series.values.front() - series.values.back(),
                                              Span(series, result.mark));
        }
    }
    if (result.covered)
    {
        result.holds = result.holds.value_or(true);
        result.explanation += fmt::format("{} series: smallest fall {:.4f}, largest rise of a step {:.4f}",
                                          all.size(),
                                          smallestFall,
                                          largestRise);
    }
}

/// The gains of the series that differ only in the key that the gain is to grow with.
struct GainSeries
{
    std::string title;           ///< metric and other keys
    std::vector<std::string> at; ///< values of that key
    std::vector<double> gains;
};

/// The gain of a series: how much better its last value is than its first.
double
Gain(const MetricSeries& series)
{
    return SmallerIsBetter(series.metric) ? 1 - series.LastOverFirst() : series.LastOverFirst() - 1;
}

std::vector<GainSeries>
GainsOf(const std::vector<PointResult>& points, const PublishedMark& mark)
{
    std::vector<GainSeries> gains;
    const auto all = RatioSeriesOf(points, mark);
    for (const auto& value : OrderedValues(points, mark.gainWith))
    {
        for (const auto& series : all)
        {
            const std::pair<std::string, std::string> wanted(mark.gainWith, value);
            if (std::find(series.others.begin(), series.others.end(), wanted) == series.others.end())
            {
                continue;
            }
            const std::string others = KeysText(series.others, {mark.gainWith});
            const std::string title = series.metric + (others.empty() ? "" : ", ") + others;
            auto gain = std::find_if(gains.begin(), gains.end(), [&title](const auto& g) { return g.title == title; });
            if (gain == gains.end())
            {
                gain = gains.insert(gains.end(), GainSeries{title, {}, {}});
            }
            gain->at.push_back(value);
            gain->gains.push_back(Gain(series));
        }
    }
    gains.erase(std::remove_if(gains.begin(), gains.end(), [](const auto& gain) { return gain.gains.size() < 2; }),
                gains.end());
    return gains;
}

void
EvaluateGainGrowsWith(const std::vector<PointResult>& points, MarkResult& result)
{
    for (const auto& gain : GainsOf(points, result.mark))
    {
        result.covered = true;
        const bool grows = std::is_sorted(gain.gains.begin(), gain.gains.end());
        result.holds = result.holds.value_or(true) && grows;
        result.explanation += fmt::format("{}{}:", result.explanation.empty() ? "" : "; ", gain.title);
        for (size_t i = 0; i < gain.gains.size(); ++i)
        {
            result.explanation += fmt::format("{} {} +{:.1f} %", i == 0 ? "" : ",", gain.at[i], gain.gains[i] * 100);
        }
    }
}

} // namespace

const std::vector<MarkKind>&
MarkKinds()
{
    static const std::vector<MarkKind> kinds{
        {"largest-drop",
         "the most that the metric falls over the key, of all other keys: 1 - last / first",
         false,
         true,
         EvaluateLargestDrop},
        {"largest-gain",
         "the most that the metric rises over the key, of all other keys: last / first - 1",
         false,
         true,
         EvaluateLargestGain},
        {"ratio", "last / first over the key", false, false, EvaluateRatio},
        {"falls",
         "over the key no step raises the metric by more than 0.002 and the last value is at least 0.02 below the "
         "first, for all other keys",
         true,
         false,
         EvaluateFalls},
        {"gain-grows-with",
         "the gain over the key (last / first - 1; of times and shares 1 - last / first) does not shrink along a "
         "second key, for all other keys",
         true,
         false,
         EvaluateGainGrowsWith},
    };
    return kinds;
}

const MarkKind&
FindMarkKind(const std::string& name)
{
    std::string known;
    for (const auto& kind : MarkKinds())
    {
        if (name == kind.name)
        {
            return kind;
        }
        known += (known.empty() ? "" : ", ") + std::string(kind.name);
    }
    throw std::invalid_argument(fmt::format("unknown kind of published mark '{}'; known are {}", name, known));
}

std::vector<MarkResult>
EvaluateMarks(const std::vector<PublishedMark>& marks, const std::vector<PointResult>& points)
{
    std::vector<MarkResult> results;
    for (const auto& mark : marks)
    {
        MarkResult result;
        result.mark = mark;
        FindMarkKind(mark.kind).evaluate(points, result);
        if (!result.covered && result.explanation.empty())
        {
            result.explanation = "the run lacks points that the mark speaks of";
        }
        results.push_back(std::move(result));
    }
    return results;
}

} // namespace hbd::analysis
