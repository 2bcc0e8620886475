/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCENARIO_WRITER_H
#define HBD_TRAFFIC_SCENARIO_WRITER_H

#include "scenario-schema.h"

#include <string>

namespace hbd::traffic
{

/// The scenario with every default filled in, as a tree in schema order; acceleration, which changes no result, is left
/// out.
Value CanonicalValue(const Scenario& scenario);

/// Canonical text of one key of a scenario: the same for values that are equal (1800GB/s and 1.8TB/s).
std::string KeyText(const Key& key, const Scenario& scenario);

/**
 * Canonical text of a value of a key; `auto` stays `auto`.
 * \param text set on success
 * \param why what is wrong with the value, on failure
 */
bool NormalText(const Key& key, const Value& value, std::string& text, std::string& why);

/// FNV-1a of the text, 16 hexadecimal digits. For identity, not for security.
std::string HashText(const std::string& text);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCENARIO_WRITER_H
