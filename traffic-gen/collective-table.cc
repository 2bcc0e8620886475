/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

// One line per algorithm: collective, name, function (defined in collectives/), bound on its operations,
// cost as libraries see it (collective-cost.h), what it does.
// clang-format off
#define HBD_COLLECTIVES(ENTRY)                                                                                         \
    ENTRY(AllReduce, "one-shot", LowerOneShotAllReduce, CountPairs, SpreadCost, "the whole payload straight to every member, one step") \
    ENTRY(AllReduce, "two-shot", LowerTwoShotAllReduce, CountPairsTwice, DirectCost, "reduce-scatter and all-gather, each in one step") \
    ENTRY(AllReduce, "ring", LowerRingAllReduce, CountRingsTwice, RingCost, "2 (n - 1) steps around up to 8 rings") \
    ENTRY(AllReduce, "tree", LowerTreeAllReduce, CountPipelineTwice, TreeCost, "up and down a double binary tree, in parts") \
    ENTRY(AllReduce, "recursive-halving-doubling", LowerHalvingDoublingAllReduce, CountHalving, HalvingDoublingCost, "exchanges with halving, then doubling data (Rabenseifner)") \
    ENTRY(AllReduce, "hierarchical", LowerHierarchicalAllReduce, CountPartsTwice, HierarchicalCost, "hierarchical reduce-scatter and all-gather") \
    ENTRY(AllReduce, "nvls", LowerNvlsAllReduce, CountNvls, NvlsCost, "sums and multicasts in the switches of a domain") \
    ENTRY(ReduceScatter, "direct", LowerDirectReduceScatter, CountPairs, DirectCost, "every contribution straight to its owner") \
    ENTRY(ReduceScatter, "ring", LowerRingReduceScatter, CountRings, RingCost, "n - 1 steps around up to 8 rings") \
    ENTRY(ReduceScatter, "recursive-halving-doubling", LowerHalvingReduceScatter, CountHalving, HalvingDoublingCost, "exchanges with halving data") \
    ENTRY(ReduceScatter, "hierarchical", LowerHierarchicalReduceScatter, CountParts, HierarchicalCost, "sums inside domains cross the NICs, in parts") \
    ENTRY(ReduceScatter, "nvls", LowerNvlsReduceScatter, CountNvls, NvlsCost, "sums in the switches of a domain") \
    ENTRY(AllGather, "direct", LowerDirectAllGather, CountPairs, DirectCost, "every block straight to every member") \
    ENTRY(AllGather, "ring", LowerRingAllGather, CountRings, RingCost, "n - 1 steps around up to 8 rings") \
    ENTRY(AllGather, "recursive-halving-doubling", LowerDoublingAllGather, CountHalving, HalvingDoublingCost, "exchanges with doubling data") \
    ENTRY(AllGather, "hierarchical", LowerHierarchicalAllGather, CountParts, HierarchicalCost, "blocks cross the NICs once a domain, in parts") \
    ENTRY(AllGather, "nvls", LowerNvlsAllGather, CountNvls, NvlsCost, "multicasts in the switches of a domain") \
    ENTRY(AllToAll, "direct", LowerDirectAllToAll, CountPairs, DirectCost, "every pair straight, both tiers at once") \
    ENTRY(AllToAll, "ring", LowerRingAllToAll, CountRingRelay, RingRelayCost, "relayed around up to 8 rings, n - 1 steps") \
    ENTRY(AllToAll, "hierarchical", LowerHierarchicalAllToAll, CountPairsTwice, HierarchicalCost, "over the domain to the destination's rail, then the NIC") \
    ENTRY(AllToAll, "one-sided-write", LowerOneSidedWrite, CountPairsTwice, OneSidedCost, "every pair straight, then flags") \
    ENTRY(AllToAll, "one-sided-read", LowerOneSidedRead, CountPairsTwice, OneSidedCost, "flags, then every member reads its parts") \
    ENTRY(Broadcast, "direct", LowerDirectBroadcast, CountSpread, SpreadCost, "the whole payload straight to every member") \
    ENTRY(Broadcast, "ring", LowerRingBroadcast, CountPipeline, PipelineCost, "in parts along the chain of up to 8 rings") \
    ENTRY(Broadcast, "tree", LowerTreeBroadcast, CountPipeline, TreeCost, "in parts down a double binary tree") \
    ENTRY(Broadcast, "recursive-halving-doubling", LowerScatterDoublingBroadcast, CountHalving, HalvingDoublingCost, "scatter, then exchanges with doubling data (van de Geijn)") \
    ENTRY(Broadcast, "hierarchical", LowerHierarchicalBroadcast, CountParts, HierarchicalBroadcastCost, "blocks cross the NICs once a domain, on all rails, in parts") \
    ENTRY(Broadcast, "nvls", LowerNvlsBroadcast, CountNvls, NvlsCost, "multicasts in the switches of a domain")
// clang-format on

namespace hbd::traffic
{

#define HBD_DECLARE(op, algorithm, function, count, cost, doc)                                                               \
    Lowering function(const CollectiveRequest&, const CollectiveContext&);
HBD_COLLECTIVES(HBD_DECLARE)
#undef HBD_DECLARE

const std::vector<CollectiveEntry>&
CollectiveTable()
{
#define HBD_ENTRY(op, algorithm, function, count, cost, doc) {CollectiveOp::op, algorithm, function, count, cost, doc},
    static const std::vector<CollectiveEntry> table{HBD_COLLECTIVES(HBD_ENTRY)};
#undef HBD_ENTRY
    return table;
}

const CollectiveEntry*
FindCollective(CollectiveOp op, const std::string& algorithm)
{
    const bool oldName = op == CollectiveOp::AllReduce && algorithm == "direct";
    const std::string name = oldName ? "two-shot" : algorithm;
    for (const auto& entry : CollectiveTable())
    {
        if (entry.op == op && name == entry.algorithm)
        {
            return &entry;
        }
    }
    return nullptr;
}

std::vector<std::string>
AlgorithmsOf(CollectiveOp op)
{
    std::vector<std::string> names;
    for (const auto& entry : CollectiveTable())
    {
        if (entry.op == op)
        {
            names.emplace_back(entry.algorithm);
        }
    }
    return names;
}

Lowering
LowerCollective(const CollectiveRequest& request, const CollectiveContext& context, const std::string& algorithm)
{
    const CollectiveEntry* entry = FindCollective(request.op, algorithm);
    if (!entry)
    {
        throw std::invalid_argument(std::string(ToText(request.op)) + " has no algorithm '" + algorithm + "'");
    }
    return entry->lower(request, context);
}

uint64_t
CollectiveSize(const CollectiveRequest& request)
{
    if (request.op != CollectiveOp::AllToAll)
    {
        return std::accumulate(request.blockBytes.begin(), request.blockBytes.end(), uint64_t{0});
    }
    uint64_t largest = 0;
    const size_t n = request.ranks.size();
    for (size_t member = 0; member < n; ++member)
    {
        const auto row = request.pairBytes.begin() + static_cast<std::ptrdiff_t>(member * n);
        largest = std::max(largest, std::accumulate(row, row + static_cast<std::ptrdiff_t>(n), uint64_t{0}));
    }
    return largest;
}

uint64_t
LargestBlock(const CollectiveRequest& request)
{
    if (request.op != CollectiveOp::AllToAll)
    {
        return *std::max_element(request.blockBytes.begin(), request.blockBytes.end());
    }
    uint64_t largest = 0;
    const size_t n = request.ranks.size();
    for (size_t pair = 0; pair < request.pairBytes.size(); ++pair)
    {
        const bool own = pair / n == pair % n;
        largest = own ? largest : std::max(largest, request.pairBytes[pair]);
    }
    return largest;
}

} // namespace hbd::traffic
