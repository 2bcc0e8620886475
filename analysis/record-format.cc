/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-format.h"

#include "decimal.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace hbd::analysis
{

namespace
{

/// Splits CSV text; one object a text.
class CsvParser
{
  public:
    CsvParser(std::string_view text, const std::string& name)
        : m_text(text),
          m_name(name)
    {
    }

    std::vector<CsvRow> Rows()
    {
        std::vector<CsvRow> rows;
        while (m_position < m_text.size())
        {
            CsvRow row{m_line, {}};
            do
            {
                row.cells.push_back(NextCell());
            } while (TakeComma());
            TakeLineEnd();
            if (row.cells.size() > 1 || !row.cells.front().empty())
            {
                rows.push_back(std::move(row));
            }
        }
        return rows;
    }

  private:
    std::string NextCell()
    {
        if (m_position < m_text.size() && m_text[m_position] == '"')
        {
            return QuotedCell();
        }
        const size_t end = std::min(m_text.find_first_of(",\r\n", m_position), m_text.size());
        std::string cell(m_text.substr(m_position, end - m_position));
        m_position = end;
        return cell;
    }

    std::string QuotedCell()
    {
        const size_t startLine = m_line;
        std::string cell;
        for (++m_position; m_position < m_text.size(); ++m_position)
        {
            if (m_text[m_position] == '"')
            {
                ++m_position;
                if (m_position >= m_text.size() || m_text[m_position] != '"')
                {
                    return cell;
                }
            }
            m_line += m_text[m_position] == '\n' ? 1 : 0;
            cell.push_back(m_text[m_position]);
        }
        throw RecordError(fmt::format("{}:{}: a quote is not closed", m_name, startLine));
    }

    bool TakeComma()
    {
        const bool comma = m_position < m_text.size() && m_text[m_position] == ',';
        m_position += comma ? 1 : 0;
        return comma;
    }

    void TakeLineEnd()
    {
        m_position += m_text.substr(m_position, 1) == "\r" ? 1 : 0;
        if (m_position < m_text.size() && m_text[m_position] != '\n')
        {
            throw RecordError(
                fmt::format("{}:{}: expected a comma or the end of the line after a cell", m_name, m_line));
        }
        ++m_position;
        ++m_line;
    }

    std::string_view m_text;
    const std::string& m_name;
    size_t m_position = 0;
    size_t m_line = 1;
};

/// Checks the values of a JSON record against the schema.
class JsonChecker
{
  public:
    explicit JsonChecker(const RecordFile& file)
        : m_file(file)
    {
    }

    void Visit(const nlohmann::ordered_json& json, const std::string& path)
    {
        if (json.is_object())
        {
            for (const auto& [key, value] : json.items())
            {
                Visit(value, path.empty() ? key : path + "." + key);
            }
        }
        else if (json.is_array())
        {
            for (const auto& value : json)
            {
                Visit(value, path + "[]");
            }
        }
        else
        {
            VisitValue(json, path);
        }
    }

    std::vector<std::string> Problems()
    {
        for (const auto& column : m_file.columns)
        {
            if (!column.mayBeEmpty && m_seen.count(column.name) == 0)
            {
                m_problems.push_back(fmt::format("{} is missing", column.name));
            }
        }
        return m_problems;
    }

  private:
    const RecordColumn* Find(const std::string& path) const
    {
        for (const auto& column : m_file.columns)
        {
            const bool any = column.name.size() > 1 && column.name.back() == '*';
            const size_t length = column.name.size() - (any ? 1 : 0);
            if (column.name == path ||
                (any && path.size() > length && path.compare(0, length, column.name, 0, length) == 0))
            {
                return &column;
            }
        }
        return nullptr;
    }

    void VisitValue(const nlohmann::ordered_json& json, const std::string& path)
    {
        const RecordColumn* column = Find(path);
        if (column == nullptr)
        {
            m_problems.push_back(fmt::format("{} is not in the schema", path));
            return;
        }
        m_seen.insert(column->name);
        const bool fits = json.is_null() ? column->mayBeEmpty
                          : column->type == ValueType::Text
                              ? json.is_string()
                              : (column->type == ValueType::Integer ? json.is_number_integer() : json.is_number());
        if (!fits)
        {
            m_problems.push_back(fmt::format("{}: a value of another type: {}", path, json.dump()));
        }
    }

    const RecordFile& m_file;
    std::set<std::string> m_seen;
    std::vector<std::string> m_problems;
};

} // namespace

CsvWriter::CsvWriter(const RecordFile& file, const std::vector<std::string>& extraColumns)
    : m_file(file),
      m_columns(CsvColumns(file, extraColumns))
{
    for (const auto& column : m_columns)
    {
        m_text += (m_text.empty() ? "" : ",") + CsvCell(column.name);
    }
    m_text += "\n";
}

CsvWriter&
CsvWriter::Set(std::string_view column, std::string_view value)
{
    if (m_next >= m_columns.size() || m_columns[m_next].name != column)
    {
        throw std::logic_error(fmt::format("{}: column {} set out of the schema's order", m_file.name, column));
    }
    if (const std::string problem = CellProblem(m_columns[m_next], value); !problem.empty())
    {
        throw std::logic_error(fmt::format("{}: column {}: {}", m_file.name, column, problem));
    }
    m_text += (m_next == 0 ? "" : ",") + CsvCell(value);
    ++m_next;
    return *this;
}

CsvWriter&
CsvWriter::Set(std::string_view column, uint64_t value)
{
    return Set(column, std::string_view(fmt::format("{}", value)));
}

void
CsvWriter::EndRow()
{
    if (m_next != m_columns.size())
    {
        throw std::logic_error(fmt::format("{}: a row ends before column {}", m_file.name, m_columns[m_next].name));
    }
    m_text += "\n";
    m_next = 0;
}

const std::string&
CsvWriter::Text() const
{
    return m_text;
}

std::string
CsvCell(std::string_view value)
{
    if (value.find_first_of(",\"\r\n") == std::string_view::npos)
    {
        return std::string(value);
    }
    std::string quoted = "\"";
    for (const char character : value)
    {
        quoted.append(character == '"' ? 2 : 1, character);
    }
    return quoted + "\"";
}

std::vector<CsvRow>
ParseCsv(std::string_view text, const std::string& name)
{
    return CsvParser(text, name).Rows();
}

std::vector<RecordColumn>
CsvColumns(const RecordFile& file, const std::vector<std::string>& extraColumns)
{
    std::vector<RecordColumn> columns = file.columns;
    std::vector<RecordColumn> extra;
    for (const auto& name : extraColumns)
    {
        extra.push_back({name, "-", ValueType::Text, true, "swept key", ReplayEffect::Input});
    }
    columns.insert(columns.begin() + std::min<ptrdiff_t>(1, static_cast<ptrdiff_t>(columns.size())),
                   extra.begin(),
                   extra.end());
    return columns;
}

std::string
CellProblem(const RecordColumn& column, std::string_view value)
{
    if (value.empty())
    {
        return column.mayBeEmpty ? "" : "is empty";
    }
    if (column.type == ValueType::Integer && !ParseInteger(value))
    {
        return fmt::format("expected an integer, found '{}'", value);
    }
    if (column.type == ValueType::Decimal && !ParseDecimal(value))
    {
        return fmt::format("expected a decimal number, found '{}'", value);
    }
    return "";
}

std::vector<std::string>
JsonProblems(const RecordFile& file, const nlohmann::ordered_json& json)
{
    JsonChecker checker(file);
    checker.Visit(json, "");
    return checker.Problems();
}

} // namespace hbd::analysis
