/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-reader.h"

#include "point-builder.h"
#include "reference-reader.h"
#include "scenario-sweep.h"
#include "scenario-writer.h"

#include <algorithm>
#include <optional>
#include <set>

namespace hbd::traffic
{

namespace
{

/// The keys that are about the whole file and not about a point.
struct FileKeys
{
    std::optional<Value> sweep;
    std::optional<Value> seeds;
    std::optional<Value> reference;
};

/// Takes the file's own keys out of the document.
FileKeys
TakeFileKeys(Value& document, std::vector<Problem>& problems)
{
    FileKeys keys;
    const auto take = [&](const std::string& name, std::optional<Value>& to) {
        for (auto at = document.entries.begin(); at != document.entries.end();)
        {
            if (at->name != name)
            {
                ++at;
                continue;
            }
            if (to)
            {
                AddProblem(problems, {at->value.file, at->line, name, "a key given once", "`" + name + "` twice", ""});
            }
            to = at->value;
            at = document.entries.erase(at);
        }
    };
    take("sweep", keys.sweep);
    take("seeds", keys.seeds);
    take("reference", keys.reference);
    return keys;
}

/// The seed that a point without `seeds` would have; the key itself is checked with the others.
uint64_t
FirstSeed(const Leaves& base)
{
    const Key& key = *FindKey("seed");
    const auto at = base.find("seed");
    Scenario scratch;
    std::string why;
    if (at != base.end())
    {
        ReadField(key.field, key.range, at->second, scratch, why);
    }
    return scratch.seed;
}

/// `--set seeds=n` makes an axis, so it comes before the sweep is expanded.
void
TakeSeedsSettings(std::vector<Setting>& settings, FileKeys& keys)
{
    const auto isSeeds = [](const Setting& setting) { return setting.path == "seeds"; };
    for (const auto& setting : settings)
    {
        if (isSeeds(setting))
        {
            keys.seeds = setting.value;
        }
    }
    settings.erase(std::remove_if(settings.begin(), settings.end(), isSeeds), settings.end());
}

SweepPlan
PlanPoints(FileKeys& keys,
           const std::vector<std::string>& sets,
           Leaves& base,
           PointBuilder& builder,
           std::vector<Problem>& problems)
{
    std::vector<Setting> settings = ParseSettings(sets, problems);
    TakeSeedsSettings(settings, keys);
    SweepPlan plan = ExpandSweep(keys.sweep ? &*keys.sweep : nullptr,
                                 keys.seeds ? &*keys.seeds : nullptr,
                                 FirstSeed(base),
                                 problems);
    const auto effective = [&](const Leaves& point, const Key& key) { return builder.Effective(base, point, key); };
    for (const auto& setting : settings)
    {
        ApplySetting(setting, base, plan, effective, problems);
    }
    return plan;
}

/// A sweep can repeat a mistake in a different form at each of very many points; nobody reads more than this.
constexpr std::size_t kEnoughProblems = 500;

/// Builds every point; of points with the same canonical text the first one stays.
void
BuildPoints(const SweepPlan& plan,
            const Leaves& base,
            PointBuilder& builder,
            const std::vector<Problem>& problems,
            ScenarioFile& file)
{
    std::set<std::string> seen;
    std::string all;
    for (const auto& overrides : plan.points)
    {
        Scenario scenario = builder.Build(base, overrides, plan.columns);
        if (seen.insert(scenario.canonicalJson).second)
        {
            all += scenario.canonicalJson;
            file.points.push_back(std::move(scenario));
        }
        if (problems.size() > kEnoughProblems)
        {
            break;
        }
    }
    file.hash = HashText(all);
    file.name = file.points.front().name;
}

} // namespace

ScenarioFile
ReadScenario(const std::string& path, const std::vector<std::string>& sets, std::vector<Problem>& problems)
{
    Value document;
    if (!LoadYaml(path, document, problems))
    {
        ScenarioFile file;
        file.path = path;
        return file;
    }
    return ReadScenarioDocument(std::move(document), path, sets, problems);
}

ScenarioFile
ReadScenarioDocument(Value document,
                     const std::string& path,
                     const std::vector<std::string>& sets,
                     std::vector<Problem>& problems)
{
    ScenarioFile file;
    file.path = path;
    if (document.kind != Value::Kind::Map)
    {
        problems.push_back({path, document.line, "", "a map of scenario keys", ShortText(document), ""});
        return file;
    }
    std::vector<Problem> found;
    FileKeys keys = TakeFileKeys(document, found);
    Leaves base;
    Flatten(document, "", base, found);
    PointBuilder builder(path, found);
    builder.SetPlaces(document);
    const SweepPlan plan = PlanPoints(keys, sets, base, builder, found);
    if (keys.reference)
    {
        file.references = ReadReferences(*keys.reference, found);
    }
    BuildPoints(plan, base, builder, found, file);
    if (!found.empty())
    {
        file.points.clear();
    }
    problems.insert(problems.end(), found.begin(), found.end());
    return file;
}

} // namespace hbd::traffic
