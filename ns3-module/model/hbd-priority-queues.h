/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_PRIORITY_QUEUES_H
#define HBD_PRIORITY_QUEUES_H

#include "hbd-packet-unit.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What waits at one Ethernet egress: a first-in first-out queue per priority. One priority goes first always; the
 * others share the rest of the link by weights, in bytes.
 *
 * They take turns: a turn adds QUANTUM bytes times the weight to what the priority may send, and lasts while that is
 * above 0; what the last unit took too much counts against its next turn. This is deficit round robin (Shreedhar and
 * Varghese, SIGCOMM 1995) that looks at a unit's length after it, not before (surplus round robin, Adiseshu, Parulkar
 * and Varghese, SIGCOMM 1996). A priority saves nothing for later: with an empty queue, or while it sends alone,
 * it has at most one unit's debt. When nothing waits, debts are forgotten.
 */
class PriorityQueues
{
  public:
    static constexpr uint32_t PRIORITIES = 8;
    /// What a turn is worth for a weight of 1, in bytes.
    static constexpr int64_t QUANTUM = 2048;
    using Weights = std::array<uint32_t, PRIORITIES>;

    /// \param control the priority that goes ahead of the others
    void SetControl(uint32_t control)
    {
        m_control = control;
    }

    /// \param weights by priority, each above 0; all 1 unless set
    void SetWeights(const Weights& weights)
    {
        m_weights = weights;
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
     * Whose turn it is. Begins the turn.
     * \param paused priorities that must not send, bit per priority
     * \return PRIORITIES when nothing can be sent
     */
    uint32_t Select(uint8_t paused)
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
        if (ready >> m_pointer & 1 && m_allowance[m_pointer] > 0)
        {
            return m_pointer;
        }
        m_allowance[m_pointer] = std::min<int64_t>(m_allowance[m_pointer], 0); // it is paused: no turn is saved
        if ((ready & (ready - 1)) == 0)
        {
            m_pointer = static_cast<uint32_t>(__builtin_ctz(ready));
            m_allowance[m_pointer] = 1;
            return m_pointer;
        }
        return SelectByWeight(ready);
    }

    /// Takes the first unit of a priority that has one.
    PacketUnit& Pop(PacketUnitPool& pool, uint32_t priority)
    {
        PacketUnit& unit = m_queues[priority].Pop(pool);
        m_bytes[priority] -= unit.wireBytes;
        m_allowance[priority] -= unit.wireBytes;
        m_units--;
        if (m_queues[priority].IsEmpty())
        {
            m_waiting &= static_cast<uint8_t>(~(1U << priority));
            m_allowance[priority] = std::min<int64_t>(m_allowance[priority], 0);
        }
        if (m_waiting == 0)
        {
            std::fill(m_allowance, m_allowance + PRIORITIES, 0);
        }
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

    /// Priority whose turn it was last: all of the state that outlives quiescence.
    uint32_t GetPointer() const
    {
        return m_pointer;
    }

    void SetPointer(uint32_t pointer)
    {
        m_pointer = pointer;
    }

  private:
    /// \param ready at least one priority
    uint32_t SelectByWeight(uint32_t ready)
    {
        SkipRounds(ready);
        do
        {
            uint32_t behind = ready & (~1U << m_pointer);
            m_pointer = static_cast<uint32_t>(__builtin_ctz(behind != 0 ? behind : ready));
            m_allowance[m_pointer] += QUANTUM * m_weights[m_pointer];
        } while (m_allowance[m_pointer] <= 0);
        return m_pointer;
    }

    /// Gives everybody as many turns as leave all in debt, so that no unit is too long for a few steps.
    void SkipRounds(uint32_t ready)
    {
        int64_t rounds = INT64_MAX;
        for (uint32_t left = ready; left != 0; left &= left - 1)
        {
            auto priority = static_cast<uint32_t>(__builtin_ctz(left));
            int64_t debt = std::max<int64_t>(0, -m_allowance[priority]);
            rounds = std::min(rounds, debt / (QUANTUM * m_weights[priority]));
        }
        for (uint32_t left = ready; rounds > 0 && left != 0; left &= left - 1)
        {
            auto priority = static_cast<uint32_t>(__builtin_ctz(left));
            m_allowance[priority] += rounds * QUANTUM * m_weights[priority];
        }
    }

    PacketUnitQueue m_queues[PRIORITIES];
    uint64_t m_bytes[PRIORITIES] = {};
    int64_t m_allowance[PRIORITIES] = {}; ///< bytes that may still be sent in this turn; below 0: a debt
    Weights m_weights{1, 1, 1, 1, 1, 1, 1, 1};
    uint64_t m_units = 0;
    uint32_t m_control = 6;
    uint32_t m_pointer = 0;
    uint8_t m_waiting = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_PRIORITY_QUEUES_H */
