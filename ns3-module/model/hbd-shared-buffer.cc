/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-shared-buffer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace hbd
{

void
SharedBuffer::Check(const SharedBufferConfig& config)
{
    if (config.size <= 0 || config.headroom < 0 || config.control < 0 || config.xonOffset < 0 || !(config.alpha > 0) ||
        !(config.lossyAlpha > 0))
    {
        throw std::invalid_argument(
            "a shared buffer needs a size and an alpha above 0; headroom, control reserve and XON offset not below 0");
    }
    int64_t most = std::max({config.size, config.headroom, config.control, config.xonOffset});
    if (most > MOST_BYTES || config.alpha > ALPHA_UNIT || config.lossyAlpha > ALPHA_UNIT)
    {
        throw std::invalid_argument("a shared buffer has sizes of at most " + std::to_string(MOST_BYTES) + " B, not " +
                                    std::to_string(most) + " B, and an alpha of at most " +
                                    std::to_string(ALPHA_UNIT));
    }
}

void
SharedBuffer::Configure(const SharedBufferConfig& config)
{
    Check(config);
    int64_t groups = static_cast<int64_t>(config.ports) * __builtin_popcount(config.lossless);
    if (config.headroom != 0 && groups >= config.size / config.headroom + (config.size % config.headroom != 0 ? 1 : 0))
    {
        throw std::invalid_argument("a buffer of " + std::to_string(config.size) + " B has no room for " +
                                    std::to_string(groups) + " headrooms of " + std::to_string(config.headroom) +
                                    " B and a shared part");
    }
    m_shared = config.size - groups * config.headroom;
    m_lossyBytes.assign(static_cast<size_t>(config.ports) * PRIORITIES, 0);
    m_groups.assign(static_cast<size_t>(config.ports) * PRIORITIES, Group());
    m_used = 0;
    m_control = config.control;
    m_headroom = config.headroom;
    m_xonOffset = config.xonOffset;
    m_alpha = std::max<int64_t>(1, std::llround(config.alpha * static_cast<double>(ALPHA_UNIT)));
    m_lossyAlpha = std::max<int64_t>(1, std::llround(config.lossyAlpha * static_cast<double>(ALPHA_UNIT)));
    m_lossless = config.lossless;
}

bool
SharedBuffer::HasRoom(uint32_t port, uint32_t priority, int64_t bytes) const
{
    const Group& group = m_groups[port * PRIORITIES + priority];
    bool fits = m_used + bytes <= m_shared;
    if ((m_lossless >> priority & 1) == 0)
    {
        return fits || bytes <= m_control;
    }
    return (fits && !group.paused && group.shared + bytes <= GetThreshold()) || group.headroom + bytes <= m_headroom;
}

bool
SharedBuffer::Admit(uint32_t port, uint32_t priority, int64_t bytes)
{
    Group& group = m_groups[port * PRIORITIES + priority];
    bool lossless = (m_lossless >> priority & 1) != 0;
    bool fits = m_used + bytes <= m_shared;
    if (fits && (!lossless || (!group.paused && group.shared + bytes <= GetThreshold())))
    {
        group.shared += bytes;
        m_used += bytes;
        return false;
    }
    if (!lossless)
    {
        AdmitToReserve(group, bytes);
        return false;
    }
    group.headroom += bytes;
    if (group.headroom > m_headroom)
    {
        throw std::overflow_error("ingress port " + std::to_string(port) + ", priority " + std::to_string(priority) +
                                  ": " + std::to_string(group.headroom) + " B arrived after XOFF, the headroom is " +
                                  std::to_string(m_headroom) + " B");
    }
    bool first = !group.paused;
    group.paused = true;
    return first;
}

void
SharedBuffer::AdmitToReserve(Group& group, int64_t bytes)
{
    if (bytes > m_control)
    {
        throw std::overflow_error("control traffic of " + std::to_string(bytes) +
                                  " B finds the shared part full and " + std::to_string(m_control) +
                                  " B of the control reserve free");
    }
    group.headroom += bytes;
    m_control -= bytes;
}

bool
SharedBuffer::AdmitLossy(uint32_t egress, uint32_t priority, int64_t bytes)
{
    int64_t& held = m_lossyBytes[egress * PRIORITIES + priority];
    int64_t free = m_shared - m_used;
    if (bytes > free || held + bytes > free * m_lossyAlpha / ALPHA_UNIT)
    {
        return false;
    }
    held += bytes;
    m_used += bytes;
    return true;
}

void
SharedBuffer::ReleaseLossy(uint32_t egress, uint32_t priority, int64_t bytes)
{
    m_lossyBytes[egress * PRIORITIES + priority] -= bytes;
    m_used -= bytes;
}

bool
SharedBuffer::Release(uint32_t port, uint32_t priority, int64_t bytes)
{
    Group& group = m_groups[port * PRIORITIES + priority];
    int64_t fromHeadroom = std::min(bytes, group.headroom);
    group.headroom -= fromHeadroom;
    m_control += (m_lossless >> priority & 1) != 0 ? 0 : fromHeadroom;
    group.shared -= bytes - fromHeadroom;
    m_used -= bytes - fromHeadroom;
    if (!group.paused || group.headroom != 0)
    {
        return false;
    }
    if (group.shared != 0 && group.shared + m_xonOffset > GetThreshold())
    {
        return false;
    }
    group.paused = false;
    return true;
}

bool
SharedBuffer::IsEmpty() const
{
    return m_used == 0 && std::all_of(m_groups.begin(), m_groups.end(), [](const Group& group) {
               return group.headroom == 0 && group.shared == 0 && !group.paused;
           });
}

} // namespace hbd
} // namespace ns3
