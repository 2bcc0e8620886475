/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_READER_H
#define HBD_ANALYSIS_READER_H

#include "record-format.h"
#include "records.h"
#include "result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hbd::analysis
{

/**
 * A CSV record that was read and found to be what the schema says: the columns are complete and in order, every cell
 * has its type. Rows count from 0. Columns are named; a name that the file does not have throws std::out_of_range.
 */
class RecordTable
{
  public:
    /// \throw RecordError with file, line and column
    RecordTable(const RecordFile& file, const std::filesystem::path& path, std::vector<CsvRow> rows);

    /// Number of rows, the header excluded.
    size_t Rows() const;
    /// The names of the columns, in order.
    const std::vector<std::string>& Columns() const;
    /// Whether the cell is empty.
    bool IsEmpty(size_t row, const std::string& column) const;
    /// The cell's text.
    const std::string& Text(size_t row, const std::string& column) const;
    /// The cell as an integer. \throw RecordError when it is empty
    int64_t Integer(size_t row, const std::string& column) const;
    /// The cell as a number. \throw RecordError when it is empty
    double Decimal(size_t row, const std::string& column) const;
    /// A cell in seconds as picoseconds, exact. \throw RecordError when it is empty or finer than a picosecond
    int64_t Picoseconds(size_t row, const std::string& column) const;

  private:
    size_t IndexOf(const std::string& column) const;
    void CheckHeader(const RecordFile& file);
    void CheckRow(const CsvRow& row, const std::vector<RecordColumn>& columns) const;
    [[noreturn]] void Fail(size_t line, const std::string& column, const std::string& problem) const;

    std::string m_path;
    std::vector<std::string> m_columns;
    std::vector<CsvRow> m_rows;
};

/**
 * \param path of a CSV record; its file name says which
 * \throw RecordError when it is missing or not what the schema says
 */
RecordTable ReadCsvRecord(const std::filesystem::path& path);

/**
 * \param path of a JSON record; its file name says which
 * \throw RecordError when it is missing, no JSON (with line and column), or not what the schema says
 */
nlohmann::ordered_json ReadJsonRecord(const std::filesystem::path& path);

/// \return the point as its summary.json describes it. \throw RecordError
PointResult ReadPoint(const std::filesystem::path& pointFolder);

/// \return the point that a checked summary.json describes
PointResult ResultOfSummary(const nlohmann::ordered_json& summary);

/// \return the points of a result folder in the order of its points.csv. \throw RecordError
std::vector<PointResult> ReadPoints(const std::filesystem::path& resultFolder);

/// \return the rows of a point's collectives.csv, times exact. \throw RecordError
std::vector<CollectiveRow> ReadCollectives(const std::filesystem::path& pointFolder);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_READER_H
