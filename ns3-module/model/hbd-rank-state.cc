/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-rank-state.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

void
RankState::BeginBlock()
{
    const auto& operations = block->block->operations;
    status.assign(operations.size(), OPERATION_WAITING);
    pending.resize(operations.size());
    for (size_t i = 0; i < operations.size(); i++)
    {
        pending[i] = operations[i].dependencyCount;
    }
    open = static_cast<uint32_t>(operations.size());
    collectiveOpen = block->operationsOfCollective;
    runs.assign(block->block->collectives.size(), nullptr);
}

void
RankState::Save(std::vector<uint32_t>& words) const
{
    words.push_back(ended || !block ? NO_INDEX : block->shape);
    words.push_back(running);
    words.push_back(static_cast<uint32_t>(computeQueue.size()));
    words.insert(words.end(), computeQueue.begin(), computeQueue.end());
    words.push_back(static_cast<uint32_t>(early.size()));
    for (const auto& arrival : early)
    {
        uint64_t delta = arrival.epoch - instance.epoch;
        words.insert(words.end(), {static_cast<uint32_t>(delta), static_cast<uint32_t>(delta >> 32), arrival.source, arrival.match});
    }
    uint32_t word = 0;
    for (size_t i = 0; i < status.size(); i++)
    {
        word |= static_cast<uint32_t>(status[i]) << (i % 8 * 4);
        if (i % 8 == 7 || i + 1 == status.size())
        {
            words.push_back(word);
            word = 0;
        }
    }
}

void
RankState::Expand(const std::vector<uint32_t>& words, uint32_t rank, CollectiveTracker& tracker)
{
    expanded = true;
    const uint32_t* cursor = words.data();
    uint32_t shape = *cursor++;
    NS_ABORT_MSG_IF(shape != (ended || !block ? NO_INDEX : block->shape), "a saved rank state of another block");
    NS_ABORT_MSG_IF(*cursor++ != running, "a saved rank state with another operation running");
    computeQueue.resize(*cursor++);
    for (auto& operation : computeQueue)
    {
        operation = *cursor++;
    }
    early.resize(*cursor++);
    for (auto& arrival : early)
    {
        uint64_t delta = cursor[0] | static_cast<uint64_t>(cursor[1]) << 32;
        arrival = EarlyArrival{instance.epoch + delta, cursor[2], cursor[3]};
        cursor += 4;
    }
    if (shape == NO_INDEX)
    {
        status.clear();
        return;
    }
    BeginBlock();
    for (size_t i = 0; i < status.size(); i++)
    {
        status[i] = static_cast<uint8_t>(cursor[i / 8] >> (i % 8 * 4) & 15);
    }
    Recount(rank, tracker);
}

void
RankState::Recount(uint32_t rank, CollectiveTracker& tracker)
{
    const OperationBlock& content = *block->block;
    std::vector<bool> begun(content.collectives.size(), false);
    for (size_t i = 0; i < status.size(); i++)
    {
        const Operation& operation = content.operations[i];
        uint8_t at = status[i] & 7;
        for (uint32_t k = 0; k < operation.dependencyCount; k++)
        {
            uint32_t dependency = content.dependencies[operation.firstDependency + k];
            pending[i] -= (status[dependency] & 7) == OPERATION_DONE ? 1 : 0;
        }
        bool closed = at == OPERATION_DONE || (EndsWhenPosted(operation.kind) && at == OPERATION_ACTIVE);
        open -= closed ? 1 : 0;
        if (operation.collective != NO_COLLECTIVE)
        {
            collectiveOpen[operation.collective] -= closed ? 1 : 0;
            begun[operation.collective] = begun[operation.collective] || at != OPERATION_WAITING;
        }
    }
    unreadyRuns = 0;
    for (size_t c = 0; c < begun.size(); c++)
    {
        if (begun[c])
        {
            runs[c] = tracker.Find(CollectiveKey{instance.epoch, content.collectives[c].tag, content.collectives[c].group});
            if (runs[c] && std::find(runs[c]->waiting.begin(), runs[c]->waiting.end(), rank) != runs[c]->waiting.end())
            {
                unreadyRuns++;
            }
        }
    }
}

} // namespace hbd
} // namespace ns3
