/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-prepared-block.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <tuple>

namespace ns3
{
namespace hbd
{

namespace
{

auto
Fields(const Operation& o)
{
    return std::make_tuple(o.kind,
                           o.collective,
                           o.peer,
                           o.match,
                           o.durationIndex,
                           o.bytes,
                           o.delayPs,
                           o.firstDependency,
                           o.dependencyCount,
                           o.copyRate,
                           o.packetPayload);
}

auto
Fields(const CollectiveUse& c)
{
    return std::make_tuple(c.tag, c.group, c.ranks);
}

template <typename T>
bool
SameFields(const std::vector<T>& a, const std::vector<T>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return Fields(x) == Fields(y); });
}

void
Mix(uint64_t& hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
}

} // namespace

uint32_t
PreparedBlock::FindReceive(uint32_t peer, uint32_t match) const
{
    auto at = std::lower_bound(receives.begin(), receives.end(), std::make_pair(peer, match), [](const ReceiveKey& a, const auto& b) {
        return std::make_pair(a.peer, a.match) < b;
    });
    return at != receives.end() && at->peer == peer && at->match == match ? at->operation : 0xffffffff;
}

uint64_t
BlockInterner::Hash(const OperationBlock& block)
{
    uint64_t hash = block.accountingClass;
    for (const auto& o : block.operations)
    {
        Mix(hash, static_cast<uint64_t>(o.kind) << 32 | o.peer);
        Mix(hash, o.bytes);
        Mix(hash, static_cast<uint64_t>(o.match) << 32 | o.collective);
        Mix(hash, static_cast<uint64_t>(o.delayPs) ^ o.durationIndex);
        Mix(hash, o.copyRate);
        Mix(hash, o.packetPayload);
    }
    for (const auto& group : block.groups)
    {
        Mix(hash, group.size());
        for (uint32_t member : group)
        {
            Mix(hash, member);
        }
    }
    for (uint32_t dependency : block.dependencies)
    {
        Mix(hash, dependency);
    }
    return hash;
}

bool
BlockInterner::Equal(const OperationBlock& a, const OperationBlock& b)
{
    return a.accountingClass == b.accountingClass && a.durationCount == b.durationCount && a.dependencies == b.dependencies &&
           a.groups == b.groups && SameFields(a.operations, b.operations) && SameFields(a.collectives, b.collectives);
}

void
BlockInterner::Check(const OperationBlock& block)
{
    for (size_t i = 0; i < block.groups.size(); i++)
    {
        const auto& group = block.groups[i];
        if (group.size() < 2 || !std::is_sorted(group.begin(), group.end(), std::less_equal<>()))
        {
            throw std::invalid_argument("group " + std::to_string(i) + " of a block does not name at least two ranks, each once, in ascending order");
        }
    }
    for (uint32_t i = 0; i < block.operations.size(); i++)
    {
        const Operation& o = block.operations[i];
        bool good = o.firstDependency + static_cast<uint64_t>(o.dependencyCount) <= block.dependencies.size();
        for (uint32_t k = 0; good && k < o.dependencyCount; k++)
        {
            good = block.dependencies[o.firstDependency + k] < i;
        }
        good = good && (o.kind != OperationKind::COMPUTE || o.durationIndex < block.durationCount);
        good = good && (o.collective == NO_COLLECTIVE || o.collective < block.collectives.size());
        good = good && (!HasGroup(o.kind) || o.peer < block.groups.size());
        good = good && o.delayPs >= 0;
        if (!good)
        {
            throw std::invalid_argument("operation " + std::to_string(i) + " of a block has an index out of range or a dependency that does not point backwards");
        }
    }
}

std::unique_ptr<PreparedBlock>
BlockInterner::Prepare(const std::shared_ptr<const OperationBlock>& block) const
{
    Check(*block);
    auto prepared = std::make_unique<PreparedBlock>();
    prepared->shape = static_cast<uint32_t>(m_shapes.size());
    prepared->block = block;
    const auto& operations = block->operations;
    std::vector<uint32_t> counts(operations.size() + 1, 0);
    prepared->operationsOfCollective.assign(block->collectives.size(), 0);
    for (uint32_t i = 0; i < operations.size(); i++)
    {
        const Operation& o = operations[i];
        for (uint32_t k = 0; k < o.dependencyCount; k++)
        {
            counts[block->dependencies[o.firstDependency + k] + 1]++;
        }
        if (o.kind == OperationKind::RECEIVE)
        {
            prepared->receives.push_back({o.peer, o.match, i});
        }
        if (o.collective != NO_COLLECTIVE)
        {
            prepared->operationsOfCollective[o.collective]++;
        }
    }
    for (size_t i = 1; i < counts.size(); i++)
    {
        counts[i] += counts[i - 1];
    }
    prepared->firstSuccessor = counts;
    prepared->successors.resize(counts.back());
    for (uint32_t i = 0; i < operations.size(); i++)
    {
        for (uint32_t k = 0; k < operations[i].dependencyCount; k++)
        {
            prepared->successors[counts[block->dependencies[operations[i].firstDependency + k]]++] = i;
        }
    }
    std::sort(prepared->receives.begin(), prepared->receives.end(), [](const auto& a, const auto& b) {
        return std::tie(a.peer, a.match) < std::tie(b.peer, b.match);
    });
    return prepared;
}

const PreparedBlock*
BlockInterner::Intern(const std::shared_ptr<const OperationBlock>& block)
{
    auto known = m_byAddress.find(block.get());
    if (known != m_byAddress.end())
    {
        return known->second;
    }
    m_kept.push_back(block);
    uint64_t hash = Hash(*block);
    auto range = m_byHash.equal_range(hash);
    for (auto it = range.first; it != range.second; ++it)
    {
        const PreparedBlock* candidate = m_shapes[it->second].get();
        if (Equal(*candidate->block, *block))
        {
            m_byAddress[block.get()] = candidate;
            return candidate;
        }
    }
    m_shapes.push_back(Prepare(block));
    const PreparedBlock* prepared = m_shapes.back().get();
    m_byHash.emplace(hash, prepared->shape);
    m_byAddress[block.get()] = prepared;
    return prepared;
}

} // namespace hbd
} // namespace ns3
