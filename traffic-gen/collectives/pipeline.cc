/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/phases.h"
#include "shares.h"

#include <algorithm>
#include <cmath>

namespace hbd::traffic
{

std::vector<DataPiece>
PayloadRange(const std::vector<uint64_t>& blocks, uint64_t offset, uint64_t bytes)
{
    std::vector<DataPiece> pieces;
    uint64_t begin = 0;
    for (uint32_t block = 0; block < blocks.size(); ++block)
    {
        const uint64_t first = std::max(offset, begin);
        const uint64_t last = std::min(offset + bytes, begin + blocks[block]);
        if (first < last)
        {
            pieces.push_back({block, first - begin, last - first});
        }
        begin += blocks[block];
    }
    return pieces;
}

Pipeline::Pipeline(LoweringBuilder& builder, uint64_t offset, uint64_t bytes)
    : m_builder(builder)
{
    const uint64_t parts = bytes == 0 ? 0 : std::clamp<uint64_t>(bytes / kPipelinePartBytes, 1, kMaxPipelineParts);
    for (uint64_t part = 0; part < parts; ++part)
    {
        m_parts.push_back(PayloadRange(builder.Request().blockBytes,
                                       offset + ShareOffset(bytes, parts, part),
                                       ShareOf(bytes, parts, part)));
    }
    m_partBytes = parts == 0 ? 1 : std::max<uint64_t>(1, (bytes + parts - 1) / parts);
}

uint32_t
Pipeline::Window(uint32_t from, uint32_t to) const
{
    const KernelSpec& kernel = m_builder.Kernel();
    const GroupLayout& layout = m_builder.Layout();
    const bool inside = layout.domainOf[from] == layout.domainOf[to];
    double rate = inside ? m_builder.Rates().inside : m_builder.Rates().across;
    if (inside && layout.meshPeers > 0)
    {
        rate /= layout.meshPeers;
    }
    if (!kernel.copyRate.IsZero())
    {
        rate = std::min(rate, kernel.copyRate.BytesPerSecond());
    }
    const double latency = (inside ? kernel.scaleUpStep : kernel.scaleOutStep).Seconds() + kPipelinePathSeconds;
    return static_cast<uint32_t>(std::max(2.0, 1 + std::ceil(rate * latency / static_cast<double>(m_partBytes))));
}

uint32_t
Pipeline::Parts() const
{
    return static_cast<uint32_t>(m_parts.size());
}

uint64_t
Pipeline::PartBytes(uint32_t part) const
{
    uint64_t bytes = 0;
    for (const auto& piece : m_parts[part])
    {
        bytes += piece.bytes;
    }
    return bytes;
}

OpList
Pipeline::Transfer(uint32_t part, uint32_t from, uint32_t to, uint32_t stream, const OpList& after)
{
    auto& sent = m_sent[{from, to, stream}];
    OpList wait = after;
    if (sent.size() == Window(from, to))
    {
        Append(wait, sent.front());
        sent.pop_front();
    }
    MessageEnds ends = m_builder.Write(from, to, m_parts[part], wait);
    sent.push_back(std::move(ends.sent));
    return ends.received;
}

} // namespace hbd::traffic
