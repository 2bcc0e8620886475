/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_PRESET_LIBRARY_H
#define HBD_TRAFFIC_PRESET_LIBRARY_H

#include "scenario-schema.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// A preset that comes with the product.
struct PresetInfo
{
    std::string kind; ///< gpus, domains, scale-out, models, libraries
    std::string name; ///< as a scenario names it
    std::string line; ///< its description
    std::string file; ///< where it is
};

/// Folder of the presets: $HBD_ROOT/traffic-gen/presets; without HBD_ROOT that of the nearest folder upwards that has
/// one; empty when there is none.
std::string PresetFolder();

/// The presets in PresetFolder(), by kind and name.
std::vector<PresetInfo> ListPresets();

/**
 * Finds and reads presets: YAML files with the keys of one group. A name is looked for beside the scenario first
 * (NAME.yaml, so that a copy can be edited), then in PresetFolder(). A name that ends in .yaml is a file, relative to
 * the scenario; one that ends in .json is a Hugging Face config.json (models).
 */
class PresetLibrary
{
  public:
    /// \param scenarioFolder the folder of the scenario file
    explicit PresetLibrary(std::string scenarioFolder);

    /**
     * \param group whose preset
     * \param name the preset's name, and where it was written, for problems
     * \return the keys that the preset sets, with their whole paths; nullptr, and a problem, when there is no such
     * preset or it is wrong
     */
    const Leaves* Load(const Group& group, const Value& name, std::vector<Problem>& problems);

    /// Whether the preset was tried in vain.
    bool HasFailed(const Group& group, const Value& name) const;

  private:
    std::optional<Leaves> Read(const Group& group, const Value& name, std::vector<Problem>& problems) const;
    std::string FindFile(const Group& group, const std::string& name) const;
    void ComplainMissing(const Group& group, const Value& name, std::vector<Problem>& problems) const;

    std::string m_scenarioFolder;
    std::map<std::string, std::optional<Leaves>> m_loaded; ///< by kind/name; empty optional = tried in vain
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_PRESET_LIBRARY_H
