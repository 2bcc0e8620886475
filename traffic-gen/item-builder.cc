/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "item-builder.h"

#include <algorithm>

namespace hbd::traffic
{

ItemBuilder::ItemBuilder(ScheduleParts& parts, uint8_t phase)
    : m_parts(parts),
      m_assemblers(parts.ranks, BlockAssembler(phase))
{
}

void
ItemBuilder::AddStage(uint32_t rank, const StageWork& work)
{
    m_assemblers[rank].AddStage(work);
}

void
ItemBuilder::AddCollective(uint32_t label, uint32_t group, const std::vector<uint32_t>& ranks, const Lowering& lowering)
{
    CollectiveUse use;
    use.collective = label;
    use.group = group;
    use.ranks = static_cast<uint32_t>(
        std::count_if(lowering.members.begin(), lowering.members.end(), [](const auto& ops) { return !ops.empty(); }));
    for (size_t member = 0; member < ranks.size(); ++member)
    {
        m_assemblers[ranks[member]].AddCollective(use, lowering.members[member], lowering.transport, ranks, m_matchBase);
    }
    m_matchCount = std::max(m_matchCount, lowering.matchCount);
}

void
ItemBuilder::EndCollective()
{
    m_matchBase += m_matchCount;
    m_matchCount = 0;
}

uint16_t
ItemBuilder::Finish()
{
    ItemClass kind;
    for (auto& assembler : m_assemblers)
    {
        ComputeShape shape;
        shape.works = assembler.Works();
        kind.blocks.push_back(assembler.TakeBlock());
        if (kind.blocks.back())
        {
            for (const auto& compute : kind.blocks.back()->computes)
            {
                shape.stagesOfCompute.push_back(static_cast<uint32_t>(compute.stages.size()));
            }
        }
        kind.shapes.push_back(m_parts.AddShape(std::move(shape)));
    }
    m_parts.classes.push_back(std::move(kind));
    return static_cast<uint16_t>(m_parts.classes.size() - 1);
}

} // namespace hbd::traffic
