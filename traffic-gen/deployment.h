/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_DEPLOYMENT_H
#define HBD_TRAFFIC_DEPLOYMENT_H

#include "mapping.h"
#include "moe-routing.h"
#include "scenario.h"

#include <cstdint>
#include <vector>

namespace hbd::traffic
{

/// Prefill computes all input tokens of a sequence at once, decode one token a step.
enum class Phase : uint8_t
{
    Prefill,
    Decode,
};

/**
 * The part of the activations that a GPU holds between a reduce-scatter and an all-gather over TP: a range of tokens
 * with all their hidden elements, or, when its TP group has fewer tokens than ranks, all tokens of the group with a
 * slice of the hidden dimension.
 */
struct Shard
{
    TokenRange tokens;
    uint64_t slice = 0; ///< hidden elements of each token
};

/**
 * A model on a cluster: which tokens, heads, experts and weights each GPU has. Uneven divisions are exact: the first
 * parts get one more.
 */
class Deployment
{
  public:
    /// The scenario must outlive this; it must have a model and an inference workload. Throws std::invalid_argument as
    /// Mapping does.
    explicit Deployment(const Scenario& scenario);

    const Scenario& Source() const;
    const ModelSpec& Model() const;
    const InferenceWorkload& Workload() const;
    const Mapping& Map() const;

    /// Sequences of the GPU's DP group.
    uint64_t Sequences(uint32_t gpu) const;
    /// Tokens of the GPU's DP group, numbered over the whole batch.
    TokenRange GroupTokens(Phase phase, uint32_t gpu) const;
    /// Tokens of the whole batch.
    TokenRange AllTokens(Phase phase) const;
    /// The GPU's part of its group's activations.
    Shard ShardOf(Phase phase, uint32_t gpu) const;
    /// Bytes of the shard on the wire, a token's slice rounded up to whole bytes.
    uint64_t ShardWireBytes(Phase phase, uint32_t gpu) const;

    /// Attention heads of the GPU.
    uint64_t Heads(uint32_t gpu) const;
    /// KV heads that these heads use.
    uint64_t KvHeads(uint32_t gpu) const;
    /// Intermediate elements of the GPU's part of the dense FFN (over TP) or of each of its experts (over expert-TP).
    uint64_t FfnShare(uint32_t gpu) const;
    /// Rows of the GPU's part of the LM head.
    uint64_t Vocabulary(uint32_t gpu) const;
    /// Layers of the GPU's pipeline stage.
    uint64_t Layers(uint32_t gpu) const;
    /// Number of the first expert of an EP rank; EP rank `ep` gives the number of experts.
    uint32_t FirstExpert(uint32_t epRank) const;
    /// Token copies that each expert of the GPU computes in one layer; empty for a dense model.
    std::vector<uint64_t> ExpertCopies(Phase phase, uint32_t gpu) const;
    /// Which expert computes which token copy.
    const BalancedRouting& Routing() const;

    /**
     * Bytes that a GPU sends to each EP rank in the dispatch of a layer, in the order of its EP group. The combine is
     * the transpose.
     */
    std::vector<uint64_t> DispatchBytes(Phase phase, uint32_t gpu) const;

  private:
    const Scenario& m_scenario;
    Mapping m_mapping;
    BalancedRouting m_routing;
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_DEPLOYMENT_H
