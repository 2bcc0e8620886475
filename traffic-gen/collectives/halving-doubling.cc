/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives/halving-doubling.h"

namespace hbd::traffic
{

FoldedGroup::FoldedGroup(const LoweringBuilder& builder)
    : m_blocks(builder.Request().blockBytes)
{
    while (2 * m_participants <= builder.Size())
    {
        m_participants *= 2;
    }
    m_extras = builder.Size() - m_participants;
}

uint32_t
FoldedGroup::MemberOf(uint32_t participant) const
{
    return participant < m_extras ? 2 * participant : participant + m_extras;
}

std::optional<uint32_t>
FoldedGroup::ExtraOf(uint32_t participant) const
{
    return participant < m_extras ? std::optional<uint32_t>(2 * participant + 1) : std::nullopt;
}

std::vector<DataPiece>
FoldedGroup::BlocksOf(uint32_t participant) const
{
    return BlocksMatching(m_participants - 1, participant);
}

std::vector<DataPiece>
FoldedGroup::BlocksMatching(uint32_t mask, uint32_t value) const
{
    std::vector<DataPiece> pieces;
    for (uint32_t participant = value & mask; participant < m_participants; participant += mask + 1)
    {
        const uint32_t member = MemberOf(participant);
        pieces.push_back({member, 0, m_blocks[member]});
        if (const auto extra = ExtraOf(participant))
        {
            pieces.push_back({*extra, 0, m_blocks[*extra]});
        }
    }
    return pieces;
}

std::vector<DataPiece>
FoldedGroup::BlocksExcept(uint32_t except) const
{
    std::vector<DataPiece> pieces;
    for (uint32_t block = 0; block < m_blocks.size(); ++block)
    {
        if (block != except)
        {
            pieces.push_back({block, 0, m_blocks[block]});
        }
    }
    return pieces;
}

uint64_t
BytesOf(const std::vector<DataPiece>& pieces)
{
    uint64_t bytes = 0;
    for (const auto& piece : pieces)
    {
        bytes += piece.bytes;
    }
    return bytes;
}

MemberOps
AddRecursiveHalving(LoweringBuilder& builder, const FoldedGroup& group, const MemberOps& ready)
{
    MemberOps done = ready;
    for (uint32_t bit = 1; bit < group.Participants(); bit *= 2)
    {
        const MemberOps before = done;
        for (uint32_t from = 0; from < group.Participants(); ++from)
        {
            const uint32_t to = from ^ bit;
            const auto pieces = group.BlocksMatching(2 * bit - 1, to);
            const OpList received = builder.Transfer(group.MemberOf(from), group.MemberOf(to), pieces, before[from]);
            // Reads its own sum and what came, writes the new one.
            Append(done[to], builder.Reduce(group.MemberOf(to), 3 * BytesOf(pieces), received));
        }
    }
    return done;
}

MemberOps
AddRecursiveDoubling(LoweringBuilder& builder, const FoldedGroup& group, MemberOps ready, Holdings& has)
{
    for (uint32_t bit = group.Participants() / 2; bit > 0; bit /= 2)
    {
        const MemberOps before = ready;
        const Holdings had = has;
        for (uint32_t from = 0; from < group.Participants(); ++from)
        {
            const uint32_t to = from ^ bit;
            std::vector<DataPiece> pieces;
            for (uint32_t whose = from % (2 * bit); whose < group.Participants(); whose += 2 * bit)
            {
                if (!had[to][whose])
                {
                    const auto blocks = group.BlocksOf(whose);
                    pieces.insert(pieces.end(), blocks.begin(), blocks.end());
                    has[to][whose] = true;
                }
            }
            Append(ready[to], builder.Transfer(group.MemberOf(from), group.MemberOf(to), pieces, before[from]));
        }
    }
    return ready;
}

Holdings
OwnBlocks(const FoldedGroup& group)
{
    Holdings has(group.Participants(), std::vector<bool>(group.Participants(), false));
    for (uint32_t participant = 0; participant < group.Participants(); ++participant)
    {
        has[participant][participant] = true;
    }
    return has;
}

} // namespace hbd::traffic
