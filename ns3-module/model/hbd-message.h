/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_MESSAGE_H
#define HBD_MESSAGE_H

#include "hbd-packet-unit.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace hbd
{

/// How a message moves its data.
enum class MessageKind : uint8_t
{
    WRITE,     ///< from `source`, which issues it, to `destination`
    READ,      ///< the same way, issued by `destination`
    MULTICAST, ///< from `source` to all members of a group, copied by the switches
    REDUCE,    ///< the sum over all members of a group, made by the switches, to `destination`, which issues it
};

/// What is asked of a fabric.
struct Posting
{
    MessageKind kind = MessageKind::WRITE;
    uint32_t issuer = 0;                           ///< GPU whose kernel asks for it
    uint32_t peer = 0;                             ///< WRITE, READ: GPU at the other end
    const std::vector<uint32_t>* group = nullptr;  ///< MULTICAST, REDUCE: the members, the issuer included, ascending
    uint64_t bytes = 0;                            ///< payload
    uint64_t copyRate = 0;                         ///< Operation::copyRate
    uint32_t packetPayload = 0;                    ///< Operation::packetPayload
    uint8_t accounting = 0;                        ///< set of counters
    uint64_t cookie = 0;                           ///< handed back with its delivery
};

/// `bytes` from one GPU's memory into another's, while they are on their way.
struct Message
{
    uint32_t source;          ///< GPU; NO_INDEX: a group
    uint32_t destination;     ///< GPU; NO_INDEX: a group
    uint64_t bytes;           ///< payload, of one copy
    uint64_t delivered;       ///< payload bytes that have arrived; MULTICAST: at all members together
    uint64_t copyRate;        ///< Operation::copyRate
    uint32_t packetPayload;   ///< most payload of a packet; 0: what the link allows
    uint32_t group;           ///< MULTICAST, REDUCE: number in SwitchGroups
    std::vector<uint64_t> memberDelivered; ///< MULTICAST: what has arrived, by member
    uint32_t membersDone;     ///< MULTICAST: members at which all of it has arrived
    MessageKind kind;
    int64_t postedPs;         ///< kernel time at which it was posted
    uint64_t cookie;          ///< the poster's
    uint32_t burstPackets;    ///< most packets a unit of it carries
    uint8_t channel;          ///< virtual channel / priority
    uint8_t accounting;       ///< set of counters
    bool scaleOut;            ///< goes through the NICs
    bool inUse;

    /// GPU that issued it.
    uint32_t GetIssuer() const
    {
        return kind == MessageKind::WRITE || kind == MessageKind::MULTICAST ? source : destination;
    }
    /// Whether the issuer sends requests, not data.
    bool IsAsking() const
    {
        return kind == MessageKind::READ || kind == MessageKind::REDUCE;
    }
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
        Message& message = m_messages[slot];
        std::vector<uint64_t> emptied = std::move(message.memberDelivered); // its memory is used again
        emptied.clear();
        message = Message{};
        message.memberDelivered = std::move(emptied);
        message.inUse = true;
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
