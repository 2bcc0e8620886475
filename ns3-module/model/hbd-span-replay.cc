/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-span-replay.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdSpanReplay");

SpanReplay::SpanReplay(Player& player, SpanCache& cache)
    : m_player(player),
      m_cache(cache)
{
    m_isFinished.assign(player.m_ranks.size(), 0);
    m_pulls.assign(player.m_ranks.size(), 0);
    if (player.m_observer && player.m_observer->WantsMessages())
    {
        m_counts.note = "replay is off: single messages are recorded";
    }
}

int64_t
SpanReplay::Offset() const
{
    return m_player.m_kernel->NowPs() - m_startPs;
}

bool
SpanReplay::SawForeignEvents()
{
    m_foreignSeen = m_player.m_kernel->TakeForeignEvents() || m_foreignSeen;
    return m_foreignSeen;
}

bool
SpanReplay::IsAllowed()
{
    if (SawForeignEvents())
    {
        m_player.m_fabric->RefreshWatched();
        m_foreignSeen = false;
    }
    if (m_player.m_observer && m_player.m_observer->WantsMessages())
    {
        return false;
    }
    if (m_player.m_fabric->IsRandom())
    {
        m_counts.note = "replay is off: links have bit errors, so that no span comes again";
        return false;
    }
    if (m_player.m_fabric->IsWatched())
    {
        m_counts.note = "replay is off while a packet sink is connected";
        return false;
    }
    return true;
}

uint32_t
SpanReplay::GetRankState(uint32_t rank)
{
    RankState& state = m_player.m_ranks[rank];
    if (state.snapshot == NO_INDEX)
    {
        m_words.clear();
        state.Save(m_words);
        state.snapshot = m_cache.rankStates.Intern(m_words);
    }
    return state.snapshot;
}

uint32_t
SpanReplay::GetFabricState()
{
    if (m_fabricState == NO_INDEX)
    {
        m_words.clear();
        m_player.m_fabric->SaveState(m_words);
        m_fabricState = m_cache.fabricStates.Intern(m_words);
    }
    return m_fabricState;
}

void
SpanReplay::BuildKey()
{
    auto& player = m_player;
    m_key.clear();
    m_key.push_back(GetFabricState());
    m_key.push_back(player.m_timeClass);
    m_key.push_back(static_cast<uint32_t>(player.m_tickPs));
    m_key.push_back(static_cast<uint32_t>(player.m_tickPs >> 32));
    m_key.push_back(static_cast<uint32_t>(player.m_finished.size()));
    std::sort(player.m_finished.begin(), player.m_finished.end());
    for (const auto& what : player.m_finished)
    {
        m_key.push_back(what.rank);
        m_key.push_back(what.operation);
        m_isFinished[what.rank] = 1;
    }
    m_baseEpoch = player.m_ranks.front().instance.epoch;
    m_running.clear();
    for (uint32_t rank = 0; rank < player.m_ranks.size(); rank++)
    {
        const RankState& state = player.m_ranks[rank];
        uint64_t delta = state.instance.epoch - m_baseEpoch;
        m_key.push_back(GetRankState(rank));
        m_key.push_back(static_cast<uint32_t>(delta));
        m_key.push_back(static_cast<uint32_t>(delta >> 32));
        if (state.running != NO_INDEX && !m_isFinished[rank])
        {
            m_running.push_back({rank, state.computeDuePs - player.m_kernel->NowPs()});
        }
    }
    player.m_tracker.AppendState(m_baseEpoch, m_key);
    for (const auto& what : player.m_finished)
    {
        m_isFinished[what.rank] = 0;
    }
}

bool
SpanReplay::TryReplay()
{
    if (m_recording)
    {
        return false;
    }
    bool allowed = IsAllowed();
    if (allowed)
    {
        BuildKey();
        for (uint32_t number : m_cache.Find(m_key))
        {
            if (Fits(m_cache.Get(number)))
            {
                Apply(number);
                return true;
            }
        }
    }
    PrepareToRun();
    if (allowed && !m_cache.IsFull())
    {
        Begin();
    }
    return false;
}

void
SpanReplay::OnOutsideAction()
{
    if (m_player.m_kernel->NowPs() < m_replayedUntilPs)
    {
        throw FabricError("an event that was not declared acts on the fabric inside time that is already replayed: schedule it with "
                          "FabricKernel::ScheduleExternal in advance, or run without replay");
    }
    Abandon();
    AddReplayed(); // whoever acts may also look at statistics
    ExpandFabric();
    m_fabricState = NO_INDEX;
    m_fabricStateAtStart = NO_INDEX;
}

void
SpanReplay::Abandon()
{
    if (m_recording)
    {
        m_recording = false;
        m_player.m_kernel->SetWatchInstants(false);
        m_counts.spans++;
        MergeMaxima();
    }
}

void
SpanReplay::ExpandFabric()
{
    if (!m_fabricExpanded)
    {
        m_player.m_fabric->RestoreState(m_cache.fabricStates.Get(m_fabricState));
        m_fabricExpanded = true;
    }
}

void
SpanReplay::PrepareToRun()
{
    ExpandFabric();
    m_fabricStateAtStart = m_fabricState;
    m_fabricState = NO_INDEX;
}

bool
SpanReplay::Fits(const SpanRecord& record)
{
    int64_t external = m_player.m_kernel->NextExternal();
    if (external != FabricKernel::NEVER && external <= m_player.m_kernel->NowPs() + record.lengthPs)
    {
        return false;
    }
    return FitsRunning(record) && FitsPulls(record) && FitsComputes(record) && FitsObserver(record);
}

bool
SpanReplay::FitsRunning(const SpanRecord& record) const
{
    size_t i = 0;
    for (const auto& running : m_running)
    {
        if (i < record.running.size() && record.running[i].rank == running.rank)
        {
            if (record.running[i].remainingPs != running.remainingPs)
            {
                return false;
            }
            i++;
        }
        else if (running.remainingPs <= record.lengthPs)
        {
            return false;
        }
    }
    return i == record.running.size();
}

const BlockInstance&
SpanReplay::InstanceAfter(uint32_t rank, uint32_t pull) const
{
    const RankState& state = m_player.m_ranks[rank];
    return pull == 0 ? state.instance : state.next[pull - 1];
}

bool
SpanReplay::FitsPulls(const SpanRecord& record)
{
    for (const auto& pull : record.pulls)
    {
        m_pulls[pull.rank] = 0;
    }
    for (const auto& pull : record.pulls)
    {
        uint32_t ahead = m_pulls[pull.rank]++;
        const BlockInstance* next = m_player.Peek(pull.rank, ahead);
        if (!next || pull.shape == NO_INDEX)
        {
            if (next || pull.shape != NO_INDEX)
            {
                return false;
            }
            continue;
        }
        uint64_t before = InstanceAfter(pull.rank, ahead).epoch;
        if (next->epoch - before != pull.epochDelta || m_cache.blocks.Intern(next->block)->shape != pull.shape)
        {
            return false;
        }
    }
    return true;
}

bool
SpanReplay::FitsComputes(const SpanRecord& record)
{
    for (const auto& compute : record.computes)
    {
        const BlockInstance& instance = InstanceAfter(compute.rank, compute.pull);
        int64_t duration = (*instance.durations)[instance.block->operations[compute.operation].durationIndex];
        bool fits = compute.durationPs >= 0 ? duration == compute.durationPs
                                            : m_player.GetComputeEndPs(compute.startPs, duration) > record.lengthPs;
        if (!fits)
        {
            return false;
        }
    }
    return true;
}

bool
SpanReplay::FitsObserver(const SpanRecord& record) const
{
    PlayerObserver* observer = m_player.m_observer;
    return !observer || std::none_of(record.blocksDone.begin(), record.blocksDone.end(), [&](const SpanRecord::BlockDone& done) {
        return observer->EndsTimeClass(InstanceAfter(done.rank, done.pull).tag);
    });
}

void
SpanReplay::AccountAll()
{
    for (uint32_t rank = 0; rank < m_player.m_ranks.size(); rank++)
    {
        m_player.AccountWaiting(rank, m_player.m_ranks[rank]);
    }
}

void
SpanReplay::Apply(uint32_t number)
{
    const SpanRecord& record = m_cache.Get(number);
    m_startPs = m_player.m_kernel->NowPs();
    AccountAll();
    for (const auto& what : m_player.m_finished)
    {
        m_player.m_ranks[what.rank].running = NO_INDEX;
    }
    for (const auto& running : record.running)
    {
        RankState& state = m_player.m_ranks[running.rank];
        m_player.m_kernel->CancelTimer(state.computeTimer);
        state.running = NO_INDEX;
    }
    TellObserver(record);
    ApplyCollectives(record);
    ApplyComputes(record);
    ApplyPulls(record);
    for (uint32_t rank = 0; rank < m_player.m_ranks.size(); rank++)
    {
        RankState& state = m_player.m_ranks[rank];
        state.snapshot = record.ranks[rank].snapshot;
        state.unreadyRuns = record.ranks[rank].unreadyRuns;
        state.expanded = false;
        state.accountedPs = m_startPs + record.lengthPs;
    }
    m_player.m_kernel->ScheduleTimer(RecordKind::TIMER, record.lengthPs, m_player.m_port, NO_INDEX);
    m_replayedUntilPs = m_startPs + record.lengthPs;
    m_player.m_endPs = std::max(m_player.m_endPs, m_startPs + record.lastCompletionPs);
    m_fabricState = record.fabricState;
    m_fabricExpanded = false;
    m_times.resize(std::max<size_t>(m_times.size(), m_cache.GetSize()), 0);
    m_times[number]++;
    m_counts.spans++;
    m_counts.replayed++;
    m_counts.replayedPs += record.lengthPs;
}

void
SpanReplay::TellObserver(const SpanRecord& record)
{
    PlayerObserver* observer = m_player.m_observer;
    if (!observer)
    {
        return;
    }
    for (const auto& done : record.blocksDone)
    {
        observer->OnBlockDone(done.rank, InstanceAfter(done.rank, done.pull).tag, m_startPs + done.offsetPs);
    }
}

CollectiveRun
SpanReplay::Absolute(const CollectiveRun& relative, bool startedBefore, bool readyBefore)
{
    CollectiveRun run = relative;
    run.key.epoch += m_baseEpoch;
    const CollectiveRun* before = startedBefore ? m_player.m_tracker.Find(run.key) : nullptr;
    run.startPs = before ? before->startPs : run.startPs + m_startPs;
    run.readyPs = readyBefore && before ? before->readyPs : run.readyPs + m_startPs;
    run.endPs += m_startPs;
    return run;
}

void
SpanReplay::ApplyCollectives(const SpanRecord& record)
{
    PlayerObserver* observer = m_player.m_observer;
    for (size_t i = 0; observer && i < record.collectives.size(); i++)
    {
        const CollectiveRun& run = record.collectives[i];
        if (observer->WantsCollectives(run.key.epoch + m_baseEpoch))
        {
            observer->OnCollective(Absolute(run, record.startedBefore[i], record.readyBefore[i]));
        }
    }
    std::map<CollectiveKey, CollectiveRun> open;
    for (const auto& entry : record.open)
    {
        CollectiveRun run = Absolute(entry.run, entry.startedBefore, entry.readyBefore);
        open[run.key] = run;
    }
    m_player.m_tracker.Assign(std::move(open));
}

void
SpanReplay::ApplyComputes(const SpanRecord& record)
{
    for (const auto& compute : record.computes)
    {
        const BlockInstance& instance = InstanceAfter(compute.rank, compute.pull);
        int64_t duration = (*instance.durations)[instance.block->operations[compute.operation].durationIndex];
        int64_t endPs = m_player.GetComputeEndPs(compute.startPs, duration); // spans begin at ticks
        m_player.m_computePs[static_cast<size_t>(compute.rank) * m_player.m_classes + m_player.m_timeClass] += endPs - compute.startPs;
        if (compute.durationPs < 0)
        {
            RankState& state = m_player.m_ranks[compute.rank];
            state.running = compute.operation;
            state.computeDuePs = m_startPs + endPs;
            state.computeTimer = m_player.m_kernel->ScheduleTimer(RecordKind::COMPUTE,
                                                                  endPs,
                                                                  m_player.m_port + compute.rank,
                                                                  compute.operation);
        }
    }
}

void
SpanReplay::ApplyPulls(const SpanRecord& record)
{
    for (const auto& pull : record.pulls)
    {
        RankState& state = m_player.m_ranks[pull.rank];
        if (pull.shape == NO_INDEX)
        {
            state.ended = true;
            state.block = nullptr;
            m_player.m_ended++;
            continue;
        }
        state.instance = std::move(state.next.front());
        state.next.pop_front();
        state.block = m_cache.blocks.Get(pull.shape);
    }
}

void
SpanReplay::AddReplayed()
{
    MergeMaxima();
    StatisticsBank& bank = m_player.m_fabric->GetContext().statistics;
    for (uint32_t number = 0; number < m_times.size(); number++)
    {
        uint64_t times = m_times[number];
        if (times == 0)
        {
            continue;
        }
        const SpanRecord& record = m_cache.Get(number);
        for (const auto& [index, delta] : record.sums)
        {
            bank.sums[index] += times * delta;
        }
        for (const auto& [index, delta] : record.integrals)
        {
            bank.integrals[index] += times * delta;
        }
        for (const auto& [index, maximum] : record.maxima)
        {
            bank.maxima[index] = std::max(bank.maxima[index], maximum);
        }
        for (const auto& kind : record.messages)
        {
            if (m_player.m_observer)
            {
                m_player.m_observer->OnMessages(kind.bytes, kind.durationPs, kind.idealPs, times * kind.times);
            }
        }
    }
    m_times.clear();
    ExpandFabric();
}

} // namespace hbd
} // namespace ns3
