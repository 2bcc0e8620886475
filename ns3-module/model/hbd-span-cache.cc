/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-span-cache.h"

#include "hbd-packet-unit.h"

#include <stdexcept>

namespace ns3
{
namespace hbd
{

uint64_t
WordInterner::Hash(const std::vector<uint32_t>& words) const
{
    if (m_collide)
    {
        return 0;
    }
    uint64_t hash = words.size();
    size_t i = 0;
    for (; i + 1 < words.size(); i += 2)
    {
        uint64_t pair = words[i] | static_cast<uint64_t>(words[i + 1]) << 32;
        hash = (hash ^ pair) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32;
    }
    if (i < words.size())
    {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32;
    }
    return hash;
}

uint32_t
WordInterner::Find(const std::vector<uint32_t>& words) const
{
    auto range = m_byHash.equal_range(Hash(words));
    for (auto it = range.first; it != range.second; ++it)
    {
        if (m_words[it->second] == words)
        {
            return it->second;
        }
    }
    return NO_INDEX;
}

uint32_t
WordInterner::Intern(const std::vector<uint32_t>& words)
{
    uint32_t known = Find(words);
    if (known != NO_INDEX)
    {
        return known;
    }
    auto number = static_cast<uint32_t>(m_words.size());
    m_words.push_back(words);
    m_byHash.emplace(Hash(words), number);
    m_memory += words.size() * sizeof(uint32_t) + 64;
    return number;
}

uint64_t
SpanRecord::GetMemory() const
{
    return sizeof(*this) + running.size() * sizeof(Running) + pulls.size() * sizeof(Pull) + computes.size() * sizeof(Compute) +
           blocksDone.size() * sizeof(BlockDone) + collectives.size() * sizeof(CollectiveRun) + messages.size() * sizeof(Messages) +
           open.size() * sizeof(Open) + ranks.size() * sizeof(RankEnd) + sums.size() * sizeof(sums[0]) +
           integrals.size() * sizeof(integrals[0]) + maxima.size() * sizeof(maxima[0]);
}

const std::vector<uint32_t>&
SpanCache::Find(const std::vector<uint32_t>& key) const
{
    static const std::vector<uint32_t> none;
    uint32_t number = m_keys.Find(key);
    return number == NO_INDEX ? none : m_byKey[number];
}

uint32_t
SpanCache::Add(const std::vector<uint32_t>& key, SpanRecord record)
{
    uint32_t number = m_keys.Intern(key);
    if (number == m_byKey.size())
    {
        m_byKey.emplace_back();
    }
    auto index = static_cast<uint32_t>(m_records.size());
    m_memory += record.GetMemory();
    m_byKey[number].push_back(index);
    m_records.push_back(std::move(record));
    return index;
}

void
SpanCache::Bind(const std::string& fingerprint)
{
    if (m_fingerprint.empty())
    {
        m_fingerprint = fingerprint;
    }
    if (m_fingerprint != fingerprint)
    {
        throw std::invalid_argument("a span cache serves equal fabrics only");
    }
}

void
SpanCache::ForceCollisions()
{
    rankStates.ForceCollisions();
    fabricStates.ForceCollisions();
    m_keys.ForceCollisions();
}

} // namespace hbd
} // namespace ns3
