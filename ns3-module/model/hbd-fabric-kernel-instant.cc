/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric-kernel.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

// What happens inside one instant; hbd-fabric-kernel.cc keeps what is to come.

void
FabricKernel::RunInstant()
{
    CollectDue();
    do
    {
        while (m_anyDue)
        {
            m_anyDue = false;
            for (uint32_t kind = 0; kind < KINDS; kind++)
            {
                if (!m_due[kind].empty())
                {
                    Dispatch(static_cast<RecordKind>(kind), m_due[kind]);
                }
            }
        }
        if (m_postRequested)
        {
            m_postRequested = false;
            m_rests += IsQuiescent() ? 1 : 0;
            if (m_listener)
            {
                m_listener->OnPost();
            }
        }
        if (!m_anyDue && !m_arbitration.empty())
        {
            RunArbitration();
        }
    } while (m_anyDue || m_postRequested || !m_arbitration.empty());
    m_rests += IsQuiescent() ? 1 : 0;
    if (m_watchInstants && m_listener)
    {
        m_listener->OnInstantEnd();
        NS_ABORT_MSG_IF(m_anyDue || m_postRequested || !m_arbitration.empty(), "OnInstantEnd must not add to the instant");
    }
}

void
FabricKernel::CollectDue()
{
    for (uint32_t i = 0; i < m_activeLanes.size();)
    {
        if (m_activeLanes[i].headTime != m_now)
        {
            i++;
            continue;
        }
        uint32_t lane = m_activeLanes[i].lane;
        PopDue(i, m_now, m_due[static_cast<uint32_t>(m_lanes[lane].kind)]);
        m_anyDue = true;
        if (i < m_activeLanes.size() && m_activeLanes[i].lane == lane)
        {
            i++;
        }
    }
    while (!m_heap.empty() && m_heap.front().record.time == m_now)
    {
        HeapRecord top = HeapPop();
        m_due[static_cast<uint32_t>(top.kind)].push_back(Pack(top.record.port, top.record.argument));
        m_anyDue = true;
    }
}

void
FabricKernel::Shuffle(std::vector<uint64_t>& batch)
{
    for (size_t i = batch.size(); i > 1; i--)
    {
        m_shuffleState = m_shuffleState * 6364136223846793005ULL + m_shuffleSeed * 2 + 1;
        std::swap(batch[i - 1], batch[(m_shuffleState >> 33) % i]);
    }
}

void
FabricKernel::Dispatch(RecordKind kind, std::vector<uint64_t>& due)
{
    if (due.size() == 1)
    {
        uint64_t key = due.front();
        due.clear();
        DispatchOne(kind, static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key));
        return;
    }
    m_batch.swap(due);
    if (m_shuffleSeed != 0)
    {
        Shuffle(m_batch);
    }
    if (kind == RecordKind::TIMER || kind == RecordKind::COMPUTE || kind == RecordKind::EXTERNAL)
    {
        DispatchSlots(kind);
        return;
    }
    m_sorter.Sort(m_batch);
    for (uint64_t key : m_batch)
    {
        DispatchOne(kind, static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key));
    }
    m_batch.clear();
}

uint32_t
FabricKernel::GetSlotOrder(RecordKind kind, uint32_t slot) const
{
    return kind == RecordKind::EXTERNAL ? m_external[slot].sequence : m_timers[slot].argument;
}

void
FabricKernel::DispatchSlots(RecordKind kind)
{
    // the record names a slot, which is history; the client's own argument is not
    m_timerBatch.clear();
    for (uint64_t key : m_batch)
    {
        auto slot = static_cast<uint32_t>(key);
        m_timerBatch.emplace_back(Pack(static_cast<uint32_t>(key >> 32), GetSlotOrder(kind, slot)), slot);
    }
    m_batch.clear();
    std::sort(m_timerBatch.begin(), m_timerBatch.end());
    for (const auto& [key, slot] : m_timerBatch)
    {
        DispatchOne(kind, static_cast<uint32_t>(key >> 32), slot);
    }
}

void
FabricKernel::DispatchOne(RecordKind kind, uint32_t port, uint32_t argument)
{
    m_total--;
    m_records++;
    if (kind == RecordKind::EXTERNAL)
    {
        Callback<void> callback = m_external[argument].callback;
        m_external[argument] = External();
        m_freeExternal.push_back(argument);
        m_externalCount++;
        NoteOutsideAction();
        callback();
        return;
    }
    if (kind == RecordKind::TIMER || kind == RecordKind::COMPUTE)
    {
        TimerSlot slot = m_timers[argument];
        m_timers[argument].pending = false;
        m_freeTimers.push_back(argument);
        if (slot.cancelled)
        {
            return;
        }
        argument = slot.argument;
    }
    if (CountsAsActive(kind))
    {
        m_active--;
    }
    if (m_clients[port])
    {
        m_clients[port]->OnRecord(kind, port, argument);
    }
}

void
FabricKernel::RunArbitration()
{
    m_arbitrationBatch.swap(m_arbitration);
    if (m_shuffleSeed != 0)
    {
        Shuffle(m_arbitrationBatch);
    }
    m_sorter.Sort(m_arbitrationBatch);
    for (uint64_t key : m_arbitrationBatch)
    {
        auto port = static_cast<uint32_t>(key >> 32);
        if (m_clients[port])
        {
            m_clients[port]->OnArbitration(port);
        }
    }
    m_arbitrationBatch.clear();
}

void
FabricKernel::PopDue(uint32_t activeIndex, int64_t now, std::vector<uint64_t>& batch)
{
    Lane& lane = m_lanes[m_activeLanes[activeIndex].lane];
    uint64_t mask = lane.ring.size() - 1;
    while (lane.head != lane.tail && lane.ring[lane.head & mask].time == now)
    {
        const Record& record = lane.ring[lane.head++ & mask];
        batch.push_back(Pack(record.port, record.argument));
    }
    if (lane.head == lane.tail)
    {
        m_activeLanes[activeIndex] = m_activeLanes.back();
        m_lanes[m_activeLanes[activeIndex].lane].activeIndex = activeIndex;
        m_activeLanes.pop_back();
    }
    else
    {
        m_activeLanes[activeIndex].headTime = lane.ring[lane.head & mask].time;
    }
}

} // namespace hbd
} // namespace ns3
