/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-gen/collectives/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace hbd::traffic
{
namespace
{

using Link = std::pair<uint32_t, uint32_t>;

/// How many rings go over each link. Checks that each ring visits every member once.
std::map<Link, uint32_t>
LoadsOf(const std::vector<std::vector<uint32_t>>& rings, uint32_t n)
{
    std::map<Link, uint32_t> loads;
    for (const auto& ring : rings)
    {
        EXPECT_EQ(ring.size(), n);
        EXPECT_EQ(std::set<uint32_t>(ring.begin(), ring.end()).size(), n);
        EXPECT_LT(*std::max_element(ring.begin(), ring.end()), n);
        for (uint32_t i = 0; i < n; ++i)
        {
            ++loads[{ring[i], ring[(i + 1) % n]}];
        }
    }
    return loads;
}

// Walecki (1892): the complete graph of an odd number of members is a sum of Hamiltonian cycles, that of an even number
// one of cycles and a matching.
TEST(MeshRings, UseEveryLinkEquallyOften)
{
    for (uint32_t n = 3; n <= 10; ++n)
    {
        const auto rings = MeshRings(n);
        EXPECT_EQ(rings.size(), MeshRingCount(n));
        const auto loads = LoadsOf(rings, n);
        const uint32_t expected = n == 4 ? 2 : 1;
        for (const auto& load : loads)
        {
            EXPECT_EQ(load.second, expected) << n << ": " << load.first.first << " to " << load.first.second;
        }
        const uint32_t unused = n % 2 == 0 && n != 4 ? n : 0; // both ways between each two of the matching
        EXPECT_EQ(loads.size(), n * (n - 1) - unused) << n;
        EXPECT_DOUBLE_EQ(MeshRingShare(n), static_cast<double>(expected) / static_cast<double>(rings.size()));
    }
}

TEST(MeshRings, AreAtMostEight)
{
    EXPECT_EQ(MeshRings(16).size(), kMaxRings);
    for (const auto& load : LoadsOf(MeshRings(16), 16))
    {
        EXPECT_EQ(load.second, 1u);
    }
}

TEST(MeshRings, OfOneAndTwoMembersAreOne)
{
    EXPECT_EQ(MeshRings(1), (std::vector<std::vector<uint32_t>>{{0}}));
    EXPECT_EQ(MeshRings(2), (std::vector<std::vector<uint32_t>>{{0, 1}}));
}

} // namespace
} // namespace hbd::traffic
