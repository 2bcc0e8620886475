/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-time.h"

#include "model-shape.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace hbd::traffic
{

const char*
EfficiencyKind(Stage stage, Phase phase)
{
    switch (stage)
    {
    case Stage::Qkv:
    case Stage::OutputProjection:
    case Stage::Gate:
    case Stage::FfnGemm:
    case Stage::LmHead:
        return "gemm";
    case Stage::ExpertGemm:
        return "expert-gemm";
    case Stage::Attention:
        return phase == Phase::Prefill ? "attention-prefill" : "attention-decode";
    default:
        return "elementwise";
    }
}

namespace
{

/// Numbers that the work of all stages is made from.
struct Terms
{
    const Deployment& deployment;
    const ModelSpec& model;
    const PrecisionSpec& precision;
    Phase phase;
    uint32_t gpu;
    uint64_t hidden;
    uint64_t tokens;   ///< of the DP group
    uint64_t shard;    ///< hidden elements of all tokens of the GPU's shard
    uint64_t query;    ///< elements of a token's query on this GPU
    uint64_t keyValue; ///< elements of a token's keys and values on this GPU

    Terms(const Deployment& deployment, Phase phase, uint32_t gpu)
        : deployment(deployment),
          model(deployment.Model()),
          precision(deployment.Source().precision),
          phase(phase),
          gpu(gpu),
          hidden(model.hidden),
          tokens(deployment.GroupTokens(phase, gpu).count),
          query(deployment.Heads(gpu) * model.headDim),
          keyValue(2 * deployment.KvHeads(gpu) * model.headDim)
    {
        const Shard part = deployment.ShardOf(phase, gpu);
        shard = part.tokens.count * part.slice;
    }

    uint64_t Weights(uint64_t elements) const
    {
        return BytesOf(elements, precision.weights);
    }

    uint64_t Activations(uint64_t elements) const
    {
        return BytesOf(elements, precision.attention);
    }
};

/// rows x inner times inner x columns; nothing for no rows.
void
SetMatrixProduct(StageWork& work, const Terms& terms, uint64_t rows, uint64_t inner, uint64_t columns)
{
    if (rows * inner * columns > 0)
    {
        work.flops = 2 * rows * inner * columns;
        work.bytes = terms.Weights(inner * columns) + terms.Activations(rows * (inner + columns));
    }
}

void
SetAttention(StageWork& work, const Terms& terms)
{
    const uint64_t sequences = terms.deployment.Sequences(terms.gpu);
    const uint64_t input = terms.deployment.Workload().inputTokens;
    const uint64_t inputOutput = terms.Activations(terms.tokens * 2 * terms.query);
    const auto cache = [&](uint64_t positions) { return BytesOf(positions * terms.keyValue, terms.precision.kvCache); };
    if (terms.query == 0 || sequences == 0)
    {
        return;
    }
    if (terms.phase == Phase::Prefill)
    {
        work.flops = sequences * (4 * terms.query) * (input * (input + 1) / 2);
        work.bytes = inputOutput + cache(terms.tokens);
        return;
    }
    work.flops = sequences * 4 * terms.query * input;
    work.flopsPerStep = sequences * 4 * terms.query;
    work.bytes = inputOutput + cache(sequences * input);
    work.bytesPerStep = cache(sequences);
}

/// The matrices of one FFN for `rows` tokens, the intermediate dimension being `share` here.
void
AddFfn(StageWork& work, const Terms& terms, uint64_t rows, uint64_t share)
{
    const uint64_t matrices = FfnMatrices(terms.model);
    if (rows * share > 0)
    {
        work.flops += 2 * rows * terms.hidden * share * matrices;
        work.bytes += terms.Weights(matrices * terms.hidden * share);
        // Input and output, and each intermediate tensor once written or read.
        work.bytes += terms.Activations(rows * (2 * terms.hidden + matrices * share));
    }
}

void
SetGate(StageWork& work, const Terms& terms)
{
    const Shard part = terms.deployment.ShardOf(terms.phase, terms.gpu);
    SetMatrixProduct(work, terms, part.tokens.count, part.slice, terms.model.experts);
}

void
SetLmHead(StageWork& work, const Terms& terms)
{
    const uint64_t rows = terms.deployment.Vocabulary(terms.gpu);
    SetMatrixProduct(work, terms, terms.deployment.Sequences(terms.gpu), terms.hidden, rows);
}

/// Stages that only move memory: bytes.
uint64_t
ElementwiseBytes(Stage stage, const Terms& terms)
{
    const uint64_t sequences = terms.deployment.Sequences(terms.gpu);
    const uint64_t full = terms.tokens * terms.hidden;
    switch (stage)
    {
    case Stage::Embedding: // table row in, activation out
        return terms.Weights(full) + terms.Activations(full);
    case Stage::AttentionNorm: // in, out
        return terms.Activations(2 * full);
    case Stage::FfnNorm: // result and residual in, residual and norm out
        return terms.Activations(4 * terms.shard);
    case Stage::WeightedSum: // top-k results and residual in, sum out
        return terms.Activations((terms.model.topK + 2) * terms.shard);
    case Stage::Residual: // result and residual in, sum out
        return terms.Activations(3 * terms.shard);
    case Stage::FinalNorm:
        return terms.Activations(2 * sequences * terms.hidden);
    case Stage::TopCandidates: // logits in
        return terms.Activations(sequences * terms.deployment.Vocabulary(terms.gpu));
    case Stage::Sampling: // candidates of all ranks in
        return sequences * terms.deployment.Map().Spec().tp * kCandidates * kCandidateBytes;
    default:
        return 0;
    }
}

} // namespace

StageWork
WorkOf(Stage stage, Phase phase, const Deployment& deployment, uint32_t gpu)
{
    const Terms terms(deployment, phase, gpu);
    StageWork work;
    work.stage = stage;
    work.phase = phase;
    switch (stage)
    {
    case Stage::Qkv:
        SetMatrixProduct(work, terms, terms.tokens, terms.hidden, terms.query + terms.keyValue);
        break;
    case Stage::Attention:
        SetAttention(work, terms);
        break;
    case Stage::OutputProjection:
        SetMatrixProduct(work, terms, terms.tokens, terms.query, terms.hidden);
        break;
    case Stage::Gate:
        SetGate(work, terms);
        break;
    case Stage::ExpertGemm:
        for (uint64_t copies : deployment.ExpertCopies(phase, gpu))
        {
            AddFfn(work, terms, copies, deployment.FfnShare(gpu));
        }
        break;
    case Stage::FfnGemm:
        AddFfn(work, terms, terms.tokens, deployment.FfnShare(gpu));
        break;
    case Stage::LmHead:
        SetLmHead(work, terms);
        break;
    default:
        work.bytes = ElementwiseBytes(stage, terms);
        break;
    }
    return work;
}

namespace
{

double
EfficiencyOf(const std::map<std::string, double>& table, const char* kind, const char* what)
{
    const auto entry = table.find(kind);
    if (entry == table.end() || !(entry->second > 0))
    {
        throw std::invalid_argument(std::string("the GPU has no ") + what + " efficiency for " + kind);
    }
    return entry->second;
}

} // namespace

Duration
StageTime(const StageWork& work, const GpuSpec& gpu, const PrecisionSpec& precision, uint64_t step)
{
    if (work.IsEmpty())
    {
        return Duration();
    }
    const char* kind = EfficiencyKind(work.stage, work.phase);
    const uint64_t flops = work.flops + step * work.flopsPerStep;
    const uint64_t bytes = work.bytes + step * work.bytesPerStep;
    const double memoryEfficiency = EfficiencyOf(gpu.memoryEfficiency, kind, "memory");
    Duration time = Bytes::FromBytes(bytes) / (gpu.hbmRate * memoryEfficiency);
    if (flops > 0)
    {
        const auto peak = gpu.peak.find(work.stage == Stage::Attention ? precision.attention : precision.weights);
        if (peak == gpu.peak.end())
        {
            throw std::invalid_argument("the GPU has no peak rate for the precision of " +
                                        StageNames()[static_cast<size_t>(work.stage)]);
        }
        const double efficiency = EfficiencyOf(gpu.flopEfficiency, kind, "FLOP");
        time = std::max(time, Flops::FromFlops(static_cast<double>(flops)) / (peak->second * efficiency));
    }
    return time + gpu.launch;
}

} // namespace hbd::traffic
