/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-packet-unit.h"

#include <algorithm>
#include <cstring>

namespace ns3
{
namespace hbd
{

PacketUnitPool::~PacketUnitPool()
{
    for (auto& chunk : m_chunks)
    {
        for (uint32_t i = 0; i < CHUNK; i++)
        {
            if (chunk[i].packet)
            {
                chunk[i].packet->Unref();
            }
        }
    }
}

void
PacketUnitPool::Grow()
{
    auto base = static_cast<uint32_t>(m_chunks.size()) << CHUNK_BITS;
    m_chunks.push_back(std::make_unique<PacketUnit[]>(CHUNK));
    for (uint32_t i = CHUNK; i > 0; i--)
    {
        PacketUnit& unit = m_chunks.back()[i - 1];
        unit.index = base + i - 1;
        unit.packet = nullptr;
        unit.next = m_free;
        m_free = unit.index;
    }
}

PacketUnit&
PacketUnitPool::Allocate()
{
    if (m_free == NO_INDEX)
    {
        Grow();
    }
    PacketUnit& unit = Get(m_free);
    m_free = unit.next;
    uint32_t index = unit.index;
    std::memset(static_cast<void*>(&unit), 0, sizeof(unit));
    unit.index = index;
    unit.next = NO_INDEX;
    unit.message = NO_INDEX;
    m_inUse++;
    m_peak = std::max(m_peak, m_inUse);
    return unit;
}

PacketUnit&
PacketUnitPool::Copy(const PacketUnit& unit)
{
    PacketUnit& copy = Allocate();
    uint32_t index = copy.index;
    copy = unit;
    copy.index = index;
    copy.next = NO_INDEX;
    copy.packet = nullptr;
    return copy;
}

void
PacketUnitPool::DropPacket(PacketUnit& unit)
{
    if (unit.packet)
    {
        unit.packet->Unref();
        unit.packet = nullptr;
    }
}

void
PacketUnitPool::Free(PacketUnit& unit)
{
    DropPacket(unit);
    unit.next = m_free;
    m_free = unit.index;
    m_inUse--;
}

} // namespace hbd
} // namespace ns3
