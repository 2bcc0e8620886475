/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-checker.h"

#include "collective-data.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hbd::traffic
{

namespace
{

using Where = std::pair<uint32_t, uint32_t>; ///< member, operation
using Knowledge = boost::dynamic_bitset<>;   ///< events, then by member: has started

/// Something after which a member has data where it did not have it before: a receive with pieces, a read, a reduction
/// in the switch, a copy.
struct Event
{
    Where where;
    std::vector<uint32_t> segments;
    std::vector<Contributions> values;   ///< by position in `segments`, when it has been executed
    std::vector<Contributions> replaced; ///< reduction in the switch: what of the member's own is in the value
};

/// Which value of which event.
struct Entry
{
    uint32_t event;
    uint32_t position;
};

/// One run of the checker.
class Execution
{
  public:
    Execution(const CollectiveRequest& request, const Lowering& lowering)
        : m_lowering(lowering),
          m_n(request.Size()),
          m_data(request, lowering, m_problems)
    {
    }

    std::vector<std::string> Run()
    {
        CheckOps();
        PairMessages();
        if (m_problems.empty())
        {
            NumberEvents();
            Execute();
        }
        for (uint32_t member = 0; m_problems.empty() && member < m_n; ++member)
        {
            CheckResult(member);
        }
        return m_problems;
    }

  private:
    const LoweredOp& At(Where where) const
    {
        return m_lowering.members[where.first][where.second];
    }

    void Fail(Where where, const std::string& text)
    {
        m_problems.push_back(fmt::format("member {} operation {}: {}", where.first, where.second, text));
    }

    template <class Visit>
    void ForAll(Visit visit)
    {
        for (uint32_t member = 0; member < m_n; ++member)
        {
            for (uint32_t i = 0; i < m_lowering.members[member].size(); ++i)
            {
                visit(Where{member, i});
            }
        }
    }

    /// What each operation must fulfil by itself.
    void CheckOps()
    {
        ForAll([&](Where where) {
            const LoweredOp& op = At(where);
            const bool grouped = op.kind == OpKind::Multicast || op.kind == OpKind::SwitchReduce;
            const bool peered = op.kind != OpKind::Delay && !grouped;
            const bool message = op.kind == OpKind::Send || op.kind == OpKind::Receive || op.kind == OpKind::Multicast;
            if (message && op.match >= m_lowering.matchCount)
            {
                Fail(where, "bad match");
            }
            if (peered && (op.peer >= m_n || op.peer == where.first))
            {
                Fail(where, "bad peer");
            }
            if (grouped != !op.group.empty() || (grouped && !IsGroup(op.group, where.first)))
            {
                Fail(where, "bad group");
            }
            if ((op.kind == OpKind::Read || op.kind == OpKind::SwitchReduce) && op.pieces.empty())
            {
                Fail(where, "a read without data");
            }
            for (uint32_t dependency : op.dependencies)
            {
                if (dependency >= where.second)
                {
                    Fail(where, "depends forwards");
                }
            }
        });
    }

    bool IsGroup(const std::vector<uint32_t>& group, uint32_t member) const
    {
        return group.size() > 1 &&
               std::adjacent_find(group.begin(), group.end(), std::greater_equal<>()) == group.end() &&
               group.back() < m_n && std::binary_search(group.begin(), group.end(), member);
    }

    /// Finds the receives of each send and multicast; both ends must name the same data.
    void PairMessages()
    {
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Where> sends; // source, destination, match
        const auto add = [&](Where where, uint32_t to) {
            if (!sends.emplace(std::tuple(where.first, to, At(where).match), where).second)
            {
                Fail(where, fmt::format("a second message to {} with match {}", to, At(where).match));
            }
        };
        ForAll([&](Where where) {
            if (At(where).kind == OpKind::Send)
            {
                add(where, At(where).peer);
            }
            for (uint32_t to : At(where).kind == OpKind::Multicast ? At(where).group : std::vector<uint32_t>())
            {
                if (to != where.first)
                {
                    add(where, to);
                }
            }
        });
        ForAll([&](Where where) {
            if (At(where).kind != OpKind::Receive)
            {
                return;
            }
            const auto send = sends.find({At(where).peer, where.first, At(where).match});
            if (send == sends.end() || !SameData(At(send->second), At(where)))
            {
                Fail(where, "has no message of its data");
                return;
            }
            m_sendOf[where] = send->second;
            m_receivesOf[send->second].push_back(where);
            sends.erase(send);
        });
        for (const auto& [key, where] : sends)
        {
            Fail(where, fmt::format("is never received by {}", std::get<1>(key)));
        }
    }

    static bool SameData(const LoweredOp& a, const LoweredOp& b)
    {
        return a.bytes == b.bytes && std::equal(a.pieces.begin(),
                                                a.pieces.end(),
                                                b.pieces.begin(),
                                                b.pieces.end(),
                                                [](const auto& x, const auto& y) {
                                                    return x.block == y.block && x.offset == y.offset &&
                                                           x.bytes == y.bytes;
                                                });
    }

    void NumberEvents()
    {
        m_arrivals.resize(m_n);
        m_staged.resize(m_n);
        m_results.resize(m_n);
        ForAll([&](Where where) {
            const LoweredOp& op = At(where);
            const bool leaves = op.kind == OpKind::Send || op.kind == OpKind::Multicast;
            if (leaves || op.pieces.empty())
            {
                return;
            }
            const auto number = static_cast<uint32_t>(m_events.size());
            m_eventOf[where] = number;
            m_events.push_back({where, m_data.SegmentsOf(op), {}, {}});
            auto& list = op.copy == CopyKind::In    ? m_staged[where.first]
                         : op.copy == CopyKind::Out ? m_results[where.first]
                                                    : m_arrivals[where.first];
            for (uint32_t i = 0; i < m_events.back().segments.size(); ++i)
            {
                list[m_events.back().segments[i]].push_back({number, i});
            }
        });
    }

    /// Completes operations as their dependencies are complete; what is left over waits forever.
    void Execute()
    {
        size_t left = 0;
        m_done.resize(m_n);
        m_known.resize(m_n);
        for (uint32_t member = 0; member < m_n; ++member)
        {
            m_done[member].resize(m_lowering.members[member].size());
            m_known[member].resize(m_lowering.members[member].size());
            left += m_done[member].size();
        }
        for (bool progress = true; progress && left > 0 && m_problems.empty();)
        {
            progress = false;
            ForAll([&](Where where) {
                if (!m_done[where.first][where.second] && IsReady(where))
                {
                    Complete(where);
                    m_done[where.first][where.second] = true;
                    progress = true;
                    --left;
                }
            });
        }
        if (left > 0)
        {
            m_problems.push_back(fmt::format("{} operations wait forever", left));
        }
    }

    bool IsDone(Where where) const
    {
        return m_done[where.first][where.second];
    }

    bool IsReady(Where where) const
    {
        const auto& dependencies = At(where).dependencies;
        return std::all_of(dependencies.begin(),
                           dependencies.end(),
                           [&](uint32_t dependency) { return m_done[where.first][dependency]; }) &&
               (At(where).kind != OpKind::Receive || IsDone(m_sendOf.at(where)));
    }

    void Complete(Where where)
    {
        const LoweredOp& op = At(where);
        Knowledge known(m_events.size() + m_n);
        known.set(m_events.size() + where.first);
        for (uint32_t dependency : op.dependencies)
        {
            known |= m_known[where.first][dependency];
            if (const auto receives = m_receivesOf.find({where.first, dependency}); receives != m_receivesOf.end())
            {
                for (Where receive : receives->second) // what it wrote is there
                {
                    Learn(known, receive);
                }
            }
        }
        if (op.kind == OpKind::Receive)
        {
            known |= m_known[op.peer][m_sendOf.at(where).second];
        }
        else
        {
            Move(where, known);
        }
        Learn(known, where);
        m_known[where.first][where.second] = std::move(known);
    }

    void Learn(Knowledge& known, Where where) const
    {
        if (const auto event = m_eventOf.find(where); event != m_eventOf.end())
        {
            known.set(event->second);
        }
    }

    /// Works out what an operation carries, reads, sums or copies.
    void Move(Where where, const Knowledge& known)
    {
        const LoweredOp& op = At(where);
        if (op.pieces.empty())
        {
            return;
        }
        Event moved{where, m_data.SegmentsOf(op), {}, {}};
        for (uint32_t segment : moved.segments)
        {
            if (op.kind == OpKind::SwitchReduce)
            {
                moved.values.push_back(SumOf(where, segment, known));
                moved.replaced.push_back(ReadFrom(where, where.first, segment, known));
            }
            else
            {
                moved.values.push_back(op.kind == OpKind::Read ? ReadFrom(where, op.peer, segment, known)
                                                               : ValueAt(where.first, segment, known));
            }
            if (moved.values.back().none())
            {
                Fail(where, "moves " + m_data.Describe(segment) + ", which is not there");
            }
        }
        if (const auto event = m_eventOf.find(where); event != m_eventOf.end())
        {
            m_events[event->second] = moved;
        }
        for (Where receive : m_receivesOf[where])
        {
            m_events[m_eventOf.at(receive)].values = moved.values;
        }
    }

    Contributions SumOf(Where where, uint32_t segment, const Knowledge& known)
    {
        Contributions sum(m_n);
        for (uint32_t member : At(where).group)
        {
            const Contributions part = ReadFrom(where, member, segment, known);
            if (part.none())
            {
                Fail(where, fmt::format("{} is not at {}", m_data.Describe(segment), member));
            }
            if (sum.intersects(part))
            {
                Fail(where, "adds a contribution to " + m_data.Describe(segment) + " twice");
            }
            sum |= part;
        }
        return sum;
    }

    /// What is read of a member without its help.
    Contributions ReadFrom(Where where, uint32_t member, uint32_t segment, const Knowledge& known)
    {
        if (!known.test(m_events.size() + member))
        {
            Fail(where, fmt::format("reads of {}, which may not have started", member));
        }
        const auto staged = m_staged[member].find(segment);
        if (staged == m_staged[member].end())
        {
            return ValueAt(member, segment, known);
        }
        Contributions value(m_n);
        for (const Entry& entry : staged->second)
        {
            value = known.test(entry.event) ? m_events[entry.event].values[entry.position] : value;
        }
        return value;
    }

    /// What a member has of a segment, given what is known to have arrived. A complete value replaces partial ones.
    Contributions ValueAt(uint32_t member, uint32_t segment, const Knowledge& known)
    {
        Contributions value = m_data.FromTheStart(member, m_data.BlockOf(segment));
        bool complete = !m_data.Reduces() && value.all();
        const auto arrivals = m_arrivals[member].find(segment);
        if (arrivals == m_arrivals[member].end())
        {
            return value;
        }
        for (const Entry& entry : arrivals->second)
        {
            if (!known.test(entry.event))
            {
                continue;
            }
            const Event& event = m_events[entry.event];
            const Contributions& arrived = event.values[entry.position];
            value -= event.replaced.empty() ? Contributions(m_n) : event.replaced[entry.position];
            if (arrived.all())
            {
                if (complete)
                {
                    Fail(event.where, m_data.Describe(segment) + " arrives complete twice");
                }
                complete = true;
            }
            else if (!complete && value.intersects(arrived))
            {
                Fail(event.where, "a contribution to " + m_data.Describe(segment) + " is added twice");
            }
            value |= arrived;
        }
        return complete ? value.set() : value;
    }

    void CheckResult(uint32_t member)
    {
        const Knowledge all = Knowledge(m_events.size() + m_n).set();
        for (uint32_t segment = 0; segment < m_data.Segments(); ++segment)
        {
            if (!m_data.Wants(member, m_data.BlockOf(segment)))
            {
                continue;
            }
            bool complete = ValueAt(member, segment, all).all();
            if (const auto copies = m_results[member].find(segment); copies != m_results[member].end())
            {
                complete =
                    complete && std::any_of(copies->second.begin(), copies->second.end(), [&](const Entry& entry) {
                        return m_events[entry.event].values[entry.position].all();
                    });
            }
            if (!complete)
            {
                m_problems.push_back(fmt::format("member {}: {} is not complete", member, m_data.Describe(segment)));
            }
        }
    }

    using EntriesBySegment = std::unordered_map<uint32_t, std::vector<Entry>>;

    std::vector<std::string> m_problems;
    const Lowering& m_lowering;
    const uint32_t m_n;
    const CollectiveData m_data;
    std::map<Where, Where> m_sendOf;                  ///< by receive: the send or multicast
    std::map<Where, std::vector<Where>> m_receivesOf; ///< by send or multicast
    std::map<Where, uint32_t> m_eventOf;
    std::vector<Event> m_events;
    std::vector<EntriesBySegment> m_arrivals; ///< by member: what brings it a segment
    std::vector<EntriesBySegment> m_staged;   ///< by member: copies in
    std::vector<EntriesBySegment> m_results;  ///< by member: copies out
    std::vector<std::vector<bool>> m_done;
    std::vector<std::vector<Knowledge>> m_known; ///< by member and operation: what has happened when it is complete,
                                                 ///< without what a send or multicast wrote
};

} // namespace

std::vector<std::string>
CheckLowering(const CollectiveRequest& request, const Lowering& lowering)
{
    return Execution(request, lowering).Run();
}

} // namespace hbd::traffic
