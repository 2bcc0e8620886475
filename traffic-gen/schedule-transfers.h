/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCHEDULE_TRANSFERS_H
#define HBD_TRAFFIC_SCHEDULE_TRANSFERS_H

#include "schedule.h"

#include <cstdint>

namespace hbd::traffic
{

/// Whether an operation moves data of which it is the only record: all but Compute, Delay and Receive.
inline bool
MovesData(const Op& op)
{
    return op.kind == OpKind::Send || op.kind == OpKind::Read || op.kind == OpKind::Multicast ||
           op.kind == OpKind::SwitchReduce;
}

/**
 * Visits what an operation moves between two GPUs, as (source, destination), each op.bytes long: a send itself; a read
 * from its peer; a multicast once to each other rank of its group; a reduction once from each other rank of its group.
 * Seen from the GPUs' memories: on the links a multicast leaves once and a sum arrives once, and the rank's own part
 * goes to the switches and back.
 */
template <class Visit>
void
ForEachTransfer(uint32_t rank, const Block& block, const Op& op, Visit visit)
{
    if (op.kind == OpKind::Send)
    {
        visit(rank, op.peer);
    }
    else if (op.kind == OpKind::Read)
    {
        visit(op.peer, rank);
    }
    else if (op.kind == OpKind::Multicast || op.kind == OpKind::SwitchReduce)
    {
        for (uint32_t other : block.groups[op.peer])
        {
            if (other != rank && op.kind == OpKind::Multicast)
            {
                visit(rank, other);
            }
            else if (other != rank)
            {
                visit(other, rank);
            }
        }
    }
}

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCHEDULE_TRANSFERS_H
