/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-sweep.h"

#include "scenario-writer.h"

#include <algorithm>

namespace hbd::traffic
{

namespace
{

constexpr std::size_t kMostPoints = 100000;
constexpr std::string_view kSettingFile = "--set";

/// One axis: what each of its steps sets.
struct Axis
{
    std::vector<std::string> columns;
    std::vector<Leaves> steps;
    int line = 0;
};

void
Complain(const Value& at, const std::string& expected, std::vector<Problem>& problems)
{
    AddProblem(problems, {at.file, at.line, "sweep", expected, ShortText(at), ""});
}

bool
IsKnownPath(const std::string& path, const std::string& file, int line, std::vector<Problem>& problems)
{
    if (FindKey(path) != nullptr || IsGroup(path))
    {
        return true;
    }
    if (path == "sweep" || path == "seeds" || path == "reference")
    {
        AddProblem(problems,
                   {file,
                    line,
                    path,
                    "a key of a point",
                    "`" + path + "`",
                    "it can only stand at the top of the scenario file"});
        return false;
    }
    AddProblem(problems, {file, line, path, "a known key", "`" + path + "`", UnknownKeyHint(path)});
    return false;
}

/// The columns of a step in the order in which they are written: a map of leaves has lost it.
void
AddColumns(Axis& axis, const Leaves& step)
{
    std::vector<std::pair<int, std::string>> byLine;
    for (const auto& [path, value] : step)
    {
        if (std::find(axis.columns.begin(), axis.columns.end(), path) == axis.columns.end())
        {
            byLine.emplace_back(value.line, path);
        }
    }
    std::stable_sort(byLine.begin(), byLine.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [line, path] : byLine)
    {
        axis.columns.push_back(std::move(path));
    }
}

void
AddStep(Axis& axis, Leaves step)
{
    AddColumns(axis, step);
    axis.steps.push_back(std::move(step));
}

/// `precision: [fp16, fp8]`.
void
ReadKeyAxis(const ValueEntry& entry, Axis& axis, std::vector<Problem>& problems)
{
    if (!IsKnownPath(entry.name, entry.value.file, entry.line, problems))
    {
        return;
    }
    if (entry.value.kind != Value::Kind::List || entry.value.items.empty())
    {
        Complain(entry.value, "a list of values for " + entry.name, problems);
        return;
    }
    for (const auto& item : entry.value.items)
    {
        Leaves step;
        Flatten(item, entry.name, step, problems);
        AddStep(axis, std::move(step));
    }
}

/// `[{cluster.gpus: 64, cluster.hbd.size: 8}, ...]`.
void
ReadZippedAxis(const Value& list, Axis& axis, std::vector<Problem>& problems)
{
    if (list.items.empty())
    {
        Complain(list, "at least one map of keys", problems);
    }
    for (const auto& item : list.items)
    {
        if (item.kind != Value::Kind::Map || item.entries.empty())
        {
            Complain(item, "a map of keys, as every item of this axis", problems);
            continue;
        }
        Leaves step;
        for (const auto& entry : item.entries)
        {
            if (IsKnownPath(entry.name, item.file, entry.line, problems))
            {
                Leaves part;
                Flatten(entry.value, entry.name, part, problems);
                AddColumns(axis, part);
                for (const auto& [path, value] : part)
                {
                    if (!step.emplace(path, value).second)
                    {
                        Complain(value, ShortPath(path) + " once in a point", problems);
                    }
                }
            }
        }
        axis.steps.push_back(std::move(step));
    }
}

std::vector<Axis>
ReadAxes(const Value& sweep, std::vector<Problem>& problems)
{
    std::vector<Axis> axes;
    if (sweep.kind != Value::Kind::List || sweep.items.empty())
    {
        Complain(sweep, "a list of axes", problems);
        return axes;
    }
    for (const auto& item : sweep.items)
    {
        axes.emplace_back();
        axes.back().line = item.line;
        if (item.kind == Value::Kind::List)
        {
            ReadZippedAxis(item, axes.back(), problems);
        }
        else if (item.kind == Value::Kind::Map && item.entries.size() == 1)
        {
            ReadKeyAxis(item.entries.front(), axes.back(), problems);
        }
        else
        {
            Complain(item, "an axis: one key with a list of values, or a list of maps", problems);
        }
    }
    return axes;
}

void
AddSeedAxis(const Value& seeds, uint64_t firstSeed, std::vector<Axis>& axes, std::vector<Problem>& problems)
{
    static const Key kSeeds{"seeds",
                            +[](Scenario& s) -> uint64_t& { return s.seed; },
                            "1..10000",
                            "1",
                            Applies::Always,
                            ""};
    std::string text;
    std::string why;
    if (!NormalText(kSeeds, seeds, text, why))
    {
        AddProblem(problems,
                   {seeds.file, seeds.line, "seeds", ExpectedText(kSeeds.field, kSeeds.range), ShortText(seeds), why});
        return;
    }
    Axis axis;
    axis.line = seeds.line;
    for (uint64_t i = 0; i < std::stoull(text); ++i)
    {
        AddStep(axis, {{"seed", MakeScalar(std::to_string(firstSeed + i), seeds.file, seeds.line)}});
    }
    axes.push_back(std::move(axis));
}

/// Combines one more axis with the points so far.
std::vector<Leaves>
Combine(const std::vector<Leaves>& points, const Axis& axis)
{
    std::vector<Leaves> combined;
    for (const auto& point : points)
    {
        for (const auto& step : axis.steps)
        {
            combined.push_back(point);
            combined.back().insert(step.begin(), step.end());
        }
    }
    return combined;
}

void
StampSetting(Value& value)
{
    value.file = kSettingFile;
    value.line = 0;
    for (auto& item : value.items)
    {
        StampSetting(item);
    }
    for (auto& entry : value.entries)
    {
        entry.line = 0;
        StampSetting(entry.value);
    }
}

/// Points whose value of the key has the given canonical text.
std::vector<Leaves>
PointsHaving(const std::string& wanted,
             const Key& key,
             const SweepPlan& plan,
             const EffectiveValue& effective,
             std::vector<Problem>& problems)
{
    std::vector<Leaves> having;
    for (const auto& point : plan.points)
    {
        const Value* value = effective(point, key);
        std::string text;
        std::string why;
        if (value != nullptr && !NormalText(key, *value, text, why))
        {
            AddProblem(problems,
                       {value->file,
                        value->line,
                        ShortPath(std::string(key.path)),
                        ExpectedText(key.field, key.range),
                        ShortText(*value),
                        why});
        }
        else if (value != nullptr && text == wanted)
        {
            having.push_back(point);
        }
    }
    return having;
}

} // namespace

SweepPlan
ExpandSweep(const Value* sweep, const Value* seeds, uint64_t firstSeed, std::vector<Problem>& problems)
{
    SweepPlan plan;
    plan.points.emplace_back();
    std::vector<Axis> axes = sweep == nullptr ? std::vector<Axis>{} : ReadAxes(*sweep, problems);
    if (seeds != nullptr)
    {
        AddSeedAxis(*seeds, firstSeed, axes, problems);
    }
    for (const auto& axis : axes)
    {
        const Value& place = sweep == nullptr ? *seeds : *sweep;
        for (const auto& column : axis.columns)
        {
            if (std::find(plan.columns.begin(), plan.columns.end(), column) != plan.columns.end())
            {
                AddProblem(problems,
                           {place.file, axis.line, "sweep", "each key in one axis", ShortPath(column) + " in two", ""});
            }
            plan.columns.push_back(column);
        }
        if (!axis.steps.empty() && plan.points.size() > kMostPoints / axis.steps.size())
        {
            AddProblem(
                problems,
                {place.file, axis.line, "sweep", "at most " + std::to_string(kMostPoints) + " points", "more", ""});
            return plan;
        }
        plan.points = axis.steps.empty() ? plan.points : Combine(plan.points, axis);
    }
    return plan;
}

std::vector<Setting>
ParseSettings(const std::vector<std::string>& sets, std::vector<Problem>& problems)
{
    std::vector<Setting> settings;
    for (const auto& set : sets)
    {
        const auto equals = set.find('=');
        if (equals == std::string::npos || equals == 0)
        {
            AddProblem(problems, {std::string(kSettingFile), 0, "", "PATH=VALUE", "`" + set + "`", ""});
            continue;
        }
        Setting setting{set.substr(0, equals), {}};
        if (ParseYaml(set.substr(equals + 1), std::string(kSettingFile), setting.value, problems))
        {
            StampSetting(setting.value);
            settings.push_back(std::move(setting));
        }
    }
    return settings;
}

void
ApplySetting(const Setting& setting,
             Leaves& base,
             SweepPlan& plan,
             const EffectiveValue& effective,
             std::vector<Problem>& problems)
{
    if (!IsKnownPath(setting.path, std::string(kSettingFile), 0, problems))
    {
        return;
    }
    Leaves leaves;
    Flatten(setting.value, setting.path, leaves, problems);
    for (const auto& [path, value] : leaves)
    {
        const Key& key = *FindKey(path);
        std::string wanted;
        std::string why;
        if (!NormalText(key, value, wanted, why))
        {
            AddProblem(problems,
                       {value.file, 0, ShortPath(path), ExpectedText(key.field, key.range), ShortText(value), why});
            continue;
        }
        if (std::find(plan.columns.begin(), plan.columns.end(), path) == plan.columns.end())
        {
            base[path] = value;
            continue;
        }
        std::vector<Leaves> having = PointsHaving(wanted, key, plan, effective, problems);
        if (having.empty())
        {
            for (auto& point : plan.points)
            {
                point[path] = value;
            }
            continue;
        }
        plan.points = std::move(having);
    }
}

} // namespace hbd::traffic
