/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "preset-sources.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace hbd::traffic
{

namespace
{

constexpr const char* kSources = "sources";
const std::vector<std::string> kKinds{"constant", "measured", "fitted", "assumption"};

/// A key and its value.
using Setting = std::pair<std::string, std::string>;

/// Whether a text is a quantity: it begins with a digit.
bool
IsQuantity(const Value& value)
{
    return value.kind == Value::Kind::Scalar && !value.text.empty() &&
           std::isdigit(static_cast<unsigned char>(value.text.front())) != 0;
}

/// The quantities below a value, each once, in the order of the preset.
void
AddSettings(const Value& value, const std::string& key, std::vector<Setting>& settings)
{
    for (const auto& item : value.items)
    {
        AddSettings(item, key, settings);
    }
    for (const auto& entry : value.entries)
    {
        if (entry.name != kSources && entry.name != "description")
        {
            AddSettings(entry.value, entry.name, settings);
        }
    }
    const Setting setting{key, value.text};
    if (IsQuantity(value) && std::find(settings.begin(), settings.end(), setting) == settings.end())
    {
        settings.push_back(setting);
    }
}

/// The setting that a source is about.
Setting
SettingOf(const ParameterOrigin& origin)
{
    return {origin.name.substr(0, origin.name.find(' ')), origin.value};
}

/// Reads one entry and tells what is wrong with it.
class SourceReader
{
  public:
    SourceReader(const ValueEntry& entry, std::vector<Problem>& problems)
        : m_entry(entry),
          m_problems(problems)
    {
        m_origin.name = entry.name;
    }

    ParameterOrigin Read(const std::vector<Setting>& settings)
    {
        if (m_entry.value.kind != Value::Kind::Map)
        {
            Complain("", "a map of value, kind, from and range", ShortText(m_entry.value));
            return m_origin;
        }
        for (const auto& entry : m_entry.value.entries)
        {
            std::string* text = Field(entry.name);
            if (text == nullptr || entry.value.kind != Value::Kind::Scalar)
            {
                Complain(entry.name, "a text of value, kind, from or range", ShortText(entry.value));
                continue;
            }
            *text = entry.value.text;
        }
        if (std::find(kKinds.begin(), kKinds.end(), m_origin.kind) == kKinds.end())
        {
            Complain("kind", "constant, measured, fitted or assumption", Given(m_origin.kind));
        }
        if (m_origin.from.empty())
        {
            Complain("from", "where the value is from", "nothing");
        }
        if (m_origin.kind == "assumption" && m_origin.range.empty())
        {
            Complain("range", "where the value of an assumption may lie", "nothing");
        }
        if (std::find(settings.begin(), settings.end(), SettingOf(m_origin)) == settings.end())
        {
            Complain("value",
                     "a value that the preset has for the key " + SettingOf(m_origin).first,
                     Given(m_origin.value));
        }
        return m_origin;
    }

  private:
    static std::string Given(const std::string& text)
    {
        return text.empty() ? "nothing" : "`" + text + "`";
    }

    std::string* Field(const std::string& name)
    {
        return name == "value"   ? &m_origin.value
               : name == "kind"  ? &m_origin.kind
               : name == "from"  ? &m_origin.from
               : name == "range" ? &m_origin.range
                                 : nullptr;
    }

    void Complain(const std::string& key, const std::string& expected, const std::string& given)
    {
        const std::string path = std::string(kSources) + "." + m_entry.name + (key.empty() ? "" : "." + key);
        AddProblem(m_problems, {m_entry.value.file, m_entry.line, path, expected, given, ""});
    }

    const ValueEntry& m_entry;
    std::vector<Problem>& m_problems;
    ParameterOrigin m_origin;
};

} // namespace

std::vector<ParameterOrigin>
ReadSources(const Value& preset, std::vector<Problem>& problems)
{
    std::vector<ParameterOrigin> origins;
    const Value* sources = preset.Find(kSources);
    if (sources == nullptr)
    {
        return origins;
    }
    if (sources->kind != Value::Kind::Map)
    {
        AddProblem(problems, {sources->file, sources->line, kSources, "a map of parameters", ShortText(*sources), ""});
        return origins;
    }
    std::vector<Setting> settings;
    AddSettings(preset, "", settings);
    for (const auto& entry : sources->entries)
    {
        origins.push_back(SourceReader(entry, problems).Read(settings));
    }
    return origins;
}

std::vector<ParameterOrigin>
OriginsOf(const std::string& file, std::vector<Problem>& problems)
{
    Value preset;
    if (!LoadYaml(file, preset, problems))
    {
        return {};
    }
    auto origins = ReadSources(preset, problems);
    std::set<Setting> declared;
    for (const auto& origin : origins)
    {
        declared.insert(SettingOf(origin));
    }
    std::vector<Setting> settings;
    AddSettings(preset, "", settings);
    for (const auto& [key, value] : settings)
    {
        if (declared.count({key, value}) == 0)
        {
            origins.push_back({key, value, "undeclared", "", ""});
        }
    }
    return origins;
}

} // namespace hbd::traffic
