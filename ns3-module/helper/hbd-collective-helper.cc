/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-collective-helper.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

AllReduceProgram::AllReduceProgram(const std::string& algorithm, uint32_t ranks, uint64_t bytes, uint64_t chunk)
    : m_algorithm(algorithm),
      m_ranks(ranks),
      m_bytes(bytes),
      m_taken(ranks, false)
{
    if (ranks < 2 || chunk == 0)
    {
        throw std::invalid_argument("an all-reduce needs at least 2 ranks and a chunk of at least 1 B");
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        m_blocks.push_back(std::make_shared<OperationBlock>());
    }
    if (algorithm == "nvls")
    {
        AddNvls(chunk);
    }
    else if (algorithm == "ring")
    {
        AddRing();
    }
    else if (algorithm == "direct")
    {
        AddDirect();
    }
    else
    {
        throw std::invalid_argument("unknown algorithm '" + algorithm + "': expected nvls, ring or direct");
    }
}

bool
AllReduceProgram::Next(uint32_t rank, BlockInstance& instance)
{
    if (rank >= m_ranks || m_taken[rank])
    {
        return false;
    }
    m_taken[rank] = true;
    instance = BlockInstance();
    instance.block = m_blocks[rank];
    instance.durations = std::make_shared<std::vector<int64_t>>();
    return true;
}

uint64_t
AllReduceProgram::ShareOf(uint32_t rank) const
{
    return m_bytes / m_ranks + (rank < m_bytes % m_ranks ? 1 : 0);
}

uint64_t
AllReduceProgram::GetBytesOut(uint32_t rank) const
{
    if (m_algorithm == "nvls")
    {
        return m_bytes + ShareOf(rank) + FLAG; // its part of every sum, its own sum once
    }
    if (m_algorithm == "direct")
    {
        return m_bytes - ShareOf(rank) + (m_ranks - 1) * ShareOf(rank);
    }
    // all shares but the one that it ends up with, then all but the one after it, which its neighbour has
    return 2 * m_bytes - ShareOf((rank + 1) % m_ranks) - ShareOf((rank + 2) % m_ranks);
}

uint64_t
AllReduceProgram::GetBytesIn(uint32_t rank) const
{
    if (m_algorithm == "nvls")
    {
        return m_bytes + ShareOf(rank) + m_ranks * FLAG; // all sums multicast, its own from the switches
    }
    if (m_algorithm == "direct")
    {
        return (m_ranks - 1) * ShareOf(rank) + m_bytes - ShareOf(rank);
    }
    return GetBytesOut((rank + m_ranks - 1) % m_ranks);
}

uint32_t
AllReduceProgram::Add(uint32_t rank, OperationKind kind, uint32_t peer, uint32_t match, uint64_t bytes, const Waits& after)
{
    OperationBlock& block = *m_blocks[rank];
    Operation operation{};
    operation.kind = kind;
    operation.collective = NO_COLLECTIVE;
    operation.peer = peer;
    operation.match = match;
    operation.bytes = bytes;
    operation.firstDependency = static_cast<uint32_t>(block.dependencies.size());
    operation.dependencyCount = static_cast<uint32_t>(after.size());
    block.dependencies.insert(block.dependencies.end(), after.begin(), after.end());
    block.operations.push_back(operation);
    return static_cast<uint32_t>(block.operations.size() - 1);
}

void
AllReduceProgram::Move(uint32_t from, uint32_t to, uint32_t match, uint64_t bytes, const Waits& after, Waits& arrived)
{
    Add(from, OperationKind::SEND, to, match, bytes, after);
    arrived.push_back(Add(to, OperationKind::RECEIVE, from, match, bytes, {}));
}

std::vector<AllReduceProgram::Waits>
AllReduceProgram::AddFlags()
{
    std::vector<Waits> ready(m_ranks);
    for (uint32_t from = 0; from < m_ranks; from++)
    {
        Add(from, OperationKind::MULTICAST, 0, 0, FLAG, {});
        for (uint32_t to = 0; to < m_ranks; to++)
        {
            if (to != from)
            {
                ready[to].push_back(Add(to, OperationKind::RECEIVE, from, 0, FLAG, {}));
            }
        }
    }
    return ready;
}

void
AllReduceProgram::AddNvls(uint64_t chunk)
{
    std::vector<uint32_t> all(m_ranks);
    std::iota(all.begin(), all.end(), 0);
    for (const auto& block : m_blocks)
    {
        block->groups = {all};
    }
    std::vector<Waits> ready = AddFlags();
    for (uint32_t owner = 0; owner < m_ranks; owner++)
    {
        uint32_t match = 1;
        for (uint64_t offset = 0; offset < ShareOf(owner); offset += chunk, match++)
        {
            uint64_t bytes = std::min(chunk, ShareOf(owner) - offset);
            // one sum after the other; a chunk is spread while the next one is summed
            ready[owner] = {Add(owner, OperationKind::SWITCH_REDUCE, 0, 0, bytes, ready[owner])};
            Add(owner, OperationKind::MULTICAST, 0, match, bytes, ready[owner]);
            for (uint32_t to = 0; to < m_ranks; to++)
            {
                if (to != owner)
                {
                    Add(to, OperationKind::RECEIVE, owner, match, bytes, {});
                }
            }
        }
    }
}

void
AllReduceProgram::AddRing()
{
    // step s: rank r passes share r - s on; after n - 1 steps it has all of share r + 1, after as many more all shares
    std::vector<Waits> ready(m_ranks);
    for (uint32_t step = 0; step < 2 * (m_ranks - 1); step++)
    {
        std::vector<Waits> next(m_ranks);
        for (uint32_t rank = 0; rank < m_ranks; rank++)
        {
            uint32_t share = (rank + 2 * m_ranks - step) % m_ranks;
            Move(rank, (rank + 1) % m_ranks, step, ShareOf(share), ready[rank], next[(rank + 1) % m_ranks]);
        }
        ready = next;
    }
}

void
AllReduceProgram::AddDirect()
{
    std::vector<Waits> summed(m_ranks);
    for (uint32_t distance = 1; distance < m_ranks; distance++)
    {
        for (uint32_t rank = 0; rank < m_ranks; rank++)
        {
            uint32_t to = (rank + distance) % m_ranks;
            Move(rank, to, 0, ShareOf(to), {}, summed[to]);
        }
    }
    std::vector<Waits> end(m_ranks);
    for (uint32_t distance = 1; distance < m_ranks; distance++)
    {
        for (uint32_t rank = 0; rank < m_ranks; rank++)
        {
            uint32_t to = (rank + distance) % m_ranks;
            Move(rank, to, 1, ShareOf(rank), summed[rank], end[to]);
        }
    }
}

uint64_t
ParseByteCount(const std::string& text)
{
    static const std::map<std::string, uint64_t> UNITS{{"", 1},
                                                       {"B", 1},
                                                       {"kB", 1000},
                                                       {"MB", 1000000},
                                                       {"GB", 1000000000},
                                                       {"KiB", 1ULL << 10},
                                                       {"MiB", 1ULL << 20},
                                                       {"GiB", 1ULL << 30},
                                                       {"TiB", 1ULL << 40}};
    size_t digits = 0;
    while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])))
    {
        digits++;
    }
    auto unit = UNITS.find(text.substr(digits));
    if (digits == 0 || digits > 9 || unit == UNITS.end())
    {
        throw std::invalid_argument("'" + text + "' is no number of bytes: expected up to 9 digits and B, kB, MB, GB, KiB, MiB, GiB or TiB");
    }
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(std::stoull(text.substr(0, digits)), unit->second, &bytes))
    {
        throw std::invalid_argument("'" + text + "' is more than 2^64 - 1 B");
    }
    return bytes;
}

} // namespace hbd
} // namespace ns3
