/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "table.h"

#include "metrics.h"
#include "point-groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace hbd::analysis
{

namespace
{

constexpr const char* kNoValue = "-";

/// A table before it is drawn for a terminal or a page.
struct Sheet
{
    std::vector<TextColumn> columns;
    std::vector<std::vector<std::string>> rows; ///< one a point

    explicit Sheet(size_t points)
        : rows(points)
    {
    }

    void Add(TextColumn column, const std::function<std::string(size_t)>& cell)
    {
        columns.push_back(std::move(column));
        for (size_t row = 0; row < rows.size(); ++row)
        {
            rows[row].push_back(cell(row));
        }
    }
};

/// cluster.hbd.size is headed by "hbd" over "size": the room is what the numbers need.
std::string
KeyHeader(const std::string& key)
{
    const auto dot = key.find('.');
    std::string header = dot == std::string::npos ? key : key.substr(dot + 1);
    std::replace(header.begin(), header.end(), '.', '\n');
    return header;
}

void
AddKeys(Sheet& sheet, const std::vector<const PointResult*>& points)
{
    if (points.empty())
    {
        return;
    }
    for (const auto& [key, first] : points.front()->keys)
    {
        const bool numbers = ValueSize(first).has_value();
        sheet.Add({KeyHeader(key), numbers, true},
                  [&points, key = key](size_t row) { return points[row]->Key(key).value_or(kNoValue); });
    }
}

/// The largest value of a metric.
double
Largest(const std::vector<PointResult>& points, const std::string& metric)
{
    double largest = 0;
    for (const auto& point : points)
    {
        largest = std::max(largest, point.Metric(metric).value_or(0));
    }
    return largest;
}

/// Digits behind the point that give the largest of a column five digits.
int
DigitsFor(double largest)
{
    return largest < 1 ? 4 : std::max(0, 4 - static_cast<int>(std::floor(std::log10(largest))));
}

/// A column of numbers in one unit and with the same digits.
void
AddMetric(Sheet& sheet,
          const std::vector<PointResult>& points,
          const std::string& header,
          const std::string& metric,
          double unit)
{
    const int digits = DigitsFor(Largest(points, metric) / unit);
    sheet.Add({header, true, false}, [&points, metric, unit, digits](size_t row) {
        const auto value = points[row].Metric(metric);
        return value ? fmt::format("{:.{}f}", *value / unit, digits) : kNoValue;
    });
}

/// A column of times, in the unit in which the longest is at least 1.
void
AddTime(Sheet& sheet, const std::vector<PointResult>& points, const std::string& header, const std::string& metric)
{
    static constexpr std::array<std::pair<const char*, double>, 4> units{
        {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
    const double largest = Largest(points, metric);
    const auto unit = std::find_if(units.begin(), units.end() - 1, [largest](const auto& u) {
        return largest == 0 || largest >= u.second;
    });
    AddMetric(sheet, points, fmt::format("{}\n[{}]", header, unit->first), metric, unit->second);
}

void
AddShare(Sheet& sheet, const std::vector<PointResult>& points, const std::string& header, const std::string& metric)
{
    sheet.Add({header, true, false}, [&points, metric](size_t row) {
        const auto value = points[row].Metric(metric);
        return value ? fmt::format("{:.1f} %", *value * 100) : kNoValue;
    });
}

/// Per point the one to compare it with; nullptr for that one itself.
std::vector<const PointResult*>
Bases(const std::vector<PointResult>& points, const std::string& compareKey)
{
    std::vector<const PointResult*> bases(points.size(), nullptr);
    for (const auto& series : SeriesOver(points, compareKey))
    {
        for (const PointResult* point : series.points)
        {
            bases[static_cast<size_t>(point - points.data())] =
                point == series.points.front() ? nullptr : series.points.front();
        }
    }
    return bases;
}

void
AddChange(Sheet& sheet,
          const std::vector<PointResult>& points,
          const std::vector<const PointResult*>& bases,
          const std::string& header,
          const std::string& metric)
{
    sheet.Add({header, true, false}, [&points, &bases, metric](size_t row) -> std::string {
        const auto value = points[row].Metric(metric);
        const auto base = bases[row] != nullptr ? bases[row]->Metric(metric) : std::nullopt;
        return value && base && *base > 0 ? fmt::format("{:+.1f} %", (*value / *base - 1) * 100) : kNoValue;
    });
}

Sheet
ResultSheet(const std::vector<PointResult>& points, const std::string& compareKey)
{
    Sheet sheet(points.size());
    std::vector<const PointResult*> pointers;
    std::transform(points.begin(), points.end(), std::back_inserter(pointers), [](const auto& point) {
        return &point;
    });
    AddKeys(sheet, pointers);
    AddTime(sheet, points, "TTFT", "ttft_s");
    AddTime(sheet, points, "TPOT", "tpot_s");
    AddMetric(sheet, points, "decode\n[tok/s]", "decode_throughput_tokens_per_s", 1);
    AddMetric(sheet, points, "per GPU\n[tok/s]", "throughput_per_gpu_tokens_per_s", 1);
    AddShare(sheet, points, "prefill\ncomm", "prefill_comm_share");
    AddShare(sheet, points, "decode\ncomm", "decode_comm_share");
    const auto bases = Bases(points, compareKey);
    if (std::any_of(bases.begin(), bases.end(), [](const auto* base) { return base != nullptr; }))
    {
        AddChange(sheet, points, bases, "TTFT\nchange", "ttft_s");
        AddChange(sheet, points, bases, "TPOT\nchange", "tpot_s");
        AddChange(sheet, points, bases, "per GPU\nchange", "throughput_per_gpu_tokens_per_s");
    }
    return sheet;
}

std::string
Render(const Sheet& sheet, size_t width)
{
    TextTable table(sheet.columns);
    for (const auto& row : sheet.rows)
    {
        table.AddRow(row);
    }
    return table.Render(width);
}

std::string
RatioText(const std::optional<Ratio>& ratio, int digits)
{
    return ratio ? ratio->Fixed(digits) : kNoValue;
}

} // namespace

std::string
ResultTable(const std::vector<PointResult>& points, const std::string& compareKey, size_t width)
{
    return Render(ResultSheet(points, compareKey), width);
}

std::string
ResultMarkdown(const std::vector<PointResult>& points, const std::string& compareKey)
{
    const Sheet sheet = ResultSheet(points, compareKey);
    std::vector<std::string> header;
    std::vector<bool> right;
    for (const auto& column : sheet.columns)
    {
        header.push_back(column.header);
        right.push_back(column.right);
    }
    return MarkdownTable(header, sheet.rows, right);
}

std::string
CollectiveTable(const std::vector<CollectiveResult>& results, size_t width)
{
    std::vector<const PointResult*> points;
    std::vector<const CollectiveRow*> rows;
    for (const auto& result : results)
    {
        for (const auto& row : result.collectives)
        {
            points.push_back(&result.point);
            rows.push_back(&row);
        }
    }
    const auto microseconds = [](int64_t ps) { return Ratio{ps, 1'000'000}.Fixed(3); };
    Sheet sheet(rows.size());
    AddKeys(sheet, points);
    sheet.Add({"op", false, true}, [&](size_t i) { return rows[i]->op; });
    sheet.Add({"algorithm", false, true}, [&](size_t i) { return rows[i]->algorithm; });
    sheet.Add({"ranks", true, false}, [&](size_t i) { return fmt::format("{}", rows[i]->ranks); });
    sheet.Add({"size", true, false}, [&](size_t i) { return SizeText(rows[i]->sizeBytes); });
    sheet.Add({"time\n[us]", true, false}, [&](size_t i) { return microseconds(rows[i]->DurationPs()); });
    sheet.Add({"algbw\n[GB/s]", true, false}, [&](size_t i) { return RatioText(AlgorithmBandwidth(*rows[i]), 2); });
    sheet.Add({"busbw\n[GB/s]", true, false}, [&](size_t i) { return RatioText(BusBandwidth(*rows[i]), 2); });
    sheet.Add({"ideal\n[us]", true, false}, [&](size_t i) { return microseconds(rows[i]->IdealPs()); });
    sheet.Add({"slowdown", true, false}, [&](size_t i) { return RatioText(Slowdown(*rows[i]), 3); });
    return Render(sheet, width);
}

std::string
SizeText(uint64_t bytes)
{
    static constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < units.size())
    {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", bytes, units[unit]);
}

} // namespace hbd::analysis
