/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-program.h"

#include "model-shape.h"

#include <algorithm>

namespace hbd::traffic
{

const std::vector<std::string>&
StageNames()
{
    static const std::vector<std::string> names{"embedding",
                                                "attention-norm",
                                                "qkv",
                                                "attention",
                                                "output-projection",
                                                "ffn-norm",
                                                "gate",
                                                "expert-gemm",
                                                "weighted-sum",
                                                "ffn-gemm",
                                                "residual",
                                                "final-norm",
                                                "lm-head",
                                                "top-candidates",
                                                "sampling"};
    return names;
}

const char*
ToText(Exchange exchange)
{
    switch (exchange)
    {
    case Exchange::AttentionReduceScatter:
        return "attention-reduce-scatter";
    case Exchange::TokenCounts:
        return "token-counts";
    case Exchange::Dispatch:
        return "dispatch";
    case Exchange::ExpertAllGather:
        return "expert-all-gather";
    case Exchange::ExpertReduceScatter:
        return "expert-reduce-scatter";
    case Exchange::Combine:
        return "combine";
    case Exchange::FfnAllGather:
        return "ffn-all-gather";
    case Exchange::FfnReduceScatter:
        return "ffn-reduce-scatter";
    case Exchange::LayerAllGather:
        return "layer-all-gather";
    case Exchange::StageTransfer:
        return "stage-transfer";
    case Exchange::TokenReturn:
        return "token-return";
    case Exchange::CandidateAllGather:
        return "candidate-all-gather";
    }
    return "unknown";
}

std::string
ToText(UnitKind kind, bool hasExperts)
{
    const std::string layer = hasExperts ? "moe-layer" : "dense-layer";
    switch (kind)
    {
    case UnitKind::Embedding:
        return "embedding";
    case UnitKind::Layer:
        return layer;
    case UnitKind::LastLayerOfStage:
        return layer + "-last-of-stage";
    case UnitKind::StageTransfer:
        return "stage-transfer";
    case UnitKind::LmHead:
        return "lm-head";
    case UnitKind::TokenReturn:
        return "token-return";
    }
    return "unknown";
}

namespace
{

/// Appends to a program, leaving out exchanges inside groups of one.
class ProgramWriter
{
  public:
    void Do(std::initializer_list<Stage> stages)
    {
        for (Stage stage : stages)
        {
            m_program.push_back(ProgramEntry::Of(stage));
        }
    }

    void Exchange(enum Exchange exchange, uint32_t ranks)
    {
        if (ranks > 1)
        {
            m_program.push_back(ProgramEntry::Of(exchange));
        }
    }

    std::vector<ProgramEntry> Take()
    {
        return std::move(m_program);
    }

  private:
    std::vector<ProgramEntry> m_program;
};

std::vector<ProgramEntry>
LayerProgram(bool handsOver, const ModelSpec& model, const MappingSpec& mapping, const LibrarySpec& library)
{
    ProgramWriter writer;
    writer.Do({Stage::AttentionNorm, Stage::Qkv, Stage::Attention, Stage::OutputProjection});
    writer.Exchange(Exchange::AttentionReduceScatter, mapping.tp);
    writer.Do({Stage::FfnNorm});
    if (model.experts > 0)
    {
        writer.Do({Stage::Gate});
        if (library.tokenCounts)
        {
            writer.Exchange(Exchange::TokenCounts, mapping.ep);
        }
        writer.Exchange(Exchange::Dispatch, mapping.ep);
        writer.Exchange(Exchange::ExpertAllGather, mapping.expertTp);
        writer.Do({Stage::ExpertGemm});
        writer.Exchange(Exchange::ExpertReduceScatter, mapping.expertTp);
        writer.Exchange(Exchange::Combine, mapping.ep);
        writer.Do({Stage::WeightedSum});
    }
    else
    {
        writer.Exchange(Exchange::FfnAllGather, mapping.tp);
        writer.Do({Stage::FfnGemm});
        writer.Exchange(Exchange::FfnReduceScatter, mapping.tp);
        writer.Do({Stage::Residual});
    }
    if (!handsOver)
    {
        writer.Exchange(Exchange::LayerAllGather, mapping.tp);
    }
    return writer.Take();
}

} // namespace

std::vector<ProgramEntry>
ProgramOf(UnitKind kind, const ModelSpec& model, const MappingSpec& mapping, const LibrarySpec& library)
{
    ProgramWriter writer;
    switch (kind)
    {
    case UnitKind::Embedding:
        writer.Do({Stage::Embedding});
        break;
    case UnitKind::Layer:
        return LayerProgram(false, model, mapping, library);
    case UnitKind::LastLayerOfStage:
        return LayerProgram(true, model, mapping, library);
    case UnitKind::StageTransfer:
        writer.Exchange(Exchange::StageTransfer, 2);
        writer.Exchange(Exchange::LayerAllGather, mapping.tp);
        break;
    case UnitKind::LmHead:
        writer.Do({Stage::FinalNorm, Stage::LmHead, Stage::TopCandidates});
        writer.Exchange(Exchange::CandidateAllGather, mapping.tp);
        writer.Do({Stage::Sampling});
        break;
    case UnitKind::TokenReturn:
        writer.Exchange(Exchange::TokenReturn, 2);
        break;
    }
    return writer.Take();
}

namespace
{

/// One request a group; `bytes(gpu)` is the member's block.
template <class BlockBytes>
ExchangeRequest
BlockRequest(CollectiveOp op, GroupKind kind, const Deployment& deployment, BlockBytes bytes)
{
    ExchangeRequest request;
    request.group = ToText(kind);
    for (auto& ranks : deployment.Map().Groups(kind))
    {
        CollectiveRequest one;
        one.op = op;
        for (uint32_t gpu : ranks)
        {
            one.blockBytes.push_back(bytes(gpu));
        }
        one.ranks = std::move(ranks);
        request.groups.push_back(std::move(one));
    }
    return request;
}

/// Token copies to the experts (dispatch), or their results back (combine).
ExchangeRequest
TokenExchange(bool back, Phase phase, const Deployment& deployment)
{
    ExchangeRequest request;
    request.group = ToText(GroupKind::Ep);
    for (auto& ranks : deployment.Map().Groups(GroupKind::Ep))
    {
        const size_t n = ranks.size();
        CollectiveRequest one;
        one.op = CollectiveOp::AllToAll;
        one.pairBytes.resize(n * n);
        for (size_t source = 0; source < n; ++source)
        {
            const auto bytes = deployment.DispatchBytes(phase, ranks[source]);
            for (size_t peer = 0; peer < n; ++peer)
            {
                one.pairBytes[back ? peer * n + source : source * n + peer] = bytes[peer];
            }
        }
        one.ranks = std::move(ranks);
        request.groups.push_back(std::move(one));
    }
    return request;
}

/// Numbers of tokens, one for each expert of the receiving rank.
ExchangeRequest
CountExchange(const Deployment& deployment)
{
    ExchangeRequest request;
    request.group = ToText(GroupKind::Ep);
    for (auto& ranks : deployment.Map().Groups(GroupKind::Ep))
    {
        CollectiveRequest one;
        one.op = CollectiveOp::AllToAll;
        for (size_t i = 0; i < ranks.size() * ranks.size(); ++i)
        {
            const auto peer = static_cast<uint32_t>(i % ranks.size());
            one.pairBytes.push_back((deployment.FirstExpert(peer + 1) - deployment.FirstExpert(peer)) * kCountBytes);
        }
        one.ranks = std::move(ranks);
        request.groups.push_back(std::move(one));
    }
    return request;
}

/// What each GPU received in the dispatch, its own copies included: its block in the collectives over expert-TP.
std::vector<uint64_t>
DispatchedBytes(Phase phase, const Deployment& deployment)
{
    std::vector<uint64_t> received(deployment.Map().Gpus(), 0);
    for (const auto& ranks : deployment.Map().Groups(GroupKind::Ep))
    {
        for (uint32_t source : ranks)
        {
            const auto bytes = deployment.DispatchBytes(phase, source);
            for (size_t peer = 0; peer < ranks.size(); ++peer)
            {
                received[ranks[peer]] += bytes[peer];
            }
        }
    }
    return received;
}

/// Messages between GPUs in the same position of two pipeline stages.
template <class MessageBytes>
ExchangeRequest
PairRequest(uint32_t from, uint32_t to, const Deployment& deployment, MessageBytes bytes)
{
    ExchangeRequest request;
    request.pairwise = true;
    request.group = "pp";
    for (auto& pair : deployment.Map().StagePairs(from, to))
    {
        CollectiveRequest one;
        one.blockBytes = {bytes(pair[0]), 0};
        one.ranks = std::move(pair);
        request.groups.push_back(std::move(one));
    }
    return request;
}

} // namespace

ExchangeRequest
RequestOf(Exchange exchange, Phase phase, const Deployment& deployment, uint32_t fromStage)
{
    const auto shard = [&](uint32_t gpu) { return deployment.ShardWireBytes(phase, gpu); };
    std::vector<uint64_t> dispatched;
    if (exchange == Exchange::ExpertAllGather || exchange == Exchange::ExpertReduceScatter)
    {
        dispatched = DispatchedBytes(phase, deployment);
    }
    const auto copies = [&](uint32_t gpu) { return dispatched[gpu]; };
    switch (exchange)
    {
    case Exchange::AttentionReduceScatter:
    case Exchange::FfnReduceScatter:
        return BlockRequest(CollectiveOp::ReduceScatter, GroupKind::Tp, deployment, shard);
    case Exchange::FfnAllGather:
    case Exchange::LayerAllGather:
        return BlockRequest(CollectiveOp::AllGather, GroupKind::Tp, deployment, shard);
    case Exchange::TokenCounts:
        return CountExchange(deployment);
    case Exchange::Dispatch:
        return TokenExchange(false, phase, deployment);
    case Exchange::Combine:
        return TokenExchange(true, phase, deployment);
    case Exchange::ExpertAllGather:
        return BlockRequest(CollectiveOp::AllGather, GroupKind::ExpertTp, deployment, copies);
    case Exchange::ExpertReduceScatter:
        return BlockRequest(CollectiveOp::ReduceScatter, GroupKind::ExpertTp, deployment, copies);
    case Exchange::StageTransfer:
        return PairRequest(fromStage, fromStage + 1, deployment, shard);
    case Exchange::TokenReturn:
        return PairRequest(deployment.Map().Spec().pp - 1, 0, deployment, [&](uint32_t gpu) {
            return deployment.Sequences(gpu) * kTokenBytes;
        });
    case Exchange::CandidateAllGather:
        return BlockRequest(CollectiveOp::AllGather, GroupKind::Tp, deployment, [&](uint32_t gpu) {
            return deployment.Sequences(gpu) * std::min(kCandidates, deployment.Vocabulary(gpu)) * kCandidateBytes;
        });
    }
    return {};
}

} // namespace hbd::traffic
