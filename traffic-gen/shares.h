/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SHARES_H
#define HBD_TRAFFIC_SHARES_H

#include <algorithm>
#include <cstdint>

/**
 * Exact division of whole things among ranks: part `index` of `parts` gets total / parts, and the first total mod parts
 * of them one more. The parts add up to the total for every total and number of parts.
 */
namespace hbd::traffic
{

/// Size of one part. \param parts at least 1 \param index below parts
constexpr uint64_t
ShareOf(uint64_t total, uint64_t parts, uint64_t index)
{
    return total / parts + (index < total % parts ? 1 : 0);
}

/// Where that part begins: the sum of the parts before it.
constexpr uint64_t
ShareOffset(uint64_t total, uint64_t parts, uint64_t index)
{
    return total / parts * index + std::min<uint64_t>(index, total % parts);
}

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SHARES_H
