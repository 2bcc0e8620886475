/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TESTS_STUDY_SCENARIO_H
#define HBD_TESTS_STUDY_SCENARIO_H

#include "traffic-gen/scenario.h"

#include <cstdint>
#include <string>

/// Scenarios for the tests of the traffic generator, written out here so that no preset changes an expected figure.
namespace hbd::test
{

/// Qwen1.5-110B, dense.
inline traffic::ModelSpec
Qwen110b()
{
    traffic::ModelSpec model;
    model.preset = "qwen";
    model.layers = 80;
    model.hidden = 8192;
    model.heads = 64;
    model.kvHeads = 8;
    model.headDim = 128;
    model.ffn = 49152;
    model.vocabulary = 152064;
    model.qkvBias = true;
    return model;
}

/// GPU with round figures: 1 PFLOPS in 16 bits, 2 in 8, 4 in 4; 5 TB/s; efficiencies a half; launch 2 us.
inline traffic::GpuSpec
RoundGpu()
{
    using namespace traffic;
    GpuSpec gpu;
    gpu.peak[Precision::Fp16] = FlopRate::FromTeraflopsPerSecond(1000);
    gpu.peak[Precision::Fp8] = FlopRate::FromTeraflopsPerSecond(2000);
    gpu.peak[Precision::Fp4] = FlopRate::FromTeraflopsPerSecond(4000);
    gpu.hbmRate = ByteRate::FromBytesPerSecond(5e12);
    gpu.memory = Bytes::FromGib(180);
    for (const char* kind : {"gemm", "expert-gemm", "attention-prefill", "attention-decode", "elementwise"})
    {
        gpu.flopEfficiency[kind] = 0.5;
        gpu.memoryEfficiency[kind] = 0.8;
    }
    gpu.launch = Duration::FromMicroseconds(2);
    return gpu;
}

/// Kernels of the library's own times: direct up to blocks of a size, a named algorithm above; another one for
/// all-to-alls.
inline void
SetKernels(traffic::LibrarySpec& library, traffic::Bytes limit, const char* large, const char* allToAll)
{
    using namespace traffic;
    library.choice = "first";
    library.kernels.clear();
    for (const char* operation : {"all-reduce", "reduce-scatter", "all-gather", "broadcast"})
    {
        library.kernels.push_back(DefaultKernel(library, operation, operation == std::string("all-reduce") ? "two-shot" : "direct"));
        library.kernels.back().blockUntil = limit + Bytes::FromBytes(1);
        library.kernels.push_back(DefaultKernel(library, operation, large));
    }
    library.kernels.push_back(DefaultKernel(library, "all-to-all", allToAll));
}

/// The cluster, library and precisions of all scenarios here.
inline traffic::Scenario
NetworkScenario(uint32_t gpus, uint32_t hbd)
{
    using namespace traffic;
    Scenario scenario;
    scenario.name = "test";
    scenario.burst = Bytes::FromKib(64);
    scenario.cluster.gpus = gpus;
    scenario.cluster.gpu = RoundGpu();
    scenario.cluster.hbd.size = hbd;
    scenario.cluster.hbd.linkRate = BitRate::FromBytesPerSecond(1800000000000);
    scenario.cluster.hbd.packetPayload = Bytes::FromBytes(256);
    scenario.cluster.hbd.flit = Bytes::FromBytes(16);
    scenario.cluster.scaleOut.nicRate = BitRate::FromGbps(400);
    scenario.cluster.scaleOut.mtu = Bytes::FromBytes(4096);
    scenario.library.launch = Duration::FromMicroseconds(1);
    scenario.library.scaleUpStep = Duration::FromNanoseconds(700);
    scenario.library.scaleOutStep = Duration::FromMicroseconds(3);
    SetKernels(scenario.library, Bytes::FromKib(256), "hierarchical", "direct");
    return scenario;
}

/// The published study's point: Qwen1.5-110B with 16 experts, top-2; TP 8, EP 8; batch 16, input 32768.
inline traffic::Scenario
StudyScenario(uint32_t gpus = 64, uint32_t hbd = 8, uint32_t outputTokens = 4)
{
    using namespace traffic;
    Scenario scenario = NetworkScenario(gpus, hbd);
    scenario.model = Qwen110b();
    scenario.model->experts = 16;
    scenario.model->topK = 2;
    scenario.mapping = {8, gpus / 8, 1, 8, gpus / 8};
    scenario.workload.inference = InferenceWorkload{16, 32768, outputTokens};
    return scenario;
}

/// A model small enough for random mappings.
inline traffic::Scenario
SmallScenario(uint32_t gpus, uint32_t hbd, uint32_t experts)
{
    using namespace traffic;
    Scenario scenario = NetworkScenario(gpus, hbd);
    ModelSpec model;
    model.layers = 4;
    model.hidden = 96;
    model.heads = 12;
    model.kvHeads = 4;
    model.headDim = 8;
    model.ffn = 200;
    model.vocabulary = 1000;
    model.experts = experts;
    model.topK = experts > 0 ? 2 : 0;
    scenario.model = model;
    scenario.mapping = {1, gpus, 1, 1, gpus};
    scenario.workload.inference = InferenceWorkload{5, 7, 3};
    return scenario;
}

} // namespace hbd::test

#endif // HBD_TESTS_STUDY_SCENARIO_H
