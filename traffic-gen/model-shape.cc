/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-shape.h"

#include "deployment.h"
#include "shares.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace hbd::traffic
{

uint32_t
BitsOf(Precision precision)
{
    switch (precision)
    {
    case Precision::Fp16:
        return 16;
    case Precision::Fp8:
        return 8;
    case Precision::Fp4:
        return 4;
    }
    return 0;
}

uint64_t
BytesOf(uint64_t elements, Precision precision)
{
    return (elements * BitsOf(precision) + 7) / 8;
}

uint32_t
FfnMatrices(const ModelSpec& model)
{
    return model.gatedFfn ? 3 : 2;
}

uint64_t
AttentionParameters(const ModelSpec& model)
{
    const uint64_t query = static_cast<uint64_t>(model.heads) * model.headDim;
    const uint64_t keyValue = 2ull * model.kvHeads * model.headDim;
    return model.hidden * (2 * query + keyValue) + (model.qkvBias ? query + keyValue : 0);
}

uint64_t
FfnParameters(const ModelSpec& model)
{
    const uint64_t one = static_cast<uint64_t>(FfnMatrices(model)) * model.hidden * model.ffn;
    return model.experts == 0 ? one : model.experts * (one + model.hidden);
}

uint64_t
ParameterCount(const ModelSpec& model)
{
    const uint64_t hidden = model.hidden;
    const uint64_t embedding = hidden * model.vocabulary;
    return embedding * (model.tiedEmbeddings ? 1 : 2) + hidden +
           model.layers * (AttentionParameters(model) + FfnParameters(model) + 2 * hidden);
}

namespace
{

uint64_t
WeightElements(const Deployment& deployment, uint32_t gpu)
{
    const ModelSpec& model = deployment.Model();
    const Mapping& map = deployment.Map();
    const uint64_t hidden = model.hidden;
    const uint64_t query = deployment.Heads(gpu) * model.headDim;
    const uint64_t keyValue = 2 * deployment.KvHeads(gpu) * model.headDim;
    uint64_t layer = 2 * hidden + hidden * (2 * query + keyValue) + (model.qkvBias ? query + keyValue : 0);
    const uint64_t ffn = FfnMatrices(model) * hidden * deployment.FfnShare(gpu);
    if (model.experts == 0)
    {
        layer += ffn;
    }
    else
    {
        const uint32_t rank = map.EpIndex(gpu);
        layer += hidden * model.experts + ffn * (deployment.FirstExpert(rank + 1) - deployment.FirstExpert(rank));
    }
    uint64_t elements = layer * deployment.Layers(gpu);
    const bool first = map.StageOf(gpu) == 0;
    const bool last = map.StageOf(gpu) + 1 == map.Spec().pp;
    if (first)
    {
        elements += hidden * model.vocabulary;
    }
    if (last)
    {
        elements += hidden + (first && model.tiedEmbeddings ? 0 : hidden * deployment.Vocabulary(gpu));
    }
    return elements;
}

/// Largest set of tensors that live at the same time in prefill: input, output and residual of the attention or
/// feed-forward part.
uint64_t
ActivationElements(const Deployment& deployment, uint32_t gpu)
{
    const ModelSpec& model = deployment.Model();
    const uint64_t tokens = deployment.GroupTokens(Phase::Prefill, gpu).count;
    const Shard shard = deployment.ShardOf(Phase::Prefill, gpu);
    const uint64_t residual = shard.tokens.count * shard.slice;
    const uint64_t heads = deployment.Heads(gpu) + 2 * deployment.KvHeads(gpu);
    const uint64_t attention = residual + tokens * (2 * model.hidden + heads * model.headDim);
    const auto copies = deployment.ExpertCopies(Phase::Prefill, gpu);
    const uint64_t rows = model.experts == 0 ? tokens : std::accumulate(copies.begin(), copies.end(), uint64_t{0});
    const uint64_t feedForward =
        residual + rows * (2 * model.hidden + (FfnMatrices(model) - 1) * deployment.FfnShare(gpu));
    return std::max(attention, feedForward);
}

} // namespace

MemoryUse
MemoryOf(const Scenario& scenario, uint32_t gpu)
{
    const Deployment deployment(scenario);
    const ModelSpec& model = deployment.Model();
    const InferenceWorkload& workload = deployment.Workload();
    const uint64_t tokens =
        deployment.Sequences(gpu) * (static_cast<uint64_t>(workload.inputTokens) + workload.outputTokens);
    const uint64_t perToken = 2 * deployment.KvHeads(gpu) * model.headDim * deployment.Layers(gpu);
    MemoryUse use;
    use.weights = BytesOf(WeightElements(deployment, gpu), scenario.precision.weights);
    use.kvCache = BytesOf(tokens * perToken, scenario.precision.kvCache);
    use.activations = BytesOf(ActivationElements(deployment, gpu), scenario.precision.attention);
    use.usable = static_cast<uint64_t>(static_cast<double>(scenario.cluster.gpu.memory.Count()) *
                                       scenario.cluster.gpu.memoryUsable);
    return use;
}

std::optional<std::string>
MemoryProblem(const Scenario& scenario)
{
    if (!scenario.model || !scenario.workload.inference)
    {
        return std::nullopt;
    }
    MemoryUse worst;
    uint32_t where = 0;
    for (uint32_t gpu = 0; gpu < scenario.cluster.gpus; ++gpu)
    {
        const MemoryUse use = MemoryOf(scenario, gpu);
        if (gpu == 0 || use.Total() > worst.Total())
        {
            worst = use;
            where = gpu;
        }
    }
    if (worst.Total() <= worst.usable)
    {
        return std::nullopt;
    }
    const auto gigabytes = [](uint64_t bytes) { return static_cast<double>(bytes) / 1e9; };
    return fmt::format(
        "GPU {} needs {:.1f} GB of weights + {:.1f} GB of KV cache + {:.1f} GB of activations = {:.1f} GB, "
        "but {:.0f} GB x {:g} = {:.1f} GB may be used ({:.1f} G parameters, {} layers a GPU, {} sequences a DP group)",
        where,
        gigabytes(worst.weights),
        gigabytes(worst.kvCache),
        gigabytes(worst.activations),
        gigabytes(worst.Total()),
        gigabytes(scenario.cluster.gpu.memory.Count()),
        scenario.cluster.gpu.memoryUsable,
        gigabytes(worst.usable),
        gigabytes(ParameterCount(*scenario.model)),
        Deployment(scenario).Layers(where),
        Deployment(scenario).Sequences(where));
}

} // namespace hbd::traffic
