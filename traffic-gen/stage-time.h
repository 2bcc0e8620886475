/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_STAGE_TIME_H
#define HBD_TRAFFIC_STAGE_TIME_H

#include "deployment.h"
#include "stage-program.h"

#include <cstdint>
#include <tuple>

namespace hbd::traffic
{

/**
 * The work of one stage on one GPU. In decode, attention grows with the step: its work in step k is the constant part
 * plus k times the part per step.
 */
struct StageWork
{
    Stage stage = Stage::Embedding;
    Phase phase = Phase::Prefill;
    uint64_t flops = 0; ///< a multiply-add is two
    uint64_t bytes = 0; ///< read and written in the GPU's memory
    uint64_t flopsPerStep = 0;
    uint64_t bytesPerStep = 0;

    /// Nothing to do: the stage is not launched.
    bool IsEmpty() const
    {
        return flops == 0 && bytes == 0;
    }

    bool GrowsWithStep() const
    {
        return flopsPerStep != 0 || bytesPerStep != 0;
    }

    friend bool operator<(const StageWork& a, const StageWork& b)
    {
        return std::tie(a.stage, a.phase, a.flops, a.bytes, a.flopsPerStep, a.bytesPerStep) <
               std::tie(b.stage, b.phase, b.flops, b.bytes, b.flopsPerStep, b.bytesPerStep);
    }
};

/// Which efficiency a stage has: gemm, expert-gemm, attention-prefill, attention-decode, elementwise.
const char* EfficiencyKind(Stage stage, Phase phase);

/**
 * Work of a stage. Weights count in the weights' precision, activations in the attention's, the KV cache in its own.
 * Matrix products: 2 m k n FLOPs; memory: the weights once (in decode only those of experts that have tokens), input
 * and output. Attention: 4 d FLOPs per head and pair of tokens, S (S + 1) / 2 pairs a sequence in prefill, input tokens
 * + k pairs in decode step k; memory: Q, K, V and the output. What is elementwise counts no FLOPs. A norm or gate on a
 * slice of the hidden dimension needs sums over TP of a few numbers a token; they are taken to travel with the
 * reduce-scatter before them and are not counted.
 */
StageWork WorkOf(Stage stage, Phase phase, const Deployment& deployment, uint32_t gpu);

/**
 * Roofline: max(FLOPs / (peak x efficiency), bytes / (memory rate x efficiency)) + launch.
 * \param step decode step, 1 for the first; 0 in prefill
 * Throws std::invalid_argument when the GPU lacks a peak for the precision or an efficiency for the kind of stage.
 */
Duration StageTime(const StageWork& work, const GpuSpec& gpu, const PrecisionSpec& precision, uint64_t step);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_STAGE_TIME_H
