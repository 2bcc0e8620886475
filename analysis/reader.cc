/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reader.h"

#include "decimal.h"
#include "metrics.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace hbd::analysis
{

namespace
{

namespace fs = std::filesystem;

std::string
ReadText(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.is_open() || file.bad())
    {
        throw RecordError(fmt::format("{}: cannot be read", path.string()));
    }
    return text;
}

} // namespace

RecordTable::RecordTable(const RecordFile& file, const fs::path& path, std::vector<CsvRow> rows)
    : m_path(path.string()),
      m_rows(std::move(rows))
{
    if (m_rows.empty())
    {
        throw RecordError(fmt::format("{}:1: the header line is missing", m_path));
    }
    m_columns = std::move(m_rows.front().cells);
    m_rows.erase(m_rows.begin());
    CheckHeader(file);
}

void
RecordTable::CheckHeader(const RecordFile& file)
{
    std::vector<std::string> extra;
    if (file.extraColumnsFirst && m_columns.size() > file.columns.size())
    {
        extra.assign(m_columns.begin() + 1, m_columns.end() - static_cast<ptrdiff_t>(file.columns.size() - 1));
    }
    const auto expected = CsvColumns(file, extra);
    for (size_t i = 0; i < expected.size(); ++i)
    {
        if (i >= m_columns.size() || m_columns[i] != expected[i].name)
        {
            Fail(1,
                 expected[i].name,
                 i >= m_columns.size() ? "is missing" : fmt::format("expected here, found '{}'", m_columns[i]));
        }
    }
    if (m_columns.size() > expected.size())
    {
        Fail(1, m_columns[expected.size()], "is not in the schema");
    }
    for (const auto& row : m_rows)
    {
        CheckRow(row, expected);
    }
}

void
RecordTable::CheckRow(const CsvRow& row, const std::vector<RecordColumn>& columns) const
{
    for (size_t i = 0; i < columns.size(); ++i)
    {
        if (i >= row.cells.size())
        {
            Fail(row.line,
                 columns[i].name,
                 fmt::format("is missing: {} cells, expected {}", row.cells.size(), columns.size()));
        }
        if (const std::string problem = CellProblem(columns[i], row.cells[i]); !problem.empty())
        {
            Fail(row.line, columns[i].name, problem);
        }
    }
    if (row.cells.size() > columns.size())
    {
        throw RecordError(
            fmt::format("{}:{}: {} cells, expected {}", m_path, row.line, row.cells.size(), columns.size()));
    }
}

void
RecordTable::Fail(size_t line, const std::string& column, const std::string& problem) const
{
    throw RecordError(fmt::format("{}:{}: column {}: {}", m_path, line, column, problem));
}

size_t
RecordTable::Rows() const
{
    return m_rows.size();
}

const std::vector<std::string>&
RecordTable::Columns() const
{
    return m_columns;
}

size_t
RecordTable::IndexOf(const std::string& column) const
{
    const auto found = std::find(m_columns.begin(), m_columns.end(), column);
    if (found == m_columns.end())
    {
        throw std::out_of_range(fmt::format("{} has no column {}", m_path, column));
    }
    return static_cast<size_t>(found - m_columns.begin());
}

bool
RecordTable::IsEmpty(size_t row, const std::string& column) const
{
    return Text(row, column).empty();
}

const std::string&
RecordTable::Text(size_t row, const std::string& column) const
{
    return m_rows.at(row).cells[IndexOf(column)];
}

int64_t
RecordTable::Integer(size_t row, const std::string& column) const
{
    const auto value = ParseInteger(Text(row, column));
    return value ? *value : (Fail(m_rows[row].line, column, "expected an integer"), 0);
}

double
RecordTable::Decimal(size_t row, const std::string& column) const
{
    const auto value = ParseDecimal(Text(row, column));
    return value ? *value : (Fail(m_rows[row].line, column, "expected a decimal number"), 0);
}

int64_t
RecordTable::Picoseconds(size_t row, const std::string& column) const
{
    const auto value = ParseSeconds(Text(row, column));
    return value ? *value : (Fail(m_rows[row].line, column, "expected seconds, to the picosecond"), 0);
}

RecordTable
ReadCsvRecord(const fs::path& path)
{
    return RecordTable(FindRecordFile(path.filename().string()), path, ParseCsv(ReadText(path), path.string()));
}

nlohmann::ordered_json
ReadJsonRecord(const fs::path& path)
{
    const RecordFile& file = FindRecordFile(path.filename().string());
    nlohmann::ordered_json json;
    try
    {
        json = nlohmann::ordered_json::parse(ReadText(path));
    }
    catch (const nlohmann::json::parse_error& error)
    {
        throw RecordError(fmt::format("{}: {}", path.string(), error.what()));
    }
    const auto problems = JsonProblems(file, json);
    if (!problems.empty())
    {
        throw RecordError(fmt::format("{}: {}", path.string(), fmt::join(problems, "; ")));
    }
    return json;
}

PointResult
ReadPoint(const fs::path& pointFolder)
{
    return ResultOfSummary(ReadJsonRecord(pointFolder / "summary.json"));
}

PointResult
ResultOfSummary(const nlohmann::ordered_json& summary)
{
    PointResult result;
    result.point = summary.at("point").get<std::string>();
    result.scenarioHash = summary.at("scenario_hash").get<std::string>();
    result.workload = summary.at("workload").at("kind") == "network" ? WorkloadKind::Network : WorkloadKind::Inference;
    for (const auto& [key, value] : summary.at("swept").items())
    {
        result.keys.emplace_back(key, value.get<std::string>());
    }
    for (const auto& [key, value] : summary.at("metrics").items())
    {
        if (!value.is_null())
        {
            result.metrics[key] = value.get<double>();
        }
    }
    return result;
}

std::vector<PointResult>
ReadPoints(const fs::path& resultFolder)
{
    const RecordTable table = ReadCsvRecord(resultFolder / "points.csv");
    std::vector<PointResult> points;
    for (size_t row = 0; row < table.Rows(); ++row)
    {
        PointResult point;
        point.point = table.Text(row, "point");
        for (const auto& column : table.Columns())
        {
            if (FindMetric(column) == nullptr)
            {
                if (column != "point")
                {
                    point.keys.emplace_back(column, table.Text(row, column));
                }
            }
            else if (!table.IsEmpty(row, column))
            {
                point.metrics[column] = table.Decimal(row, column);
            }
        }
        point.workload = point.Metric("ttft_s") ? WorkloadKind::Inference : WorkloadKind::Network;
        points.push_back(std::move(point));
    }
    return points;
}

std::vector<CollectiveRow>
ReadCollectives(const fs::path& pointFolder)
{
    const RecordTable table = ReadCsvRecord(pointFolder / "collectives.csv");
    std::vector<CollectiveRow> rows;
    rows.reserve(table.Rows());
    for (size_t i = 0; i < table.Rows(); ++i)
    {
        CollectiveRow row;
        row.phase = table.Text(i, "phase");
        row.step = static_cast<uint32_t>(table.Integer(i, "step"));
        row.layer = table.IsEmpty(i, "layer") ? -1 : static_cast<int32_t>(table.Integer(i, "layer"));
        row.name = table.Text(i, "name");
        row.op = table.Text(i, "op");
        row.algorithm = table.Text(i, "algorithm");
        row.protocol = table.Text(i, "protocol");
        row.group = table.Text(i, "group");
        if (!table.IsEmpty(i, "group_number"))
        {
            row.groupNumber = static_cast<uint32_t>(table.Integer(i, "group_number"));
        }
        row.ranks = static_cast<uint32_t>(table.Integer(i, "ranks"));
        row.sizeBytes = static_cast<uint64_t>(table.Integer(i, "size_bytes"));
        row.startPs = table.Picoseconds(i, "start_s");
        row.readyPs = table.Picoseconds(i, "ready_s");
        row.endPs = table.Picoseconds(i, "end_s");
        row.idealBytesPs = table.Picoseconds(i, "ideal_bytes_s");
        row.idealLatencyPs = table.Picoseconds(i, "ideal_latency_s");
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace hbd::analysis
