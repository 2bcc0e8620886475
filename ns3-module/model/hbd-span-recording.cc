/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-span-replay.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

// The half of SpanReplay that records; hbd-span-replay.cc replays.

void
SpanReplay::Begin()
{
    m_recording = true;
    m_statisticsTaken = false;
    m_startPs = m_player.m_kernel->NowPs();
    m_externalsAtStart = m_player.m_kernel->GetExternalCount();
    m_drawsAtStart = m_player.m_fabric->GetContext().randomDraws;
    m_record = SpanRecord();
    m_recordKey = m_key;
    m_messages.clear();
    m_openAtStart.clear();
    for (const auto& [key, run] : m_player.m_tracker.GetOpen())
    {
        m_openAtStart[key] = run.IsReady();
    }
    m_notes.assign(m_player.m_ranks.size(), RankNotes());
    for (const auto& running : m_running)
    {
        m_notes[running.rank].runningDuePs = m_startPs + running.remainingPs;
    }
    AccountAll();
    m_player.m_kernel->SetWatchInstants(true);
}

void
SpanReplay::TakeStatistics()
{
    if (!m_statisticsTaken)
    {
        m_statisticsTaken = true;
        m_sumsAtStart = m_player.m_fabric->GetContext().statistics.sums;
        m_integralsAtStart = m_player.m_fabric->GetContext().statistics.integrals;
        auto& maxima = m_player.m_fabric->GetContext().statistics.maxima;
        m_maximaBefore = maxima;
        std::fill(maxima.begin(), maxima.end(), 0);
    }
}

void
SpanReplay::MergeMaxima()
{
    auto& maxima = m_player.m_fabric->GetContext().statistics.maxima;
    for (size_t i = 0; m_statisticsTaken && i < maxima.size(); i++)
    {
        maxima[i] = std::max(maxima[i], m_maximaBefore[i]);
    }
    m_statisticsTaken = false;
}

void
SpanReplay::NotePost()
{
    if (m_recording)
    {
        TakeStatistics();
    }
}

void
SpanReplay::NotePull(uint32_t rank, uint32_t shape, uint64_t epochDelta)
{
    if (m_recording)
    {
        m_record.pulls.push_back({rank, shape, epochDelta});
        m_notes[rank].pulls++;
    }
}

void
SpanReplay::NoteComputeStart(uint32_t rank, uint32_t operation, int64_t durationPs)
{
    if (m_recording)
    {
        RankNotes& notes = m_notes[rank];
        notes.computeEntry = static_cast<uint32_t>(m_record.computes.size());
        notes.computePs = durationPs;
        m_record.computes.push_back({rank, notes.pulls, operation, Offset(), -1});
    }
}

void
SpanReplay::NoteComputeEnd(uint32_t rank)
{
    if (!m_recording)
    {
        return;
    }
    RankNotes& notes = m_notes[rank];
    if (notes.computeEntry != NO_INDEX)
    {
        m_record.computes[notes.computeEntry].durationPs = notes.computePs;
        notes.computeEntry = NO_INDEX;
    }
    else if (notes.runningDuePs >= 0)
    {
        m_record.running.push_back({rank, notes.runningDuePs - m_startPs});
        notes.runningDuePs = -1;
    }
}

void
SpanReplay::NoteBlockDone(uint32_t rank)
{
    if (m_recording)
    {
        m_record.blocksDone.push_back({rank, m_notes[rank].pulls, Offset()});
        m_record.lastCompletionPs = Offset();
    }
}

CollectiveRun
SpanReplay::Relative(const CollectiveRun& run) const
{
    CollectiveRun relative = run;
    relative.key.epoch -= m_baseEpoch;
    relative.startPs -= m_startPs;
    relative.readyPs -= m_startPs;
    relative.endPs -= m_startPs;
    return relative;
}

void
SpanReplay::NoteCollective(const CollectiveRun& run)
{
    if (m_recording)
    {
        m_record.collectives.push_back(Relative(run));
        auto before = m_openAtStart.find(run.key);
        m_record.startedBefore.push_back(before != m_openAtStart.end());
        m_record.readyBefore.push_back(before != m_openAtStart.end() && before->second);
    }
}

void
SpanReplay::NoteMessage(uint64_t bytes, int64_t durationPs, int64_t idealPs)
{
    if (m_recording)
    {
        m_messages[{bytes, durationPs, idealPs}]++;
        m_record.lastCompletionPs = Offset();
    }
}

void
SpanReplay::NoteDelivery()
{
    if (m_recording)
    {
        m_record.lastCompletionPs = Offset();
    }
}

void
SpanReplay::OnInstantEnd()
{
    if (!m_recording)
    {
        return;
    }
    bool over = m_player.m_kernel->IsQuiescent() && m_player.m_toPost.empty();
    if (!over)
    {
        TakeStatistics();
        return;
    }
    m_recording = false;
    m_player.m_kernel->SetWatchInstants(false);
    if (!m_statisticsTaken)
    {
        m_fabricState = m_fabricStateAtStart; // nothing was sent
        return;
    }
    m_counts.spans++;
    if (!SawForeignEvents() && m_player.m_kernel->GetExternalCount() == m_externalsAtStart &&
        m_player.m_fabric->GetContext().randomDraws == m_drawsAtStart)
    {
        End();
    }
    MergeMaxima();
}

void
SpanReplay::End()
{
    m_record.lengthPs = Offset();
    AccountAll();
    std::sort(m_record.running.begin(), m_record.running.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    for (const auto& [key, times] : m_messages)
    {
        m_record.messages.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), times});
    }
    TakeEndState();
    NoteStatistics();
    m_cache.Add(m_recordKey, std::move(m_record));
}

void
SpanReplay::NoteStatistics()
{
    const StatisticsBank& bank = m_player.m_fabric->GetContext().statistics;
    uint32_t unitHops = m_player.m_fabric->GetContext().globalSums + SUM_UNIT_HOPS;
    for (uint32_t i = 0; i < bank.sums.size(); i++)
    {
        // unit hops count what was simulated, not what it stands for
        if (bank.sums[i] != m_sumsAtStart[i] && i != unitHops)
        {
            m_record.sums.emplace_back(i, bank.sums[i] - m_sumsAtStart[i]);
        }
    }
    for (uint32_t i = 0; i < bank.integrals.size(); i++)
    {
        if (bank.integrals[i] != m_integralsAtStart[i])
        {
            m_record.integrals.emplace_back(i, bank.integrals[i] - m_integralsAtStart[i]);
        }
    }
    for (uint32_t i = 0; i < bank.maxima.size(); i++)
    {
        if (bank.maxima[i] != 0)
        {
            m_record.maxima.emplace_back(i, bank.maxima[i]);
        }
    }
}

void
SpanReplay::TakeEndState()
{
    for (uint32_t rank = 0; rank < m_player.m_ranks.size(); rank++)
    {
        m_record.ranks.push_back({GetRankState(rank), m_player.m_ranks[rank].unreadyRuns});
    }
    for (const auto& [key, run] : m_player.m_tracker.GetOpen())
    {
        auto before = m_openAtStart.find(key);
        bool wasOpen = before != m_openAtStart.end();
        m_record.open.push_back({Relative(run), wasOpen, wasOpen && before->second});
    }
    m_record.fabricState = GetFabricState();
}

} // namespace hbd
} // namespace ns3
