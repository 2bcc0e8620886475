/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_MODEL_SHAPE_H
#define HBD_TRAFFIC_MODEL_SHAPE_H

#include "scenario.h"

#include <cstdint>
#include <optional>
#include <string>

namespace hbd::traffic
{

/// Bits of one number.
uint32_t BitsOf(Precision precision);

/// Bytes of so many numbers, rounded up to a whole byte.
uint64_t BytesOf(uint64_t elements, Precision precision);

/// Matrices of a feed-forward network: gate, up and down, or up and down.
uint32_t FfnMatrices(const ModelSpec& model);

/// Weights of the attention of one layer, biases included.
uint64_t AttentionParameters(const ModelSpec& model);

/// Weights of the feed-forward part of one layer: the dense FFN, or all experts and the gate.
uint64_t FfnParameters(const ModelSpec& model);

/// All weights: embedding, layers with two norms each, final norm, LM head (none of its own when tied).
uint64_t ParameterCount(const ModelSpec& model);

/// Memory of one GPU, in bytes.
struct MemoryUse
{
    uint64_t weights = 0;
    uint64_t kvCache = 0;     ///< for input and output tokens of its sequences
    uint64_t activations = 0; ///< most at any time: the larger of the attention's and the feed-forward part's tensors
    uint64_t usable = 0;      ///< capacity x GpuSpec::memoryUsable

    uint64_t Total() const
    {
        return weights + kvCache + activations;
    }
};

/**
 * Memory of a GPU under a scenario's mapping. The embedding table is a full copy on each GPU of the first pipeline
 * stage; attention is split by heads over TP (a KV head that several ranks need is on each of them); experts by EP and
 * expert-TP; a dense FFN and the LM head over TP; norms and the gate are replicated. The scenario must have a model and
 * an inference workload.
 */
MemoryUse MemoryOf(const Scenario& scenario, uint32_t gpu);

/// The arithmetic when the fullest GPU's weights, KV cache and activations do not fit, else nothing. Network-only
/// scenarios always fit.
std::optional<std::string> MemoryProblem(const Scenario& scenario);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_MODEL_SHAPE_H
