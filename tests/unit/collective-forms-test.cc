/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-gen/collective-table.h"
#include "traffic-gen/collectives/double-tree.h"
#include "traffic-gen/collectives/nvls.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

// Goal: the bytes and the steps of each algorithm are those of its closed form in the literature. Method: sums and
// longest chains over the lowered operations; payloads that divide evenly, so that the forms are exact.

using namespace hbd::traffic;

namespace
{

/// What goes over a member's links and NIC, without flags.
struct Load
{
    uint64_t out = 0;      ///< leaves it inside its domain: what is written, read of it or summed with its help
    uint64_t in = 0;       ///< arrives inside its domain: a multicast comes back to its sender
    uint64_t outNic = 0;   ///< leaves it over its NIC
    uint64_t flags = 0;    ///< flags that it sends; a multicast is one
    uint64_t messages = 0; ///< sends with data
};

class CollectiveForms : public testing::Test
{
  protected:
    CollectiveForms()
    {
        m_kernel.launch = Duration::FromNanoseconds(1000);
        m_kernel.scaleUpStep = Duration::FromNanoseconds(700);
        m_kernel.scaleOutStep = Duration::FromNanoseconds(3000);
    }

    void Lower(CollectiveOp op, const char* algorithm, uint32_t n, uint32_t hbd, uint64_t block)
    {
        m_request = CollectiveRequest();
        m_request.op = op;
        m_request.ranks.resize(n);
        std::iota(m_request.ranks.begin(), m_request.ranks.end(), 0);
        m_request.blockBytes.assign(n, block);
        m_request.pairBytes.assign(static_cast<size_t>(n) * n, block);
        m_shape = ClusterShape(n, hbd, 8);
        m_lowering = LowerCollective(m_request, {m_shape, m_kernel}, algorithm);
        m_loads.assign(n, Load());
        for (uint32_t member = 0; member < n; ++member)
        {
            for (const auto& op : m_lowering.members[member])
            {
                Count(member, op);
            }
        }
    }

    /// Dependent messages, reads and sums one after the other, at most. Flags and local work are no steps.
    uint32_t Steps() const
    {
        std::vector<std::vector<uint32_t>> steps;
        for (const auto& ops : m_lowering.members)
        {
            steps.emplace_back(ops.size(), 0);
        }
        uint32_t most = 0;
        for (bool changed = true; changed;)
        {
            changed = false;
            for (uint32_t member = 0; member < steps.size(); ++member)
            {
                for (uint32_t i = 0; i < steps[member].size(); ++i)
                {
                    const uint32_t now = StepsOf(member, i, steps);
                    changed = changed || now != steps[member][i];
                    steps[member][i] = now;
                    most = std::max(most, now);
                }
            }
        }
        return most;
    }

    std::vector<Load> m_loads;
    Lowering m_lowering;
    CollectiveRequest m_request;
    KernelSpec m_kernel;
    ClusterShape m_shape{1, 1, 1};

  private:
    void Count(uint32_t member, const LoweredOp& op)
    {
        Load& load = m_loads[member];
        const bool sends = op.kind == OpKind::Send || op.kind == OpKind::Multicast;
        if (op.pieces.empty())
        {
            load.flags += sends;
            return;
        }
        load.messages += sends;
        if (op.kind == OpKind::Send && !m_shape.SameHbd(member, op.peer))
        {
            load.outNic += op.bytes;
        }
        else if (op.kind == OpKind::Send)
        {
            load.out += op.bytes;
            m_loads[op.peer].in += op.bytes;
        }
        else if (op.kind == OpKind::Read)
        {
            m_loads[op.peer].out += op.bytes;
            load.in += op.bytes;
        }
        else if (op.kind == OpKind::Multicast)
        {
            load.out += op.bytes;
            for (uint32_t other : op.group)
            {
                m_loads[other].in += op.bytes;
            }
        }
        else if (op.kind == OpKind::SwitchReduce)
        {
            load.in += op.bytes;
            for (uint32_t other : op.group)
            {
                m_loads[other].out += op.bytes;
            }
        }
    }

    uint32_t StepsOf(uint32_t member, uint32_t index, const std::vector<std::vector<uint32_t>>& steps) const
    {
        const LoweredOp& op = m_lowering.members[member][index];
        uint32_t before = 0;
        for (uint32_t dependency : op.dependencies)
        {
            before = std::max(before, steps[member][dependency]);
        }
        if (op.kind != OpKind::Receive)
        {
            return before + (op.kind != OpKind::Delay && !op.pieces.empty() ? 1 : 0);
        }
        const auto& ops = m_lowering.members[op.peer];
        for (uint32_t i = 0; i < ops.size(); ++i)
        {
            const bool mine =
                ops[i].match == op.match && ((ops[i].kind == OpKind::Send && ops[i].peer == member) ||
                                             (ops[i].kind == OpKind::Multicast &&
                                              std::binary_search(ops[i].group.begin(), ops[i].group.end(), member)));
            before = mine ? std::max(before, steps[op.peer][i]) : before;
        }
        return before;
    }
};

constexpr uint64_t kBlock = 6000;

} // namespace

TEST_F(CollectiveForms, OneShotAllReduceSendsTheWholePayloadToEachOtherInOneStep)
{
    for (uint32_t n : {2u, 5u, 8u})
    {
        Lower(CollectiveOp::AllReduce, "one-shot", n, n, kBlock);
        EXPECT_EQ(Steps(), 1u);
        for (const Load& load : m_loads)
        {
            EXPECT_EQ(load.out, (n - 1) * n * kBlock);
            EXPECT_EQ(load.in, load.out);
        }
    }
}

TEST_F(CollectiveForms, TwoShotAllReduceSendsTwoNMinusOneOverNInTwoSteps)
{
    Lower(CollectiveOp::AllReduce, "two-shot", 7, 7, kBlock);
    EXPECT_EQ(Steps(), 2u);
    for (const Load& load : m_loads)
    {
        EXPECT_EQ(load.out, 2 * 6 * kBlock);
    }
}

TEST_F(CollectiveForms, RingAllReduceTakesTwoNMinusOneSteps)
{
    Lower(CollectiveOp::AllReduce, "ring", 7, 7, kBlock);
    EXPECT_EQ(Steps(), 12u);
}

TEST_F(CollectiveForms, HalvingAndDoublingTakeLogStepsAndTheLeastBytesForPowersOfTwo)
{
    for (const auto& [n, log] : {std::pair(2u, 1u), {4u, 2u}, {16u, 4u}, {32u, 5u}})
    {
        for (auto op : {CollectiveOp::ReduceScatter, CollectiveOp::AllGather, CollectiveOp::AllReduce})
        {
            const uint32_t phases = op == CollectiveOp::AllReduce ? 2 : 1;
            Lower(op, "recursive-halving-doubling", n, n, kBlock);
            EXPECT_EQ(Steps(), phases * log);
            for (const Load& load : m_loads)
            {
                EXPECT_EQ(load.out, phases * (n - 1) * kBlock);
                EXPECT_EQ(load.messages, phases * log);
            }
        }
    }
}

TEST_F(CollectiveForms, HalvingAndDoublingFoldWhatIsNoPowerOfTwo)
{
    // 11 = 8 + 3: members 1, 3 and 5 send their payload before and get the result after.
    Lower(CollectiveOp::AllReduce, "recursive-halving-doubling", 11, 11, kBlock);
    EXPECT_EQ(Steps(), 2u + 2 * 3);
    for (uint32_t member = 0; member < 11; ++member)
    {
        const bool extra = member == 1 || member == 3 || member == 5;
        EXPECT_EQ(m_loads[member].messages, extra ? 1u : 6u + (member < 6 ? 1 : 0));
        if (extra)
        {
            EXPECT_EQ(m_loads[member].out, 11 * kBlock);
            EXPECT_EQ(m_loads[member].in, 11 * kBlock);
        }
    }
}

TEST_F(CollectiveForms, ScatterAndDoublingBroadcastBringsEachMemberThePayloadOnce)
{
    Lower(CollectiveOp::Broadcast, "recursive-halving-doubling", 16, 16, kBlock);
    EXPECT_EQ(Steps(), 2u * 4 - 1); // the first exchange runs beside the last step of the scatter
    for (uint32_t member = 1; member < 16; ++member)
    {
        EXPECT_EQ(m_loads[member].in, 16 * kBlock);
    }
    EXPECT_EQ(m_loads[0].in, 0u);
    EXPECT_LE(m_loads[0].out, 2 * 15 * kBlock); // van de Geijn: 2 (n - 1) / n
}

TEST(DoubleTree, HasTheLeavesOfOneInsideTheOther)
{
    for (uint32_t n = 2; n < 130; ++n)
    {
        for (const auto& trees : {DoubleTree(n), DoubleTreeBelowRoot(n)})
        {
            ASSERT_EQ(trees.size(), 2u);
            std::vector<uint32_t> inner(n, 0); // in how many trees
            for (const Tree& tree : trees)
            {
                std::map<uint32_t, uint32_t> children;
                std::vector<uint32_t> depth(n, 0);
                uint32_t roots = 0;
                for (uint32_t position : tree.order)
                {
                    const uint32_t parent = tree.parent[position];
                    roots += parent == position;
                    if (parent != position)
                    {
                        ++children[parent];
                        depth[position] = depth[parent] + 1;
                    }
                }
                EXPECT_EQ(roots, 1u);
                EXPECT_EQ(std::accumulate(children.begin(),
                                          children.end(),
                                          0u,
                                          [](uint32_t sum, const auto& one) { return sum + one.second; }),
                          n - 1);
                const uint32_t deepest = *std::max_element(depth.begin(), depth.end());
                EXPECT_LE(1u << deepest, 2 * n); // log2 n + 1
                for (const auto& [parent, count] : children)
                {
                    EXPECT_LE(count, 2u);
                    ++inner[parent];
                }
            }
            // Sanders, Speck and Traff: each is inside one tree, except the roots' and one more.
            EXPECT_LE(std::count(inner.begin(), inner.end(), 2), 2) << n;
        }
        for (const Tree& tree : DoubleTreeBelowRoot(n))
        {
            EXPECT_EQ(tree.parent[0], 0u);
            EXPECT_EQ(std::count(tree.parent.begin() + 1, tree.parent.end(), 0u), 1);
        }
    }
}

TEST_F(CollectiveForms, TreeAllReduceSendsTwoPayloadsAtMostAndTwoNMinusOneOverNOnAverage)
{
    for (uint32_t n : {2u, 3u, 8u, 13u, 32u})
    {
        Lower(CollectiveOp::AllReduce, "tree", n, n, kBlock);
        uint64_t sum = 0;
        for (const Load& load : m_loads)
        {
            EXPECT_LE(load.out, 2 * n * kBlock);
            sum += load.out;
        }
        EXPECT_EQ(sum, 2 * (n - 1) * n * kBlock);
        EXPECT_LE(Steps(), 2 * (std::log2(n) + 1));
    }
}

TEST_F(CollectiveForms, PipelinedBroadcastsSendThePayloadOnceFromEachMember)
{
    const uint64_t payload = 10 * 3 * kPipelinePartBytes;
    for (const char* algorithm : {"ring", "tree"})
    {
        Lower(CollectiveOp::Broadcast, algorithm, 10, 10, payload / 10);
        for (uint32_t member = 0; member < 10; ++member)
        {
            EXPECT_LE(m_loads[member].out, payload) << algorithm;
            EXPECT_EQ(m_loads[member].in, member == 0 ? 0 : payload) << algorithm;
        }
        EXPECT_EQ(m_loads[0].out, payload) << algorithm;
    }
}

TEST_F(CollectiveForms, RingAllToAllCarriesEachPartHalfAroundOnAverage)
{
    Lower(CollectiveOp::AllToAll, "ring", 9, 9, kBlock);
    EXPECT_EQ(Steps(), 8u);
    for (const Load& load : m_loads)
    {
        EXPECT_EQ(load.out, 9 * 8 / 2 * kBlock);
        EXPECT_EQ(load.messages, 8u);
    }
}

TEST_F(CollectiveForms, OneSidedExchangesMoveEachPairOnceAndAFlagEach)
{
    for (const char* algorithm : {"one-sided-read", "one-sided-write"})
    {
        Lower(CollectiveOp::AllToAll, algorithm, 8, 8, kBlock);
        EXPECT_EQ(Steps(), 1u) << algorithm;
        for (const Load& load : m_loads)
        {
            EXPECT_EQ(load.out, 7 * kBlock) << algorithm;
            EXPECT_EQ(load.in, 7 * kBlock) << algorithm;
            EXPECT_EQ(load.flags, 7u) << algorithm;
        }
    }
}

TEST_F(CollectiveForms, NvlsMovesNPlusOneOverNOfAnAllReduceAndLessOfTheOthers)
{
    // Payload of n blocks: bytes out and in of each GPU, in blocks.
    for (uint64_t chunk : {kBlock, kBlock / 4, kBlock / 7})
    {
        m_kernel.chunk = Bytes::FromBytes(chunk);
        for (uint32_t n : {2u, 5u, 8u})
        {
            const std::map<CollectiveOp, std::pair<uint64_t, uint64_t>> blocks{
                {CollectiveOp::AllReduce, {n + 1, n + 1}},
                {CollectiveOp::ReduceScatter, {n, 1}},
                {CollectiveOp::AllGather, {1, n}}};
            for (const auto& [op, expected] : blocks)
            {
                Lower(op, "nvls", n, n, kBlock);
                for (const Load& load : m_loads)
                {
                    EXPECT_EQ(load.out, expected.first * kBlock) << ToText(op);
                    EXPECT_EQ(load.in, expected.second * kBlock) << ToText(op);
                }
            }
            Lower(CollectiveOp::Broadcast, "nvls", n, n, kBlock);
            for (uint32_t member = 0; member < n; ++member)
            {
                EXPECT_EQ(m_loads[member].out, member == 0 ? n * kBlock : 0);
                EXPECT_EQ(m_loads[member].in, n * kBlock);
            }
        }
    }
}

TEST_F(CollectiveForms, NvlsAllReduceOverDomainsSendsTheLeastOverTheNics)
{
    // D domains: 2 (D - 1) / D of the payload of a domain, over its n / D NICs.
    Lower(CollectiveOp::AllReduce, "nvls", 24, 8, kBlock);
    for (const Load& load : m_loads)
    {
        EXPECT_EQ(load.outNic, 2u * 2 * 24 / 3 / 8 * kBlock);
        EXPECT_EQ(load.out, (24 + 3) * kBlock); // all to the switches; three blocks multicast
    }
}

TEST_F(CollectiveForms, NvlsTakesOneBarrierWithoutStagingAndOneAChunkWithIt)
{
    m_kernel.chunk = Bytes::FromBytes(kBlock / 6);
    Lower(CollectiveOp::AllReduce, "nvls", 4, 4, kBlock);
    EXPECT_EQ(m_loads[1].flags, 1u);
    m_kernel.stagingRate = ByteRate::FromBytesPerSecond(1e12);
    Lower(CollectiveOp::AllReduce, "nvls", 4, 4, kBlock);
    EXPECT_EQ(m_loads[1].flags, 6u);
}

TEST_F(CollectiveForms, NvlsCopiesThroughOneEngineAheadOfTheSumsByTheSlotsOfItsBuffer)
{
    m_kernel.chunk = Bytes::FromBytes(kBlock / 10);
    m_kernel.stagingRate = ByteRate::FromBytesPerSecond(1e12);
    Lower(CollectiveOp::AllReduce, "nvls", 3, 3, kBlock);
    for (const auto& ops : m_lowering.members)
    {
        std::string order;
        uint32_t last = 0;
        for (uint32_t i = 0; i < ops.size(); ++i)
        {
            if (ops[i].copy == CopyKind::None)
            {
                continue;
            }
            const auto& after = ops[i].dependencies;
            EXPECT_TRUE(order.empty() || std::find(after.begin(), after.end(), last) != after.end());
            // 3 blocks of 600 bytes at 1 TB/s; the launch before the first
            EXPECT_EQ(ops[i].delayPs, (order.empty() ? 1000000 : 0) + 1800);
            order += ops[i].copy == CopyKind::In ? 'i' : 'o';
            last = i;
        }
        ASSERT_EQ(kNvlsSlots, 4u);
        EXPECT_EQ(order,
                  "iiii"
                  "oi"
                  "oi"
                  "oi"
                  "oi"
                  "oi"
                  "oi"
                  "oooo");
    }
}
