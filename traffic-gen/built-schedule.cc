/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "built-schedule.h"

namespace hbd::traffic
{

uint32_t
ScheduleParts::AddShape(ComputeShape shape)
{
    for (const auto& work : shape.works)
    {
        shape.grows = shape.grows || work.GrowsWithStep();
    }
    const auto [entry, isNew] = m_shapeIndex.emplace(shape, static_cast<uint32_t>(shapes.size()));
    if (isNew)
    {
        shapes.push_back(std::move(shape));
    }
    return entry->second;
}

BuiltSchedule::BuiltSchedule(ScheduleParts parts)
    : m_parts(std::move(parts)),
      m_next(m_parts.ranks, 0),
      m_cached(m_parts.shapes.size())
{
}

uint32_t
BuiltSchedule::Ranks() const
{
    return m_parts.ranks;
}

bool
BuiltSchedule::Next(uint32_t rank, Instance& instance)
{
    for (size_t item = m_next[rank]; item < m_parts.items.size(); ++item)
    {
        const ItemClass& kind = m_parts.classes[m_parts.classOfItem[item]];
        if (kind.blocks[rank])
        {
            instance.block = kind.blocks[rank];
            instance.durations = DurationsOf(kind.shapes[rank], m_parts.items[item].step);
            instance.epoch = item;
            instance.item = static_cast<uint32_t>(item);
            m_next[rank] = item + 1;
            return true;
        }
    }
    m_next[rank] = m_parts.items.size();
    return false;
}

const Durations&
BuiltSchedule::DurationsOf(uint32_t index, uint32_t step)
{
    Cached& cached = m_cached[index];
    const ComputeShape& shape = m_parts.shapes[index];
    if (cached.filled && (!shape.grows || cached.step == step))
    {
        return cached.durations;
    }
    std::vector<int64_t> stages;
    std::vector<int64_t> operations;
    size_t work = 0;
    for (uint32_t count : shape.stagesOfCompute)
    {
        int64_t sum = 0;
        for (uint32_t i = 0; i < count; ++i, ++work)
        {
            stages.push_back(StageTime(shape.works[work], m_parts.gpu, m_parts.precision, step).Picoseconds());
            sum += stages.back();
        }
        operations.push_back(sum);
    }
    cached.filled = true;
    cached.step = step;
    cached.durations.operations = std::make_shared<const std::vector<int64_t>>(std::move(operations));
    cached.durations.stages = std::make_shared<const std::vector<int64_t>>(std::move(stages));
    return cached.durations;
}

void
BuiltSchedule::Rewind()
{
    m_next.assign(m_parts.ranks, 0);
}

const std::vector<Item>&
BuiltSchedule::Items() const
{
    return m_parts.items;
}

const std::vector<CollectiveLabel>&
BuiltSchedule::Collectives() const
{
    return m_parts.collectives;
}

const std::vector<std::string>&
BuiltSchedule::PhaseNames() const
{
    return m_parts.phaseNames;
}

const std::vector<std::string>&
BuiltSchedule::LayerClassNames() const
{
    return m_parts.layerClassNames;
}

const std::vector<std::string>&
BuiltSchedule::StageNames() const
{
    return traffic::StageNames();
}

} // namespace hbd::traffic
