/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/nvls.h"

#include <algorithm>

namespace hbd::traffic
{

NvlsLowering::NvlsLowering(LoweringBuilder& builder)
    : m_builder(builder),
      m_domains(builder.Layout().domains),
      m_engine(builder.Size())
{
    for (auto& domain : m_domains)
    {
        std::sort(domain.begin(), domain.end());
    }
    const uint64_t chunk = std::max<uint64_t>(1, builder.Kernel().chunk.Count());
    const auto& blocks = builder.Request().blockBytes;
    m_chunks = static_cast<uint32_t>((*std::max_element(blocks.begin(), blocks.end()) + chunk - 1) / chunk);
    m_reductions.assign(m_chunks, MemberOps(builder.Size()));
}

uint32_t
NvlsLowering::Chunks() const
{
    return m_chunks;
}

DataPiece
NvlsLowering::PieceOf(uint32_t chunk, uint32_t block) const
{
    const uint64_t size = std::max<uint64_t>(1, m_builder.Kernel().chunk.Count());
    const uint64_t bytes = m_builder.Request().blockBytes[block];
    const uint64_t offset = std::min(chunk * size, bytes);
    return {block, offset, std::min(size, bytes - offset)};
}

std::vector<DataPiece>
NvlsLowering::PiecesOf(uint32_t chunk, uint32_t except) const
{
    std::vector<DataPiece> pieces;
    for (uint32_t block = 0; block < m_builder.Size(); ++block)
    {
        const DataPiece piece = PieceOf(chunk, block);
        if (block != except && piece.bytes > 0)
        {
            pieces.push_back(piece);
        }
    }
    return pieces;
}

bool
NvlsLowering::Stages() const
{
    return !m_builder.Kernel().stagingRate.IsZero();
}

const std::vector<uint32_t>&
NvlsLowering::DomainOf(uint32_t member) const
{
    return m_domains[m_builder.Layout().domainOf[member]];
}

uint32_t
NvlsLowering::HeadOf(uint32_t block, size_t domain) const
{
    const GroupLayout& layout = m_builder.Layout();
    const auto& members = layout.domains[domain];
    return layout.domainOf[block] == domain ? block : members[layout.localOf[block] % members.size()];
}

OpList
NvlsLowering::Copy(uint32_t member, CopyKind kind, const std::vector<DataPiece>& pieces, const OpList& after)
{
    if (!Stages() || DomainOf(member).size() == 1 || pieces.empty())
    {
        return after;
    }
    OpList wait = after;
    Append(wait, m_engine[member]);
    m_engine[member] = m_builder.Copy(member, kind, pieces, wait);
    return m_engine[member];
}

MemberOps
NvlsLowering::Barrier(const MemberOps& after)
{
    MemberOps ready = after;
    for (const auto& domain : m_domains)
    {
        for (uint32_t from : domain.size() > 1 ? domain : std::vector<uint32_t>())
        {
            const OpList flags = m_builder.MulticastFlag(from, domain, after[from]);
            for (size_t i = 0; i < domain.size(); ++i)
            {
                if (domain[i] != from)
                {
                    ready[domain[i]].push_back(flags[i]);
                }
            }
        }
    }
    return ready;
}

MemberOps
NvlsLowering::Stage(uint32_t chunk, const MemberOps& after)
{
    if (!Stages())
    {
        if (chunk == 0)
        {
            m_firstFlags = Barrier(after);
        }
        return m_firstFlags;
    }
    const auto pieces = PiecesOf(chunk, m_builder.Size());
    MemberOps copied(m_builder.Size());
    for (uint32_t member = 0; member < m_builder.Size(); ++member)
    {
        copied[member] = Copy(member, CopyKind::In, pieces, after[member]);
    }
    return Barrier(copied);
}

MemberOps
NvlsLowering::Sum(uint32_t chunk, const MemberOps& ready)
{
    const size_t domains = m_domains.size();
    MemberOps sums(m_builder.Size());
    for (uint32_t block = 0; block < m_builder.Size(); ++block)
    {
        const DataPiece piece = PieceOf(chunk, block);
        const size_t home = m_builder.Layout().domainOf[block];
        for (size_t distance = 1; distance <= domains && piece.bytes > 0; ++distance) // the own domain last
        {
            const size_t domain = (home + distance) % domains;
            const uint32_t head = HeadOf(block, domain);
            OpList sum = ready[head];
            if (chunk >= 1) // one after the other: a chunk is spread while the next one is summed
            {
                Append(sum, m_reductions[chunk - 1][head]);
            }
            if (m_domains[domain].size() > 1)
            {
                sum = m_builder.SwitchReduce(head, m_domains[domain], {piece}, sum);
                Append(m_reductions[chunk][head], sum);
            }
            if (domain != home)
            {
                const MessageEnds sent = m_builder.Write(head, block, {piece}, sum);
                Append(m_reductions[chunk][head], sent.sent);
                Append(sums[block], sent.received);
            }
            else if (m_domains[domain].size() > 1)
            {
                Append(sums[block], sum);
            }
        }
        if (domains > 1)
        {
            sums[block] = m_builder.Reduce(block, (domains + 1) * piece.bytes, sums[block]);
        }
    }
    return sums;
}

void
NvlsLowering::MulticastAt(uint32_t head, const std::vector<DataPiece>& pieces, const OpList& after, MemberOps& arrivals)
{
    const auto& domain = DomainOf(head);
    if (domain.size() > 1)
    {
        const OpList ends = m_builder.Multicast(head, domain, pieces, after);
        for (size_t i = 0; i < ends.size(); ++i)
        {
            arrivals[domain[i]].push_back(ends[i]);
        }
    }
}

MemberOps
NvlsLowering::Spread(uint32_t chunk, const MemberOps& ready)
{
    const size_t domains = m_domains.size();
    MemberOps arrivals(m_builder.Size());
    for (uint32_t block = 0; block < m_builder.Size(); ++block)
    {
        const DataPiece piece = PieceOf(chunk, block);
        const size_t home = m_builder.Layout().domainOf[block];
        for (size_t distance = 1; distance <= domains && piece.bytes > 0; ++distance)
        {
            const size_t domain = (home + distance) % domains;
            const uint32_t head = HeadOf(block, domain);
            OpList here = ready[block];
            if (domain != home)
            {
                here = m_builder.Transfer(block, head, {piece}, ready[block]);
                Append(arrivals[head], here);
            }
            MulticastAt(head, {piece}, here, arrivals);
        }
    }
    return arrivals;
}

const MemberOps&
NvlsLowering::ReductionsOf(uint32_t chunk) const
{
    return m_reductions[chunk];
}

} // namespace hbd::traffic
