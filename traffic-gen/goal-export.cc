/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-export.h"
#include "schedule-transfers.h"
#include "schedule-walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hbd::traffic
{

namespace
{

/// What a rank has to send because another one reads it: who reads, how much, as which match.
struct Supply
{
    uint32_t reader;
    uint64_t bytes;
    uint32_t match;
};

/// What GOAL needs to know of all ranks before the first is written.
class Supplies
{
  public:
    explicit Supplies(Schedule& schedule)
    {
        for (const auto& distinct : DistinctItemsOf(schedule))
        {
            for (const auto& [rank, instance] : distinct.participants)
            {
                for (const auto& op : instance.block->ops)
                {
                    m_matches = std::max(m_matches, op.match + 1);
                }
            }
        }
        m_readBase = m_matches;
        std::map<std::vector<const Block*>, uint32_t> kinds;
        std::vector<Participant> participants;
        for (ScheduleWalk walk(schedule); walk.Next(participants);)
        {
            const auto [kind, isNew] = kinds.emplace(BlocksOf(participants), static_cast<uint32_t>(kinds.size()));
            m_kindOf[participants[0].instance.epoch] = kind->second;
            if (isNew)
            {
                AddKind(kind->second, participants);
            }
        }
        schedule.Rewind();
    }

    /// One more than the largest match.
    uint32_t Matches() const
    {
        return m_matches;
    }

    /// The match of the first read of a pair; the others follow.
    uint32_t ReadBase() const
    {
        return m_readBase;
    }

    /// What a rank supplies in an epoch.
    const std::vector<Supply>& Of(uint32_t rank, uint64_t epoch) const
    {
        static const std::vector<Supply> none;
        const auto known = m_supplies.find({rank, m_kindOf.at(epoch)});
        return known == m_supplies.end() ? none : known->second;
    }

  private:
    void AddKind(uint32_t kind, const std::vector<Participant>& participants)
    {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> reads; // so far by source and reader
        for (const auto& [rank, instance] : participants)
        {
            for (const auto& op : instance.block->ops)
            {
                if (op.kind != OpKind::Read && op.kind != OpKind::SwitchReduce)
                {
                    continue;
                }
                ForEachTransfer(rank, *instance.block, op, [&](uint32_t source, uint32_t reader) {
                    const uint32_t match = m_readBase + reads[{source, reader}]++;
                    m_matches = std::max(m_matches, match + 1);
                    m_supplies[{source, kind}].push_back({reader, op.bytes, match});
                });
            }
        }
    }

    uint32_t m_matches = 1;
    uint32_t m_readBase = 1;
    std::unordered_map<uint64_t, uint32_t> m_kindOf;                         ///< by epoch: which of the different items
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Supply>> m_supplies; ///< by rank and kind of item
};

/// Writes one rank's program in GOAL.
class GoalRank
{
  public:
    GoalRank(uint32_t rank, const Supplies& supplies, std::ostream& out)
        : m_rank(rank),
          m_supplies(supplies),
          m_out(out)
    {
    }

    void Write(const Instance& instance)
    {
        const Block& block = *instance.block;
        m_epoch = instance.epoch;
        for (const auto& supply : m_supplies.Of(m_rank, instance.epoch))
        {
            const Label send = WriteMessage("send", supply.bytes, supply.reader, supply.match);
            for (uint64_t before : m_before)
            {
                Require(send, {before, before});
            }
        }
        m_reads.clear();
        m_labels.clear();
        std::vector<bool> hasFollower(block.ops.size(), false);
        for (const auto& op : block.ops)
        {
            const Label label = WriteOp(op, instance);
            m_labels.push_back(label);
            const bool leaves = op.kind == OpKind::Send || op.kind == OpKind::Multicast;
            for (uint32_t d = 0; d < op.dependencyCount; ++d)
            {
                const uint32_t dependency = block.dependencies[op.firstDependency + d];
                hasFollower[dependency] = hasFollower[dependency] || !leaves;
                Require(label, m_labels[dependency]);
            }
            for (uint64_t before : op.dependencyCount == 0 ? m_before : std::vector<uint64_t>())
            {
                Require(label, {before, before});
            }
        }
        Join(block, hasFollower);
    }

  private:
    using Label = std::pair<uint64_t, uint64_t>; ///< first and last line of an operation

    Label WriteOp(const Op& op, const Instance& instance)
    {
        switch (op.kind)
        {
        case OpKind::Compute:
            return WriteCalculation((*instance.durations.operations)[op.durationIndex]);
        case OpKind::Delay:
            return WriteCalculation(op.delayPs);
        case OpKind::Receive:
            return WriteMessage("recv", op.bytes, op.peer, op.match);
        default:
            break;
        }
        const uint64_t first = m_next;
        ForEachTransfer(m_rank, *instance.block, op, [&](uint32_t source, uint32_t destination) {
            if (source == m_rank)
            {
                WriteMessage("send", op.bytes, destination, op.match);
            }
            else
            {
                WriteMessage("recv", op.bytes, source, m_supplies.ReadBase() + m_reads[source]++);
            }
        });
        return {first, m_next - 1};
    }

    Label WriteCalculation(int64_t picoseconds)
    {
        fmt::print(m_out, "l{}: calc {}\n", m_next, (picoseconds + 500) / 1000);
        ++m_next;
        return {m_next - 1, m_next - 1};
    }

    Label WriteMessage(const char* verb, uint64_t bytes, uint32_t peer, uint32_t match)
    {
        // Tags distinguish messages of a pair that are on their way at the same time; they may wrap around.
        const uint64_t tag = (m_epoch * m_supplies.Matches() + match) & 0x7fffffff;
        const bool sends = verb[0] == 's';
        fmt::print(m_out, "l{}: {} {}b {} {} tag {}\n", m_next, verb, bytes, sends ? "to" : "from", peer, tag);
        ++m_next;
        return {m_next - 1, m_next - 1};
    }

    void Require(Label label, Label before)
    {
        for (uint64_t line = label.first; line <= label.second; ++line)
        {
            for (uint64_t other = before.first; other <= before.second; ++other)
            {
                fmt::print(m_out, "l{} requires l{}\n", line, other);
            }
        }
    }

    /// The next block begins when all that is no send is complete: one empty calculation waits for it.
    void Join(const Block& block, const std::vector<bool>& hasFollower)
    {
        std::vector<uint64_t> ends;
        for (size_t i = 0; i < block.ops.size(); ++i)
        {
            const bool leaves = block.ops[i].kind == OpKind::Send || block.ops[i].kind == OpKind::Multicast;
            for (uint64_t line = m_labels[i].first; !leaves && !hasFollower[i] && line <= m_labels[i].second; ++line)
            {
                ends.push_back(line);
            }
        }
        if (ends.size() > 1)
        {
            const Label join = WriteCalculation(0);
            for (uint64_t end : ends)
            {
                Require(join, {end, end});
            }
            ends = {join.first};
        }
        m_before = ends.empty() ? m_before : ends;
    }

    const uint32_t m_rank;
    const Supplies& m_supplies;
    std::ostream& m_out;
    uint64_t m_epoch = 0;
    uint64_t m_next = 1;                  ///< label of the next line
    std::vector<Label> m_labels;          ///< of the block's operations
    std::map<uint32_t, uint32_t> m_reads; ///< of the block so far, by source
    std::vector<uint64_t> m_before;       ///< what the next block waits for
};

} // namespace

void
WriteGoal(Schedule& schedule, const ClusterShape&, std::ostream& out)
{
    const Supplies supplies(schedule);
    fmt::print(out, "num_ranks {}\n", schedule.Ranks());
    for (uint32_t rank = 0; rank < schedule.Ranks(); ++rank)
    {
        fmt::print(out, "\nrank {} {{\n", rank);
        GoalRank writer(rank, supplies, out);
        Instance instance;
        while (schedule.Next(rank, instance))
        {
            writer.Write(instance);
        }
        out << "}\n";
    }
    schedule.Rewind();
}

} // namespace hbd::traffic
