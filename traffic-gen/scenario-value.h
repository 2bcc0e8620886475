/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCENARIO_VALUE_H
#define HBD_TRAFFIC_SCENARIO_VALUE_H

#include "problem.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

struct ValueEntry;

/// A piece of a YAML or JSON document with its place, so that any later complaint can name file and line. Aliases and
/// merge keys are expanded.
struct Value
{
    enum class Kind
    {
        Null,
        Scalar,
        List,
        Map,
    };

    Kind kind = Kind::Null;
    std::string text;                ///< Scalar: as written, without quotes
    bool literal = false;            ///< Scalar being written: a JSON number or boolean, not a string
    std::vector<Value> items;        ///< List
    std::vector<ValueEntry> entries; ///< Map, in the order of the file, duplicates included
    std::string file;
    int line = 0; ///< from 1; 0 = not from a file

    /// The entry of that name, or nullptr.
    const Value* Find(const std::string& name) const;
    /// The map entry of that name, added at the end when it is not there.
    Value& At(const std::string& name);
};

struct ValueEntry
{
    std::string name;
    int line = 0;
    Value value;
};

/// A scalar that stands in no file (a default).
Value MakeScalar(const std::string& text, const std::string& file = "", int line = 0);

/**
 * Parses YAML (JSON is a subset of it): one document.
 * \param text the document
 * \param file the name to report
 * \param value set on success
 * \return whether it could be read; if not, a problem with its line was added. Never throws.
 */
bool ParseYaml(const std::string& text, const std::string& file, Value& value, std::vector<Problem>& problems);

/// Reads a file and parses it. A missing file, a folder, a file of more than 16 MiB or with NUL bytes is a problem.
bool LoadYaml(const std::string& file, Value& value, std::vector<Problem>& problems);

/// The value on one line, as YAML flow text. For messages it is cut at 80 characters.
std::string FlowText(const Value& value);
std::string ShortText(const Value& value);

/// The value as block YAML with an end of line, lists in flow style, a list of maps with a line for each.
std::string BlockYaml(const Value& value);
/// The value as JSON, indented by two.
std::string JsonText(const Value& value);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCENARIO_VALUE_H
