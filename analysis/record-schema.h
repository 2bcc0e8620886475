/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_RECORD_SCHEMA_H
#define HBD_ANALYSIS_RECORD_SCHEMA_H

#include <cstdint>
#include <string>
#include <vector>

namespace hbd::analysis
{

/// How a value is written.
enum class ValueType : uint8_t
{
    Text,
    Integer, ///< 64 bits
    Decimal, ///< decimal number without exponent in CSV; a JSON number in JSON
};

/// What span replay does to a value. All but Cost are identical with replay on and off.
enum class ReplayEffect : uint8_t
{
    Input,      ///< known before the run (scenario, fabric, labels)
    Completion, ///< a time, or made of times, of completions: a replayed span schedules them at the recorded picosecond
    Counter,    ///< an integer sum: a replayed span adds its recorded increase
    Maximum,    ///< a replayed span contributes its recorded maximum
    Cost,       ///< what the run cost: may differ
};

/// How a record file is laid out.
enum class RecordFormat : uint8_t
{
    Csv,      ///< header line, then rows; comma, double quotes doubled (RFC 4180), lines end in LF
    Json,     ///< column names are paths: `.` into an object, `[]` into an array, `*` any key
    Document, ///< a text that is copied whole; it has no columns of its own
};

/// One column of a CSV file, or one value of a JSON file.
struct RecordColumn
{
    std::string name; ///< ends in the unit where it has one
    std::string unit; ///< "-" where it has none
    ValueType type;
    bool mayBeEmpty; ///< CSV: the cell may be empty; JSON: the value may be null or absent
    std::string meaning;
    ReplayEffect replay;
};

/// One file of the result folder.
struct RecordFile
{
    std::string name;
    bool inPointFolder; ///< else at the top of the result folder
    RecordFormat format;
    std::string meaning;
    bool extraColumnsFirst = false; ///< CSV: the swept keys come between the first column and the others
    std::vector<RecordColumn> columns;
};

/// \return every file and column, in the order of docs/records.md
const std::vector<RecordFile>& RecordFiles();

/**
 * \param name a file's name, such as links.csv
 * \return its part of the schema
 * \throw std::out_of_range when there is none
 */
const RecordFile& FindRecordFile(const std::string& name);

/// \return the text of docs/records.md
std::string RecordsMarkdown();

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_RECORD_SCHEMA_H
