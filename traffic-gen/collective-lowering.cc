/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-lowering.h"

#include "shares.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace hbd::traffic
{

namespace
{

KernelTransport
TransportOf(const KernelSpec& kernel, const GroupLayout& layout)
{
    size_t largest = 1;
    for (const auto& domain : layout.domains)
    {
        largest = std::max(largest, domain.size());
    }
    KernelTransport transport;
    transport.copyRate = static_cast<uint64_t>(std::llround(CopyRateTo(kernel, largest - 1).BytesPerSecond()));
    transport.packetPayload = static_cast<uint32_t>(kernel.packetPayload.Count());
    transport.wireNumerator = kernel.wire.numerator;
    transport.wireDenominator = kernel.wire.denominator;
    return transport;
}

} // namespace

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
    case CollectiveOp::Broadcast:
        return "broadcast";
    }
    return "unknown";
}

bool
ParseCollectiveOp(const std::string& text, CollectiveOp& op)
{
    for (auto candidate : {CollectiveOp::AllReduce,
                           CollectiveOp::ReduceScatter,
                           CollectiveOp::AllGather,
                           CollectiveOp::AllToAll,
                           CollectiveOp::Broadcast})
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
    meshPeers = shape.IsMesh() ? shape.HbdSize() - 1 : 0;
}

TierRates::TierRates(const ClusterSpec& cluster)
    : inside(cluster.hbd.UsedBytesPerSecond()),
      across(cluster.scaleOut.nicRate.BytesPerSecond())
{
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
    m_lowering.transport = TransportOf(context.kernel, m_layout);
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

const TierRates&
LoweringBuilder::Rates() const
{
    return m_context.rates;
}

const GroupLayout&
LoweringBuilder::Layout() const
{
    return m_layout;
}

const KernelSpec&
LoweringBuilder::Kernel() const
{
    return m_context.kernel;
}

namespace
{

/// What moves the pieces, without its ends.
LoweredOp
Carrier(const std::vector<DataPiece>& pieces)
{
    LoweredOp op;
    op.pieces = pieces;
    for (const auto& piece : pieces)
    {
        op.bytes += piece.bytes;
    }
    return op;
}

/// What moves a flag, without its ends.
LoweredOp
FlagCarrier()
{
    LoweredOp op;
    op.bytes = kFlagBytes;
    return op;
}

} // namespace

uint32_t
LoweringBuilder::Add(uint32_t member, LoweredOp op)
{
    m_lowering.members[member].push_back(std::move(op));
    return static_cast<uint32_t>(m_lowering.members[member].size() - 1);
}

int64_t
LoweringBuilder::LaunchPs(const OpList& after) const
{
    return after.empty() ? m_context.kernel.launch.Picoseconds() : 0;
}

MessageEnds
LoweringBuilder::AddMessage(uint32_t from, uint32_t to, LoweredOp op, const OpList& after)
{
    const bool inside = m_context.shape.SameHbd(m_request.ranks[from], m_request.ranks[to]);
    const KernelSpec& kernel = m_context.kernel;
    op.match = m_matches[static_cast<uint64_t>(from) * Size() + to]++;
    m_lowering.matchCount = std::max(m_lowering.matchCount, op.match + 1);

    LoweredOp receive = op;
    receive.kind = OpKind::Receive;
    receive.peer = from;
    op.kind = OpKind::Send;
    op.peer = to;
    op.dependencies = after;
    op.delayPs = (inside ? kernel.scaleUpStep : kernel.scaleOutStep).Picoseconds() + LaunchPs(after);
    return {{Add(from, std::move(op))}, {Add(to, std::move(receive))}};
}

OpList
LoweringBuilder::AddMulticast(uint32_t from, const std::vector<uint32_t>& group, LoweredOp op, const OpList& after)
{
    CheckGroup(from, group);
    for (uint32_t member : group) // one number that is new to all pairs
    {
        if (member != from)
        {
            op.match = std::max(op.match, m_matches[static_cast<uint64_t>(from) * Size() + member]);
        }
    }
    m_lowering.matchCount = std::max(m_lowering.matchCount, op.match + 1);
    OpList ends;
    for (uint32_t member : group)
    {
        LoweredOp end = op;
        if (member == from)
        {
            end.kind = OpKind::Multicast;
            end.group = group;
            end.dependencies = after;
            end.delayPs = m_context.kernel.scaleUpStep.Picoseconds() + LaunchPs(after);
        }
        else
        {
            end.kind = OpKind::Receive;
            end.peer = from;
            m_matches[static_cast<uint64_t>(from) * Size() + member] = op.match + 1;
        }
        ends.push_back(Add(member, std::move(end)));
    }
    return ends;
}

void
LoweringBuilder::CheckGroup(uint32_t member, const std::vector<uint32_t>& group) const
{
    bool sound = group.size() > 1;
    for (size_t i = 0; i < group.size(); ++i)
    {
        sound = sound && (i == 0 || group[i - 1] < group[i]) && group[i] < Size() &&
                m_layout.domainOf[group[i]] == m_layout.domainOf[member];
    }
    if (!sound || !std::binary_search(group.begin(), group.end(), member))
    {
        throw std::logic_error("a switch group has to be several members of one domain, in order, the user among them");
    }
}

OpList
LoweringBuilder::Transfer(uint32_t from, uint32_t to, const std::vector<DataPiece>& pieces, const OpList& after)
{
    return Write(from, to, pieces, after).received;
}

MessageEnds
LoweringBuilder::Write(uint32_t from, uint32_t to, const std::vector<DataPiece>& pieces, const OpList& after)
{
    LoweredOp op = Carrier(pieces);
    return op.bytes == 0 ? MessageEnds() : AddMessage(from, to, std::move(op), after);
}

MessageEnds
LoweringBuilder::Flag(uint32_t from, uint32_t to, const OpList& after)
{
    return AddMessage(from, to, FlagCarrier(), after);
}

OpList
LoweringBuilder::Read(uint32_t reader, uint32_t source, const std::vector<DataPiece>& pieces, const OpList& after)
{
    LoweredOp op = Carrier(pieces);
    if (op.bytes == 0)
    {
        return {};
    }
    op.kind = OpKind::Read;
    op.peer = source;
    op.dependencies = after;
    op.delayPs = LaunchPs(after);
    return {Add(reader, std::move(op))};
}

OpList
LoweringBuilder::Multicast(uint32_t from,
                           const std::vector<uint32_t>& group,
                           const std::vector<DataPiece>& pieces,
                           const OpList& after)
{
    LoweredOp op = Carrier(pieces);
    return op.bytes == 0 ? OpList() : AddMulticast(from, group, std::move(op), after);
}

OpList
LoweringBuilder::MulticastFlag(uint32_t from, const std::vector<uint32_t>& group, const OpList& after)
{
    return AddMulticast(from, group, FlagCarrier(), after);
}

OpList
LoweringBuilder::SwitchReduce(uint32_t reader,
                              const std::vector<uint32_t>& group,
                              const std::vector<DataPiece>& pieces,
                              const OpList& after)
{
    CheckGroup(reader, group);
    LoweredOp op = Carrier(pieces);
    if (op.bytes == 0)
    {
        return {};
    }
    op.kind = OpKind::SwitchReduce;
    op.group = group;
    op.dependencies = after;
    op.delayPs = LaunchPs(after);
    return {Add(reader, std::move(op))};
}

OpList
LoweringBuilder::Copy(uint32_t member, CopyKind kind, const std::vector<DataPiece>& pieces, const OpList& after)
{
    LoweredOp op = Carrier(pieces);
    if (op.bytes == 0 || m_context.kernel.stagingRate.IsZero())
    {
        return after;
    }
    op.kind = OpKind::Delay;
    op.copy = kind;
    op.dependencies = after;
    op.delayPs = LaunchPs(after) + (Bytes::FromBytes(op.bytes) / m_context.kernel.stagingRate).Picoseconds();
    op.bytes = 0;
    return {Add(member, std::move(op))};
}

OpList
LoweringBuilder::Reduce(uint32_t member, uint64_t touched, const OpList& after)
{
    if (after.empty() || m_context.kernel.reduceRate.IsZero())
    {
        return after;
    }
    LoweredOp op;
    op.kind = OpKind::Delay;
    op.delayPs = (Bytes::FromBytes(touched) / m_context.kernel.reduceRate).Picoseconds();
    op.dependencies = after;
    return {Add(member, std::move(op))};
}

Lowering
LoweringBuilder::Take()
{
    for (auto& ops : m_lowering.members)
    {
        if (!ops.empty() && !m_context.kernel.minimum.IsZero())
        {
            LoweredOp least;
            least.kind = OpKind::Delay;
            least.delayPs = m_context.kernel.minimum.Picoseconds();
            ops.push_back(std::move(least));
        }
    }
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
