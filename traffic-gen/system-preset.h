/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SYSTEM_PRESET_H
#define HBD_TRAFFIC_SYSTEM_PRESET_H

#include "scenario-value.h"

#include <map>
#include <string>
#include <vector>

namespace hbd::traffic
{

/**
 * A machine that was measured, and what stands for it here: presets/systems/NAME.yaml. It is the `cluster` of a
 * scenario, and the library preset of each communication software.
 */
struct SystemPreset
{
    std::string name;
    std::string file;
    std::string description;
    std::vector<std::string> aliases;             ///< other names that measured tables have for it
    uint32_t gpus = 0;                            ///< cluster.gpus
    Value cluster;                                ///< map with the keys of `cluster`
    std::map<std::string, std::string> libraries; ///< software (nccl, moe-one-sided, ...) -> library preset
};

/**
 * The systems in PresetFolder()/systems, by name.
 * \param problems gets what is wrong with a file; such a system is left out
 */
std::vector<SystemPreset> LoadSystems(std::vector<Problem>& problems);

/// The system of that name or alias, or nullptr.
const SystemPreset* FindSystem(const std::vector<SystemPreset>& systems, const std::string& name);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SYSTEM_PRESET_H
