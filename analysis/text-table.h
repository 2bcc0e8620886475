/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_TEXT_TABLE_H
#define HBD_ANALYSIS_TEXT_TABLE_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hbd::analysis
{

/// Columns that a terminal is expected to have.
constexpr size_t kTableWidth = 120;

/// How a column of a printed table looks.
struct TextColumn
{
    std::string header;     ///< lines are separated by '\n'; they end on the line above the first row
    bool right = true;      ///< numbers to the right, text to the left
    bool mayShrink = false; ///< cut its cells when the table is too wide
};

/// \return the columns that a UTF-8 text takes on a terminal
size_t DisplayWidth(std::string_view text);

/// \return the text, cut to a display width with an ellipsis when it is wider
std::string Shortened(std::string_view text, size_t width);

/// A table for a terminal.
class TextTable
{
  public:
    explicit TextTable(std::vector<TextColumn> columns);
    /// \param cells as many as there are columns. \throw std::invalid_argument when it is another number
    void AddRow(std::vector<std::string> cells);
    /**
     * \param width the most display columns; shrinking columns are cut to reach it, the widest first, but to no less
     * than 6 \return header, a rule and the rows, each line ended by '\n'
     */
    std::string Render(size_t width = kTableWidth) const;

  private:
    /// The header as rows of cells.
    std::vector<std::vector<std::string>> HeaderRows() const;
    std::vector<size_t> Widths(size_t limit) const;
    std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const;

    std::vector<TextColumn> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/**
 * A table for a Markdown page.
 * \param header one text a column
 * \param rows as many cells each
 * \param right whether a column is aligned to the right; as many as columns
 */
std::string MarkdownTable(const std::vector<std::string>& header,
                          const std::vector<std::vector<std::string>>& rows,
                          const std::vector<bool>& right);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_TEXT_TABLE_H
