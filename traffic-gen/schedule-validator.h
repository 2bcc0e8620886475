/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCHEDULE_VALIDATOR_H
#define HBD_TRAFFIC_SCHEDULE_VALIDATOR_H

#include "cluster-shape.h"
#include "schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hbd::traffic
{

/**
 * Proves a schedule executable, whatever the fabric: in every epoch each send has exactly one receive of the same bytes
 * and the other way round, a multicast one at each other rank of its group; no rank sends to itself; who is read takes
 * part in the epoch; reads stay inside a domain and so do switch groups, which are ascending and hold their rank;
 * dependencies point backwards, labels and durations fit, the groups of a collective are complete, and executing the
 * operations symbolically completes them all. A rank enters its next block only when the last one is complete, and
 * epochs grow on every rank, so epochs that complete one by one cannot wait for one another. Items with the same blocks
 * are checked once.
 *
 * The schedule is pulled to its end and rewound.
 * \return what is wrong, at most so many texts; empty when nothing is
 */
std::vector<std::string> ValidateSchedule(Schedule& schedule, const ClusterShape& shape, size_t most = 20);

/// What the validator looks at, for reports and tests.
struct ScheduleTotals
{
    uint64_t items = 0;         ///< epochs in which some rank takes part
    uint64_t distinctItems = 0; ///< different combinations of blocks
    uint64_t blocks = 0;        ///< instances of all ranks
    uint64_t operations = 0;    ///< of all instances
    uint64_t sendBytes = 0;     ///< of all instances; a multicast counts once for each receiver
    uint64_t receiveBytes = 0;  ///< equal to sendBytes in a valid schedule
    uint64_t readBytes = 0;     ///< of reads, and of reductions in the switch once for each other member of the group
};

/// Adds a whole schedule up; rewinds it.
ScheduleTotals TotalsOf(Schedule& schedule);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCHEDULE_VALIDATOR_H
