/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_POINT_BUILDER_H
#define HBD_TRAFFIC_POINT_BUILDER_H

#include "preset-library.h"
#include "scenario-checks.h"
#include "scenario-schema.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

/// Turns the keys given for one point into a resolved and validated Scenario.
class PointBuilder
{
  public:
    /// \param file the scenario file: default name, place of problems, folder of presets and message files
    /// \param problems gets what is wrong; outlives the builder
    PointBuilder(std::string file, std::vector<Problem>& problems);

    /**
     * Tells where the maps of the scenario stand, for keys that are missing in them.
     * \param document the scenario file
     */
    void SetPlaces(const Value& document);

    /// The keys of a point with those of its presets below them. A preset is not read when all its keys are given.
    Leaves WithPresets(const Leaves& base, const Leaves& overrides);

    /// The value of a key in a point (from presets and defaults too), before `auto` is resolved; nullptr = none.
    const Value* Effective(const Leaves& base, const Leaves& overrides, const Key& key);

    /**
     * Builds a point.
     * \param columns the swept keys
     * \return the scenario; incomplete when a problem was added
     */
    Scenario Build(const Leaves& base, const Leaves& overrides, const std::vector<std::string>& columns);

  private:
    void SetWorkloadKind(PointContext& context) const;
    void SetModel(PointContext& context) const;
    /// A preset that could not be read is one problem, not one for each key that it would have set.
    void MarkFailedPresets(PointContext& context) const;
    void ReadKeys(PointContext& context, const Leaves& base, const Leaves& overrides) const;
    void ReadKey(PointContext& context, const Key& key) const;
    std::string DefaultText(const Key& key) const;

    /// Where the keys of a point and the maps around them stand, presets aside.
    std::map<std::string, Place> PlacesOf(const Leaves& base, const Leaves& overrides) const;

    std::string m_file;
    std::map<std::string, Place> m_maps; ///< path of a map of the scenario -> where it begins
    std::vector<Problem>& m_problems;
    PresetLibrary m_presets;
    Value m_effective; ///< storage behind Effective()
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_POINT_BUILDER_H
