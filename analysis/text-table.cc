/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "text-table.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace hbd::analysis
{

namespace
{

constexpr size_t kGap = 2;              ///< between columns
constexpr size_t kSmallestShrunken = 6; ///< a shrunken column keeps that much
constexpr const char* kEllipsis = "\u2026";

std::vector<std::string>
LinesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/// Bytes of the UTF-8 character that starts with this one.
size_t
CharacterBytes(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

std::string
WithoutTrailingSpaces(std::string line)
{
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

/// A cell of a Markdown table.
std::string
MarkdownCell(const std::string& text)
{
    std::string cell;
    for (const char character : text)
    {
        cell += character == '|' ? "\\|" : std::string(1, character == '\n' ? ' ' : character);
    }
    return cell;
}

} // namespace

size_t
DisplayWidth(std::string_view text)
{
    // fmt pads by display width (East Asian wide characters count two): the padding tells the width.
    const size_t enough = 2 * text.size() + 1;
    return enough - (fmt::formatted_size("{:<{}}", text, enough) - text.size());
}

std::string
Shortened(std::string_view text, size_t width)
{
    if (DisplayWidth(text) <= width)
    {
        return std::string(text);
    }
    size_t end = 0;
    while (end < text.size())
    {
        const size_t next = end + CharacterBytes(static_cast<unsigned char>(text[end]));
        if (next > text.size() || DisplayWidth(text.substr(0, next)) + 1 > width)
        {
            break;
        }
        end = next;
    }
    return std::string(text.substr(0, end)) + kEllipsis;
}

TextTable::TextTable(std::vector<TextColumn> columns)
    : m_columns(std::move(columns))
{
}

void
TextTable::AddRow(std::vector<std::string> cells)
{
    if (cells.size() != m_columns.size())
    {
        throw std::invalid_argument(fmt::format("a table of {} columns got {} cells", m_columns.size(), cells.size()));
    }
    m_rows.push_back(std::move(cells));
}

std::vector<std::vector<std::string>>
TextTable::HeaderRows() const
{
    size_t height = 0;
    for (const auto& column : m_columns)
    {
        height = std::max(height, LinesOf(column.header).size());
    }
    std::vector<std::vector<std::string>> rows(height, std::vector<std::string>(m_columns.size()));
    for (size_t column = 0; column < m_columns.size(); ++column)
    {
        const auto lines = LinesOf(m_columns[column].header);
        for (size_t line = 0; line < lines.size(); ++line)
        {
            rows[height - lines.size() + line][column] = lines[line];
        }
    }
    return rows;
}

std::vector<size_t>
TextTable::Widths(size_t limit) const
{
    auto rows = HeaderRows();
    rows.insert(rows.end(), m_rows.begin(), m_rows.end());
    std::vector<size_t> widths(m_columns.size(), 0);
    for (const auto& row : rows)
    {
        for (size_t column = 0; column < row.size(); ++column)
        {
            widths[column] = std::max(widths[column], DisplayWidth(row[column]));
        }
    }
    const size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
    while (std::accumulate(widths.begin(), widths.end(), gaps) > limit)
    {
        size_t widest = widths.size();
        for (size_t column = 0; column < widths.size(); ++column)
        {
            if (m_columns[column].mayShrink && widths[column] > kSmallestShrunken &&
                (widest == widths.size() || widths[column] > widths[widest]))
            {
                widest = column;
            }
        }
        if (widest == widths.size())
        {
            break;
        }
        --widths[widest];
    }
    return widths;
}

std::string
TextTable::Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const
{
    std::string line;
    for (size_t column = 0; column < cells.size(); ++column)
    {
        const std::string cell = Shortened(cells[column], widths[column]);
        line += column == 0 ? "" : std::string(kGap, ' ');
        line += m_columns[column].right ? fmt::format("{:>{}}", cell, widths[column])
                                        : fmt::format("{:<{}}", cell, widths[column]);
    }
    return WithoutTrailingSpaces(line) + "\n";
}

std::string
TextTable::Render(size_t width) const
{
    const auto widths = Widths(width);
    std::string text;
    for (const auto& row : HeaderRows())
    {
        text += Line(row, widths);
    }
    const size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
    text += std::string(std::accumulate(widths.begin(), widths.end(), gaps), '-') + "\n";
    for (const auto& row : m_rows)
    {
        text += Line(row, widths);
    }
    return text;
}

std::string
MarkdownTable(const std::vector<std::string>& header,
              const std::vector<std::vector<std::string>>& rows,
              const std::vector<bool>& right)
{
    std::string text = "|";
    std::string rule = "|";
    for (size_t column = 0; column < header.size(); ++column)
    {
        text += " " + MarkdownCell(header[column]) + " |";
        rule += right.at(column) ? "---:|" : "---|";
    }
    text += "\n" + rule + "\n";
    for (const auto& row : rows)
    {
        text += "|";
        for (const auto& cell : row)
        {
            text += " " + MarkdownCell(cell) + " |";
        }
        text += "\n";
    }
    return text;
}

} // namespace hbd::analysis
