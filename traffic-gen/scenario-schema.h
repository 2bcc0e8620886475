/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCENARIO_SCHEMA_H
#define HBD_TRAFFIC_SCENARIO_SCHEMA_H

#include "scenario-field.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hbd::traffic
{

/// Where the scenario or --set gives a key or map, else the nearest map around it; nullptr = nowhere. Never a preset.
const Place* PlaceOf(const Scenario& scenario, std::string path);

/// When a key means something; elsewhere it is not written, and giving it is a problem.
enum class Applies
{
    Always,
    Inference,  ///< a model is run
    Moe,        ///< the model has experts
    Collective, ///< the workload is one collective
    Sized,      ///< the workload is one collective that is given by its sizes
    Exchange,   ///< the workload is an exchange of tokens
    Messages,   ///< the workload is a list of messages
};

/// One line of the schema: a key with a single value (or a list of values).
struct Key
{
    std::string_view path;     ///< cluster.hbd.size
    Field field;               ///< its place in Scenario, and its type
    std::string_view range;    ///< see ReadField
    std::string_view fallback; ///< the default, as text; empty = the key must be given (by the scenario or a preset)
    Applies applies = Applies::Always;
    std::string_view doc; ///< one line: meaning
};

/// Keys below one path that may be given together by one short text: `gpu: b200` for `gpu: {preset: b200}`.
struct Group
{
    std::string_view path;          ///< cluster.gpu
    std::string_view shorthand;     ///< key that a lone text stands for: preset
    std::string_view presetKind;    ///< folder of its presets: gpus; empty = it has none
    std::string_view defaultPreset; ///< when the group is absent; empty = none
    bool presetBelowMap =
        false; ///< whether a map without `preset` changes the default preset; else such a map is a full description
};

/// A key that scenarios had once.
struct FormerKey
{
    std::string_view path;
    std::string_view hint; ///< what replaces it
};

/// All keys, in the order in which they are written. Keys of one group stand together.
const std::vector<Key>& Keys();
/// The groups that have a short form.
const std::vector<Group>& Groups();
/// The keys that are no more.
const std::vector<FormerKey>& FormerKeys();

/// The key of that exact path, or nullptr.
const Key* FindKey(std::string_view path);
/// Whether keys exist below the path.
bool IsGroup(std::string_view path);
/// The group with a short form at that path, or nullptr.
const Group* FindGroup(std::string_view path);

/// The path of the key that a text at `path` sets: cluster.gpu -> cluster.gpu.preset; a key's own path stays.
std::string LeafPath(const std::string& path);
/// The shortest path that names a key: cluster.gpu.preset -> cluster.gpu, precision.weights -> precision.
std::string ShortPath(const std::string& path);

/// What to try instead of an unknown key: the nearest name beside it, the same name elsewhere, or the nearest path;
/// empty when nothing is near.
std::string SuggestKey(const std::string& path);

/// For a problem with an unknown key: what replaced it, or `did you mean ...?`; empty when nothing is near.
std::string UnknownKeyHint(const std::string& path);

/// Whether a key means something in a scenario whose workload and model are set.
bool IsApplicable(const Key& key, const Scenario& scenario);

/// Whether a field of the scenario holds what its key's default says. The key has a default that is a value; of a kernel's key
/// the last kernel's field.
bool HasDefault(const Key& key, Scenario& scenario);

/// Key path -> value, of one file or layer of overrides. Only paths of keys.
using Leaves = std::map<std::string, Value>;

/**
 * Takes a tree of maps apart into the keys it sets. Unknown keys, maps where a value belongs and the reverse, and keys
 * given twice are problems. \param value what stands at `path` \param path where it stands; empty = the whole scenario
 * \param leaves gets the keys
 */
void Flatten(const Value& value, const std::string& path, Leaves& leaves, std::vector<Problem>& problems);

/// A key as the user sees it, for `hbd list` and the guide.
struct KeyInfo
{
    std::string path;
    std::string takes;    ///< type, unit and range
    std::string fallback; ///< empty = required
    std::string doc;
};

std::vector<KeyInfo> ListKeys();

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCENARIO_SCHEMA_H
