/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-checker.h"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace hbd::traffic
{

namespace
{

using Contributions = boost::dynamic_bitset<>;

/// One run of the checker.
class Execution
{
  public:
    Execution(const CollectiveRequest& request, const Lowering& lowering)
        : m_request(request),
          m_lowering(lowering),
          m_n(request.Size())
    {
    }

    std::vector<std::string> Run()
    {
        PairMessages();
        CutBlocks();
        if (m_problems.empty())
        {
            Execute();
        }
        if (m_problems.empty())
        {
            for (uint32_t member = 0; member < m_n; ++member)
            {
                CheckResult(member);
            }
        }
        return m_problems;
    }

  private:
    using Where = std::pair<uint32_t, uint32_t>; ///< member, operation

    const LoweredOp& At(Where where) const
    {
        return m_lowering.members[where.first][where.second];
    }

    uint32_t BlockCount() const
    {
        return m_request.op == CollectiveOp::AllToAll ? m_n * m_n : m_n;
    }

    uint64_t BlockBytes(uint32_t block) const
    {
        return m_request.op == CollectiveOp::AllToAll ? m_request.pairBytes[block] : m_request.blockBytes[block];
    }

    bool Reduces() const
    {
        return m_request.op == CollectiveOp::AllReduce || m_request.op == CollectiveOp::ReduceScatter;
    }

    void Fail(std::string text)
    {
        m_problems.push_back(std::move(text));
    }

    /// Finds the receive of each send; both must carry the same.
    void PairMessages()
    {
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Where> sends;
        for (auto kind : {OpKind::Send, OpKind::Receive})
        {
            for (uint32_t member = 0; member < m_n; ++member)
            {
                for (uint32_t i = 0; i < m_lowering.members[member].size(); ++i)
                {
                    PairOne({member, i}, kind, sends);
                }
            }
        }
        for (const auto& [key, where] : sends)
        {
            Fail(fmt::format("member {}: send {} is never received", where.first, where.second));
        }
    }

    void PairOne(Where where, OpKind kind, std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Where>& sends)
    {
        const LoweredOp& op = At(where);
        if (op.kind != kind)
        {
            return;
        }
        if (op.match >= m_lowering.matchCount || op.peer >= m_n || op.peer == where.first)
        {
            Fail(fmt::format("member {}: operation {} has a bad match or peer", where.first, where.second));
            return;
        }
        if (kind == OpKind::Send)
        {
            if (!sends.emplace(std::tuple(where.first, op.peer, op.match), where).second)
            {
                Fail(fmt::format("member {}: two sends to {} with match {}", where.first, op.peer, op.match));
            }
            return;
        }
        const auto send = sends.find({op.peer, where.first, op.match});
        if (send == sends.end() || At(send->second).bytes != op.bytes)
        {
            Fail(fmt::format("member {}: receive {} has no send of its size", where.first, where.second));
            return;
        }
        m_sendOf[where] = send->second;
        sends.erase(send);
    }

    /// Cuts blocks at the edges of all pieces, so that a piece is a run of whole segments.
    void CutBlocks()
    {
        m_cuts.resize(BlockCount());
        for (uint32_t block = 0; block < BlockCount(); ++block)
        {
            m_cuts[block] = {0, BlockBytes(block)};
        }
        for (const auto& ops : m_lowering.members)
        {
            for (const auto& op : ops)
            {
                uint64_t sum = 0;
                for (const auto& piece : op.pieces)
                {
                    sum += piece.bytes;
                    if (piece.block >= BlockCount() || piece.offset + piece.bytes > BlockBytes(piece.block))
                    {
                        Fail(fmt::format("piece outside block {}", piece.block));
                        return;
                    }
                    m_cuts[piece.block].push_back(piece.offset);
                    m_cuts[piece.block].push_back(piece.offset + piece.bytes);
                }
                if (sum != op.bytes)
                {
                    Fail("the pieces of an operation do not add up to its bytes");
                }
            }
        }
        for (auto& cuts : m_cuts)
        {
            std::sort(cuts.begin(), cuts.end());
            cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        }
    }

    /// Completes operations as their dependencies are complete; what is left over waits forever.
    void Execute()
    {
        std::vector<std::vector<bool>> done(m_n);
        m_known.resize(m_n);
        size_t left = 0;
        for (uint32_t member = 0; member < m_n; ++member)
        {
            const size_t count = m_lowering.members[member].size();
            done[member].resize(count);
            m_known[member].assign(count, Contributions(count));
            left += count;
        }
        for (bool progress = true; progress && left > 0;)
        {
            progress = false;
            for (uint32_t member = 0; member < m_n; ++member)
            {
                for (uint32_t i = 0; i < done[member].size(); ++i)
                {
                    if (!done[member][i] && TryComplete({member, i}, done))
                    {
                        done[member][i] = true;
                        progress = true;
                        --left;
                    }
                }
            }
        }
        if (left > 0)
        {
            Fail(fmt::format("{} operations wait forever", left));
        }
    }

    bool TryComplete(Where where, const std::vector<std::vector<bool>>& done)
    {
        const LoweredOp& op = At(where);
        Contributions& known = m_known[where.first][where.second];
        for (uint32_t dependency : op.dependencies)
        {
            if (dependency >= where.second)
            {
                Fail(fmt::format("member {}: operation {} depends forwards", where.first, where.second));
                return true;
            }
            if (!done[where.first][dependency])
            {
                return false;
            }
            known |= m_known[where.first][dependency];
        }
        if (op.kind == OpKind::Receive)
        {
            const Where send = m_sendOf.at(where);
            if (!done[send.first][send.second])
            {
                return false;
            }
            known.set(where.second);
        }
        if (op.kind == OpKind::Send)
        {
            Carry(where, known);
        }
        return true;
    }

    /// Works out what a send carries.
    void Carry(Where where, const Contributions& known)
    {
        auto& carried = m_carried[where];
        ForSegments(At(where), [&](uint32_t block, uint64_t offset) {
            const Contributions value = ValueAt(where.first, block, offset, known);
            if (value.none())
            {
                Fail(fmt::format("member {}: operation {} sends block {} that it does not have",
                                 where.first,
                                 where.second,
                                 block));
            }
            carried[{block, offset}] = value;
        });
    }

    template <class Visit>
    void ForSegments(const LoweredOp& op, Visit visit) const
    {
        for (const auto& piece : op.pieces)
        {
            for (uint64_t cut : m_cuts[piece.block])
            {
                if (cut >= piece.offset && cut < piece.offset + piece.bytes)
                {
                    visit(piece.block, cut);
                }
            }
        }
    }

    /// What a member has of a segment, given the receives it knows about. A complete value replaces partial ones.
    Contributions ValueAt(uint32_t member, uint32_t block, uint64_t offset, const Contributions& known)
    {
        Contributions value(m_n);
        if (Reduces())
        {
            value.set(member);
        }
        else if ((m_request.op == CollectiveOp::AllGather ? block : block / m_n) == member)
        {
            value.set();
        }
        bool complete = false;
        for (size_t i = known.find_first(); i != Contributions::npos; i = known.find_next(i))
        {
            const auto& carried = m_carried.at(m_sendOf.at({member, static_cast<uint32_t>(i)}));
            const auto arrived = carried.find({block, offset});
            if (arrived == carried.end())
            {
                continue;
            }
            if (arrived->second.all())
            {
                if (complete)
                {
                    Fail(fmt::format("member {}: block {} arrives complete twice", member, block));
                }
                complete = true;
            }
            else if (!complete && value.intersects(arrived->second))
            {
                Fail(fmt::format("member {}: a contribution to block {} is added twice", member, block));
            }
            else
            {
                value |= arrived->second;
            }
        }
        return complete ? value.set() : value;
    }

    bool Wants(uint32_t member, uint32_t block) const
    {
        switch (m_request.op)
        {
        case CollectiveOp::ReduceScatter:
            return block == member;
        case CollectiveOp::AllToAll:
            return block % m_n == member && block / m_n != member;
        default:
            return true;
        }
    }

    void CheckResult(uint32_t member)
    {
        const auto& ops = m_lowering.members[member];
        Contributions all(ops.size());
        for (uint32_t i = 0; i < ops.size(); ++i)
        {
            all[i] = ops[i].kind == OpKind::Receive;
        }
        for (uint32_t block = 0; block < BlockCount(); ++block)
        {
            for (size_t i = 0; Wants(member, block) && i + 1 < m_cuts[block].size(); ++i)
            {
                if (!ValueAt(member, block, m_cuts[block][i], all).all())
                {
                    Fail(
                        fmt::format("member {}: block {} is not complete at byte {}", member, block, m_cuts[block][i]));
                }
            }
        }
    }

    const CollectiveRequest& m_request;
    const Lowering& m_lowering;
    const uint32_t m_n;
    std::vector<std::string> m_problems;
    std::map<Where, Where> m_sendOf;
    std::vector<std::vector<uint64_t>> m_cuts;       ///< by block, sorted
    std::vector<std::vector<Contributions>> m_known; ///< by member and operation: receives it can rely on
    std::map<Where, std::map<std::pair<uint32_t, uint64_t>, Contributions>> m_carried; ///< by send: segment -> value
};

} // namespace

std::vector<std::string>
CheckLowering(const CollectiveRequest& request, const Lowering& lowering)
{
    return Execution(request, lowering).Run();
}

} // namespace hbd::traffic
