/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mapping.h"

#include "shares.h"

#include <fmt/format.h>
#include <stdexcept>

namespace hbd::traffic
{

const char*
ToText(GroupKind kind)
{
    switch (kind)
    {
    case GroupKind::Tp:
        return "tp";
    case GroupKind::ExpertTp:
        return "expert-tp";
    case GroupKind::Ep:
        return "ep";
    }
    return "unknown";
}

Mapping::Mapping(uint32_t gpus, const MappingSpec& spec, bool hasExperts)
    : m_gpus(gpus),
      m_spec(spec),
      m_hasExperts(hasExperts)
{
    const uint64_t attention = static_cast<uint64_t>(spec.tp) * spec.dp * spec.pp;
    const uint64_t experts = static_cast<uint64_t>(spec.ep) * spec.expertTp * spec.pp;
    if (gpus == 0 || attention != gpus || (hasExperts && experts != gpus))
    {
        throw std::invalid_argument(
            fmt::format("mapping: TP {} x DP {} x PP {} and EP {} x expert-TP {} x PP {} must be {} GPUs",
                        spec.tp,
                        spec.dp,
                        spec.pp,
                        spec.ep,
                        spec.expertTp,
                        spec.pp,
                        gpus));
    }
}

uint32_t
Mapping::Gpus() const
{
    return m_gpus;
}

const MappingSpec&
Mapping::Spec() const
{
    return m_spec;
}

uint32_t
Mapping::StageGpus() const
{
    return m_gpus / m_spec.pp;
}

uint32_t
Mapping::StageOf(uint32_t gpu) const
{
    return gpu / StageGpus();
}

uint32_t
Mapping::TpIndex(uint32_t gpu) const
{
    return gpu % StageGpus() % m_spec.tp;
}

uint32_t
Mapping::DpIndex(uint32_t gpu) const
{
    return gpu % StageGpus() / m_spec.tp;
}

uint32_t
Mapping::ExpertTpIndex(uint32_t gpu) const
{
    return gpu % StageGpus() % m_spec.expertTp;
}

uint32_t
Mapping::EpIndex(uint32_t gpu) const
{
    return gpu % StageGpus() / m_spec.expertTp;
}

std::vector<std::vector<uint32_t>>
Mapping::Groups(GroupKind kind) const
{
    if (kind != GroupKind::Tp && !m_hasExperts)
    {
        return {};
    }
    const uint32_t size = kind == GroupKind::Tp ? m_spec.tp : kind == GroupKind::ExpertTp ? m_spec.expertTp : m_spec.ep;
    const uint32_t perStage = StageGpus() / size;
    std::vector<std::vector<uint32_t>> groups(static_cast<size_t>(perStage) * m_spec.pp);
    for (uint32_t gpu = 0; gpu < m_gpus; ++gpu)
    {
        const uint32_t inStage = kind == GroupKind::Tp         ? DpIndex(gpu)
                                 : kind == GroupKind::ExpertTp ? EpIndex(gpu)
                                                               : ExpertTpIndex(gpu);
        groups[StageOf(gpu) * perStage + inStage].push_back(gpu);
    }
    return groups;
}

std::vector<std::vector<uint32_t>>
Mapping::StagePairs(uint32_t fromStage, uint32_t toStage) const
{
    std::vector<std::vector<uint32_t>> pairs;
    for (uint32_t local = 0; local < StageGpus(); ++local)
    {
        pairs.push_back({fromStage * StageGpus() + local, toStage * StageGpus() + local});
    }
    return pairs;
}

uint32_t
Mapping::FirstLayer(uint32_t stage, uint32_t layers) const
{
    return static_cast<uint32_t>(ShareOffset(layers, m_spec.pp, stage));
}

} // namespace hbd::traffic
