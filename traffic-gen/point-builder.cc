/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "point-builder.h"

#include "kernel-schema.h"
#include "scenario-writer.h"

#include <algorithm>
#include <filesystem>

namespace hbd::traffic
{

namespace
{

constexpr const char* kCustom = "custom";

bool
IsBelow(const std::string& path, const std::string& group)
{
    return path.compare(0, group.size() + 1, group + ".") == 0;
}

/// The first key given at or below a path; end when there is none.
Leaves::const_iterator
FirstBelow(const Leaves& leaves, const std::string& path)
{
    const auto at = leaves.lower_bound(path + ".");
    return at != leaves.end() && IsBelow(at->first, path) ? at : leaves.end();
}

/// The preset of a group: what is named, else the group's default (not for a full description as a map).
Value
PresetName(const Group& group, const Leaves& leaves, const std::string& file)
{
    const std::string path(group.path);
    const auto named = leaves.find(LeafPath(path));
    if (named != leaves.end())
    {
        return named->second;
    }
    const auto first = FirstBelow(leaves, path);
    const bool described = first != leaves.end() && !group.presetBelowMap;
    const std::string name = described || group.defaultPreset.empty() ? kCustom : std::string(group.defaultPreset);
    return MakeScalar(name, file, 0);
}

/// Whether every key that a preset would set is given, as in a written-out scenario: it must read back without its
/// presets, and whatever they say today.
bool
IsComplete(const Group& group, const Leaves& leaves)
{
    return std::all_of(Keys().begin(), Keys().end(), [&](const Key& key) {
        const std::string path(key.path);
        return !IsBelow(path, std::string(group.path)) || key.applies == Applies::Moe || leaves.count(path) > 0;
    });
}

/// `cluster.gpus=64 precision=fp8`: what a sweep sets in a point.
std::string
PointName(const Leaves& overrides, const std::vector<std::string>& columns)
{
    std::string name;
    for (const auto& column : columns)
    {
        if (const auto at = overrides.find(column); at != overrides.end())
        {
            name += (name.empty() ? "" : " ") + ShortPath(column) + "=" + ShortText(at->second);
        }
    }
    return name;
}

/// Notes where each map begins.
void
AddMaps(const Value& value, const std::string& path, std::map<std::string, Place>& maps)
{
    for (const auto& entry : value.entries)
    {
        const std::string inner = path.empty() ? entry.name : path + "." + entry.name;
        if (entry.value.kind == Value::Kind::Map)
        {
            maps.emplace(inner, Place{value.file, entry.line});
            AddMaps(entry.value, inner, maps);
        }
    }
}

/// What to expect instead of a key that means nothing in a scenario.
const char*
WhyNothing(const Key& key, const Scenario& scenario)
{
    if (scenario.workload.inference)
    {
        return "nothing: the model has no experts";
    }
    switch (key.applies)
    {
    case Applies::Sized:
        return "nothing: a dispatch or combine is given by its tokens";
    case Applies::Exchange:
        return "nothing: this collective is given by its sizes";
    default:
        return "nothing: this workload is the network alone";
    }
}

/// Whether a key without meaning for a dense model says only what holds anyway.
bool
IsHarmless(const Key& key, const Value& value)
{
    return key.applies == Applies::Moe && (value.text == "auto" || value.text == "1") && key.path != "model.top-k";
}

} // namespace

PointBuilder::PointBuilder(std::string file, std::vector<Problem>& problems)
    : m_file(std::move(file)),
      m_problems(problems),
      m_presets(std::filesystem::path(m_file).parent_path().string())
{
}

void
PointBuilder::SetPlaces(const Value& document)
{
    m_maps.emplace("", Place{document.file, document.line});
    AddMaps(document, "", m_maps);
}

std::map<std::string, Place>
PointBuilder::PlacesOf(const Leaves& base, const Leaves& overrides) const
{
    std::map<std::string, Place> places = m_maps;
    for (const Leaves* leaves : {&base, &overrides})
    {
        for (const auto& [path, value] : *leaves)
        {
            // `gpu: b200` stands for the key and for its group
            places[path] = {value.file, value.line};
            places.emplace(ShortPath(path), Place{value.file, value.line});
        }
    }
    return places;
}

Leaves
PointBuilder::WithPresets(const Leaves& base, const Leaves& overrides)
{
    Leaves leaves = overrides;
    leaves.insert(base.begin(), base.end());
    for (const auto& group : Groups())
    {
        if (group.presetKind.empty())
        {
            continue;
        }
        const std::string path(group.path);
        const Value name = PresetName(group, leaves, m_file);
        if (name.kind == Value::Kind::Scalar && name.text == kCustom)
        {
            continue;
        }
        leaves.emplace(LeafPath(path), name);
        if (IsComplete(group, leaves))
        {
            continue;
        }
        if (const Leaves* preset = m_presets.Load(group, name, m_problems); preset != nullptr)
        {
            leaves.insert(preset->begin(), preset->end());
        }
    }
    return leaves;
}

std::string
PointBuilder::DefaultText(const Key& key) const
{
    return key.path == "name" ? std::filesystem::path(m_file).stem().string() : std::string(key.fallback);
}

const Value*
PointBuilder::Effective(const Leaves& base, const Leaves& overrides, const Key& key)
{
    const Leaves leaves = WithPresets(base, overrides);
    const auto at = leaves.find(std::string(key.path));
    m_effective = at != leaves.end() ? at->second : MakeScalar(DefaultText(key), m_file);
    return m_effective.kind == Value::Kind::Scalar && m_effective.text.empty() ? nullptr : &m_effective;
}

void
PointBuilder::SetWorkloadKind(PointContext& context) const
{
    std::vector<Applies> kinds;
    std::string given;
    for (const auto& key : Keys())
    {
        const bool isWorkload = key.path.substr(0, 9) == "workload.";
        if (isWorkload && context.leaves.count(std::string(key.path)) > 0)
        {
            given += (given.empty() ? "" : ", ") + std::string(key.path.substr(9));
            const bool collective = key.applies == Applies::Sized || key.applies == Applies::Exchange;
            kinds.push_back(collective ? Applies::Collective : key.applies);
        }
    }
    if (kinds.empty() || std::any_of(kinds.begin(), kinds.end(), [&](Applies kind) { return kind != kinds.front(); }))
    {
        context.Complain("workload",
                         "one of: batch, input-tokens and output-tokens; collective and sizes (dispatch and combine: tokens); messages",
                         given.empty() ? "nothing" : given);
        context.wrong.insert("workload");
        return;
    }
    WorkloadSpec& workload = context.scenario.workload;
    switch (kinds.front())
    {
    case Applies::Collective:
        workload.collective.emplace();
        break;
    case Applies::Messages:
        workload.messages.emplace();
        break;
    default:
        workload.inference.emplace();
        break;
    }
}

void
PointBuilder::SetModel(PointContext& context) const
{
    if (!context.scenario.workload.inference)
    {
        return;
    }
    context.scenario.model.emplace();
    if (FirstBelow(context.leaves, "model") == context.leaves.end())
    {
        context.Complain("model", "a model: a preset's name, a config.json or a map of keys", "nothing");
        context.wrong.insert("model");
    }
}

void
PointBuilder::ReadKey(PointContext& context, const Key& key) const
{
    const std::string path(key.path);
    const auto at = context.leaves.find(path);
    const Value value = at != context.leaves.end() ? at->second : MakeScalar(DefaultText(key), m_file);
    if (at == context.leaves.end() && value.text.empty())
    {
        const Place* around = PlaceOf(context.scenario, path);
        AddProblem(m_problems,
                   {around != nullptr ? around->file : m_file,
                    around != nullptr ? around->line : 0,
                    path,
                    ExpectedText(key.field, key.range),
                    "nothing",
                    "the key has no default"});
        context.wrong.insert(path);
        return;
    }
    if (std::holds_alternative<KernelList>(key.field) && value.kind == Value::Kind::List)
    {
        if (!ReadKernels(value, context.scenario, m_problems)) // which names the line of each mistake
        {
            context.wrong.insert(path);
        }
        return;
    }
    std::string why;
    if (!ReadField(key.field, key.range, value, context.scenario, why))
    {
        AddProblem(m_problems,
                   {value.file.empty() ? m_file : value.file,
                    value.line,
                    ShortPath(path),
                    ExpectedText(key.field, key.range),
                    ShortText(value),
                    why});
        context.wrong.insert(path);
    }
}

void
PointBuilder::ReadKeys(PointContext& context, const Leaves& base, const Leaves& overrides) const
{
    const bool knowsWorkload = context.wrong.count("workload") == 0;
    for (const auto& key : Keys())
    {
        const std::string path(key.path);
        const bool groupIsWrong = std::any_of(Groups().begin(), Groups().end(), [&](const Group& group) {
            return context.wrong.count(std::string(group.path)) > 0 && IsBelow(path, std::string(group.path));
        });
        if ((!knowsWorkload && key.applies != Applies::Always) || groupIsWrong)
        {
            continue;
        }
        if (IsApplicable(key, context.scenario))
        {
            ReadKey(context, key);
            continue;
        }
        const bool given = base.count(path) > 0 || overrides.count(path) > 0;
        if (given && !context.IsWrong("model") && !IsHarmless(key, context.leaves.at(path)))
        {
            context.Complain(ShortPath(path), WhyNothing(key, context.scenario), ShortText(context.leaves.at(path)));
        }
    }
}

void
PointBuilder::MarkFailedPresets(PointContext& context) const
{
    for (const auto& group : Groups())
    {
        const auto name = context.leaves.find(LeafPath(std::string(group.path)));
        if (!group.presetKind.empty() && name != context.leaves.end() && m_presets.HasFailed(group, name->second))
        {
            context.wrong.insert(std::string(group.path));
        }
    }
}

Scenario
PointBuilder::Build(const Leaves& base, const Leaves& overrides, const std::vector<std::string>& columns)
{
    Scenario scenario;
    scenario.places = PlacesOf(base, overrides);
    const Leaves leaves = WithPresets(base, overrides);
    PointContext context{scenario, leaves, m_file, PointName(overrides, columns), {}, m_problems};
    SetWorkloadKind(context);
    SetModel(context);
    MarkFailedPresets(context);
    ReadKeys(context, base, overrides);
    ResolveAndCheck(context);
    for (const auto& column : columns)
    {
        scenario.sweptKeys.emplace_back(ShortPath(column), KeyText(*FindKey(column), scenario));
    }
    const Value canonical = CanonicalValue(scenario);
    scenario.canonicalYaml = BlockYaml(canonical);
    scenario.canonicalJson = JsonText(canonical);
    return scenario;
}

} // namespace hbd::traffic
