/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_MESSAGE_H
#define HBD_MESSAGE_H

#include "hbd-packet-unit.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/// A write of `bytes` from one GPU's memory into another's, while it is on its way.
struct Message
{
    uint32_t source;          ///< GPU
    uint32_t destination;     ///< GPU
    uint64_t bytes;           ///< payload
    uint64_t delivered;       ///< payload bytes that have arrived
    int64_t postedPs;         ///< kernel time at which it was posted
    uint64_t cookie;          ///< the poster's
    uint32_t burstPackets;    ///< most packets a unit of it carries
    uint8_t channel;          ///< virtual channel / priority
    uint8_t accounting;       ///< set of counters
    bool scaleOut;            ///< goes through the NICs
    bool inUse;
};

/// Messages under way, by slot. Slots are reused; no result depends on a slot's number.
class MessageTable
{
  public:
    uint32_t Allocate()
    {
        uint32_t slot;
        if (m_free.empty())
        {
            slot = static_cast<uint32_t>(m_messages.size());
            m_messages.emplace_back();
        }
        else
        {
            slot = m_free.back();
            m_free.pop_back();
        }
        m_messages[slot] = Message{};
        m_messages[slot].inUse = true;
        m_inUse++;
        return slot;
    }
    void Free(uint32_t slot)
    {
        m_messages[slot].inUse = false;
        m_free.push_back(slot);
        m_inUse--;
    }
    Message& operator[](uint32_t slot)
    {
        return m_messages[slot];
    }
    const Message& operator[](uint32_t slot) const
    {
        return m_messages[slot];
    }
    uint64_t GetInUse() const
    {
        return m_inUse;
    }
    uint32_t GetSlots() const
    {
        return static_cast<uint32_t>(m_messages.size());
    }

  private:
    std::vector<Message> m_messages;
    std::vector<uint32_t> m_free;
    uint64_t m_inUse = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_MESSAGE_H */
