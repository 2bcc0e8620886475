/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-gen/collective-checker.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/shares.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>

// Goal: every algorithm of the table moves the right data, each contribution exactly once, with the bytes per rank that
// its closed form says. Method: the symbolic checker over random groups; sums over the lowered sends for the closed
// forms.

using namespace hbd::traffic;

namespace
{

KernelSpec
TestKernel()
{
    KernelSpec kernel;
    kernel.launch = Duration::FromNanoseconds(1000);
    kernel.scaleUpStep = Duration::FromNanoseconds(700);
    kernel.scaleOutStep = Duration::FromNanoseconds(3000);
    return kernel;
}

CollectiveRequest
EvenRequest(CollectiveOp op, uint32_t n, uint64_t block)
{
    CollectiveRequest request;
    request.op = op;
    request.ranks.resize(n);
    std::iota(request.ranks.begin(), request.ranks.end(), 0);
    request.blockBytes.assign(n, block);
    request.pairBytes.assign(static_cast<size_t>(n) * n, block);
    return request;
}

/// Bytes that a member sends inside its domain and over its NIC.
struct Sent
{
    uint64_t inside = 0;
    uint64_t outside = 0;
};

Sent
SentBy(uint32_t member, const CollectiveRequest& request, const Lowering& lowering, const ClusterShape& shape)
{
    Sent sent;
    for (const auto& op : lowering.members[member])
    {
        if (op.kind == OpKind::Send)
        {
            const bool inside = shape.SameHbd(request.ranks[member], request.ranks[op.peer]);
            (inside ? sent.inside : sent.outside) += op.bytes;
        }
    }
    return sent;
}

class EveryCollective : public testing::TestWithParam<CollectiveEntry>
{
};

std::string
NameOf(const testing::TestParamInfo<CollectiveEntry>& info)
{
    std::string name = std::string(ToText(info.param.op)) + "_" + info.param.algorithm;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

} // namespace

TEST_P(EveryCollective, PutsEveryContributionInItsPlaceExactlyOnceForRandomGroups)
{
    std::mt19937 random(20260101);
    KernelSpec kernel = TestKernel();
    for (int round = 0; round < 60; ++round)
    {
        const uint32_t hbd = 1 + random() % 6;
        const uint32_t gpus = hbd * (1 + random() % 5);
        const ClusterShape shape(gpus, hbd, 8);
        CollectiveRequest request;
        request.op = GetParam().op;
        std::vector<uint32_t> all(gpus);
        std::iota(all.begin(), all.end(), 0);
        if (round % 2 == 0)
        {
            std::shuffle(all.begin(), all.end(), random);
            all.resize(1 + random() % gpus);
        }
        request.ranks = all;
        const uint64_t largest = round % 3 == 0 ? 3000000 : 5;
        for (size_t i = 0; i < all.size(); ++i)
        {
            request.blockBytes.push_back(random() % (largest + 1));
        }
        for (size_t i = 0; i < all.size() * all.size(); ++i)
        {
            request.pairBytes.push_back(random() % (largest + 1));
        }
        kernel.reduceRate = ByteRate::FromBytesPerSecond(round % 4 == 0 ? 1e12 : 0);
        kernel.stagingRate = ByteRate::FromBytesPerSecond(round % 4 < 2 ? 1e12 : 0);
        kernel.chunk = Bytes::FromBytes(largest < 100 ? 1 + random() % 3 : 100000 + random() % 3000000);
        const Lowering lowering = GetParam().lower(request, {shape, kernel});
        EXPECT_EQ(CheckLowering(request, lowering), std::vector<std::string>{})
            << all.size() << " of " << gpus << " GPUs, domains of " << hbd << ", round " << round;
        ASSERT_EQ(lowering.members.size(), all.size());
    }
}

TEST_P(EveryCollective, MovesNothingForOneMember)
{
    const ClusterShape shape(8, 8, 8);
    const KernelSpec kernel = TestKernel();
    const auto lowering = GetParam().lower(EvenRequest(GetParam().op, 1, 100), {shape, kernel});
    EXPECT_TRUE(lowering.members.at(0).empty());
}

TEST_P(EveryCollective, BringsEachMemberAtLeastWhatItLacks)
{
    const ClusterShape shape(24, 6, 8);
    const KernelSpec kernel = TestKernel();
    const uint64_t block = 24 * 1024 * 1024;
    const auto lowering = GetParam().lower(EvenRequest(GetParam().op, 24, block), {shape, kernel});
    // Its own block of a reduction comes as a sum or as contributions. All of a sum is new to everybody.
    const std::map<CollectiveOp, uint64_t> lacking{{CollectiveOp::AllReduce, 24},
                                                   {CollectiveOp::ReduceScatter, 1},
                                                   {CollectiveOp::AllGather, 23},
                                                   {CollectiveOp::AllToAll, 23},
                                                   {CollectiveOp::Broadcast, 24}};
    for (uint32_t member = 0; member < 24; ++member)
    {
        uint64_t brought = 0;
        for (const auto& op : lowering.members[member])
        {
            const bool brings =
                op.kind == OpKind::Receive || op.kind == OpKind::Read || op.kind == OpKind::SwitchReduce;
            brought += brings && !op.pieces.empty() ? op.bytes : 0;
        }
        const bool root = GetParam().op == CollectiveOp::Broadcast && member == 0;
        EXPECT_GE(brought, root ? 0 : lacking.at(GetParam().op) * block);
    }
}

TEST_P(EveryCollective, HasNoMoreOperationsThanTheTableSays)
{
    const KernelSpec kernel = TestKernel();
    for (const auto& [gpus, hbd] : {std::pair(2u, 2u), {7u, 7u}, {24u, 6u}, {16u, 1u}, {30u, 3u}})
    {
        for (uint64_t block : {uint64_t(1), uint64_t(100000), uint64_t(5000000)})
        {
            const auto request = EvenRequest(GetParam().op, gpus, block);
            const auto lowering = GetParam().lower(request, {ClusterShape(gpus, hbd, 8), kernel});
            uint64_t operations = 0;
            for (const auto& ops : lowering.members)
            {
                operations +=
                    std::count_if(ops.begin(), ops.end(), [](const auto& op) { return op.kind != OpKind::Delay; });
            }
            EXPECT_LE(operations, GetParam().mostOperations({gpus, CollectiveSize(request), hbd, kernel}))
                << gpus << " GPUs, domains of " << hbd << ", blocks of " << block;
        }
    }
}

TEST_P(EveryCollective, RefusesSizesThatDoNotFitTheMembers)
{
    const ClusterShape shape(8, 8, 8);
    const KernelSpec kernel = TestKernel();
    auto request = EvenRequest(GetParam().op, 4, 1);
    request.blockBytes.pop_back();
    request.pairBytes.pop_back();
    EXPECT_THROW(GetParam().lower(request, {shape, kernel}), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCollective, testing::ValuesIn(CollectiveTable()), NameOf);

TEST(CollectivesOfBlocks, SendNMinusOneBlocksFromEachMember)
{
    const ClusterShape shape(24, 6, 8);
    const KernelSpec kernel = TestKernel();
    for (auto op : {CollectiveOp::ReduceScatter, CollectiveOp::AllGather, CollectiveOp::AllReduce})
    {
        for (const char* algorithm : {"direct", "ring", "hierarchical"})
        {
            const auto request = EvenRequest(op, 24, 24 * 1024 * 1024);
            const auto lowering = LowerCollective(request, {shape, kernel}, algorithm);
            for (uint32_t member = 0; member < 24; ++member)
            {
                const Sent sent = SentBy(member, request, lowering, shape);
                const uint64_t phases = op == CollectiveOp::AllReduce ? 2 : 1;
                EXPECT_EQ(sent.inside + sent.outside, phases * 23 * 24 * 1024 * 1024) << algorithm;
            }
        }
    }
}

TEST(RingAllReduce, SendsTwoNMinusOneOverNOfPayload)
{
    const ClusterShape shape(8, 8, 8);
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::AllReduce, 8, 1000); // payload 8000
    const auto lowering = LowerCollective(request, {shape, kernel}, "ring");
    EXPECT_EQ(SentBy(3, request, lowering, shape).inside, 2u * 7 * 8000 / 8);
    uint32_t sends = 0;
    for (const auto& op : lowering.members[3])
    {
        sends += op.kind == OpKind::Send;
    }
    EXPECT_EQ(sends, 14u);
}

TEST(RingReduceScatter, UsesEveryNicOfADomain)
{
    const ClusterShape shape(16, 4, 4);
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::ReduceScatter, 16, 4000);
    const auto lowering = LowerCollective(request, {shape, kernel}, "ring");
    for (uint32_t member = 0; member < 16; ++member)
    {
        // 4 rings of 15 steps with a quarter block each; every member is the exit of exactly one ring.
        const Sent sent = SentBy(member, request, lowering, shape);
        EXPECT_EQ(sent.outside, 15u * 1000);
        EXPECT_EQ(sent.inside, 3u * 15 * 1000);
        for (const auto& op : lowering.members[member])
        {
            if (op.kind == OpKind::Send && !shape.SameHbd(member, op.peer))
            {
                EXPECT_EQ(shape.RailOf(member), shape.RailOf(op.peer));
            }
        }
    }
}

TEST(HierarchicalAllGather, SendsEachBlockOnceToEachOtherDomain)
{
    const ClusterShape shape(32, 8, 8);
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::AllGather, 32, 1 << 20);
    for (const char* algorithm : {"hierarchical"})
    {
        const auto lowering = LowerCollective(request, {shape, kernel}, algorithm);
        const Sent sent = SentBy(5, request, lowering, shape);
        EXPECT_EQ(sent.outside, 3u << 20);       // (D - 1) blocks
        EXPECT_EQ(sent.inside, (4u * 7u) << 20); // D (n / D - 1) blocks
    }
}

TEST(HierarchicalReduceScatter, MirrorsTheAllGather)
{
    const ClusterShape shape(32, 8, 8);
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::ReduceScatter, 32, 1 << 20);
    const auto lowering = LowerCollective(request, {shape, kernel}, "hierarchical");
    const Sent sent = SentBy(5, request, lowering, shape);
    EXPECT_EQ(sent.outside, 3u << 20);
    EXPECT_EQ(sent.inside, (4u * 7u) << 20);
}

TEST(HierarchicalAllGather, EqualsDirectInOneDomainAndWithOneMemberInEach)
{
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::AllGather, 8, 1 << 20);
    for (uint32_t hbd : {8u, 1u})
    {
        const ClusterShape shape(8, hbd, 8);
        const auto direct = LowerCollective(request, {shape, kernel}, "direct");
        const auto hierarchical = LowerCollective(request, {shape, kernel}, "hierarchical");
        ASSERT_EQ(direct.members[2].size(), hierarchical.members[2].size());
        for (size_t i = 0; i < direct.members[2].size(); ++i)
        {
            EXPECT_EQ(direct.members[2][i].peer, hierarchical.members[2][i].peer);
            EXPECT_EQ(direct.members[2][i].bytes, hierarchical.members[2][i].bytes);
        }
    }
}

TEST(HierarchicalAllToAll, SendsOneMessageToEachRemoteDestinationOfItsPosition)
{
    const ClusterShape shape(12, 4, 4);
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::AllToAll, 12, 100);
    const auto lowering = LowerCollective(request, {shape, kernel}, "hierarchical");
    std::map<uint32_t, uint64_t> remote;
    for (const auto& op : lowering.members[6])
    {
        if (op.kind == OpKind::Send && !shape.SameHbd(6, op.peer))
        {
            EXPECT_TRUE(remote.emplace(op.peer, op.bytes).second);
        }
    }
    EXPECT_EQ(remote, (std::map<uint32_t, uint64_t>{{2, 400}, {10, 400}}));
    // 3 neighbours' own data, and for each of 3 positions the data for 2 remote members.
    EXPECT_EQ(SentBy(6, request, lowering, shape).inside, 300u + 600u);
}

TEST(DirectAllToAll, StartsInTheDomainThenOnTheOwnRailAndPostsEverythingAtOnce)
{
    const ClusterShape shape(8, 4, 4);
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::AllToAll, 8, 100);
    const auto lowering = LowerCollective(request, {shape, kernel}, "direct");
    std::vector<uint32_t> peers;
    for (const auto& op : lowering.members[6])
    {
        EXPECT_TRUE(op.dependencies.empty());
        if (op.kind == OpKind::Send)
        {
            peers.push_back(op.peer);
            // launch 1 us, then 0.7 us inside the domain and 3 us through the NIC
            EXPECT_EQ(op.delayPs, shape.SameHbd(6, op.peer) ? 1700000 : 4000000);
        }
    }
    EXPECT_EQ(peers, (std::vector<uint32_t>{7, 4, 5, 2, 3, 0, 1}));
}

TEST(GroupLayout, GivesEveryReceiverOneSenderAtEachDistance)
{
    const ClusterShape shape(12, 4, 4);
    for (const auto& ranks :
         std::vector<std::vector<uint32_t>>{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {0, 1, 2, 5, 9}, {1, 5, 9}})
    {
        const GroupLayout layout(ranks, shape);
        std::set<std::pair<uint32_t, uint32_t>> pairs;
        for (uint32_t distance = 1; distance < ranks.size(); ++distance)
        {
            std::set<uint32_t> receivers;
            for (uint32_t member = 0; member < ranks.size(); ++member)
            {
                receivers.insert(layout.PeerAt(member, distance));
                pairs.emplace(member, layout.PeerAt(member, distance));
                EXPECT_NE(layout.PeerAt(member, distance), member);
            }
            EXPECT_EQ(receivers.size(), ranks.size());
        }
        EXPECT_EQ(pairs.size(), ranks.size() * (ranks.size() - 1));
    }
}

TEST(RingAllGather, AddsLaunchOnlyToTheFirstSend)
{
    const ClusterShape shape(4, 4, 4);
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::AllGather, 4, 100);
    const auto lowering = LowerCollective(request, {shape, kernel}, "ring");
    std::vector<int64_t> delays;
    for (const auto& op : lowering.members[0])
    {
        if (op.kind == OpKind::Send)
        {
            delays.push_back(op.delayPs);
        }
    }
    EXPECT_EQ(delays, (std::vector<int64_t>{1700000, 700000, 700000}));
}

TEST(DirectReduceScatter, ReducesLocallyAtTheReduceRate)
{
    const ClusterShape shape(4, 4, 4);
    KernelSpec kernel = TestKernel();
    kernel.reduceRate = ByteRate::FromBytesPerSecond(1e12);
    const auto request = EvenRequest(CollectiveOp::ReduceScatter, 4, 1000000);
    const auto lowering = LowerCollective(request, {shape, kernel}, "direct");
    const LoweredOp& last = lowering.members[1].back();
    EXPECT_EQ(last.kind, OpKind::Delay);
    EXPECT_EQ(last.delayPs, 5000000); // 4 read + 1 written, 1 MB each, at 1 TB/s
    EXPECT_EQ(last.dependencies.size(), 3u);
}

TEST(CollectiveSizes, AreCountedAsNcclTestsDoes)
{
    EXPECT_EQ(CollectiveSize(EvenRequest(CollectiveOp::AllGather, 4, 10)), 40u);
    EXPECT_EQ(CollectiveSize(EvenRequest(CollectiveOp::AllToAll, 4, 10)), 40u);
}

TEST(CollectiveTable, NamesAreUniqueAndUnknownOnesAreRefused)
{
    for (const auto& entry : CollectiveTable())
    {
        EXPECT_EQ(FindCollective(entry.op, entry.algorithm), &entry);
        CollectiveOp op{};
        EXPECT_TRUE(ParseCollectiveOp(ToText(entry.op), op));
        EXPECT_EQ(op, entry.op);
    }
    const ClusterShape shape(4, 4, 4);
    const KernelSpec kernel = TestKernel();
    EXPECT_THROW(LowerCollective(EvenRequest(CollectiveOp::AllToAll, 4, 1), {shape, kernel}, "nvls"),
                 std::invalid_argument);
    CollectiveOp op{};
    EXPECT_FALSE(ParseCollectiveOp("gossip", op));
    // What was called direct before there were two direct ways.
    EXPECT_STREQ(FindCollective(CollectiveOp::AllReduce, "direct")->algorithm, "two-shot");
    EXPECT_EQ(FindCollective(CollectiveOp::AllReduce, "one-sided-read"), nullptr);
}

TEST(CollectiveChecker, SeesAMissingDependencyALostMessageAndADoubleContribution)
{
    const ClusterShape shape(8, 4, 4);
    const KernelSpec kernel = TestKernel();
    const auto request = EvenRequest(CollectiveOp::ReduceScatter, 8, 100);
    const auto good = LowerCollective(request, {shape, kernel}, "hierarchical");
    ASSERT_TRUE(CheckLowering(request, good).empty());
    auto broken = good;
    for (auto& op : broken.members[0])
    {
        if (op.kind == OpKind::Send && !op.dependencies.empty())
        {
            op.dependencies.pop_back();
            break;
        }
    }
    EXPECT_FALSE(CheckLowering(request, broken).empty());
    broken = good;
    broken.members[1].pop_back();
    EXPECT_FALSE(CheckLowering(request, broken).empty());
    broken = good;
    for (uint32_t member : {0u, 1u})
    {
        for (auto& op : broken.members[member])
        {
            if (op.pieces.size() == 1 && op.pieces[0].block == 1 && op.peer == 1 - member)
            {
                op.pieces[0].block = 2; // the neighbour gets a contribution that another member also sends
            }
        }
    }
    EXPECT_FALSE(CheckLowering(request, broken).empty());
}

TEST(Shares, AddUpAndFollowOneAnother)
{
    for (uint64_t total : {0u, 1u, 7u, 8u, 100u})
    {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < 8; ++i)
        {
            EXPECT_EQ(ShareOffset(total, 8, i), sum);
            sum += ShareOf(total, 8, i);
        }
        EXPECT_EQ(sum, total);
    }
}
