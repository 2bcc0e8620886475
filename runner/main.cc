/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "commands.h"

#include "ns3/nstime.h"

/// The program behind ./hbd.
int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    return hbd::runner::Dispatch({argv + 1, argv + argc});
}
