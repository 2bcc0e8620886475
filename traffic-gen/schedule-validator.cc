/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-validator.h"

#include "schedule-transfers.h"
#include "schedule-walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace hbd::traffic
{

namespace
{

/// Checks the items of a schedule.
class Validator
{
  public:
    Validator(Schedule& schedule, const ClusterShape& shape, size_t most)
        : m_schedule(schedule),
          m_shape(shape),
          m_most(most)
    {
    }

    std::vector<std::string> Run()
    {
        ScheduleWalk walk(m_schedule);
        std::vector<Participant> participants;
        std::set<std::vector<const Block*>> seen;
        while (m_problems.size() < m_most && walk.Next(participants))
        {
            CheckInstances(participants);
            if (walk.DisorderedRank() >= 0)
            {
                Fail(fmt::format("rank {}: epochs do not grow", walk.DisorderedRank()));
                break;
            }
            if (m_problems.empty() && seen.insert(BlocksOf(participants)).second)
            {
                CheckItem(participants);
            }
        }
        m_schedule.Rewind();
        return m_problems;
    }

  private:
    void Fail(const std::string& text)
    {
        if (m_problems.size() < m_most)
        {
            m_problems.push_back(text);
        }
    }

    void CheckInstances(const std::vector<Participant>& participants)
    {
        for (const auto& [rank, instance] : participants)
        {
            if (!instance.block || !instance.durations.operations || !instance.durations.stages)
            {
                Fail(fmt::format("rank {} epoch {}: no block or no durations", rank, instance.epoch));
                continue;
            }
            size_t stages = 0;
            for (const auto& compute : instance.block->computes)
            {
                stages += compute.stages.size();
            }
            const auto& operations = *instance.durations.operations;
            const bool sizes =
                operations.size() == instance.block->computes.size() && instance.durations.stages->size() == stages;
            if (!sizes || std::any_of(operations.begin(), operations.end(), [](int64_t time) { return time < 0; }))
            {
                Fail(fmt::format("rank {} epoch {}: durations do not fit the computes", rank, instance.epoch));
            }
            if (instance.item >= m_schedule.Items().size() || instance.item != participants[0].instance.item)
            {
                Fail(fmt::format("rank {} epoch {}: bad item {}", rank, instance.epoch, instance.item));
            }
        }
    }

    void CheckItem(const std::vector<Participant>& participants)
    {
        m_where = fmt::format("epoch {}", participants[0].instance.epoch);
        bool sound = true;
        for (const auto& participant : participants)
        {
            sound = CheckBlock(participant.rank, *participant.instance.block) && sound;
        }
        if (sound)
        {
            CheckGroups(participants);
            CheckReads(participants);
            CheckExecution(participants);
        }
    }

    bool CheckBlock(uint32_t rank, const Block& block)
    {
        const size_t before = m_problems.size();
        for (uint32_t i = 0; i < block.ops.size(); ++i)
        {
            const Op& op = block.ops[i];
            const std::string where = fmt::format("{} rank {} operation {}", m_where, rank, i);
            if (static_cast<size_t>(op.firstDependency) + op.dependencyCount > block.dependencies.size())
            {
                Fail(where + ": dependencies outside the block");
                continue;
            }
            for (uint32_t d = 0; d < op.dependencyCount; ++d)
            {
                if (block.dependencies[op.firstDependency + d] >= i)
                {
                    Fail(where + ": depends on itself or a later operation");
                }
            }
            CheckPeer(rank, block, op, where);
            if (op.delayPs < 0 || (op.kind == OpKind::Compute && op.durationIndex >= block.computes.size()))
            {
                Fail(where + ": bad duration");
            }
            if (op.collective != kNoCollective && op.collective >= block.collectives.size())
            {
                Fail(where + ": unknown collective");
            }
        }
        CheckLabels(rank, block);
        return m_problems.size() == before;
    }

    void CheckPeer(uint32_t rank, const Block& block, const Op& op, const std::string& where)
    {
        if (op.kind == OpKind::Compute || op.kind == OpKind::Delay)
        {
            return;
        }
        if (op.bytes == 0)
        {
            Fail(where + ": no bytes");
        }
        if (op.kind == OpKind::Multicast || op.kind == OpKind::SwitchReduce)
        {
            if (op.peer >= block.groups.size() || !IsSwitchGroup(rank, block.groups[op.peer]))
            {
                Fail(where + ": its group is not several ranks of one domain, ascending, this one among them");
            }
        }
        else if (op.peer == rank || op.peer >= m_schedule.Ranks())
        {
            Fail(where + ": no other rank");
        }
        else if (op.kind == OpKind::Read && !m_shape.SameHbd(rank, op.peer))
        {
            Fail(where + ": reads of another domain");
        }
    }

    bool IsSwitchGroup(uint32_t rank, const std::vector<uint32_t>& group) const
    {
        const auto inDomain = [&](uint32_t other) {
            return other < m_schedule.Ranks() && m_shape.SameHbd(rank, other);
        };
        return group.size() > 1 && std::all_of(group.begin(), group.end(), inDomain) &&
               std::adjacent_find(group.begin(), group.end(), std::greater_equal<>()) == group.end() &&
               std::binary_search(group.begin(), group.end(), rank);
    }

    /// Who is read has reached this epoch only if it takes part in it.
    void CheckReads(const std::vector<Participant>& participants)
    {
        std::set<uint32_t> ranks;
        for (const auto& participant : participants)
        {
            ranks.insert(participant.rank);
        }
        for (const auto& [rank, instance] : participants)
        {
            for (const auto& op : instance.block->ops)
            {
                if (op.kind == OpKind::Read || op.kind == OpKind::SwitchReduce)
                {
                    ForEachTransfer(rank, *instance.block, op, [&](uint32_t source, uint32_t reader) {
                        if (ranks.count(source) == 0)
                        {
                            Fail(fmt::format("{}: rank {} reads of {}, which takes no part", m_where, reader, source));
                        }
                    });
                }
            }
        }
    }

    void CheckLabels(uint32_t rank, const Block& block)
    {
        for (const auto& use : block.collectives)
        {
            const auto& labels = m_schedule.Collectives();
            const bool known = use.collective < labels.size() && use.group < labels[use.collective].members.size();
            const auto* members = known ? &labels[use.collective].members[use.group] : nullptr;
            if (!known || std::find(members->begin(), members->end(), rank) == members->end())
            {
                Fail(fmt::format("{} rank {}: not a member of its group", m_where, rank));
            }
        }
        for (const auto& compute : block.computes)
        {
            for (uint16_t stage : compute.stages)
            {
                if (stage >= m_schedule.StageNames().size())
                {
                    Fail(fmt::format("{} rank {}: unknown stage", m_where, rank));
                }
            }
        }
    }

    /// As many ranks take part in each group as each of them says.
    void CheckGroups(const std::vector<Participant>& participants)
    {
        std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>> groups; // members seen, members stated
        for (const auto& participant : participants)
        {
            for (const auto& use : participant.instance.block->collectives)
            {
                auto& group = groups[{use.collective, use.group}];
                ++group.first;
                group.second = use.ranks;
            }
        }
        for (const auto& [key, counts] : groups)
        {
            if (counts.first != counts.second)
            {
                Fail(fmt::format("{}: {} of {} members of a group of {} take part",
                                 m_where,
                                 counts.first,
                                 counts.second,
                                 m_schedule.Collectives()[key.first].name));
            }
        }
    }

    /// Pairs sends with receives, then completes operations in dependency order.
    void CheckExecution(const std::vector<Participant>& participants)
    {
        std::vector<uint32_t> firstOp; // by participant: number of its first operation
        uint32_t count = 0;
        for (const auto& participant : participants)
        {
            firstOp.push_back(count);
            count += static_cast<uint32_t>(participant.instance.block->ops.size());
        }
        const auto sends = SortedMessages(participants, firstOp, true);
        const auto receives = SortedMessages(participants, firstOp, false);
        std::vector<std::vector<uint32_t>> followers(count);
        std::vector<uint32_t> waits(count, 0);
        if (!PairMessages(sends, receives, followers, waits))
        {
            return;
        }
        for (size_t p = 0; p < participants.size(); ++p)
        {
            const Block& block = *participants[p].instance.block;
            for (uint32_t i = 0; i < block.ops.size(); ++i)
            {
                for (uint32_t d = 0; d < block.ops[i].dependencyCount; ++d)
                {
                    followers[firstOp[p] + block.dependencies[block.ops[i].firstDependency + d]].push_back(firstOp[p] +
                                                                                                           i);
                    ++waits[firstOp[p] + i];
                }
            }
        }
        const uint32_t left = Execute(followers, waits);
        if (left > 0)
        {
            Fail(fmt::format("{}: {} operations wait forever", m_where, left));
        }
    }

    /// Source, destination, match, bytes, operation.
    using MessageEnd = std::tuple<uint32_t, uint32_t, uint32_t, uint64_t, uint32_t>;

    /// \param sent the sends (a multicast is one for each receiver), else the receives
    static std::vector<MessageEnd> SortedMessages(const std::vector<Participant>& participants,
                                                  const std::vector<uint32_t>& firstOp,
                                                  bool sent)
    {
        std::vector<MessageEnd> ends;
        for (size_t p = 0; p < participants.size(); ++p)
        {
            const Block& block = *participants[p].instance.block;
            const uint32_t rank = participants[p].rank;
            for (uint32_t i = 0; i < block.ops.size(); ++i)
            {
                const Op& op = block.ops[i];
                if (sent && (op.kind == OpKind::Send || op.kind == OpKind::Multicast))
                {
                    ForEachTransfer(rank, block, op, [&](uint32_t source, uint32_t destination) {
                        ends.emplace_back(source, destination, op.match, op.bytes, firstOp[p] + i);
                    });
                }
                else if (!sent && op.kind == OpKind::Receive)
                {
                    ends.emplace_back(op.peer, rank, op.match, op.bytes, firstOp[p] + i);
                }
            }
        }
        std::sort(ends.begin(), ends.end());
        return ends;
    }

    bool PairMessages(const std::vector<MessageEnd>& sends,
                      const std::vector<MessageEnd>& receives,
                      std::vector<std::vector<uint32_t>>& followers,
                      std::vector<uint32_t>& waits)
    {
        const size_t before = m_problems.size();
        const auto key = [](const MessageEnd& end) {
            return std::tuple(std::get<0>(end), std::get<1>(end), std::get<2>(end));
        };
        const auto describe = [&](const MessageEnd& end, const char* what) {
            Fail(fmt::format("{}: {} from {} to {} match {}: {}",
                             m_where,
                             fmt::format("message of {} bytes", std::get<3>(end)),
                             std::get<0>(end),
                             std::get<1>(end),
                             std::get<2>(end),
                             what));
        };
        size_t s = 0;
        size_t r = 0;
        while (s < sends.size() || r < receives.size())
        {
            if (r == receives.size() || (s < sends.size() && key(sends[s]) < key(receives[r])))
            {
                describe(sends[s++], "sent but not received");
                continue;
            }
            if (s == sends.size() || key(receives[r]) < key(sends[s]))
            {
                describe(receives[r++], "received but not sent");
                continue;
            }
            if (std::get<3>(sends[s]) != std::get<3>(receives[r]))
            {
                describe(sends[s], "received with another size");
            }
            followers[std::get<4>(sends[s])].push_back(std::get<4>(receives[r]));
            ++waits[std::get<4>(receives[r])];
            ++s;
            ++r;
        }
        return m_problems.size() == before;
    }

    /// \return how many operations never complete
    static uint32_t Execute(const std::vector<std::vector<uint32_t>>& followers, std::vector<uint32_t>& waits)
    {
        std::vector<uint32_t> ready;
        for (uint32_t i = 0; i < waits.size(); ++i)
        {
            if (waits[i] == 0)
            {
                ready.push_back(i);
            }
        }
        uint32_t left = static_cast<uint32_t>(waits.size());
        while (!ready.empty())
        {
            const uint32_t op = ready.back();
            ready.pop_back();
            --left;
            for (uint32_t follower : followers[op])
            {
                if (--waits[follower] == 0)
                {
                    ready.push_back(follower);
                }
            }
        }
        return left;
    }

    Schedule& m_schedule;
    const ClusterShape& m_shape;
    const size_t m_most;
    std::vector<std::string> m_problems;
    std::string m_where;
};

} // namespace

std::vector<std::string>
ValidateSchedule(Schedule& schedule, const ClusterShape& shape, size_t most)
{
    return Validator(schedule, shape, most).Run();
}

namespace
{

/// Operations and bytes of one block.
struct BlockTotals
{
    uint64_t operations = 0;
    uint64_t sendBytes = 0;
    uint64_t receiveBytes = 0;
    uint64_t readBytes = 0;
};

BlockTotals
TotalsOfBlock(uint32_t rank, const Block& block)
{
    BlockTotals totals;
    totals.operations = block.ops.size();
    for (const auto& op : block.ops)
    {
        totals.receiveBytes += op.kind == OpKind::Receive ? op.bytes : 0;
        const bool reads = op.kind == OpKind::Read || op.kind == OpKind::SwitchReduce;
        ForEachTransfer(rank, block, op, [&](uint32_t, uint32_t) {
            (reads ? totals.readBytes : totals.sendBytes) += op.bytes;
        });
    }
    return totals;
}

} // namespace

ScheduleTotals
TotalsOf(Schedule& schedule)
{
    ScheduleTotals totals;
    ScheduleWalk walk(schedule);
    std::vector<Participant> participants;
    std::set<std::vector<const Block*>> seen;
    std::unordered_map<const Block*, BlockTotals> blocks;
    while (walk.Next(participants))
    {
        ++totals.items;
        totals.distinctItems += seen.insert(BlocksOf(participants)).second;
        for (const auto& participant : participants)
        {
            const Block* block = participant.instance.block.get();
            auto entry = blocks.find(block);
            if (entry == blocks.end())
            {
                entry = blocks.emplace(block, TotalsOfBlock(participant.rank, *block)).first;
            }
            ++totals.blocks;
            totals.operations += entry->second.operations;
            totals.sendBytes += entry->second.sendBytes;
            totals.receiveBytes += entry->second.receiveBytes;
            totals.readBytes += entry->second.readBytes;
        }
    }
    schedule.Rewind();
    return totals;
}

} // namespace hbd::traffic
