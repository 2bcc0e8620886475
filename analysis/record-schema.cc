/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace hbd::analysis
{

namespace
{

const char*
TypeName(ValueType type)
{
    switch (type)
    {
    case ValueType::Text:
        return "text";
    case ValueType::Integer:
        return "integer";
    case ValueType::Decimal:
        return "decimal";
    }
    return "";
}

const char*
ReplayName(ReplayEffect effect)
{
    switch (effect)
    {
    case ReplayEffect::Input:
        return "input";
    case ReplayEffect::Completion:
        return "completion";
    case ReplayEffect::Counter:
        return "counter";
    case ReplayEffect::Maximum:
        return "maximum";
    case ReplayEffect::Cost:
        return "may differ";
    }
    return "";
}

const char*
FormatName(RecordFormat format)
{
    switch (format)
    {
    case RecordFormat::Csv:
        return "CSV";
    case RecordFormat::Json:
        return "JSON";
    case RecordFormat::Document:
        return "document";
    }
    return "";
}

constexpr const char* kIntroduction =
    R"(<!-- Written by the record schema (analysis/record-files.cc): edit that, then run the tests with HBD_UPDATE=1. -->
# Records

A run leaves its results as plain files in its result folder: `points.csv` at the top and one folder a sweep point. A point's folder
appears under its name only when it is complete. Files are UTF-8, lines end in LF; CSV cells with a comma, a quote or a line break are
quoted. Field names end in the unit. A cell that has no value is empty (`null` in JSON), which is not zero.

Statistics are integers inside (bytes, picoseconds, byte-picoseconds in 128 bits) and are divided when they are printed. Times in CSV
are exact decimal seconds to the picosecond. 1 GB/s is 1e9 bytes a second, 1 Gb/s is 1e9 bits a second.

The column "replay" says what span replay does to a value. Everything but `run.json` is identical byte for byte with replay on and off and
for any number of `--jobs`:

- *input*: known before the run (scenario, fabric, labels);
- *completion*: a time of a completion, or made of such times; a replayed span schedules its completions at the recorded picosecond;
- *counter*: an integer sum; a replayed span adds its recorded increase;
- *maximum*: a replayed span contributes its recorded maximum;
- *may differ*: what the run cost.
)";

/// The part of docs/records.md about one file.
std::string
FileMarkdown(const RecordFile& file)
{
    std::string text = fmt::format("\n## `{}{}`\n\n{}. {}\n",
                                   file.inPointFolder ? "<point>/" : "",
                                   file.name,
                                   FormatName(file.format),
                                   file.meaning);
    if (file.columns.empty())
    {
        return text;
    }
    text += fmt::format("\n| {} | unit | type | may be empty | meaning | replay |\n|---|---|---|---|---|---|\n",
                        file.format == RecordFormat::Csv ? "column" : "value");
    for (const auto& column : file.columns)
    {
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n",
                            column.name,
                            column.unit,
                            TypeName(column.type),
                            column.mayBeEmpty ? "yes" : "no",
                            column.meaning,
                            ReplayName(column.replay));
    }
    return text;
}

} // namespace

const RecordFile&
FindRecordFile(const std::string& name)
{
    const auto& files = RecordFiles();
    const auto found =
        std::find_if(files.begin(), files.end(), [&name](const RecordFile& file) { return file.name == name; });
    if (found == files.end())
    {
        throw std::out_of_range(fmt::format("no record file is named '{}'", name));
    }
    return *found;
}

std::string
RecordsMarkdown()
{
    std::string text = kIntroduction;
    for (const auto& file : RecordFiles())
    {
        text += FileMarkdown(file);
    }
    return text;
}

} // namespace hbd::analysis
