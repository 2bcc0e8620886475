/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-player.h"
#include "hbd-span-cache.h"
#include "hbd-span-replay.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

// What the player keeps account of: collectives from begin to end, and where the ranks' time goes.

void
Player::BeginCollective(uint32_t rank, RankState& state, uint32_t collective)
{
    const CollectiveUse& use = state.block->block->collectives[collective];
    CollectiveRun& run = m_tracker.Get(CollectiveKey{state.instance.epoch, use.tag, use.group}, use.ranks);
    int64_t now = m_kernel->NowPs();
    state.runs[collective] = &run;
    run.startPs = run.entered == 0 ? now : run.startPs;
    run.entered++;
    run.open += state.block->operationsOfCollective[collective];
    NS_ABORT_MSG_IF(run.entered > run.ranks, "more than " << run.ranks << " ranks begin one collective");
    if (!run.IsReady())
    {
        AccountWaiting(rank, state);
        state.unreadyRuns++;
        run.waiting.push_back(rank);
        return;
    }
    run.readyPs = now;
    for (uint32_t waiting : run.waiting)
    {
        RankState& other = Touch(waiting);
        AccountWaiting(waiting, other);
        other.unreadyRuns--;
    }
    run.waiting.clear();
}

void
Player::LeaveCollective(uint32_t rank, RankState& state, CollectiveRun& run)
{
    auto at = std::find(run.waiting.begin(), run.waiting.end(), rank);
    if (at != run.waiting.end())
    {
        AccountWaiting(rank, state);
        state.unreadyRuns--;
        run.waiting.erase(at);
    }
}

void
Player::Close(uint32_t rank, RankState& state, uint32_t number)
{
    const Operation& operation = state.block->block->operations[number];
    state.open--;
    if (operation.collective != NO_COLLECTIVE && --state.collectiveOpen[operation.collective] == 0)
    {
        LeaveCollective(rank, state, *state.runs[operation.collective]);
    }
}

void
Player::CountDone(CollectiveRun& run)
{
    run.open--;
    run.endPs = m_kernel->NowPs();
    if (!run.IsDone())
    {
        return;
    }
    if (m_replay)
    {
        m_replay->NoteCollective(run);
    }
    if (m_observer && m_observer->WantsCollectives(run.key.epoch))
    {
        m_observer->OnCollective(run);
    }
    m_tracker.Erase(CollectiveKey(run.key));
}

void
Player::AddWaiting(uint32_t rank, RankState& state, int64_t untilPs)
{
    if (state.running == NO_INDEX && state.block && untilPs > state.accountedPs)
    {
        uint32_t sum = WaitingSum(rank, m_timeClass) + (state.unreadyRuns > 0 ? 1 : 0);
        m_fabric->GetContext().statistics.sums[sum] += static_cast<uint64_t>(untilPs - state.accountedPs);
    }
    state.accountedPs = untilPs;
}

void
Player::AccountWaiting(uint32_t rank, RankState& state)
{
    AddWaiting(rank, state, m_kernel->NowPs());
}

void
Player::BeginTimeClass(uint8_t timeClass)
{
    NS_ABORT_MSG_IF(timeClass >= m_classes, "there are " << m_classes << " time classes");
    int64_t now = m_kernel->NowPs();
    for (uint32_t rank = 0; rank < m_ranks.size(); rank++)
    {
        RankState& state = m_ranks[rank];
        AccountWaiting(rank, state);
        if (state.running != NO_INDEX && state.computeDuePs > now)
        {
            int64_t* compute = &m_computePs[static_cast<size_t>(rank) * m_classes];
            compute[m_timeClass] -= state.computeDuePs - now;
            compute[timeClass] += state.computeDuePs - now;
        }
    }
    m_timeClass = timeClass;
    if (m_replay)
    {
        m_replay->Abandon();
    }
}

RankTimes
Player::GetTimes(uint32_t rank, uint32_t timeClass) const
{
    RankTimes times;
    const auto& sums = m_fabric->GetContext().statistics.sums;
    times.computePs = m_computePs[static_cast<size_t>(rank) * m_classes + timeClass];
    times.commPs = static_cast<int64_t>(sums[WaitingSum(rank, timeClass)]);
    times.skewPs = static_cast<int64_t>(sums[WaitingSum(rank, timeClass) + 1]);
    return times;
}

} // namespace hbd
} // namespace ns3
