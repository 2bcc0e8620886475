/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/message-file.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/schedule-export.h"
#include "traffic-gen/schedule-validator.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace hbd::traffic;
using namespace hbd::test;

namespace
{

std::vector<Message>
Read(const std::string& text, std::vector<Problem>& problems)
{
    std::istringstream input(text);
    return ReadMessages(input, "m.csv", 4, problems);
}

} // namespace

TEST(MessageFile, ReadsTimesAndSizesWithUnitsInAnyColumnOrder)
{
    std::vector<Problem> problems;
    const auto messages =
        Read("# traffic\nsource,bytes,destination,time\n\n 0, 4KiB, 3, 1.5us\r\n2,1B,1,0ns\n", problems);
    EXPECT_TRUE(problems.empty());
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[0].time, Duration::FromNanoseconds(1500));
    EXPECT_EQ(messages[0].source, 0u);
    EXPECT_EQ(messages[0].destination, 3u);
    EXPECT_EQ(messages[0].bytes, Bytes::FromKib(4));
    EXPECT_EQ(messages[1].bytes, Bytes::FromBytes(1));
}

TEST(MessageFile, ReportsEveryProblemWithItsLine)
{
    std::vector<Problem> problems;
    const auto messages = Read("time,source,destination,bytes\n"
                               "1us,0,1,4KiB\n"
                               "1,0,1,4KiB\n"
                               "1us,4,-1,4KiB\n"
                               "1us,2,2,4KiB\n"
                               "1us,0,1,0B\n"
                               "1us,0,1\n"
                               "1us,0,1,4Gbps\n",
                               problems);
    EXPECT_EQ(messages.size(), 1u);
    std::vector<std::pair<int, std::string>> where;
    for (const auto& problem : problems)
    {
        EXPECT_EQ(problem.file, "m.csv");
        where.emplace_back(problem.line, problem.path);
    }
    EXPECT_EQ(where,
              (std::vector<std::pair<int, std::string>>{{3, "time"},
                                                        {4, "source"},
                                                        {4, "destination"},
                                                        {5, "destination"},
                                                        {6, "bytes"},
                                                        {7, ""},
                                                        {8, "bytes"}}));
}

TEST(MessageFile, ReadsWhatSpreadsheetsWrite)
{
    std::vector<Problem> problems;
    const auto messages =
        Read("\xef\xbb\xbf\"time\",\"source\",destination,\"bytes\"\r\n\"1.5us\", \"0\" ,3,\"4KiB\"\r\n", problems);
    EXPECT_TRUE(problems.empty());
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].time, Duration::FromNanoseconds(1500));
    EXPECT_EQ(messages[0].destination, 3u);
    EXPECT_EQ(messages[0].bytes, Bytes::FromKib(4));
    Read("time,source,destination,bytes\n\"1us,0,1,4KiB\n1us,0,1,\"4,KiB\"\n", problems);
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].line, 2);
    EXPECT_EQ(problems[1].line, 3);
    EXPECT_EQ(problems[1].path, "bytes");
}

TEST(MessageFile, RefusesTimesThatNoRunReaches)
{
    std::vector<Problem> problems;
    EXPECT_EQ(Read("time,source,destination,bytes\n1000000s,0,1,1B\n1000001s,0,1,1B\n", problems).size(), 1u);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].line, 3);
    EXPECT_EQ(problems[0].path, "time");
    EXPECT_EQ(problems[0].expected, "at most 1000000s");
}

TEST(MessageFile, NeedsItsHeader)
{
    for (const char* text : {"1us,0,1,4KiB\n", "time,source,destination\n", "time,source,destination,size\n", ""})
    {
        std::vector<Problem> problems;
        EXPECT_TRUE(Read(text, problems).empty());
        EXPECT_EQ(problems.size(), 1u) << text;
    }
}

TEST(MessageFile, ThatCannotBeReadIsAProblem)
{
    std::vector<Problem> problems;
    ReadMessageFile("/nonexistent/messages.csv", 4, problems);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].file, "/nonexistent/messages.csv");
}

TEST(MessagesSchedule, PostsEachMessageAtItsTime)
{
    const std::string path = testing::TempDir() + "hbd-messages-test.csv";
    std::ofstream(path) << "time,source,destination,bytes\n0s,0,1,10B\n2us,0,1,20B\n2us,0,2,30B\n1us,2,0,40B\n";
    Scenario scenario = NetworkScenario(4, 4);
    scenario.workload.messages = MessagesWorkload{path};
    const auto schedule = BuildSchedule(scenario);
    EXPECT_EQ(ValidateSchedule(*schedule, ClusterShape(4, 4, 8)), std::vector<std::string>{});
    Instance instance;
    ASSERT_TRUE(schedule->Next(0, instance));
    const auto& ops = instance.block->ops;
    ASSERT_EQ(ops.size(), 5u); // send, delay, send, send, receive
    EXPECT_EQ(ops[0].dependencyCount, 0u);
    EXPECT_EQ(ops[1].kind, OpKind::Delay);
    EXPECT_EQ(ops[1].delayPs, 2000000);
    EXPECT_EQ(instance.block->dependencies[ops[2].firstDependency], 1u);
    EXPECT_EQ(instance.block->dependencies[ops[3].firstDependency], 1u);
    EXPECT_EQ(ops[2].match, 1u); // second message from 0 to 1
    EXPECT_EQ(ops[4].kind, OpKind::Receive);
    EXPECT_FALSE(schedule->Next(0, instance));
    EXPECT_FALSE(schedule->Next(3, instance)); // takes no part
    EXPECT_EQ(schedule->Collectives()[0].sizeBytes, 100u);
}

TEST(MessagesSchedule, ExportsKeepTheTimes)
{
    const std::string path = testing::TempDir() + "hbd-messages-export-test.csv";
    std::ofstream(path) << "time,source,destination,bytes\n0s,0,1,10B\n2us,0,1,20B\n1s,2,0,40B\n";
    Scenario scenario = NetworkScenario(4, 4);
    scenario.workload.messages = MessagesWorkload{path};
    const auto schedule = BuildSchedule(scenario);
    const auto text = [&](const char* format) {
        std::ostringstream out;
        FindExportFormat(format)->write(*schedule, ClusterShape(4, 4, 8), out);
        return out.str();
    };
    const std::string head = "network,0,,messages,messages,direct,world:0,";
    EXPECT_EQ(
        text("csv"),
        "phase,step,layer,collective,op,algorithm,group,source,destination,bytes,match,tier,repeat,delay_s,kind\n" +
            head + "0,1,10,0,scale-up,1,0,send\n" + head + "0,1,20,1,scale-up,1,0.000002,send\n" + head +
            "2,0,40,0,scale-up,1,1,send\n");
    EXPECT_THAT(text("json"), testing::HasSubstr("{\"kind\":\"delay\",\"duration_ps\":2000000,"));
    EXPECT_THAT(text("goal"), testing::HasSubstr("l2: calc 2000\nl3: send 20b to 1 tag 1\nl3 requires l2\n"));
}

TEST(MessagesSchedule, ThrowsTheProblemsOfItsFile)
{
    const std::string path = testing::TempDir() + "hbd-messages-bad-test.csv";
    std::ofstream(path) << "time,source,destination,bytes\n0s,0,9,10B\n";
    Scenario scenario = NetworkScenario(4, 4);
    scenario.workload.messages = MessagesWorkload{path};
    try
    {
        BuildSchedule(scenario);
        FAIL() << "no error";
    }
    catch (const ScheduleError& error)
    {
        ASSERT_EQ(error.Problems().size(), 1u);
        EXPECT_EQ(error.Problems()[0].line, 2);
    }
}
