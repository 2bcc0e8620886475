/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "preset-library.h"

#include "hugging-face-config.h"
#include "preset-sources.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace hbd::traffic
{

namespace
{

namespace fs = std::filesystem;

bool
EndsWith(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool
IsFile(const fs::path& path)
{
    std::error_code error;
    return fs::is_regular_file(path, error);
}

std::string
Id(const Group& group, const Value& name)
{
    return std::string(group.presetKind) + "/" + name.text;
}

/// The preset's one line about itself.
std::string
Description(const fs::path& file)
{
    std::vector<Problem> ignored;
    Value value;
    const Value* line = LoadYaml(file.string(), value, ignored) ? value.Find("description") : nullptr;
    return line == nullptr ? "" : line->text;
}

} // namespace

std::string
PresetFolder()
{
    std::error_code error;
    if (const char* root = std::getenv("HBD_ROOT"); root != nullptr && *root != '\0')
    {
        return (fs::path(root) / "traffic-gen" / "presets").string();
    }
    for (fs::path folder = fs::current_path(error); !folder.empty(); folder = folder.parent_path())
    {
        if (fs::is_directory(folder / "traffic-gen" / "presets", error))
        {
            return (folder / "traffic-gen" / "presets").string();
        }
        if (folder == folder.root_path())
        {
            break;
        }
    }
    return "";
}

std::vector<PresetInfo>
ListPresets()
{
    std::vector<PresetInfo> infos;
    for (const auto& group : Groups())
    {
        std::error_code error;
        const fs::path folder = fs::path(PresetFolder()) / group.presetKind;
        if (group.presetKind.empty() || !fs::is_directory(folder, error))
        {
            continue;
        }
        const auto first = static_cast<std::ptrdiff_t>(infos.size());
        for (const auto& entry : fs::directory_iterator(folder, error))
        {
            if (entry.path().extension() == ".yaml")
            {
                infos.push_back({std::string(group.presetKind),
                                 entry.path().stem().string(),
                                 Description(entry.path()),
                                 entry.path().string()});
            }
        }
        std::sort(infos.begin() + first, infos.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    }
    return infos;
}

PresetLibrary::PresetLibrary(std::string scenarioFolder)
    : m_scenarioFolder(std::move(scenarioFolder))
{
}

std::string
PresetLibrary::FindFile(const Group& group, const std::string& name) const
{
    const fs::path beside = fs::path(m_scenarioFolder) / name;
    if (EndsWith(name, ".yaml") || EndsWith(name, ".json"))
    {
        return IsFile(beside) ? beside.string() : "";
    }
    const fs::path shipped = fs::path(PresetFolder()) / group.presetKind / (name + ".yaml");
    return IsFile(beside.string() + ".yaml") ? beside.string() + ".yaml" : IsFile(shipped) ? shipped.string() : "";
}

void
PresetLibrary::ComplainMissing(const Group& group, const Value& name, std::vector<Problem>& problems) const
{
    std::vector<std::string> known;
    std::string expected = "a preset's name or file";
    std::string separator = ": ";
    for (const auto& info : ListPresets())
    {
        if (info.kind == group.presetKind)
        {
            known.push_back(info.name);
            expected += separator + info.name;
            separator = ", ";
        }
    }
    const std::string near = Nearest(name.text, known);
    AddProblem(problems,
               {name.file,
                name.line,
                std::string(group.path),
                expected,
                ShortText(name),
                !near.empty()   ? "did you mean " + near + "?"
                : known.empty() ? "no presets found: is HBD_ROOT the project's folder?"
                                : ""});
}

std::optional<Leaves>
PresetLibrary::Read(const Group& group, const Value& name, std::vector<Problem>& problems) const
{
    // A name is a word, not a way out of the preset folder; files are named with their ending.
    const bool isFile = EndsWith(name.text, ".yaml") || EndsWith(name.text, ".json");
    const bool isName = isFile || name.text.find('/') == std::string::npos;
    const std::string file = isName && name.kind == Value::Kind::Scalar ? FindFile(group, name.text) : "";
    if (file.empty())
    {
        ComplainMissing(group, name, problems);
        return std::nullopt;
    }
    const std::size_t before = problems.size();
    Value value;
    if (!LoadYaml(file, value, problems))
    {
        return std::nullopt;
    }
    Leaves leaves;
    if (EndsWith(file, ".json"))
    {
        ConvertHuggingFaceConfig(value, std::string(group.path), leaves, problems);
    }
    else if (value.kind == Value::Kind::Map)
    {
        ReadSources(value, problems);
        const auto isText = [](const ValueEntry& e) { return e.name == "description" || e.name == "sources"; };
        value.entries.erase(std::remove_if(value.entries.begin(), value.entries.end(), isText), value.entries.end());
        Flatten(value, std::string(group.path), leaves, problems);
    }
    else
    {
        AddProblem(problems, {file, value.line, "", "a map of keys", ShortText(value), ""});
    }
    const auto own = leaves.find(LeafPath(std::string(group.path)));
    if (own != leaves.end())
    {
        AddProblem(problems,
                   {file, own->second.line, "preset", "no preset inside a preset", ShortText(own->second), ""});
    }
    return problems.size() > before ? std::nullopt : std::make_optional(std::move(leaves));
}

const Leaves*
PresetLibrary::Load(const Group& group, const Value& name, std::vector<Problem>& problems)
{
    const std::string id = Id(group, name);
    auto at = m_loaded.find(id);
    if (at == m_loaded.end())
    {
        at = m_loaded.emplace(id, Read(group, name, problems)).first;
    }
    return at->second ? &*at->second : nullptr;
}

bool
PresetLibrary::HasFailed(const Group& group, const Value& name) const
{
    const auto at = m_loaded.find(Id(group, name));
    return at != m_loaded.end() && !at->second;
}

} // namespace hbd::traffic
