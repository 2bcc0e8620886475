/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measured-table.h"

#include "analysis/decimal.h"
#include "analysis/record-format.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>

namespace hbd::runner
{

namespace
{

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::vector<analysis::CsvRow>
ReadRows(const std::string& path, std::vector<traffic::Problem>& problems)
{
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    std::string text = content.str();
    if (!stream || text.empty())
    {
        AddProblem(problems,
                   {path, 0, "", "a CSV file with a first line of column names", "nothing that can be read", ""});
        return {};
    }
    if (text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0)
    {
        text.erase(0, kByteOrderMark.size());
    }
    try
    {
        return analysis::ParseCsv(text, path);
    }
    catch (const analysis::RecordError& error)
    {
        AddProblem(problems, {path, 0, "", "CSV", error.what(), ""});
        return {};
    }
}

} // namespace

MeasuredTable::MeasuredTable(const std::filesystem::path& path,
                             const std::vector<std::string>& needed,
                             std::vector<traffic::Problem>& problems)
    : m_path(path.string()),
      m_problems(problems)
{
    auto rows = ReadRows(m_path, problems);
    if (rows.empty())
    {
        return;
    }
    const auto& names = rows.front().cells;
    for (size_t column = 0; column < names.size(); ++column)
    {
        m_columns.emplace(names[column], column);
    }
    const auto firstLine = static_cast<int>(rows.front().line);
    const size_t before = problems.size();
    for (const auto& name : needed)
    {
        if (m_columns.count(name) == 0)
        {
            AddProblem(
                problems,
                {m_path, firstLine, name, "a column of that name", fmt::format("{}", fmt::join(names, ",")), ""});
        }
    }
    for (size_t index = 1; index < rows.size() && problems.size() == before; ++index)
    {
        m_rows.push_back({static_cast<int>(rows[index].line), std::move(rows[index].cells)});
    }
    for (auto& row : m_rows)
    {
        if (row.cells.size() != names.size())
        {
            AddProblem(problems,
                       {m_path,
                        row.line,
                        "",
                        fmt::format("{} cells, as the first line has", names.size()),
                        fmt::format("{}", row.cells.size()),
                        ""});
            row.cells.clear();
        }
    }
    m_rows.erase(std::remove_if(m_rows.begin(), m_rows.end(), [](const Row& row) { return row.cells.empty(); }),
                 m_rows.end());
}

size_t
MeasuredTable::Rows() const
{
    return m_rows.size();
}

std::string
MeasuredTable::Name() const
{
    return std::filesystem::path(m_path).stem().string();
}

bool
MeasuredTable::Has(size_t row, const std::string& column) const
{
    return !Text(row, column).empty();
}

const std::string&
MeasuredTable::Text(size_t row, const std::string& column) const
{
    static const std::string none;
    const auto at = m_columns.find(column);
    return at == m_columns.end() ? none : m_rows.at(row).cells[at->second];
}

std::optional<double>
MeasuredTable::Number(size_t row, const std::string& column) const
{
    const auto value = analysis::ParseDecimal(Text(row, column));
    if (!value || !(*value > 0))
    {
        Complain(row, column, "a number above 0");
        return std::nullopt;
    }
    return value;
}

std::optional<uint64_t>
MeasuredTable::Count(size_t row, const std::string& column, uint64_t most) const
{
    const auto value = analysis::ParseInteger(Text(row, column));
    if (!value || *value < 1 || static_cast<uint64_t>(*value) > most)
    {
        Complain(row, column, fmt::format("a whole number from 1 to {}", most));
        return std::nullopt;
    }
    return static_cast<uint64_t>(*value);
}

void
MeasuredTable::Complain(size_t row, const std::string& column, const std::string& expected) const
{
    AddProblem(m_problems, {m_path, m_rows.at(row).line, column, expected, fmt::format("`{}`", Text(row, column)), ""});
}

} // namespace hbd::runner
