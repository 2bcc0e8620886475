/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-walk.h"

#include <algorithm>
#include <map>

namespace hbd::traffic
{

ScheduleWalk::ScheduleWalk(Schedule& schedule)
    : m_schedule(schedule),
      m_heads(schedule.Ranks())
{
    m_schedule.Rewind();
    for (uint32_t rank = 0; rank < m_heads.size(); ++rank)
    {
        m_heads[rank].valid = m_schedule.Next(rank, m_heads[rank].instance);
    }
}

bool
ScheduleWalk::Next(std::vector<Participant>& participants)
{
    participants.clear();
    uint64_t epoch = UINT64_MAX;
    for (const auto& head : m_heads)
    {
        epoch = head.valid ? std::min(epoch, head.instance.epoch) : epoch;
    }
    for (uint32_t rank = 0; rank < m_heads.size(); ++rank)
    {
        Head& head = m_heads[rank];
        if (!head.valid || head.instance.epoch != epoch)
        {
            continue;
        }
        participants.push_back({rank, head.instance});
        head.valid = m_schedule.Next(rank, head.instance);
        if (head.valid && head.instance.epoch <= epoch)
        {
            m_disordered = rank;
        }
    }
    return !participants.empty();
}

std::vector<const Block*>
BlocksOf(const std::vector<Participant>& participants)
{
    std::vector<const Block*> blocks;
    blocks.reserve(participants.size());
    for (const auto& participant : participants)
    {
        blocks.push_back(participant.instance.block.get());
    }
    return blocks;
}

std::vector<DistinctItem>
DistinctItemsOf(Schedule& schedule)
{
    std::vector<DistinctItem> items;
    std::map<std::vector<const Block*>, size_t> index;
    ScheduleWalk walk(schedule);
    std::vector<Participant> participants;
    while (walk.Next(participants))
    {
        const auto [entry, isNew] = index.emplace(BlocksOf(participants), items.size());
        if (isNew)
        {
            items.push_back({participants, 0});
        }
        ++items[entry->second].repeat;
    }
    schedule.Rewind();
    return items;
}

} // namespace hbd::traffic
