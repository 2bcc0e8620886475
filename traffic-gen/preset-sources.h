/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_PRESET_SOURCES_H
#define HBD_TRAFFIC_PRESET_SOURCES_H

#include "scenario-value.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

/**
 * Where a parameter of a preset has its value from: an entry of the preset's map `sources`, which no simulation reads.
 *
 *     sources:
 *       launch: {value: 6.6us, kind: constant, from: "NVIDIA/nccl src/graph/tuning.cc, baseLat"}
 *       copy-rate of rings: {value: 320GB/s, kind: fitted, from: all-gather of 64 MiB and more on b200_sxm}
 *       scale-out-step: {value: 2.7us, kind: assumption, from: ..., range: 1us..5us}
 *
 * The first word of the name is the key, the value that of the key: so it covers every place of the preset, kernels
 * included, where that key has that value.
 */
struct ParameterOrigin
{
    std::string name;  ///< as in `sources`; of what has no entry there the key
    std::string value; ///< as the preset writes it
    std::string kind;  ///< constant, measured, fitted, assumption; of what has no entry undeclared
    std::string from;  ///< document, rows, reason
    std::string range; ///< of an assumption: where the value may lie
};

/**
 * Checks the map `sources` of a preset: keys of an entry, kinds, ranges of assumptions, values that the preset does not
 * have.
 * \param preset the document
 * \return its entries in order
 */
std::vector<ParameterOrigin> ReadSources(const Value& preset, std::vector<Problem>& problems);

/**
 * The origins of all quantities that a library preset sets (words and yes-or-no keys aside): its `sources`, then what
 * is not there, as undeclared.
 * \param file the preset
 */
std::vector<ParameterOrigin> OriginsOf(const std::string& file, std::vector<Problem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_PRESET_SOURCES_H
