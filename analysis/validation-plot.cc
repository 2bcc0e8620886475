/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "validation.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace hbd::analysis
{

namespace
{

/// Colours and shapes of marks; systems differ by colour, operations by shape.
constexpr std::array<const char*, 7>
    kColours{"#1b6ca8", "#d1495b", "#3a7d44", "#8e5ea2", "#e07a1f", "#5c6773", "#b8860b"};
constexpr std::array<int, 10> kShapes{7, 5, 9, 13, 11, 6, 4, 8, 12, 10};

/// A text in single quotes of gnuplot.
std::string
Quoted(const std::string& text)
{
    std::string quoted = "'";
    for (const char c : text)
    {
        quoted.append(c == '\'' ? 2 : 1, c);
    }
    return quoted + "'";
}

/// The marks of one system and operation.
struct Series
{
    std::string title;
    size_t colour = 0;
    size_t shape = 0;
    std::string points;
};

size_t
NumberOf(std::map<std::string, size_t>& numbers, const std::string& name)
{
    return numbers.emplace(name, numbers.size()).first->second;
}

std::vector<Series>
SeriesOf(const std::vector<Comparison>& rows)
{
    std::vector<Series> all;
    std::map<std::string, size_t> colours;
    std::map<std::string, size_t> shapes;
    for (const auto& row : rows)
    {
        // what a table says in brackets about a system is too long for a key
        const std::string title = row.system.substr(0, row.system.find(" (")) + ", " + row.operation;
        auto at =
            std::find_if(all.begin(), all.end(), [&title](const Series& series) { return series.title == title; });
        if (at == all.end())
        {
            all.push_back({title,
                           NumberOf(colours, row.system) % kColours.size(),
                           NumberOf(shapes, row.operation) % kShapes.size(),
                           ""});
            at = all.end() - 1;
        }
        at->points += fmt::format("{:.6g} {:.6g}\n", row.measuredUs, row.predictedUs);
    }
    return all;
}

constexpr const char* kSettings = R"(set terminal pngcairo size 900,960 font "sans,12" noenhanced
set logscale xy
set xlabel "measured [us]"
set ylabel "predicted [us]"
set grid lt 1 lw 1 lc rgb "#dddddd"
set key outside bottom center horizontal maxcols 3 Left reverse samplen 1
set size ratio -1
)";

} // namespace

std::string
ValidationPlot(const std::vector<Comparison>& rows, const std::string& picture)
{
    double least = 1e300;
    double most = 0;
    for (const auto& row : rows)
    {
        least = std::min({least, row.measuredUs, row.predictedUs});
        most = std::max({most, row.measuredUs, row.predictedUs});
    }
    std::string text = kSettings;
    text += fmt::format("set output {}\n", Quoted(picture));
    std::string plots =
        "plot x with lines lw 1 lc rgb '#888888' notitle, 1.2*x with lines dt 2 lc rgb '#888888' title '+-20 %', "
        "0.8*x with lines dt 2 lc rgb '#888888' notitle";
    const auto all = SeriesOf(rows);
    for (size_t index = 0; index < all.size(); ++index)
    {
        text += fmt::format("$series{} << EOD\n{}EOD\n", index, all[index].points);
        plots += fmt::format(", $series{} with points pt {} ps 0.9 lc rgb '{}' title {}",
                             index,
                             kShapes[all[index].shape],
                             kColours[all[index].colour],
                             Quoted(all[index].title));
    }
    if (!rows.empty())
    {
        text += fmt::format("set xrange [{0:.6g}:{1:.6g}]\nset yrange [{0:.6g}:{1:.6g}]\n", least / 1.5, most * 1.5);
    }
    return text + plots + "\n";
}

} // namespace hbd::analysis
