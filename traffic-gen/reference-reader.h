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
 * Reads the `reference:` list: published marks to show beside the result. Several marks may share an id when their
 * metrics differ. Unknown fields, metrics, kinds and keys, missing fields and repeated marks are problems. Kinds:
 * largest-drop and largest-gain (of the metric, as a share, over the points that `where` selects, from the smallest to
 * the largest value of `over`), ratio (largest / smallest), falls (step by step along `over`), gain-grows-with (the
 * gain along `over` grows with the key `gain-with`).
 */
std::vector<Reference> ReadReferences(const Value& list, std::vector<Problem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_REFERENCE_READER_H
