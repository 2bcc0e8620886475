/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-gen/cluster-shape.h"

#include <gtest/gtest.h>
#include <stdexcept>

// Goal: domain, server and rail of every GPU as the design defines them: domains and servers are runs of GPUs, the rail
// is the place in the server.

using namespace hbd::traffic;

namespace
{

TEST(ClusterShape, DomainsAreRunsOfGpus)
{
    const ClusterShape shape(64, 16, 8);
    EXPECT_EQ(shape.Gpus(), 64u);
    EXPECT_EQ(shape.HbdSize(), 16u);
    EXPECT_EQ(shape.HbdCount(), 4u);
    EXPECT_EQ(shape.HbdOf(0), 0u);
    EXPECT_EQ(shape.HbdOf(15), 0u);
    EXPECT_EQ(shape.HbdOf(16), 1u);
    EXPECT_EQ(shape.HbdOf(63), 3u);
    EXPECT_EQ(shape.IndexInHbd(17), 1u);
    EXPECT_TRUE(shape.SameHbd(16, 31));
    EXPECT_FALSE(shape.SameHbd(15, 16));
}

TEST(ClusterShape, TheRailIsThePlaceInTheServerWhateverTheDomain)
{
    for (const uint32_t hbdSize : {1u, 4u, 8u, 32u, 64u})
    {
        const ClusterShape shape(64, hbdSize, 8);
        EXPECT_EQ(shape.RailOf(21), 5u);
        EXPECT_EQ(shape.ServerOf(21), 2u);
        EXPECT_EQ(shape.RailCount(), 8u);
        EXPECT_EQ(shape.ServerCount(), 8u);
    }
}

TEST(ClusterShape, TheLastServerMayBeSmaller)
{
    const ClusterShape shape(12, 4, 8);
    EXPECT_EQ(shape.ServerCount(), 2u);
    EXPECT_EQ(shape.ServerOf(11), 1u);
    EXPECT_EQ(shape.RailOf(11), 3u);
    EXPECT_EQ(ClusterShape(4, 4, 8).RailCount(), 4u);
}

TEST(ClusterShape, RefusesWhatIsNoCluster)
{
    EXPECT_THROW(ClusterShape(0, 1, 8), std::invalid_argument);
    EXPECT_THROW(ClusterShape(8, 0, 8), std::invalid_argument);
    EXPECT_THROW(ClusterShape(8, 8, 0), std::invalid_argument);
    EXPECT_THROW(ClusterShape(64, 24, 8), std::invalid_argument);
}

} // namespace
