/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/built-schedule.h"
#include "traffic-gen/collective-checker.h"
#include "traffic-gen/item-builder.h"
#include "traffic-gen/schedule-export.h"
#include "traffic-gen/schedule-validator.h"

#include <boost/algorithm/string.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

// Goal: reads, multicasts, reductions in the switch and flags are lowered, checked, validated and exported with the
// right data, order and bytes. Method: an all-reduce of 4 ranks written out by hand, 100 bytes a block: each member
// stages its data, tells all others by a multicast flag, sums its own block in the switch and multicasts the sum.

using namespace hbd::traffic;
using namespace hbd::test;
using testing::HasSubstr;

namespace
{

constexpr uint32_t kMembers = 4;
constexpr uint64_t kBlock = 100;

class SwitchOperations : public testing::Test
{
  protected:
    SwitchOperations()
    {
        m_request.ranks = {0, 1, 2, 3};
        m_request.blockBytes.assign(kMembers, kBlock);
        m_kernel.launch = Duration::FromNanoseconds(1000);
        m_kernel.scaleUpStep = Duration::FromNanoseconds(700);
        m_kernel.stagingRate = ByteRate::FromBytesPerSecond(1e9);
    }

    /// \param skip a member that sends its flag to nobody but waits for all
    Lowering Lower() const
    {
        const CollectiveContext context{m_shape, m_kernel};
        LoweringBuilder builder(m_request, context);
        const std::vector<uint32_t> group{0, 1, 2, 3};
        std::vector<OpList> ready(kMembers);
        for (uint32_t member : group)
        {
            const OpList copied = builder.Copy(member, CopyKind::In, All(), {});
            const OpList ends = builder.MulticastFlag(member, group, copied);
            for (uint32_t other : group)
            {
                Append(ready[other], other == member ? copied : OpList{ends[other]});
            }
        }
        std::vector<OpList> arrived(kMembers);
        for (uint32_t member : group)
        {
            const std::vector<DataPiece> own{{member, 0, kBlock}};
            const OpList sum = builder.SwitchReduce(member, group, own, ready[member]);
            const OpList ends = builder.Multicast(member, group, own, sum);
            for (uint32_t other : group)
            {
                arrived[other].push_back(ends[other]);
            }
        }
        for (uint32_t member : group)
        {
            builder.Copy(member, CopyKind::Out, All(), arrived[member]);
        }
        return builder.Take();
    }

    static std::vector<DataPiece> All()
    {
        return {{0, 0, kBlock}, {1, 0, kBlock}, {2, 0, kBlock}, {3, 0, kBlock}};
    }

    /// The first operation of a kind of a member.
    static LoweredOp& First(Lowering& lowering, uint32_t member, OpKind kind)
    {
        for (auto& op : lowering.members[member])
        {
            if (op.kind == kind)
            {
                return op;
            }
        }
        throw std::logic_error("no such operation");
    }

    std::unique_ptr<Schedule> Build(const Lowering& lowering) const
    {
        ScheduleParts parts;
        parts.ranks = kMembers;
        parts.gpu = RoundGpu();
        parts.phaseNames = {"network"};
        parts.layerClassNames = {"collective"};
        parts.collectives = {{"all-reduce", "all-reduce", "by-hand", "", "world", kMembers, 400, {m_request.ranks}}};
        ItemBuilder builder(parts, 0);
        builder.AddCollective(0, 0, m_request.ranks, lowering);
        parts.items.resize(1);
        parts.classOfItem = {builder.Finish()};
        return std::make_unique<BuiltSchedule>(std::move(parts));
    }

    std::string Export(const char* format) const
    {
        const auto schedule = Build(Lower());
        std::ostringstream out;
        FindExportFormat(format)->write(*schedule, m_shape, out);
        return out.str();
    }

    ClusterShape m_shape{4, 4, 4};
    KernelSpec m_kernel;
    CollectiveRequest m_request;
};

} // namespace

TEST_F(SwitchOperations, PutTheSumsInPlace)
{
    EXPECT_EQ(CheckLowering(m_request, Lower()), std::vector<std::string>{});
    EXPECT_EQ(ValidateSchedule(*Build(Lower()), m_shape), std::vector<std::string>{});
}

TEST_F(SwitchOperations, HaveTheLatenciesOfTheirKind)
{
    Lowering lowering = Lower();
    // 400 bytes at 1 GB/s after the launch; a flag is a step; what is read after a flag has no latency of its own.
    EXPECT_EQ(First(lowering, 1, OpKind::Delay).delayPs, 1000000 + 400000);
    EXPECT_EQ(First(lowering, 1, OpKind::Multicast).delayPs, 700000);
    EXPECT_EQ(First(lowering, 1, OpKind::Multicast).bytes, kFlagBytes);
    EXPECT_EQ(First(lowering, 1, OpKind::SwitchReduce).delayPs, 0);
    EXPECT_EQ(lowering.members[1].back().delayPs, 400000);
}

TEST_F(SwitchOperations, CopyNothingWithoutAStagingRate)
{
    m_kernel.stagingRate = ByteRate();
    Lowering lowering = Lower();
    EXPECT_EQ(CheckLowering(m_request, lowering), std::vector<std::string>{});
    EXPECT_THROW(First(lowering, 0, OpKind::Delay), std::logic_error);
    EXPECT_EQ(First(lowering, 0, OpKind::Multicast).delayPs, 1700000);
}

TEST_F(SwitchOperations, NeedAFlagOfEveryMember)
{
    for (uint32_t missing = 0; missing < kMembers; ++missing)
    {
        Lowering lowering = Lower();
        auto& after = First(lowering, 2, OpKind::SwitchReduce).dependencies;
        ASSERT_EQ(after.size(), kMembers);
        after.erase(after.begin() + missing);
        EXPECT_THAT(CheckLowering(m_request, lowering), testing::Not(testing::IsEmpty())) << missing;
    }
}

TEST_F(SwitchOperations, NeedTheFlagToFollowTheCopy)
{
    Lowering lowering = Lower();
    First(lowering, 1, OpKind::Multicast).dependencies.clear();
    const auto problems = CheckLowering(m_request, lowering);
    ASSERT_FALSE(problems.empty());
    EXPECT_THAT(problems[0], HasSubstr("is not at 1"));
}

TEST_F(SwitchOperations, NeedTheCopyOutToFollowTheData)
{
    Lowering lowering = Lower();
    lowering.members[3].back().dependencies.pop_back();
    const auto problems = CheckLowering(m_request, lowering);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_THAT(problems[0], HasSubstr("member 3: block 3 byte 0 is not complete"));
}

TEST_F(SwitchOperations, NeedTheWholeGroup)
{
    Lowering lowering = Lower();
    First(lowering, 2, OpKind::SwitchReduce).group = {1, 2, 3};
    EXPECT_FALSE(CheckLowering(m_request, lowering).empty());
    lowering = Lower();
    First(lowering, 2, OpKind::Multicast).group = {1, 2, 3}; // 0 still waits for the flag
    EXPECT_FALSE(CheckLowering(m_request, lowering).empty());
    for (const auto& wrong : {std::vector<uint32_t>{0, 1, 3}, {0, 2, 1, 3}, {2}, {0, 1, 2, 9}, {}})
    {
        lowering = Lower();
        First(lowering, 2, OpKind::SwitchReduce).group = wrong;
        EXPECT_FALSE(CheckLowering(m_request, lowering).empty());
    }
}

TEST_F(SwitchOperations, MulticastTheSumNotTheOwnPart)
{
    Lowering lowering = Lower();
    auto& last = lowering.members[0];
    for (auto& op : last)
    {
        if (op.kind == OpKind::Multicast && !op.pieces.empty())
        {
            op.dependencies = First(lowering, 0, OpKind::SwitchReduce).dependencies; // does not wait for the sum
        }
    }
    EXPECT_FALSE(CheckLowering(m_request, lowering).empty());
}

TEST_F(SwitchOperations, AddNothingTwice)
{
    Lowering lowering = Lower();
    // The second reduction would add the sum of the first once more for each member that has it.
    LoweredOp again = First(lowering, 1, OpKind::SwitchReduce);
    again.dependencies = {static_cast<uint32_t>(lowering.members[1].size() - 1)};
    lowering.members[1].push_back(again);
    EXPECT_FALSE(CheckLowering(m_request, lowering).empty());
}

TEST_F(SwitchOperations, OfAReadTakeWhatTheFlagPromised)
{
    m_request.op = CollectiveOp::AllToAll;
    m_request.pairBytes.assign(kMembers * kMembers, 0);
    m_request.pairBytes[1 * kMembers + 0] = 50; // 0 reads of 1
    const auto lower = [&](bool flag) {
        const CollectiveContext context{m_shape, m_kernel};
        LoweringBuilder builder(m_request, context);
        const auto told = flag ? builder.Flag(1, 0, {}).received : OpList();
        builder.Read(0, 1, {{1 * kMembers + 0, 0, 50}}, told);
        return builder.Take();
    };
    EXPECT_EQ(CheckLowering(m_request, lower(true)), std::vector<std::string>{});
    const auto problems = CheckLowering(m_request, lower(false));
    ASSERT_FALSE(problems.empty());
    EXPECT_THAT(problems[0], HasSubstr("may not have started"));
}

TEST_F(SwitchOperations, OfACompleteWriteAreKnownAtTheOtherEnd)
{
    // 0 writes to 1; a flag after the write is all that 1 waits for before it passes the block on.
    m_request.op = CollectiveOp::Broadcast;
    m_request.blockBytes = {kBlock, 0, 0, 0};
    const auto lower = [&](bool waits) {
        const CollectiveContext context{m_shape, m_kernel};
        LoweringBuilder builder(m_request, context);
        const std::vector<DataPiece> data{{0, 0, kBlock}};
        const MessageEnds written = builder.Write(0, 1, data, {});
        const MessageEnds flag = builder.Flag(0, 1, waits ? written.sent : OpList());
        builder.Transfer(1, 2, data, flag.received);
        builder.Transfer(0, 3, data, {});
        return builder.Take();
    };
    EXPECT_EQ(CheckLowering(m_request, lower(true)), std::vector<std::string>{});
    EXPECT_FALSE(CheckLowering(m_request, lower(false)).empty());
}

TEST_F(SwitchOperations, AreRefusedOverTwoDomains)
{
    m_shape = ClusterShape(4, 2, 4);
    EXPECT_THROW(Lower(), std::logic_error);
    // The validator looks at the cluster itself.
    m_shape = ClusterShape(4, 4, 4);
    const auto schedule = Build(Lower());
    const auto problems = ValidateSchedule(*schedule, ClusterShape(4, 2, 4));
    ASSERT_FALSE(problems.empty());
    EXPECT_THAT(problems[0], HasSubstr("its group is not several ranks of one domain"));
}

TEST_F(SwitchOperations, CountAFlagAndTheSumOnceForEachOther)
{
    const ScheduleTotals totals = TotalsOf(*Build(Lower()));
    EXPECT_EQ(totals.sendBytes, kMembers * 3 * (kFlagBytes + kBlock));
    EXPECT_EQ(totals.receiveBytes, totals.sendBytes);
    EXPECT_EQ(totals.readBytes, kMembers * 3 * kBlock);
}

TEST_F(SwitchOperations, AreOneCsvLineForEachTwoRanks)
{
    const std::string text = Export("csv");
    std::map<std::string, int> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
    {
        ++lines[line.substr(line.rfind(',') + 1)];
    }
    EXPECT_EQ(lines, (std::map<std::string, int>{{"kind", 1}, {"multicast", 24}, {"switch-reduce", 12}}));
    EXPECT_THAT(text, HasSubstr("by-hand,world:0,3,0,100,0,scale-up,1,0.0000014,switch-reduce\n"));
}

TEST_F(SwitchOperations, AreWholeInJson)
{
    const auto json = nlohmann::json::parse(Export("json"));
    const auto& ops = json["items"][0]["blocks"][2]["operations"];
    uint32_t seen = 0;
    for (const auto& op : ops)
    {
        if (op["kind"] == "switch-reduce" || op["kind"] == "multicast")
        {
            EXPECT_EQ(op["ranks"], (std::vector<uint32_t>{0, 1, 2, 3}));
            ++seen;
        }
    }
    EXPECT_EQ(seen, 3u);
}

TEST_F(SwitchOperations, AreSendsAndReceivesOfTheSameBytesInGoal)
{
    std::map<std::string, int> open; // bytes, source, destination, tag: sends minus receives
    std::map<std::string, uint64_t> received;
    std::istringstream in(Export("goal"));
    std::string rank;
    for (std::string line; std::getline(in, line);)
    {
        std::vector<std::string> words;
        boost::split(words, line, boost::is_any_of(" "));
        rank = words[0] == "rank" ? words[1] : rank;
        if (words.size() == 7)
        {
            const bool send = words[1] == "send";
            const std::string pair = send ? rank + ">" + words[4] : words[4] + ">" + rank;
            open[words[2] + " " + pair + " " + words[6]] += send ? 1 : -1;
            received[rank] += send ? 0 : std::stoull(words[2]);
        }
    }
    for (const auto& [message, balance] : open)
    {
        EXPECT_EQ(balance, 0) << message;
    }
    // From each of 3 others: a flag, its sum, its part of the own sum.
    EXPECT_EQ(open.size(), 4u * 3 * 3);
    EXPECT_EQ(received["1"], 3 * (kFlagBytes + 2 * kBlock));
}
