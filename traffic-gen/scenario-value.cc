/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-value.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace hbd::traffic
{

namespace
{

constexpr std::uintmax_t kLargestFile = 16u << 20;
constexpr int kDeepest = 40;
constexpr std::size_t kMostValues = 200000;

/// Copies yaml-cpp's nodes into Values. Aliases can make a small file an endless tree, so depth and size are limited.
class Converter
{
  public:
    Converter(std::string file, std::vector<Problem>& problems)
        : m_file(std::move(file)),
          m_problems(problems)
    {
    }

    bool Convert(const YAML::Node& node, Value& value, int depth = 0)
    {
        value.file = m_file;
        value.line = node.Mark().line + 1;
        if (++m_count > kMostValues || depth > kDeepest)
        {
            AddProblem(m_problems,
                       {m_file, value.line, "", "a document of ordinary size", "too many or too deep values", ""});
            return false;
        }
        if (node.IsScalar())
        {
            value.kind = Value::Kind::Scalar;
            value.text = node.Scalar();
        }
        return node.IsSequence() ? ConvertList(node, value, depth)
               : node.IsMap()    ? ConvertMap(node, value, depth)
                                 : true;
    }

  private:
    bool ConvertList(const YAML::Node& node, Value& value, int depth)
    {
        value.kind = Value::Kind::List;
        for (const auto& item : node)
        {
            value.items.emplace_back();
            if (!Convert(item, value.items.back(), depth + 1))
            {
                return false;
            }
        }
        return true;
    }

    bool ConvertMap(const YAML::Node& node, Value& value, int depth)
    {
        value.kind = Value::Kind::Map;
        std::vector<Value> merged;
        for (const auto& pair : node)
        {
            const int line = pair.first.Mark().line + 1;
            if (!pair.first.IsScalar())
            {
                AddProblem(m_problems,
                           {m_file, line, "", "a key that is a word", "a list, a map or nothing as a key", ""});
                return false;
            }
            Value entry;
            if (!Convert(pair.second, entry, depth + 1))
            {
                return false;
            }
            if (pair.first.Scalar() == "<<")
            {
                merged.push_back(std::move(entry));
                continue;
            }
            value.entries.push_back({pair.first.Scalar(), line, std::move(entry)});
        }
        return std::all_of(merged.begin(), merged.end(), [&](const Value& source) { return Merge(source, value); });
    }

    /// YAML merge key: what the map itself does not have comes from the source, a map or a list of maps.
    bool Merge(const Value& source, Value& value)
    {
        if (source.kind == Value::Kind::List)
        {
            return std::all_of(source.items.begin(), source.items.end(), [&](const Value& item) {
                return item.kind == Value::Kind::Map && Merge(item, value);
            });
        }
        if (source.kind != Value::Kind::Map)
        {
            AddProblem(m_problems, {m_file, source.line, "<<", "a map to merge", ShortText(source), ""});
            return false;
        }
        for (const auto& entry : source.entries)
        {
            if (value.Find(entry.name) == nullptr)
            {
                value.entries.push_back(entry);
            }
        }
        return true;
    }

    std::string m_file;
    std::vector<Problem>& m_problems;
    std::size_t m_count = 0;
};

/// Notes where a document starts. (YAML::LoadAll does not end for some broken texts.)
class StartFinder : public YAML::EventHandler
{
  public:
    int m_line = 0;

    void OnDocumentStart(const YAML::Mark& mark) override
    {
        m_line = mark.line + 1;
    }

    void OnDocumentEnd() override
    {
    }

    void OnNull(const YAML::Mark&, YAML::anchor_t) override
    {
    }

    void OnAlias(const YAML::Mark&, YAML::anchor_t) override
    {
    }

    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override
    {
    }

    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override
    {
    }

    void OnSequenceEnd() override
    {
    }

    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override
    {
    }

    void OnMapEnd() override
    {
    }
};

/// The line where something stands behind the first document; 0 when nothing does.
int
LineOfSecondDocument(const std::string& text)
{
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    StartFinder finder;
    return parser.HandleNextDocument(finder) && parser.HandleNextDocument(finder) ? finder.m_line : 0;
}

bool
IsPlain(const std::string& text)
{
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._/+-") == std::string::npos &&
           text[0] != '-' && text != "null" && text != "~";
}

/// A JSON string, which is also a YAML double-quoted one.
std::string
Quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text)
    {
        if (c == '"' || c == '\\')
        {
            out += '\\';
            out += c;
        }
        else if (static_cast<unsigned char>(c) < 0x20)
        {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
            out += code;
        }
        else
        {
            out += c;
        }
    }
    return out + "\"";
}

std::string
ScalarYaml(const Value& value)
{
    return value.literal || IsPlain(value.text) ? value.text : Quoted(value.text);
}

bool
IsListOfMaps(const Value& value)
{
    const auto isMap = [](const Value& item) { return item.kind == Value::Kind::Map; };
    return !value.items.empty() && std::all_of(value.items.begin(), value.items.end(), isMap);
}

void
WriteBlock(const Value& value, const std::string& indent, std::string& out)
{
    for (const auto& entry : value.entries)
    {
        out += indent + entry.name + ":";
        if (entry.value.kind == Value::Kind::Map && !entry.value.entries.empty())
        {
            out += "\n";
            WriteBlock(entry.value, indent + "  ", out);
            continue;
        }
        if (IsListOfMaps(entry.value))
        {
            out += "\n";
            for (const auto& item : entry.value.items)
            {
                out += indent + "  - " + FlowText(item) + "\n";
            }
            continue;
        }
        out += " " + FlowText(entry.value) + "\n";
    }
}

void
WriteJson(const Value& value, const std::string& indent, std::string& out)
{
    const std::string inner = indent + "  ";
    if (value.kind == Value::Kind::Map)
    {
        std::string separator = "{\n";
        for (const auto& entry : value.entries)
        {
            out += separator + inner + Quoted(entry.name) + ": ";
            WriteJson(entry.value, inner, out);
            separator = ",\n";
        }
        out += value.entries.empty() ? "{}" : "\n" + indent + "}";
        return;
    }
    if (value.kind == Value::Kind::List)
    {
        out += "[";
        for (std::size_t i = 0; i < value.items.size(); ++i)
        {
            out += i > 0 ? ", " : "";
            WriteJson(value.items[i], inner, out);
        }
        out += "]";
        return;
    }
    out += value.kind == Value::Kind::Null ? "null" : value.literal ? value.text : Quoted(value.text);
}

} // namespace

const Value*
Value::Find(const std::string& name) const
{
    const auto at = std::find_if(entries.begin(), entries.end(), [&](const ValueEntry& e) { return e.name == name; });
    return at == entries.end() ? nullptr : &at->value;
}

Value&
Value::At(const std::string& name)
{
    kind = Kind::Map;
    const auto at = std::find_if(entries.begin(), entries.end(), [&](const ValueEntry& e) { return e.name == name; });
    if (at != entries.end())
    {
        return at->value;
    }
    entries.push_back({name, 0, {}});
    return entries.back().value;
}

Value
MakeScalar(const std::string& text, const std::string& file, int line)
{
    Value value;
    value.kind = Value::Kind::Scalar;
    value.text = text;
    value.file = file;
    value.line = line;
    return value;
}

bool
ParseYaml(const std::string& text, const std::string& file, Value& value, std::vector<Problem>& problems)
{
    try
    {
        if (const int line = LineOfSecondDocument(text); line > 0)
        {
            AddProblem(problems, {file, line, "", "one YAML document", "more text behind it", ""});
            return false;
        }
        return Converter(file, problems).Convert(YAML::Load(text), value);
    }
    catch (const YAML::Exception& error)
    {
        const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
        AddProblem(problems, {file, line, "", "correct YAML", "text that is not", error.msg});
        return false;
    }
}

bool
LoadYaml(const std::string& file, Value& value, std::vector<Problem>& problems)
{
    const auto fail = [&](const std::string& given) {
        AddProblem(problems, {file, 0, "", "a YAML file", given, ""});
        return false;
    };
    std::error_code error;
    if (!std::filesystem::exists(file, error))
    {
        return fail("no such file");
    }
    if (!std::filesystem::is_regular_file(file, error))
    {
        return fail(std::filesystem::is_directory(file, error) ? "a folder" : "something that is not a file");
    }
    if (std::filesystem::file_size(file, error) > kLargestFile)
    {
        return fail("a file of more than 16 MiB");
    }
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream)
    {
        return fail(text.str().empty() ? "an empty or unreadable file" : "a file that cannot be read");
    }
    if (text.str().find('\0') != std::string::npos)
    {
        return fail("binary data");
    }
    return ParseYaml(text.str(), file, value, problems);
}

std::string
FlowText(const Value& value)
{
    std::string out;
    std::string separator;
    switch (value.kind)
    {
    case Value::Kind::Null:
        return "null";
    case Value::Kind::Scalar:
        return ScalarYaml(value);
    case Value::Kind::List:
        for (const auto& item : value.items)
        {
            out += separator + FlowText(item);
            separator = ", ";
        }
        return "[" + out + "]";
    case Value::Kind::Map:
        for (const auto& entry : value.entries)
        {
            out += separator + entry.name + ": " + FlowText(entry.value);
            separator = ", ";
        }
        return "{" + out + "}";
    }
    return out;
}

std::string
ShortText(const Value& value)
{
    if (value.kind == Value::Kind::Null)
    {
        return "nothing";
    }
    const std::string text = value.kind == Value::Kind::Scalar ? value.text : FlowText(value);
    return text.empty() ? "an empty text" : text.size() > 80 ? text.substr(0, 77) + "..." : text;
}

std::string
BlockYaml(const Value& value)
{
    std::string out;
    WriteBlock(value, "", out);
    return out;
}

std::string
JsonText(const Value& value)
{
    std::string out;
    WriteJson(value, "", out);
    return out + "\n";
}

} // namespace hbd::traffic
