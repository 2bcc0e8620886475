/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: how a sweep is divided among processes, what folders are called, and what workers say arrives.

#include "runner/progress-display.h"
#include "runner/sweep-plan.h"
#include "runner/worker-channel.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace
{

using namespace hbd::runner;
using hbd::traffic::Scenario;
using hbd::traffic::ScenarioFile;
using testing::ElementsAre;

/// A point with a domain size and a precision, as the reader would make it.
Scenario
MakePoint(const std::string& size, const std::string& precision)
{
    Scenario scenario;
    scenario.name = "study";
    scenario.cluster.hbd.size = static_cast<uint32_t>(std::stoul(size));
    scenario.sweptKeys = {{"cluster.hbd.size", size}, {"precision", precision}};
    scenario.canonicalJson = R"({"cluster": {"gpu": {"peak": ")" + precision + R"("}, "hbd": {"size": )" + size +
                             R"(}}, "precision": {"weights": ")" + precision + R"("}})";
    scenario.canonicalYaml = scenario.canonicalJson;
    return scenario;
}

/// Small domains cost more.
PointCost
CostOf(const Scenario& scenario)
{
    return {100.0 / scenario.cluster.hbd.size, 0};
}

class SweepPlanTest : public testing::Test
{
  protected:
    SweepPlanTest()
    {
        for (const char* size : {"16", "8"})
        {
            for (const char* precision : {"fp16", "fp8"})
            {
                m_file.points.push_back(MakePoint(size, precision));
            }
        }
        m_plan = PlanSweep(m_file, &CostOf);
    }

    ScenarioFile m_file;
    SweepPlan m_plan;
};

TEST_F(SweepPlanTest, PointsThatDifferInComputingOnlyAreOneGroupAndTheHeaviestIsFirst)
{
    EXPECT_THAT(GroupPoints(m_plan, {false, false, false, false}), ElementsAre(ElementsAre(2, 3), ElementsAre(0, 1)));
}

TEST_F(SweepPlanTest, DonePointsAreLeftOut)
{
    EXPECT_THAT(GroupPoints(m_plan, {false, false, true, true}), ElementsAre(ElementsAre(0, 1)));
    // One light point against two: 100 / 8 < 2 x 100 / 16 does not hold, they tie and keep their order.
    EXPECT_THAT(GroupPoints(m_plan, {false, false, true, false}), ElementsAre(ElementsAre(0, 1), ElementsAre(3)));
    EXPECT_THAT(GroupPoints(m_plan, {true, true, true, true}), ElementsAre());
}

TEST_F(SweepPlanTest, FoldersAreNumberedAndNamedAfterTheSweptKeys)
{
    EXPECT_EQ(m_plan.points[0].name, "01_size-16_precision-fp16");
    EXPECT_EQ(m_plan.points[3].name, "04_size-8_precision-fp8");
    EXPECT_EQ(PointName(m_file.points[0], 7, 1000), "0007_size-16_precision-fp16");
}

TEST_F(SweepPlanTest, HashesTellPointsApart)
{
    EXPECT_NE(m_plan.points[0].hash, m_plan.points[1].hash);
    EXPECT_EQ(m_plan.points[0].hash, PlanSweep(m_file, &CostOf).points[0].hash);
}

TEST(FileNameText, KeepsWhatEveryFileSystemTakes)
{
    EXPECT_EQ(FileNameText("link-rate-1.8TB/s"), "link-rate-1.8TB-s");
    EXPECT_EQ(FileNameText("../../etc"), "etc");
    EXPECT_EQ(FileNameText("[1, 2]"), "1-2");
    EXPECT_EQ(FileNameText("///"), "point");
    EXPECT_LE(FileNameText(std::string(1000, 'x')).size(), 200u);
}

TEST(WorkerChannel, MessagesArriveWholeAndInOrder)
{
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    MessageReader reader(pipe[0]);
    const std::string text(5000, 'e'); // more than the reader takes at once
    ASSERT_TRUE(SendMessage(pipe[1], {WorkerEvent::Progress, 3, {1.5, 1234567890123, 0.25}, ""}));
    ASSERT_TRUE(SendMessage(pipe[1], {WorkerEvent::Failed, 4, {}, text}));
    ::close(pipe[1]);
    std::vector<WorkerMessage> messages;
    while (reader.Read(messages))
    {
    }
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[0].event, WorkerEvent::Progress);
    EXPECT_EQ(messages[0].point, 3u);
    EXPECT_EQ(messages[0].progress.packetHops, 1234567890123u);
    EXPECT_EQ(messages[0].progress.fraction, 0.25);
    EXPECT_EQ(messages[1].event, WorkerEvent::Failed);
    EXPECT_EQ(messages[1].text, text);
}

TEST(ClockText, HasHoursOnlyWhenThereAreSome)
{
    EXPECT_EQ(ClockText(0), "0:00");
    EXPECT_EQ(ClockText(59.6), "1:00");
    EXPECT_EQ(ClockText(754), "12:34");
    EXPECT_EQ(ClockText(3661), "1:01:01");
}

TEST(ScaledText, HasThreeDigitsAndAPrefix)
{
    EXPECT_EQ(ScaledText(0), "0 ");
    EXPECT_EQ(ScaledText(999.4), "999 ");
    EXPECT_EQ(ScaledText(999.6), "1 k");
    EXPECT_EQ(ScaledText(14.24e6), "14.2 M");
    EXPECT_EQ(ScaledText(400e9), "400 G");
}

} // namespace
