/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_PRIORITY_QUEUES_H
#define HBD_PRIORITY_QUEUES_H

#include "hbd-packet-unit.h"

#include <cstdint>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What waits at one Ethernet egress: a first-in first-out queue per priority; one priority goes first always, the
 * others take turns.
 */
class PriorityQueues
{
  public:
    static constexpr uint32_t PRIORITIES = 8;

    /// \param control the priority that goes ahead of the others
    void SetControl(uint32_t control)
    {
        m_control = control;
    }

    /// Queues a unit behind the others of its priority (PacketUnit::channel).
    void Push(PacketUnitPool& pool, PacketUnit& unit)
    {
        m_queues[unit.channel].Push(pool, unit);
        m_bytes[unit.channel] += unit.wireBytes;
        m_waiting |= static_cast<uint8_t>(1U << unit.channel);
        m_units++;
    }

    /**
     * Whose turn it is.
     * \param paused priorities that must not send, bit per priority
     * \return PRIORITIES when nothing can be sent
     */
    uint32_t Select(uint8_t paused) const
    {
        uint32_t ready = m_waiting & ~static_cast<uint32_t>(paused);
        if (ready == 0)
        {
            return PRIORITIES;
        }
        if (ready >> m_control & 1)
        {
            return m_control;
        }
        uint32_t fromPointer = ready & (0xffU << m_pointer);
        return static_cast<uint32_t>(__builtin_ctz(fromPointer != 0 ? fromPointer : ready));
    }

    /// Takes the first unit of a priority that has one.
    PacketUnit& Pop(PacketUnitPool& pool, uint32_t priority)
    {
        PacketUnit& unit = m_queues[priority].Pop(pool);
        m_bytes[priority] -= unit.wireBytes;
        if (m_queues[priority].IsEmpty())
        {
            m_waiting &= static_cast<uint8_t>(~(1U << priority));
        }
        if (priority != m_control)
        {
            m_pointer = (priority + 1) % PRIORITIES;
        }
        m_units--;
        return unit;
    }

    bool IsEmpty() const
    {
        return m_waiting == 0;
    }

    uint64_t GetUnits() const
    {
        return m_units;
    }

    /// Bytes of one priority that wait, as they came in.
    uint64_t GetBytes(uint32_t priority) const
    {
        return m_bytes[priority];
    }

    /// The queue of one priority.
    const PacketUnitQueue& GetQueue(uint32_t priority) const
    {
        return m_queues[priority];
    }

    /// First unit of the lowest waiting priority; there must be one.
    PacketUnit& Front(PacketUnitPool& pool) const
    {
        return m_queues[__builtin_ctz(m_waiting)].Front(pool);
    }

    /// Priority that is looked at first (state that outlives quiescence).
    uint32_t GetPointer() const
    {
        return m_pointer;
    }

    void SetPointer(uint32_t pointer)
    {
        m_pointer = pointer;
    }

  private:
    PacketUnitQueue m_queues[PRIORITIES];
    uint64_t m_bytes[PRIORITIES] = {};
    uint64_t m_units = 0;
    uint32_t m_control = 6;
    uint32_t m_pointer = 0;
    uint8_t m_waiting = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_PRIORITY_QUEUES_H */
