/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-rdma-nic.h"

#include <sstream>

namespace ns3
{
namespace hbd
{

/// Words of one queue pair: its notification half, then its congestion control; none when all is as after set-up.
void
RdmaNic::SavePair(uint32_t index, std::vector<uint32_t>& words) const
{
    const RdmaQueuePair& pair = *m_pairs[index];
    int64_t nowPs = m_context->kernel->NowPs();
    auto wait = static_cast<uint64_t>(pair.receiver.GetNoticeWaitPs(nowPs));
    size_t start = words.size();
    words.push_back(static_cast<uint32_t>(wait));
    words.push_back(static_cast<uint32_t>(wait >> 32));
    pair.GetControl().SaveState(nowPs, words);
    if (wait == 0 && words.size() == start + 2)
    {
        words.resize(start);
    }
}

void
RdmaNic::RestorePair(uint32_t index, const uint32_t* words, uint32_t count)
{
    RdmaQueuePair& pair = *m_pairs[index];
    int64_t nowPs = m_context->kernel->NowPs();
    uint64_t wait = count == 0 ? 0 : words[0] | static_cast<uint64_t>(words[1]) << 32;
    pair.receiver.SetNoticeWaitPs(nowPs, static_cast<int64_t>(wait));
    pair.GetControl().RestoreState(nowPs, count == 0 ? nullptr : words + 2, count == 0 ? 0 : count - 2);
}

void
RdmaNic::SaveState(std::vector<uint32_t>& words) const
{
    words.push_back(m_pointer);
    words.push_back(m_toNetwork.GetPointer());
    for (size_t remote = 0; remote + 1 < m_nextPair.size(); remote += 2)
    {
        words.push_back(m_nextPair[remote] | static_cast<uint32_t>(m_nextPair[remote + 1]) << 16);
    }
    if (m_nextPair.size() % 2 != 0)
    {
        words.push_back(m_nextPair.back());
    }
    size_t count = words.size();
    words.push_back(0);
    for (uint32_t index = 0; index < m_pairs.size(); index++)
    {
        // a queue pair whose state is as after its set-up counts as none: which pairs exist is history
        if (!m_pairs[index])
        {
            continue;
        }
        size_t start = words.size();
        words.push_back(index);
        words.push_back(0);
        SavePair(index, words);
        auto length = static_cast<uint32_t>(words.size() - start - 2);
        words[start + 1] = length;
        if (length == 0)
        {
            words.resize(start);
            continue;
        }
        words[count]++;
    }
}

void
RdmaNic::RestoreState(const uint32_t*& words)
{
    m_pointer = *words++;
    m_toNetwork.SetPointer(*words++);
    for (size_t remote = 0; remote < m_nextPair.size(); remote++)
    {
        m_nextPair[remote] = static_cast<uint16_t>(remote % 2 == 0 ? *words : *words++ >> 16);
    }
    words += m_nextPair.size() % 2;
    uint32_t count = *words++;
    uint32_t index = 0;
    for (uint32_t i = 0; i <= count; i++)
    {
        auto next = i < count ? words[0] : static_cast<uint32_t>(m_pairs.size());
        for (; index < next; index++)
        {
            if (m_pairs[index])
            {
                RestorePair(index, nullptr, 0);
            }
        }
        if (i < count)
        {
            GetQueuePair(next / m_queuePairs, next % m_queuePairs);
            RestorePair(next, words + 2, words[1]);
            words += 2 + words[1];
            index = next + 1;
        }
    }
}

bool
RdmaNic::IsDrained() const
{
    for (const auto& pair : m_pairs)
    {
        if (pair && !pair->IsIdle())
        {
            return false;
        }
    }
    return m_toNetwork.IsEmpty() && m_toHost.IsEmpty() && m_buffer.IsEmpty() && m_host->IsIdle() &&
           m_ethernet->IsIdle();
}

void
RdmaNic::DescribeBlocked(std::vector<std::string>& lines) const
{
    for (const auto& pair : m_pairs)
    {
        if (pair && !pair->IsIdle())
        {
            std::ostringstream line;
            line << "queue pair to gpu" << pair->GetRemote() << ": " << pair->GetWaiting() << " messages wait, "
                 << pair->GetUnacknowledged() << " B are not acknowledged";
            lines.push_back(line.str());
        }
    }
    uint32_t ready = m_ready.Next(m_pointer);
    if (ready != RoundRobinSet::NONE)
    {
        uint32_t payload = m_pairs[ready]->sender.GetNextPayload(m_context->messages);
        uint32_t bytes = m_gpuPort->GetWireBytes(payload);
        std::ostringstream line;
        line << "the GPU's end of the host link (port " << m_gpuPort->GetId() << ") has "
             << (m_gpuPort->HasCredit(0, bytes) ? "credit" : "no credit") << " for the next " << bytes << " B";
        lines.push_back(line.str());
    }
    if (!m_toNetwork.IsEmpty())
    {
        std::ostringstream line;
        line << m_toNetwork.GetUnits() << " units, " << m_ethernet->GetQueuedBytes()
             << " B wait for the Ethernet port (port " << m_ethernet->GetId() << ")"
             << (m_ethernet->GetPaused() != 0 ? ", paused by the switch" : "");
        lines.push_back(line.str());
    }
    if (!m_toHost.IsEmpty())
    {
        std::ostringstream line;
        line << m_host->GetQueuedBytes() << " B wait for the host link (port " << m_host->GetId() << ")";
        lines.push_back(line.str());
    }
}

void
RdmaNic::GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const
{
    if (!m_toNetwork.IsEmpty())
    {
        waits.emplace_back(m_gpuPort->GetId(), m_ethernet->GetId());
    }
    if (!m_toHost.IsEmpty() && m_buffer.IsPaused(0, m_dataPriority))
    {
        waits.emplace_back(m_ethernet->GetPeer()->GetId(), m_host->GetId());
    }
}

} // namespace hbd
} // namespace ns3
