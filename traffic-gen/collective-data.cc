/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data.h"

#include <algorithm>
#include <fmt/format.h>

namespace hbd::traffic
{

CollectiveData::CollectiveData(const CollectiveRequest& request,
                               const Lowering& lowering,
                               std::vector<std::string>& problems)
    : m_request(request),
      m_n(request.Size())
{
    m_cuts.resize(BlockCount());
    for (uint32_t block = 0; block < BlockCount(); ++block)
    {
        m_cuts[block] = {0, BlockBytes(block)};
    }
    for (const auto& ops : lowering.members)
    {
        for (const auto& op : ops)
        {
            if (!AddCuts(op, problems))
            {
                return;
            }
        }
    }
    for (uint32_t block = 0; block < BlockCount(); ++block)
    {
        auto& cuts = m_cuts[block];
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        m_firstSegment.push_back(Segments());
        m_blockOf.insert(m_blockOf.end(), cuts.size() - 1, block);
    }
}

bool
CollectiveData::AddCuts(const LoweredOp& op, std::vector<std::string>& problems)
{
    uint64_t sum = 0;
    for (const auto& piece : op.pieces)
    {
        sum += piece.bytes;
        if (piece.block >= BlockCount() || piece.offset + piece.bytes > BlockBytes(piece.block))
        {
            problems.push_back(fmt::format("piece outside block {}", piece.block));
            return false;
        }
        m_cuts[piece.block].push_back(piece.offset);
        m_cuts[piece.block].push_back(piece.offset + piece.bytes);
    }
    const bool message = op.kind == OpKind::Send || op.kind == OpKind::Receive || op.kind == OpKind::Multicast;
    const uint64_t expected = message && op.pieces.empty() ? kFlagBytes : sum;
    if (op.kind != OpKind::Delay && op.bytes != expected)
    {
        problems.emplace_back("the pieces of an operation do not add up to its bytes");
        return false;
    }
    return true;
}

uint32_t
CollectiveData::BlockCount() const
{
    return m_request.op == CollectiveOp::AllToAll ? m_n * m_n : m_n;
}

uint64_t
CollectiveData::BlockBytes(uint32_t block) const
{
    return m_request.op == CollectiveOp::AllToAll ? m_request.pairBytes[block] : m_request.blockBytes[block];
}

uint32_t
CollectiveData::Segments() const
{
    return static_cast<uint32_t>(m_blockOf.size());
}

uint32_t
CollectiveData::BlockOf(uint32_t segment) const
{
    return m_blockOf[segment];
}

std::vector<uint32_t>
CollectiveData::SegmentsOf(const LoweredOp& op) const
{
    std::vector<uint32_t> segments;
    for (const auto& piece : op.pieces)
    {
        const auto& cuts = m_cuts[piece.block];
        const auto first = std::lower_bound(cuts.begin(), cuts.end(), piece.offset);
        const auto last = std::lower_bound(first, cuts.end(), piece.offset + piece.bytes);
        for (auto cut = first; cut != last; ++cut)
        {
            segments.push_back(m_firstSegment[piece.block] + static_cast<uint32_t>(cut - cuts.begin()));
        }
    }
    return segments;
}

bool
CollectiveData::Reduces() const
{
    return m_request.op == CollectiveOp::AllReduce || m_request.op == CollectiveOp::ReduceScatter;
}

Contributions
CollectiveData::FromTheStart(uint32_t member, uint32_t block) const
{
    Contributions value(m_n);
    if (Reduces())
    {
        value.set(member);
        return value;
    }
    const uint32_t owner = m_request.op == CollectiveOp::AllToAll    ? block / m_n
                           : m_request.op == CollectiveOp::Broadcast ? 0
                                                                     : block;
    return owner == member ? value.set() : value;
}

bool
CollectiveData::Wants(uint32_t member, uint32_t block) const
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

std::string
CollectiveData::Describe(uint32_t segment) const
{
    const uint32_t block = m_blockOf[segment];
    return fmt::format("block {} byte {}", block, m_cuts[block][segment - m_firstSegment[block]]);
}

} // namespace hbd::traffic
