/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SWITCH_REPLICATION_H
#define HBD_SWITCH_REPLICATION_H

#include "hbd-packet-unit.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * The input buffers of a switch from which copies are still to leave. A unit that is copied to several outputs holds its buffer until all copies have left,
 * which is when the one that ends last has: with bit errors, not always the one that starts last.
 */
class SwitchReplication
{
  public:
    /// A buffer that copies are taken from.
    struct Source
    {
        uint32_t port;      ///< input
        uint32_t wireBytes; ///< of the buffer
        uint32_t left;      ///< copies that have not started to leave
        uint32_t next;
        uint8_t channel;
        int64_t endPs;      ///< kernel time at which all copies that have started will have left
    };

    /// \return number of the buffer; reused once all copies have left
    uint32_t Begin(uint32_t port, const PacketUnit& unit, uint32_t copies)
    {
        uint32_t number = m_free;
        if (number == NO_INDEX)
        {
            number = static_cast<uint32_t>(m_sources.size());
            m_sources.emplace_back();
        }
        else
        {
            m_free = m_sources[number].next;
        }
        m_sources[number] = Source{port, unit.wireBytes, copies, NO_INDEX, unit.channel, 0};
        m_inUse++;
        return number;
    }

    /// A copy starts to leave. \param endPs kernel time at which it has left \return the buffer when no other is left, else null; valid until the next Begin
    const Source* Leave(uint32_t number, int64_t endPs)
    {
        Source& source = m_sources[number];
        source.endPs = std::max(source.endPs, endPs);
        if (--source.left != 0)
        {
            return nullptr;
        }
        source.next = m_free;
        m_free = number;
        m_inUse--;
        return &source;
    }

    /// Buffers held.
    uint32_t GetInUse() const
    {
        return m_inUse;
    }

  private:
    std::vector<Source> m_sources;
    uint32_t m_free = NO_INDEX;
    uint32_t m_inUse = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_SWITCH_REPLICATION_H */
