/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_REFERENCE_READER_H
#define HBD_TRAFFIC_REFERENCE_READER_H

#include "scenario-schema.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

/**
 * Reads the `reference:` list: published marks to show beside the result.
 * Unknown fields, metrics, kinds and keys, missing fields and ids given twice are problems.
 * Kinds: largest-drop and largest-gain (of the metric, as a share, over the points that `where` selects, from the
 * smallest to the largest value of `over`), ratio (last / first), and the trends falls (step by step along `over`) and
 * gain-grows-with (the gain along `over` grows with the key `gain-with`). Trends may name several metrics. `where`
 * gives a value of a key, or for the key `over` `first..last`: both must have been run.
 */
std::vector<Reference> ReadReferences(const Value& list, std::vector<Problem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_REFERENCE_READER_H
