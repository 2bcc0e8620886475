/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCHEDULE_WALK_H
#define HBD_TRAFFIC_SCHEDULE_WALK_H

#include "schedule.h"

#include <cstdint>
#include <vector>

namespace hbd::traffic
{

/// One rank's part in an item.
struct Participant
{
    uint32_t rank = 0;
    Instance instance;
};

/**
 * Goes through a schedule item by item: pulls every rank's blocks and hands over, epoch by epoch, all ranks that take
 * part. Starts from the beginning and leaves the schedule at its end.
 */
class ScheduleWalk
{
  public:
    explicit ScheduleWalk(Schedule& schedule);

    /**
     * The next epoch.
     * \param participants in rank order
     * \return false at the end
     */
    bool Next(std::vector<Participant>& participants);

    /// A rank whose epochs do not grow; -1: none so far. Its blocks since then are not in order.
    int64_t DisorderedRank() const
    {
        return m_disordered;
    }

  private:
    struct Head
    {
        bool valid = false;
        Instance instance;
    };

    Schedule& m_schedule;
    std::vector<Head> m_heads; ///< by rank: the block that comes next
    int64_t m_disordered = -1;
};

/**
 * What makes two items equal except for their durations: the blocks, rank by rank. Equal blocks mean equal operations.
 */
std::vector<const Block*> BlocksOf(const std::vector<Participant>& participants);

/// An item that stands for all items with the same blocks.
struct DistinctItem
{
    std::vector<Participant> participants; ///< of the first occurrence
    uint64_t repeat = 0;                   ///< how many items have these blocks
};

/// The different items of a schedule in order of first occurrence; rewinds the schedule.
std::vector<DistinctItem> DistinctItemsOf(Schedule& schedule);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCHEDULE_WALK_H
