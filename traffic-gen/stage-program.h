/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_STAGE_PROGRAM_H
#define HBD_TRAFFIC_STAGE_PROGRAM_H

#include "collective-lowering.h"
#include "deployment.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

/// A computation of one GPU. The order is that of StageNames().
enum class Stage : uint16_t
{
    Embedding,        ///< table lookup of all tokens of the DP group, on each of its TP ranks
    AttentionNorm,    ///< on all tokens of the group
    Qkv,              ///< heads split over TP
    Attention,        ///< causal in prefill; against the whole KV cache in decode
    OutputProjection, ///< gives partial sums over TP
    FfnNorm,          ///< residual and norm, on the shard
    Gate,             ///< scores of the experts, on the shard
    ExpertGemm,       ///< all matrices of the GPU's experts, one grouped kernel
    WeightedSum,      ///< of a token's top-k results, and the residual, on the shard
    FfnGemm,          ///< dense FFN, split over TP
    Residual,         ///< dense: adds the FFN's result, on the shard
    FinalNorm,        ///< on the last token of each sequence
    LmHead,           ///< vocabulary split over TP
    TopCandidates,    ///< the best kCandidates logits of each rank
    Sampling,         ///< among the candidates of all ranks, on each TP rank
};

/// Text of all stages, in order of the enumeration.
const std::vector<std::string>& StageNames();

/// A communication of the program.
enum class Exchange : uint16_t
{
    AttentionReduceScatter, ///< TP: partial sums of the output projection become shards
    TokenCounts,            ///< EP: how many tokens each expert is going to get from each rank
    Dispatch,               ///< EP: token copies to their experts
    ExpertAllGather,        ///< expert-TP: each rank of an expert gets all its tokens
    ExpertReduceScatter,    ///< expert-TP: partial sums back to who received the copy
    Combine,                ///< EP: results back to the token's owner
    FfnAllGather,           ///< TP, dense: shards become full activations
    FfnReduceScatter,       ///< TP, dense: partial sums become shards
    LayerAllGather,         ///< TP: shards become full activations for the next layer
    StageTransfer,          ///< shards to the next pipeline stage
    TokenReturn,            ///< sampled tokens from the last to the first pipeline stage
    CandidateAllGather,     ///< TP: best candidates of each part of the vocabulary
};

/// How records name it: attention-reduce-scatter, dispatch, ...
const char* ToText(Exchange exchange);

/// One entry of a program.
struct ProgramEntry
{
    bool isExchange = false;
    Stage stage = Stage::Embedding;
    Exchange exchange = Exchange::Dispatch;

    static ProgramEntry Of(Stage stage)
    {
        return {false, stage, Exchange::Dispatch};
    }

    static ProgramEntry Of(Exchange exchange)
    {
        return {true, Stage::Embedding, exchange};
    }
};

/// A layer-like unit: what a block is made from.
enum class UnitKind : uint8_t
{
    Embedding,
    Layer,
    LastLayerOfStage, ///< before another pipeline stage: hands shards over and so needs no all-gather
    StageTransfer,
    LmHead,
    TokenReturn,
};

/// Text of a unit, used as layer class: embedding, moe-layer or dense-layer, ...
std::string ToText(UnitKind kind, bool hasExperts);

/**
 * What a unit does, in order, the same for both phases. Exchanges over groups of one rank are left out; a GPU without
 * work in a stage skips it. Transformer layer with experts, TP with sequence sharding: norm, qkv, attention, output
 * projection, [reduce-scatter TP], norm, gate, [token counts EP], [dispatch EP], [all-gather expert-TP], expert GEMMs,
 * [reduce-scatter expert-TP], [combine EP], weighted sum, [all-gather TP]. Token counts where the library needs them.
 */
std::vector<ProgramEntry> ProgramOf(UnitKind kind,
                                    const ModelSpec& model,
                                    const MappingSpec& mapping,
                                    const LibrarySpec& library);

/// An exchange with exact bytes, for each of its groups.
struct ExchangeRequest
{
    bool pairwise = false; ///< point to point: each group is {sender, receiver} and blockBytes[0] of it is sent
    std::string group;     ///< tp, expert-tp, ep, pp
    std::vector<CollectiveRequest> groups;
};

/// Candidates that each TP rank offers to the sampling, per sequence.
constexpr uint64_t kCandidates = 64;
/// Bytes of a candidate: a 32-bit logit and a 32-bit token id.
constexpr uint64_t kCandidateBytes = 8;
/// Bytes of a number of tokens (PyTorch counts in 64-bit integers).
constexpr uint64_t kCountBytes = 8;
/// Bytes of a token id.
constexpr uint64_t kTokenBytes = 4;

/**
 * The groups of an exchange and what each member has.
 * \param fromStage for exchanges between pipeline stages: the sending one (TokenReturn: ignored)
 */
ExchangeRequest RequestOf(Exchange exchange, Phase phase, const Deployment& deployment, uint32_t fromStage = 0);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_STAGE_PROGRAM_H
