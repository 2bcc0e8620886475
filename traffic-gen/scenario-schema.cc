/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-schema.h"

#include "kernel-schema.h"
#include "token-exchange.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace hbd::traffic
{

namespace
{

bool
IsBelow(std::string_view path, std::string_view group)
{
    return path.size() > group.size() && path.substr(0, group.size()) == group &&
           (group.empty() || path[group.size()] == '.');
}

std::string
LastName(const std::string& path)
{
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string
ParentPath(const std::string& path)
{
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

std::string
Join(const std::string& path, const std::string& name)
{
    return path.empty() ? name : path + "." + name;
}

/// The first of the known words that holds the given one or is held by it: switch-buffer for buffer, batch for
/// batch-size; empty when there is none.
std::string
SharedWord(const std::string& given, const std::vector<std::string>& known)
{
    constexpr std::size_t kShortest = 3;
    const auto at = std::find_if(known.begin(), known.end(), [&](const std::string& word) {
        return std::min(given.size(), word.size()) >= kShortest &&
               (word.find(given) != std::string::npos || given.find(word) != std::string::npos);
    });
    return at == known.end() ? "" : *at;
}

/// Every path that may be written: keys, the groups above them, and what the reader handles itself.
const std::set<std::string>&
AllPaths()
{
    static const std::set<std::string> paths = [] {
        std::set<std::string> all{"sweep", "reference", "seeds"};
        for (const auto& key : Keys())
        {
            for (std::string path(key.path); !path.empty(); path = ParentPath(path))
            {
                all.insert(path);
            }
        }
        return all;
    }();
    return paths;
}

void
FlattenMap(const Value& value, const std::string& path, Leaves& leaves, std::vector<Problem>& problems)
{
    for (const auto& entry : value.entries)
    {
        const std::string inner = Join(path, entry.name);
        if (FindKey(inner) == nullptr && !IsGroup(inner))
        {
            AddProblem(problems,
                       {value.file,
                        entry.line,
                        inner,
                        "a known key",
                        "`" + entry.name + "`",
                        UnknownKeyHint(inner)});
            continue;
        }
        Flatten(entry.value, inner, leaves, problems);
    }
}

void
AddLeaf(const Value& value, const std::string& path, Leaves& leaves, std::vector<Problem>& problems)
{
    const auto [at, added] = leaves.emplace(path, value);
    if (!added)
    {
        AddProblem(problems,
                   {value.file,
                    value.line,
                    ShortPath(path),
                    "a key given once",
                    ShortText(value),
                    "it is given before in line " + std::to_string(at->second.line)});
    }
}

} // namespace

const Place*
PlaceOf(const Scenario& scenario, std::string path)
{
    for (;; path = ParentPath(path))
    {
        const auto at = scenario.places.find(path);
        if (at != scenario.places.end() || path.empty())
        {
            return at == scenario.places.end() ? nullptr : &at->second;
        }
    }
}

const Key*
FindKey(std::string_view path)
{
    static const std::unordered_map<std::string_view, const Key*> index = [] {
        std::unordered_map<std::string_view, const Key*> all;
        for (const auto& key : Keys())
        {
            all.emplace(key.path, &key);
        }
        return all;
    }();
    const auto at = index.find(path);
    return at == index.end() ? nullptr : at->second;
}

bool
IsGroup(std::string_view path)
{
    return std::any_of(Keys().begin(), Keys().end(), [&](const Key& key) { return IsBelow(key.path, path); });
}

const Group*
FindGroup(std::string_view path)
{
    const auto at = std::find_if(Groups().begin(), Groups().end(), [&](const Group& g) { return g.path == path; });
    return at == Groups().end() ? nullptr : &*at;
}

std::string
LeafPath(const std::string& path)
{
    const Group* group = FindGroup(path);
    return group == nullptr ? path : Join(path, std::string(group->shorthand));
}

std::string
ShortPath(const std::string& path)
{
    const Group* group = FindGroup(ParentPath(path));
    return group != nullptr && LastName(path) == group->shorthand ? ParentPath(path) : path;
}

std::string
SuggestKey(const std::string& path)
{
    const std::string parent = ParentPath(path);
    std::vector<std::string> siblings;
    std::vector<std::string> namesakes;
    for (const auto& known : AllPaths())
    {
        if (ParentPath(known) == parent)
        {
            siblings.push_back(LastName(known));
        }
        if (LastName(known) == LastName(path))
        {
            namesakes.push_back(known);
        }
    }
    const std::string near = Nearest(LastName(path), siblings);
    if (!near.empty())
    {
        return Join(parent, near);
    }
    const std::string relative = parent.empty() ? "" : SharedWord(LastName(path), siblings);
    if (!relative.empty())
    {
        return Join(parent, relative);
    }
    return namesakes.empty() ? Nearest(path, {AllPaths().begin(), AllPaths().end()}) : namesakes.front();
}

std::string
UnknownKeyHint(const std::string& path)
{
    for (const auto& former : FormerKeys())
    {
        if (former.path == path)
        {
            return std::string(former.hint);
        }
    }
    const std::string near = SuggestKey(path);
    return near.empty() ? "" : "did you mean " + near + "?";
}

bool
IsApplicable(const Key& key, const Scenario& scenario)
{
    switch (key.applies)
    {
    case Applies::Always:
        return true;
    case Applies::Inference:
        return scenario.workload.inference.has_value();
    case Applies::Moe:
        return scenario.workload.inference.has_value() && scenario.model && scenario.model->experts > 0;
    case Applies::Collective:
        return scenario.workload.collective.has_value();
    case Applies::Sized:
        return scenario.workload.collective.has_value() && !IsExchange(*scenario.workload.collective);
    case Applies::Exchange:
        return scenario.workload.collective.has_value() && IsExchange(*scenario.workload.collective);
    case Applies::Messages:
        return scenario.workload.messages.has_value();
    }
    return false;
}

bool
HasDefault(const Key& key, Scenario& scenario)
{
    Scenario scratch;
    scratch.library.kernels.emplace_back();
    std::string why;
    ReadField(key.field, key.range, MakeScalar(std::string(key.fallback)), scratch, why);
    return ShortText(WriteField(key.field, key.range, scratch)) == ShortText(WriteField(key.field, key.range, scenario));
}

void
Flatten(const Value& value, const std::string& path, Leaves& leaves, std::vector<Problem>& problems)
{
    if (FindKey(path) != nullptr)
    {
        AddLeaf(value, path, leaves, problems);
        return;
    }
    if (value.kind == Value::Kind::Map)
    {
        FlattenMap(value, path, leaves, problems);
        return;
    }
    const Group* group = FindGroup(path);
    if (group != nullptr && value.kind == Value::Kind::Scalar)
    {
        AddLeaf(value, LeafPath(path), leaves, problems);
        return;
    }
    const std::string expected = group == nullptr ? "a map of keys" : "a name or a map of keys";
    AddProblem(problems, {value.file, value.line, path, expected, ShortText(value), ""});
}

std::vector<KeyInfo>
ListKeys()
{
    std::vector<KeyInfo> infos;
    const auto add = [&](const Key& key, const std::string& path) {
        infos.push_back(
            {path, ExpectedText(key.field, key.range), std::string(key.fallback), std::string(key.doc)});
    };
    for (const auto& key : Keys())
    {
        add(key, std::string(key.path));
        if (std::holds_alternative<KernelList>(key.field))
        {
            for (const auto& inner : KernelKeys())
            {
                add(inner, std::string(key.path) + "[]." + std::string(inner.path));
            }
        }
    }
    return infos;
}

} // namespace hbd::traffic
