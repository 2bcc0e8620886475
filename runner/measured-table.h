/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_MEASURED_TABLE_H
#define HBD_RUNNER_MEASURED_TABLE_H

#include "traffic-gen/problem.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hbd::runner
{

/**
 * A CSV file of measurements. Columns are found by the names in its first line, in any order; others may be there.
 * What is wrong is collected, with file, line and column.
 */
class MeasuredTable
{
  public:
    /**
     * Reads the file.
     * \param needed the columns that it must have
     * \param problems gets what is wrong; outlives the table
     */
    MeasuredTable(const std::filesystem::path& path,
                  const std::vector<std::string>& needed,
                  std::vector<traffic::Problem>& problems);

    /// Rows, the first line excluded; 0 when the file has a problem of its own.
    size_t Rows() const;
    /// The file's name without its ending.
    std::string Name() const;
    /// Whether the cell is there and not empty.
    bool Has(size_t row, const std::string& column) const;
    /// The cell's text; empty when there is no such column.
    const std::string& Text(size_t row, const std::string& column) const;
    /// The cell as a positive number; another one is a problem. \return nothing then
    std::optional<double> Number(size_t row, const std::string& column) const;
    /// The cell as a whole number from 1 to `most`; another one is a problem. \return nothing then
    std::optional<uint64_t> Count(size_t row, const std::string& column, uint64_t most) const;
    /// Adds a problem with a cell.
    void Complain(size_t row, const std::string& column, const std::string& expected) const;

  private:
    struct Row
    {
        int line;
        std::vector<std::string> cells;
    };

    std::string m_path;
    std::map<std::string, size_t> m_columns;
    std::vector<Row> m_rows;
    std::vector<traffic::Problem>& m_problems;
};

} // namespace hbd::runner

#endif // HBD_RUNNER_MEASURED_TABLE_H
