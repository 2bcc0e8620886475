/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RANK_STATE_H
#define HBD_RANK_STATE_H

#include "hbd-collective-tracker.h"
#include "hbd-packet-unit.h"
#include "hbd-prepared-block.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * How far an operation is. Bits 0-2; OPERATION_ARRIVED is a flag beside it.
 */
enum OperationStatus : uint8_t
{
    OPERATION_WAITING, ///< for dependencies
    OPERATION_READY,   ///< dependencies met; what moves data waits to be posted, a compute for the engine
    OPERATION_ACTIVE,  ///< posted, running
    OPERATION_DONE,
    OPERATION_ARRIVED = 8, ///< RECEIVE: its data is here
};

/**
 * \ingroup hbd
 * A message that came for a block which its receiver has not entered.
 */
struct EarlyArrival
{
    uint64_t epoch;
    uint32_t source;
    uint32_t match;

    bool operator<(const EarlyArrival& other) const
    {
        return std::tie(epoch, source, match) < std::tie(other.epoch, other.source, other.match);
    }
};

/**
 * \ingroup hbd
 * Where a rank is in its program. What depends on single operations (`status` to `early`) is kept only while `expanded`: a replayed span
 * sets `snapshot` alone, and it is expanded again when packets are needed.
 */
struct RankState
{
    const PreparedBlock* block = nullptr; ///< null before the first block and after the last
    BlockInstance instance;
    bool ended = false;
    bool sourceOver = false;              ///< nothing more to pull
    uint32_t running = NO_INDEX;          ///< COMPUTE that has the engine
    uint64_t computeTimer = 0;            ///< FabricKernel::TimerId of that COMPUTE
    int64_t computeDuePs = 0;             ///< when it ends, kernel time
    int64_t accountedPs = 0;              ///< waiting is counted up to here
    std::deque<BlockInstance> next;       ///< pulled ahead
    uint32_t snapshot = NO_INDEX;         ///< number of the saved state that it is in, or NO_INDEX
    bool expanded = true;

    std::vector<uint8_t> status;          ///< by operation
    std::vector<uint32_t> pending;        ///< by operation: dependencies that are not complete
    uint32_t open = 0;                    ///< operations not complete (EndsWhenPosted: not posted)
    std::vector<uint32_t> collectiveOpen; ///< by collective of the block, the same
    std::vector<CollectiveRun*> runs;     ///< by collective of the block; null before this rank begins it, not looked at once it is over
    std::vector<uint32_t> computeQueue;   ///< ready COMPUTEs, in order
    std::vector<EarlyArrival> early;      ///< sorted
    uint32_t unreadyRuns = 0;             ///< collectives it is in that another rank has not begun

    /// Status of everything as at the start of its block. `block` is set.
    void BeginBlock();
    /// Appends the state of all operations.
    void Save(std::vector<uint32_t>& words) const;
    /// Rebuilds what Save wrote; `block`, `instance` and `running` are set.
    void Expand(const std::vector<uint32_t>& words, uint32_t rank, CollectiveTracker& tracker);

  private:
    void Recount(uint32_t rank, CollectiveTracker& tracker);
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_RANK_STATE_H */
