/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"

#include <algorithm>

namespace hbd::traffic
{

namespace
{

/**
 * Cycle number i of an odd number of members, 2 k + 1: the last one, then i, i + 1, i - 1, i + 2, ... modulo 2 k. An
 * even number has one more, which stands between the two that are k apart: those pairs differ from cycle to cycle.
 */
std::vector<uint32_t>
WaleckiCycle(uint32_t n, uint32_t i)
{
    const uint32_t k = (n - 1) / 2;
    std::vector<uint32_t> cycle{2 * k};
    for (uint32_t position = 0; position < 2 * k; ++position)
    {
        if (n % 2 == 0 && position == k)
        {
            cycle.push_back(n - 1);
        }
        const uint32_t step = (position + 1) / 2;
        cycle.push_back((i + (position % 2 == 1 ? step : 2 * k - step)) % (2 * k));
    }
    return cycle;
}

} // namespace

uint32_t
MeshRingCount(uint32_t n)
{
    if (n <= 2)
    {
        return 1;
    }
    return n == 4 ? 6 : std::min(kMaxRings, (n - 1) / 2 * 2);
}

double
MeshRingShare(uint32_t n)
{
    return n == 4 ? 1.0 / 3 : 1.0 / MeshRingCount(n);
}

std::vector<std::vector<uint32_t>>
MeshRings(uint32_t n)
{
    std::vector<std::vector<uint32_t>> rings;
    if (n == 4)
    {
        rings = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};
    }
    for (uint32_t i = 0; n > 2 && n != 4 && i < MeshRingCount(n) / 2; ++i)
    {
        rings.push_back(WaleckiCycle(n, i));
    }
    for (size_t forward = rings.size(); forward > 0; --forward)
    {
        rings.emplace_back(rings[forward - 1].rbegin(), rings[forward - 1].rend());
    }
    if (rings.empty())
    {
        rings.emplace_back(n == 2 ? std::vector<uint32_t>{0, 1} : std::vector<uint32_t>{0});
    }
    return rings;
}

} // namespace hbd::traffic
