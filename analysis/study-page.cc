/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-page.h"

#include "decimal.h"
#include "reader.h"
#include "table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace hbd::analysis
{

namespace
{

/// What the sections are made from.
struct StudyData
{
    std::vector<StudyRun> runs;
    std::vector<std::vector<PointResult>> points; ///< of each run
    std::vector<PublishedMark> marks;
};

std::string
MarksSection(const StudyData& data)
{
    return MarksMarkdown(EvaluateMarks(data.marks, data.points.front()));
}

std::string
MarksByRunSection(const StudyData& data)
{
    std::vector<std::string> header{"mark", "published"};
    std::vector<bool> right{false, true};
    std::vector<std::vector<MarkResult>> results;
    for (size_t run = 0; run < data.runs.size(); ++run)
    {
        header.push_back(data.runs[run].label);
        right.push_back(true);
        results.push_back(EvaluateMarks(data.marks, data.points[run]));
    }
    std::vector<std::vector<std::string>> rows;
    for (size_t mark = 0; mark < data.marks.size(); ++mark)
    {
        std::vector<std::string> row{data.marks[mark].id, PublishedText(results.front()[mark])};
        for (const auto& result : results)
        {
            row.push_back(SimulatedText(result[mark]));
        }
        rows.push_back(std::move(row));
    }
    return MarkdownTable(header, rows, right);
}

std::string
PointsSection(const StudyData& data)
{
    return ResultMarkdown(data.points.front());
}

std::string
DecodeLayerSection(const StudyData& data)
{
    const auto& points = data.points.front();
    std::vector<std::string> header;
    for (const auto& key : points.empty() ? SweptKeys{} : points.front().keys)
    {
        header.push_back(key.first);
    }
    const std::vector<std::string>
        figures{"per layer [us]", "bytes [us]", "latency [us]", "other [us]", "bytes", "latency", "other"};
    header.insert(header.end(), figures.begin(), figures.end());
    std::vector<std::vector<std::string>> rows;
    for (const auto& point : points)
    {
        const DecodeLayerTime time = DecodePerLayer(ReadCollectives(data.runs.front().folder / point.point));
        std::vector<std::string> row;
        for (const auto& key : point.keys)
        {
            row.push_back(key.second);
        }
        for (const double part : {time.total, time.bytes, time.latency, time.Other()})
        {
            row.push_back(time.layers > 0 ? fmt::format("{:.2f}", part * 1e6) : "-");
        }
        for (const double part : {time.bytes, time.latency, time.Other()})
        {
            row.push_back(time.total > 0 ? fmt::format("{:.0f} %", part / time.total * 100) : "-");
        }
        rows.push_back(std::move(row));
    }
    return MarkdownTable(header, rows, std::vector<bool>(header.size(), true));
}

/// A table of the page.
struct Section
{
    const char* name;
    std::string (*text)(const StudyData& data);
};

constexpr Section kSections[] = {
    {"marks", MarksSection},
    {"marks-by-run", MarksByRunSection},
    {"points", PointsSection},
    {"decode-layer", DecodeLayerSection},
};

const Section&
FindSection(const std::string& name)
{
    for (const auto& section : kSections)
    {
        if (name == section.name)
        {
            return section;
        }
    }
    throw std::invalid_argument(fmt::format("the study page asks for an unknown table '{}'", name));
}

/// Sums of one collective of a layer, over layers, steps and groups.
struct NameSums
{
    std::set<std::tuple<uint32_t, int32_t, uint32_t>> executions; ///< step, layer, group
    Int128 totalPs = 0;
    Int128 bytesPs = 0;
    Int128 latencyPs = 0;
};

} // namespace

DecodeLayerTime
DecodePerLayer(const std::vector<CollectiveRow>& rows)
{
    std::map<std::string, NameSums> names;
    for (const auto& row : rows)
    {
        if (row.phase != "decode" || row.layer < 0)
        {
            continue;
        }
        NameSums& sums = names[row.name];
        sums.executions.insert({row.step, row.layer, row.groupNumber.value_or(0)});
        sums.totalPs += row.DurationPs();
        sums.bytesPs += row.idealBytesPs;
        sums.latencyPs += row.idealLatencyPs;
    }
    DecodeLayerTime time;
    for (const auto& [name, sums] : names)
    {
        const auto executions = static_cast<uint64_t>(sums.executions.size());
        const auto seconds = [executions](Int128 ps) {
            return Ratio{ps, static_cast<Int128>(executions) * 1'000'000'000'000}.Value();
        };
        time.layers = std::max(time.layers, executions);
        time.total += seconds(sums.totalPs);
        time.bytes += seconds(sums.bytesPs);
        time.latency += seconds(sums.latencyPs);
    }
    return time;
}

std::string
StudyPage(const std::string& page, const std::vector<StudyRun>& runs, const std::vector<PublishedMark>& marks)
{
    if (runs.empty())
    {
        throw std::invalid_argument("the study page needs at least one result folder");
    }
    StudyData data{runs, {}, marks};
    for (const auto& run : runs)
    {
        data.points.push_back(ReadPoints(run.folder));
    }
    const std::string begin = "<!-- begin ";
    std::string text;
    size_t position = 0;
    for (size_t found = page.find(begin); found != std::string::npos; found = page.find(begin, position))
    {
        const size_t lineEnd = page.find(" -->\n", found);
        const std::string name = page.substr(found + begin.size(), lineEnd - found - begin.size());
        const size_t end = page.find("<!-- end " + name + " -->", found);
        if (lineEnd == std::string::npos || end == std::string::npos)
        {
            throw std::invalid_argument(fmt::format("the study page has no end line for the table '{}'", name));
        }
        text += page.substr(position, lineEnd + 5 - position) + "\n" + FindSection(name).text(data) + "\n";
        position = end;
    }
    return text + page.substr(position);
}

} // namespace hbd::analysis
