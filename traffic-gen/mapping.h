/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_MAPPING_H
#define HBD_TRAFFIC_MAPPING_H

#include "scenario.h"

#include <cstdint>
#include <vector>

namespace hbd::traffic
{

/// A dimension along which GPUs form groups.
enum class GroupKind : uint8_t
{
    Tp,       ///< attention tensor parallel
    ExpertTp, ///< one expert's matrices
    Ep,       ///< expert parallel: token exchange
};

/// tp, expert-tp, ep.
const char* ToText(GroupKind kind);

/**
 * Which GPU plays which part. A pipeline stage is a run of gpus / PP consecutive GPUs; inside it, with `local` the
 * position: attention tp = local mod TP, dp = local / TP; experts: expert-TP is the inner, contiguous dimension (local
 * mod expert-TP), EP the outer, strided one (local / expert-TP).
 */
class Mapping
{
  public:
    /// Throws std::invalid_argument when TP x DP x PP or (for a model with experts) EP x expert-TP x PP is not the
    /// number of GPUs.
    Mapping(uint32_t gpus, const MappingSpec& spec, bool hasExperts);

    uint32_t Gpus() const;
    const MappingSpec& Spec() const;
    /// GPUs in a pipeline stage.
    uint32_t StageGpus() const;
    /// Pipeline stage of a GPU.
    uint32_t StageOf(uint32_t gpu) const;
    uint32_t TpIndex(uint32_t gpu) const;
    uint32_t DpIndex(uint32_t gpu) const;
    uint32_t ExpertTpIndex(uint32_t gpu) const;
    uint32_t EpIndex(uint32_t gpu) const;

    /**
     * All groups of a kind, stage by stage, each in order of its own dimension. Expert groups of a model without
     * experts: none. Every GPU is in exactly one.
     */
    std::vector<std::vector<uint32_t>> Groups(GroupKind kind) const;

    /// GPUs of each pair {sender, receiver} that hand activations from one pipeline stage to the next (same position).
    std::vector<std::vector<uint32_t>> StagePairs(uint32_t fromStage, uint32_t toStage) const;

    /// First layer of a pipeline stage and, for stage PP, the number of layers.
    uint32_t FirstLayer(uint32_t stage, uint32_t layers) const;

  private:
    uint32_t m_gpus;
    MappingSpec m_spec;
    bool m_hasExperts;
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_MAPPING_H
