/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_VALIDATION_CELLS_H
#define HBD_ANALYSIS_VALIDATION_CELLS_H

#include "text-table.h"
#include "validation.h"

#include <string>
#include <vector>

namespace hbd::analysis
{

/// A table of a validation report, for the terminal and for the page.
struct ReportTable
{
    std::vector<TextColumn> columns;
    std::vector<std::vector<std::string>> rows;
};

/// The tables that have rows, in order.
std::vector<std::string> ComparedTables(const ValidationReport& report);

/// The rows of one measured table.
ReportTable ComparisonTable(const ValidationReport& report, const std::string& table);

/// The errors by operation, with targets.
ReportTable StatisticsTable(const ValidationReport& report);

/// "deepep.csv, 2 rows: why".
std::string SkippedText(const SkippedRows& skipped);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_VALIDATION_CELLS_H
