/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "system-preset.h"

#include "preset-library.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace hbd::traffic
{

namespace
{

namespace fs = std::filesystem;

/// Reads one system and tells what is wrong with it.
class SystemReader
{
  public:
    SystemReader(const fs::path& file, std::vector<Problem>& problems)
        : m_problems(problems)
    {
        m_system.name = file.stem().string();
        m_system.file = file.string();
    }

    SystemPreset Read()
    {
        Value document;
        if (!LoadYaml(m_system.file, document, m_problems))
        {
            return m_system;
        }
        if (document.kind != Value::Kind::Map)
        {
            Complain(document, "", "a map of keys");
            return m_system;
        }
        for (const auto& entry : document.entries)
        {
            ReadEntry(entry);
        }
        const Value* gpus = m_system.cluster.Find("gpus");
        if (gpus == nullptr || !ReadCount(*gpus, m_system.gpus))
        {
            Complain(gpus == nullptr ? document : *gpus, "cluster.gpus", "a number of GPUs from 1");
        }
        if (m_system.libraries.empty())
        {
            Complain(document, "libraries", "a map from software to library preset");
        }
        return m_system;
    }

  private:
    void Complain(const Value& value, const std::string& path, const std::string& expected)
    {
        const bool missing = value.kind == Value::Kind::Null || (value.kind == Value::Kind::Map && !path.empty());
        AddProblem(m_problems, {m_system.file, value.line, path, expected, missing ? "nothing" : ShortText(value), ""});
    }

    static bool ReadCount(const Value& value, uint32_t& count)
    {
        const char* end = value.text.data() + value.text.size();
        const auto [last, error] = std::from_chars(value.text.data(), end, count);
        return value.kind == Value::Kind::Scalar && error == std::errc() && last == end && count > 0;
    }

    void ReadEntry(const ValueEntry& entry)
    {
        const Value& value = entry.value;
        if (entry.name == "description" && value.kind == Value::Kind::Scalar)
        {
            m_system.description = value.text;
        }
        else if (entry.name == "measured-as" && value.kind == Value::Kind::List)
        {
            for (const auto& item : value.items)
            {
                m_system.aliases.push_back(item.text);
            }
        }
        else if (entry.name == "cluster" && value.kind == Value::Kind::Map)
        {
            m_system.cluster = value;
        }
        else if (entry.name == "libraries" && value.kind == Value::Kind::Map)
        {
            for (const auto& library : value.entries)
            {
                m_system.libraries[library.name] = library.value.text;
            }
        }
        else
        {
            AddProblem(m_problems,
                       {m_system.file,
                        entry.line,
                        entry.name,
                        "description (text), measured-as (list), cluster (map), libraries (map)",
                        ShortText(value),
                        ""});
        }
    }

    SystemPreset m_system;
    std::vector<Problem>& m_problems;
};

} // namespace

std::vector<SystemPreset>
LoadSystems(std::vector<Problem>& problems)
{
    std::vector<SystemPreset> systems;
    std::error_code error;
    const fs::path folder = fs::path(PresetFolder()) / "systems";
    if (!fs::is_directory(folder, error))
    {
        return systems;
    }
    for (const auto& entry : fs::directory_iterator(folder, error))
    {
        if (entry.path().extension() != ".yaml")
        {
            continue;
        }
        const size_t before = problems.size();
        SystemPreset system = SystemReader(entry.path(), problems).Read();
        if (problems.size() == before)
        {
            systems.push_back(std::move(system));
        }
    }
    std::sort(systems.begin(), systems.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return systems;
}

const SystemPreset*
FindSystem(const std::vector<SystemPreset>& systems, const std::string& name)
{
    for (const auto& system : systems)
    {
        if (system.name == name ||
            std::find(system.aliases.begin(), system.aliases.end(), name) != system.aliases.end())
        {
            return &system;
        }
    }
    return nullptr;
}

} // namespace hbd::traffic
