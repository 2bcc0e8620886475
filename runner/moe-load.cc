/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe-load.h"

#include "traffic-gen/deployment.h"

namespace hbd::runner
{

void
FillMoeLoad(const traffic::Scenario& scenario, analysis::PointRecords& records)
{
    if (!scenario.model || scenario.model->experts == 0)
    {
        return;
    }
    const traffic::Deployment deployment(scenario);
    struct NamedPhase
    {
        traffic::Phase phase;
        const char* name;
    };
    for (const NamedPhase& phase : {NamedPhase{traffic::Phase::Prefill, "prefill"}, NamedPhase{traffic::Phase::Decode, "decode"}})
    {
        if (phase.phase == traffic::Phase::Decode && scenario.workload.inference->outputTokens < 2)
        {
            continue;
        }
        for (uint32_t rank = 0; rank < scenario.cluster.gpus; rank++)
        {
            uint32_t expert = deployment.FirstExpert(deployment.Map().EpIndex(rank));
            for (uint64_t tokens : deployment.ExpertCopies(phase.phase, rank))
            {
                records.moeLoad.push_back({phase.name, "moe-layer", rank, expert++, tokens});
            }
        }
    }
}

} // namespace hbd::runner
