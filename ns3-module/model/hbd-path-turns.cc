/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-path-turns.h"

#include "hbd-hash.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

void
PathTurns::Setup(FabricContext& context, uint32_t salt, bool keep)
{
    m_context = &context;
    m_salt = salt;
    m_keep = keep;
    m_rests = context.kernel->GetRestCount();
    m_sets.clear();
}

PathTurns::Set&
PathTurns::Find(const std::vector<uint16_t>& candidates)
{
    if (candidates.front() >= m_sets.size())
    {
        m_sets.resize(candidates.front() + 1U);
    }
    auto& sets = m_sets[candidates.front()];
    auto place = std::lower_bound(sets.begin(), sets.end(), candidates, [](const Set& set, const auto& ports) {
        return set.ports < ports;
    });
    if (place == sets.end() || place->ports != candidates)
    {
        Set set;
        set.ports = candidates;
        set.start = MixHash(m_salt + candidates.front()) % static_cast<uint32_t>(candidates.size());
        set.turn = set.start;
        place = sets.insert(place, set);
    }
    return *place;
}

void
PathTurns::Reset()
{
    for (auto& sets : m_sets)
    {
        for (auto& set : sets)
        {
            set.turn = set.start;
        }
    }
}

uint32_t
PathTurns::Next(const std::vector<uint16_t>& candidates)
{
    if (!m_keep && m_rests != m_context->kernel->GetRestCount())
    {
        m_rests = m_context->kernel->GetRestCount();
        Reset();
    }
    Set& set = Find(candidates);
    uint32_t turn = set.turn;
    set.turn = turn + 1 == candidates.size() ? 0 : turn + 1;
    return turn;
}

void
PathTurns::SaveState(std::vector<uint32_t>& words) const
{
    size_t count = words.size();
    words.push_back(0);
    if (!m_keep)
    {
        return;
    }
    for (const auto& sets : m_sets)
    {
        for (const auto& set : sets)
        {
            if (set.turn != set.start)
            {
                words.push_back(static_cast<uint32_t>(set.ports.size()));
                words.insert(words.end(), set.ports.begin(), set.ports.end());
                words.push_back(set.turn);
                words[count]++;
            }
        }
    }
}

void
PathTurns::RestoreState(const uint32_t*& words)
{
    Reset();
    uint32_t count = *words++;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t size = *words++;
        std::vector<uint16_t> ports(words, words + size);
        words += size;
        Find(ports).turn = *words++;
    }
}

} // namespace hbd
} // namespace ns3
