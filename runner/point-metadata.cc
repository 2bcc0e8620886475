/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "point-metadata.h"

#include "version.h"

namespace hbd::runner
{

void
FillMetadata(const SweepPoint& point, analysis::PointRecords& records)
{
    const auto& scenario = *point.scenario;
    auto& metadata = records.metadata;
    metadata.point = point.name;
    metadata.scenario = scenario.name;
    metadata.scenarioHash = point.hash;
    metadata.seed = scenario.seed;
    metadata.fidelity = scenario.fidelity;
    metadata.versions = Versions();
    metadata.sweptKeys = scenario.sweptKeys;
    metadata.workload =
        scenario.workload.inference ? analysis::WorkloadKind::Inference : analysis::WorkloadKind::Network;
    metadata.gpus = scenario.cluster.gpus;
    if (scenario.workload.inference)
    {
        metadata.batch = scenario.workload.inference->batch;
        metadata.inputTokens = scenario.workload.inference->inputTokens;
        metadata.outputTokens = scenario.workload.inference->outputTokens;
        metadata.layers = scenario.model->layers;
    }
    metadata.scenarioYaml = scenario.canonicalYaml;
    metadata.scenarioJson = scenario.canonicalJson;
}

} // namespace hbd::runner
