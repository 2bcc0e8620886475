/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_RECORD_FORMAT_H
#define HBD_ANALYSIS_RECORD_FORMAT_H

#include "record-schema.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hbd::analysis
{

/// A record file that cannot be read. The message starts with the file, the line where there is one, and the column.
class RecordError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * Builds the text of a CSV record file. The columns are those of the schema and must be set in its order: a forgotten,
 * unknown or mistyped value is a programming error and throws std::logic_error.
 */
class CsvWriter
{
  public:
    /**
     * \param file its part of the schema
     * \param extraColumns the swept keys of points.csv
     */
    explicit CsvWriter(const RecordFile& file, const std::vector<std::string>& extraColumns = {});
    /// Sets the next cell of the row.
    CsvWriter& Set(std::string_view column, std::string_view value);
    /// Sets the next cell of the row to an integer.
    CsvWriter& Set(std::string_view column, uint64_t value);
    /// Ends the row.
    void EndRow();
    /// \return header and rows
    const std::string& Text() const;

  private:
    const RecordFile& m_file;
    std::vector<RecordColumn> m_columns;
    size_t m_next = 0; ///< column to be set
    std::string m_text;
};

/// \return the text as a cell of a CSV file, quoted where it must be
std::string CsvCell(std::string_view text);

/// A row of a CSV file and where it starts.
struct CsvRow
{
    size_t line = 0; ///< from 1
    std::vector<std::string> cells;
};

/**
 * \param text of a CSV file (RFC 4180; LF or CRLF)
 * \param name of the file, for messages
 * \return all rows, the header included; empty lines are skipped
 * \throw RecordError when a quote is not closed or text follows a closing quote
 */
std::vector<CsvRow> ParseCsv(std::string_view text, const std::string& name);

/**
 * The columns of a CSV file.
 * \param extraColumns the swept keys of points.csv
 */
std::vector<RecordColumn> CsvColumns(const RecordFile& file, const std::vector<std::string>& extraColumns = {});

/// \return what is wrong with a cell ("expected an integer, found 'x'"), or an empty text
std::string CellProblem(const RecordColumn& column, std::string_view value);

/// \return everything in a JSON record that the schema does not know, has otherwise, or misses
std::vector<std::string> JsonProblems(const RecordFile& file, const nlohmann::ordered_json& json);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_RECORD_FORMAT_H
