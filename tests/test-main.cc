/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/nstime.h"

#include <gmock/gmock.h>

/// Runs the GoogleTest tests of one folder, at the product's time resolution: ns-3 fixes it once for the process.
int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
