/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network-checks.h"

#include "link-faults.h"

namespace hbd::traffic
{

void
CheckFaults(PointContext& c)
{
    std::vector<FaultProblem> problems;
    ReadLinkFaults(c.scenario.cluster.scaleOut.faults, problems);
    for (const auto& problem : problems)
    {
        c.Complain("cluster.scale-out.faults", problem.expected, problem.given, problem.hint);
    }
}

} // namespace hbd::traffic
