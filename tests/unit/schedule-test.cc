/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/schedule-validator.h"
#include "traffic-gen/schedule-walk.h"

#include <gtest/gtest.h>
#include <set>

using namespace hbd::traffic;
using namespace hbd::test;

namespace
{

const ClusterShape kShape(64, 8, 8);

uint32_t
CountOps(const Block& block, OpKind kind)
{
    uint32_t count = 0;
    for (const auto& op : block.ops)
    {
        count += op.kind == kind;
    }
    return count;
}

std::vector<uint32_t>
DependenciesOf(const Block& block, const Op& op)
{
    const auto first = block.dependencies.begin() + op.firstDependency;
    return {first, first + op.dependencyCount};
}

/// A schedule of one item made by hand, to be broken.
class HandMade : public Schedule
{
  public:
    HandMade()
        : m_blocks(2),
          m_labels(1),
          m_items(1),
          m_next(2, 0)
    {
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            Block& block = m_blocks[rank];
            block.collectives = {{0, 0, 2}};
            block.ops.resize(2);
            block.ops[0].kind = OpKind::Send;
            block.ops[1].kind = OpKind::Receive;
            for (auto& op : block.ops)
            {
                op.collective = 0;
                op.peer = 1 - rank;
                op.bytes = 100;
            }
        }
        m_labels[0].members = {{0, 1}};
    }

    uint32_t Ranks() const override
    {
        return 2;
    }

    bool Next(uint32_t rank, Instance& instance) override
    {
        instance.block = std::make_shared<const Block>(m_blocks[rank]);
        instance.durations.operations = std::make_shared<const std::vector<int64_t>>();
        instance.durations.stages = instance.durations.operations;
        instance.epoch = m_epoch[rank];
        return m_next[rank]++ == 0;
    }

    void Rewind() override
    {
        m_next = {0, 0};
    }

    const std::vector<Item>& Items() const override
    {
        return m_items;
    }

    const std::vector<CollectiveLabel>& Collectives() const override
    {
        return m_labels;
    }

    const std::vector<std::string>& PhaseNames() const override
    {
        return m_names;
    }

    const std::vector<std::string>& LayerClassNames() const override
    {
        return m_names;
    }

    const std::vector<std::string>& StageNames() const override
    {
        return m_names;
    }

    std::vector<Block> m_blocks;
    uint64_t m_epoch[2] = {0, 0};

  private:
    std::vector<CollectiveLabel> m_labels;
    std::vector<Item> m_items;
    std::vector<std::string> m_names{"only"};
    std::vector<int> m_next;
};

} // namespace

TEST(Schedule, OfTheStudyIsValidAndListsItsItems)
{
    const auto schedule = BuildSchedule(StudyScenario(64, 8, 4));
    EXPECT_EQ(ValidateSchedule(*schedule, kShape), std::vector<std::string>{});
    const auto& items = schedule->Items();
    ASSERT_EQ(items.size(), 4u * 82);
    EXPECT_EQ(items[0].layer, -1);
    EXPECT_EQ(schedule->LayerClassNames()[items[0].layerClass], "embedding");
    EXPECT_EQ(items[80].layer, 79);
    EXPECT_EQ(schedule->LayerClassNames()[items[80].layerClass], "moe-layer");
    EXPECT_TRUE(items[81].lastOfStep);
    EXPECT_EQ(schedule->PhaseNames()[items[81].phase], "prefill");
    EXPECT_EQ(items[82].step, 1u);
    EXPECT_EQ(schedule->PhaseNames()[items[82].phase], "decode");
}

TEST(Schedule, SharesOneBlockAmongLayersAndStepsOfARank)
{
    const auto schedule = BuildSchedule(StudyScenario(64, 8, 4));
    std::set<const Block*> blocks;
    std::set<const void*> durations;
    Instance instance;
    uint64_t last = 0;
    uint32_t count = 0;
    while (schedule->Next(7, instance))
    {
        EXPECT_TRUE(count == 0 || instance.epoch > last);
        EXPECT_EQ(instance.item, instance.epoch);
        last = instance.epoch;
        ++count;
        blocks.insert(instance.block.get());
        durations.insert(instance.durations.operations.get());
    }
    EXPECT_EQ(count, 4u * 82);
    EXPECT_EQ(blocks.size(), 6u); // embedding, layer, head, in each phase
    // Decode layers have their own durations in each of 3 steps.
    EXPECT_GE(durations.size(), 5u + 3);
    schedule->Rewind();
    EXPECT_TRUE(schedule->Next(7, instance));
    EXPECT_EQ(instance.epoch, 0u);
}

TEST(Schedule, MergesConsecutiveStagesAndSerialisesCollectives)
{
    const auto schedule = BuildSchedule(StudyScenario(64, 8, 2));
    Instance instance;
    for (int i = 0; i < 2; ++i)
    {
        ASSERT_TRUE(schedule->Next(9, instance));
    }
    const Block& block = *instance.block;
    ASSERT_EQ(block.computes.size(), 4u);
    EXPECT_EQ(block.computes[0].stages, (std::vector<uint16_t>{1, 2, 3, 4}));
    EXPECT_EQ(block.computes[1].stages, (std::vector<uint16_t>{5, 6}));
    const auto& stages = *instance.durations.stages;
    ASSERT_EQ(stages.size(), 8u);
    EXPECT_EQ((*instance.durations.operations)[0], stages[0] + stages[1] + stages[2] + stages[3]);
    EXPECT_EQ(CountOps(block, OpKind::Compute), 4u);
    // Six collectives of 8 ranks.
    EXPECT_EQ(block.collectives.size(), 6u);
    EXPECT_EQ(CountOps(block, OpKind::Send), 6u * 7);
    EXPECT_EQ(CountOps(block, OpKind::Receive), 6u * 7);
    // The all-gather over expert-TP (collective 2) waits for the 7 receives of the dispatch.
    std::vector<uint32_t> dispatched;
    for (uint32_t i = 0; i < block.ops.size(); ++i)
    {
        const Op& op = block.ops[i];
        if (op.collective == 1 && op.kind == OpKind::Receive)
        {
            dispatched.push_back(i);
        }
        if (op.collective == 2)
        {
            EXPECT_EQ(DependenciesOf(block, op), dispatched);
        }
    }
    EXPECT_EQ(dispatched.size(), 7u);
}

TEST(Schedule, DurationsOfDecodeStepsGrowByTheKvCache)
{
    const auto schedule = BuildSchedule(StudyScenario(64, 8, 4));
    std::vector<int64_t> attention;
    Instance instance;
    while (schedule->Next(0, instance))
    {
        const Item& item = schedule->Items()[instance.item];
        if (item.layer == 3)
        {
            attention.push_back((*instance.durations.stages)[2]);
        }
    }
    ASSERT_EQ(attention.size(), 4u);
    EXPECT_EQ(attention[1], 10390912); // the hand-worked figure of StageTimes
    EXPECT_EQ(attention[2] - attention[1], 256);
    EXPECT_EQ(attention[3] - attention[2], 256);
}

TEST(Schedule, PassesActivationsAndTokensBetweenPipelineStages)
{
    Scenario scenario = SmallScenario(8, 4, 4);
    scenario.mapping = {2, 2, 2, 2, 2};
    const auto schedule = BuildSchedule(scenario);
    EXPECT_EQ(ValidateSchedule(*schedule, kShape), std::vector<std::string>{});
    std::vector<std::string> kinds;
    for (const auto& item : schedule->Items())
    {
        if (item.step == 1)
        {
            kinds.push_back(schedule->LayerClassNames()[item.layerClass]);
        }
    }
    EXPECT_EQ(kinds,
              (std::vector<std::string>{"token-return",
                                        "embedding",
                                        "moe-layer",
                                        "moe-layer-last-of-stage",
                                        "stage-transfer",
                                        "moe-layer",
                                        "moe-layer",
                                        "lm-head"}));
    // Rank 1 (TP rank 1 of DP group 0: 3 sequences of 7 tokens, 10 of its 21) sends 10 x 96 x 2 bytes to rank 5.
    Instance instance;
    uint64_t sent = 0;
    while (schedule->Next(1, instance) && schedule->Items()[instance.item].step == 0)
    {
        for (const auto& op : instance.block->ops)
        {
            sent += op.kind == OpKind::Send && op.peer == 5 ? op.bytes : 0;
        }
    }
    EXPECT_EQ(sent, 10u * 96 * 2);
}

TEST(Schedule, OfACollectiveHasOneItemASize)
{
    Scenario scenario = NetworkScenario(8, 4);
    scenario.workload.collective =
        CollectiveWorkload{"all-to-all", "auto", {}, {Bytes::FromMib(1), Bytes::FromBytes(11)}};
    const auto schedule = BuildSchedule(scenario);
    EXPECT_EQ(ValidateSchedule(*schedule, kShape), std::vector<std::string>{});
    ASSERT_EQ(schedule->Items().size(), 2u);
    EXPECT_EQ(schedule->Items()[1].step, 1u);
    EXPECT_TRUE(schedule->Items()[0].lastOfStep);
    EXPECT_EQ(schedule->Collectives()[0].sizeBytes, 1u << 20);
    EXPECT_EQ(schedule->Collectives()[1].sizeBytes, 11u);
    EXPECT_EQ(TotalsOf(*schedule).sendBytes, 8u * 7 * (1 << 17) + 8 * 11 - (2 + 2 + 2 + 1 + 1 + 1 + 1 + 1));
}

TEST(Schedule, OfACollectiveMayNameRanksAndAlgorithm)
{
    Scenario scenario = NetworkScenario(8, 4);
    scenario.workload.collective = CollectiveWorkload{"all-reduce", "ring", {1, 3, 6}, {Bytes::FromBytes(3000)}};
    const auto schedule = BuildSchedule(scenario);
    EXPECT_EQ(ValidateSchedule(*schedule, kShape), std::vector<std::string>{});
    EXPECT_EQ(schedule->Collectives()[0].algorithm, "ring");
    EXPECT_EQ(TotalsOf(*schedule).sendBytes, 3u * 2 * 2 * 1000); // 2 (n - 1) / n of 3000 on each of 3 ranks
    Instance instance;
    EXPECT_FALSE(schedule->Next(0, instance));
    EXPECT_TRUE(schedule->Next(6, instance));
}

TEST(Schedule, OfThe128GpuStudyIsPulledQuickly)
{
    const auto schedule = BuildSchedule(StudyScenario(128, 8, 512));
    const ScheduleTotals totals = TotalsOf(*schedule);
    EXPECT_EQ(totals.blocks, 128ull * 512 * 82);
    EXPECT_EQ(totals.distinctItems, 6u);
    EXPECT_EQ(totals.sendBytes, totals.receiveBytes);
}

TEST(Validator, AcceptsAMessageEachWay)
{
    HandMade schedule;
    EXPECT_EQ(ValidateSchedule(schedule, kShape), std::vector<std::string>{});
}

TEST(Validator, SeesALostMessageAndAnotherSize)
{
    HandMade schedule;
    schedule.m_blocks[0].ops[0].match = 1;
    EXPECT_EQ(ValidateSchedule(schedule, kShape).size(), 2u); // sent but not received, received but not sent
    HandMade sized;
    sized.m_blocks[1].ops[1].bytes = 99;
    ASSERT_EQ(ValidateSchedule(sized, kShape).size(), 1u);
    EXPECT_NE(ValidateSchedule(sized, kShape)[0].find("another size"), std::string::npos);
}

TEST(Validator, SeesADeadlock)
{
    HandMade schedule;
    for (auto& block : schedule.m_blocks)
    {
        std::swap(block.ops[0], block.ops[1]); // receive first, send after it, on both sides
        block.dependencies = {0};
        block.ops[1].dependencyCount = 1;
    }
    const auto problems = ValidateSchedule(schedule, kShape);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_NE(problems[0].find("4 operations wait forever"), std::string::npos) << problems[0];
}

TEST(Validator, SeesASendToItselfAndAForwardDependency)
{
    HandMade schedule;
    schedule.m_blocks[0].ops[0].peer = 0;
    EXPECT_FALSE(ValidateSchedule(schedule, kShape).empty());
    HandMade forward;
    forward.m_blocks[0].dependencies = {1};
    forward.m_blocks[0].ops[0].dependencyCount = 1;
    EXPECT_FALSE(ValidateSchedule(forward, kShape).empty());
}

TEST(Validator, SeesAGroupThatIsNotComplete)
{
    HandMade schedule;
    schedule.m_blocks[0].collectives[0].ranks = 3;
    schedule.m_blocks[1].collectives[0].ranks = 3;
    EXPECT_EQ(ValidateSchedule(schedule, kShape).size(), 1u);
}

TEST(Validator, SeesSidesInDifferentEpochs)
{
    HandMade schedule;
    schedule.m_epoch[1] = 5;
    EXPECT_FALSE(ValidateSchedule(schedule, kShape).empty());
}
