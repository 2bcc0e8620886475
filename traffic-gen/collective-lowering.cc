/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-lowering.h"

#include "shares.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace hbd::traffic
{

const char*
ToText(CollectiveOp op)
{
    switch (op)
    {
    case CollectiveOp::AllReduce:
        return "all-reduce";
    case CollectiveOp::ReduceScatter:
        return "reduce-scatter";
    case CollectiveOp::AllGather:
        return "all-gather";
    case CollectiveOp::AllToAll:
        return "all-to-all";
    }
    return "unknown";
}

bool
ParseCollectiveOp(const std::string& text, CollectiveOp& op)
{
    for (auto candidate :
         {CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather, CollectiveOp::AllToAll})
    {
        if (text == ToText(candidate))
        {
            op = candidate;
            return true;
        }
    }
    return false;
}

GroupLayout::GroupLayout(const std::vector<uint32_t>& ranks, const ClusterShape& shape)
{
    std::map<uint32_t, uint32_t> domainIndex; // by HBD
    for (uint32_t member = 0; member < ranks.size(); ++member)
    {
        auto [entry, isNew] = domainIndex.emplace(shape.HbdOf(ranks[member]), static_cast<uint32_t>(domains.size()));
        if (isNew)
        {
            domains.emplace_back();
        }
        domainOf.push_back(entry->second);
        localOf.push_back(static_cast<uint32_t>(domains[entry->second].size()));
        domains[entry->second].push_back(member);
    }
    for (const auto& domain : domains)
    {
        even = even && domain.size() == domains[0].size();
    }
}

uint32_t
GroupLayout::PeerAt(uint32_t member, uint32_t distance) const
{
    if (!even)
    {
        return static_cast<uint32_t>((member + distance) % domainOf.size());
    }
    const size_t local = domains[0].size();
    const auto& domain = domains[(domainOf[member] + distance / local) % domains.size()];
    return domain[(localOf[member] + distance % local) % local];
}

LoweringBuilder::LoweringBuilder(const CollectiveRequest& request, const CollectiveContext& context)
    : m_request(request),
      m_context(context),
      m_layout(request.ranks, context.shape)
{
    const size_t n = request.ranks.size();
    const bool fits =
        request.op == CollectiveOp::AllToAll ? request.pairBytes.size() == n * n : request.blockBytes.size() == n;
    if (n == 0 || !fits)
    {
        throw std::invalid_argument(std::string(ToText(request.op)) + ": sizes do not fit the members");
    }
    m_lowering.members.resize(n);
}

uint32_t
LoweringBuilder::Size() const
{
    return m_request.Size();
}

const CollectiveRequest&
LoweringBuilder::Request() const
{
    return m_request;
}

const GroupLayout&
LoweringBuilder::Layout() const
{
    return m_layout;
}

OpList
LoweringBuilder::Transfer(uint32_t from, uint32_t to, const std::vector<DataPiece>& pieces, const OpList& after)
{
    uint64_t bytes = 0;
    for (const auto& piece : pieces)
    {
        bytes += piece.bytes;
    }
    if (bytes == 0)
    {
        return {};
    }
    const bool inside = m_context.shape.SameHbd(m_request.ranks[from], m_request.ranks[to]);
    const LibrarySpec& library = m_context.library;
    LoweredOp op;
    op.bytes = bytes;
    op.pieces = pieces;
    op.match = m_matches[static_cast<uint64_t>(from) * Size() + to]++;
    m_lowering.matchCount = std::max(m_lowering.matchCount, op.match + 1);

    LoweredOp send = op;
    send.kind = OpKind::Send;
    send.peer = to;
    send.dependencies = after;
    send.delayPs = (inside ? library.scaleUpStep : library.scaleOutStep).Picoseconds() +
                   (after.empty() ? library.launch.Picoseconds() : 0);
    m_lowering.members[from].push_back(std::move(send));

    op.kind = OpKind::Receive;
    op.peer = from;
    m_lowering.members[to].push_back(std::move(op));
    return {static_cast<uint32_t>(m_lowering.members[to].size() - 1)};
}

OpList
LoweringBuilder::Reduce(uint32_t member, uint64_t touched, const OpList& after)
{
    if (after.empty() || m_context.library.reduceRate.IsZero())
    {
        return after;
    }
    LoweredOp op;
    op.kind = OpKind::Delay;
    op.delayPs = (Bytes::FromBytes(touched) / m_context.library.reduceRate).Picoseconds();
    op.dependencies = after;
    m_lowering.members[member].push_back(std::move(op));
    return {static_cast<uint32_t>(m_lowering.members[member].size() - 1)};
}

Lowering
LoweringBuilder::Take()
{
    return std::move(m_lowering);
}

std::vector<DataPiece>
ChunksOf(uint32_t block, uint64_t bytes)
{
    std::vector<DataPiece> chunks;
    if (bytes > 0)
    {
        const uint64_t count = std::clamp<uint64_t>(bytes / kMinChunkBytes, 1, kMaxChunks);
        for (uint64_t i = 0; i < count; ++i)
        {
            chunks.push_back({block, ShareOffset(bytes, count, i), ShareOf(bytes, count, i)});
        }
    }
    return chunks;
}

} // namespace hbd::traffic
