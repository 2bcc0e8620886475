/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: nothing that ends a sweep early costs a finished point, and --resume gives what an uninterrupted run gives.
// Method: the real program on a sweep of eight points of a good part of a second each; it, or one of its processes, is
// sent a signal when the first point is finished.

#include "program.h"

#include <csignal>
#include <gmock/gmock.h>

namespace
{

using namespace hbd::tests;
using testing::HasSubstr;
using testing::Not;

constexpr size_t POINTS = 8;

class Interruption : public CommandTest
{
  protected:
    Interruption()
    {
        Write("slow.yaml", SLOW_SWEEP);
    }

    std::vector<std::string> RunInto(const std::string& out, const std::string& jobs) const
    {
        return {"run", "slow.yaml", "--out", out, "--jobs", jobs};
    }

    /// Starts the sweep and sends it a signal when the first point is there.
    Ended InterruptWith(int signal, const std::string& jobs) const
    {
        Running running(RunInto("out", jobs), m_folder);
        EXPECT_TRUE(Eventually([this] { return !PointsIn(m_folder / "out").empty(); }));
        running.Signal(signal);
        return running.Wait();
    }

    /// Resumes and compares with an uninterrupted run.
    void ExpectResumeCompletes() const
    {
        const auto kept = PointsIn(m_folder / "out");
        const auto whole = Hbd(RunInto("whole", "2"));
        ASSERT_EQ(whole.code, 0) << whole.err;
        auto words = RunInto("out", "2");
        words.emplace_back("--resume");
        const auto resumed = Hbd(words);
        ASSERT_EQ(resumed.code, 0) << resumed.err;
        for (size_t point = 0; point < POINTS; ++point)
        {
            const bool wasThere = std::any_of(kept.begin(), kept.end(), [&](const auto& name) {
                return name.compare(0, 2, "0" + std::to_string(point + 1)) == 0;
            });
            EXPECT_EQ(resumed.err.find("point " + std::to_string(point + 1) + " of 8") == std::string::npos, wasThere);
        }
        EXPECT_EQ(ResultsOf(m_folder / "out"), ResultsOf(m_folder / "whole"));
        EXPECT_EQ(resumed.out.substr(0, resumed.out.find("results:")), whole.out.substr(0, whole.out.find("results:")));
    }
};

TEST_F(Interruption, KilledSweepIsResumed)
{
    EXPECT_EQ(InterruptWith(SIGKILL, "1").signal, SIGKILL);
    ASSERT_LT(PointsIn(m_folder / "out").size(), POINTS) << "it was not interrupted: make the points slower";
    ExpectResumeCompletes();
}

TEST_F(Interruption, ProcessesOfAKilledSweepEnd)
{
    Running running(RunInto("out", "2"), m_folder);
    std::vector<pid_t> children;
    ASSERT_TRUE(Eventually([&] { return (children = running.Children()).size() == 2; }));
    running.Signal(SIGKILL);
    running.Wait();
    for (const pid_t child : children)
    {
        EXPECT_TRUE(Eventually([child] { return ::kill(child, 0) != 0; })) << child;
    }
}

TEST_F(Interruption, CtrlCKeepsFinishedPointsAndExits130)
{
    const auto ended = InterruptWith(SIGINT, "2");
    EXPECT_EQ(ended.code, 130);
    EXPECT_THAT(ended.err, HasSubstr("--resume --out out"));
    const auto points = PointsIn(m_folder / "out");
    ASSERT_LT(points.size(), POINTS) << "it was not interrupted: make the points slower";
    for (const auto& [name, text] : TreeOf(m_folder / "out"))
    {
        EXPECT_THAT(name, Not(HasSubstr("unfinished")));
    }
    for (const auto& point : points)
    {
        EXPECT_TRUE(std::filesystem::exists(m_folder / "out" / point / "summary.json")) << point;
    }
    ExpectResumeCompletes();
}

TEST_F(Interruption, CtrlCBeforeTheFirstPointLeavesNoFolder)
{
    Running running(RunInto("out", "1"), m_folder);
    ASSERT_TRUE(Eventually([&] { return !running.Children().empty(); }));
    running.Signal(SIGINT);
    const auto ended = running.Wait();
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_EQ(std::filesystem::exists(m_folder / "out"), !PointsIn(m_folder / "out").empty());
}

TEST_F(Interruption, ProcessThatDiesCostsItsPointOnly)
{
    Running running(RunInto("out", "2"), m_folder);
    std::vector<pid_t> children;
    ASSERT_TRUE(Eventually([&] { return (children = running.Children()).size() == 2; }));
    ::kill(children.front(), SIGKILL);
    const auto ended = running.Wait();
    EXPECT_EQ(ended.code, 1);
    EXPECT_THAT(ended.err, HasSubstr("killed by signal 9"));
    EXPECT_THAT(ended.err, HasSubstr("1 of 8 points failed"));
    EXPECT_EQ(PointsIn(m_folder / "out").size(), POINTS - 1);
    EXPECT_THAT(ended.out, HasSubstr("results: out"));
    ExpectResumeCompletes();
}

TEST_F(Interruption, FolderOfAnotherScenarioIsNotResumed)
{
    Write("tiny.yaml", TINY_SWEEP);
    ASSERT_EQ(Hbd({"run", "tiny.yaml", "--out", "out"}).code, 0);
    const auto before = TreeOf(m_folder / "out");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", "slow.yaml", "--out", "out", "--resume"},
          {"run", "tiny.yaml", "--out", "out", "--resume", "--set", "workload.batch=4"}})
    {
        const auto ended = Hbd(words);
        EXPECT_EQ(ended.code, 2);
        EXPECT_THAT(ended.err, HasSubstr("another scenario"));
        EXPECT_EQ(TreeOf(m_folder / "out"), before);
    }
}

TEST_F(Interruption, FinishedSweepIsNotRunAgain)
{
    Write("tiny.yaml", TINY_SWEEP);
    const auto first = Hbd({"run", "tiny.yaml", "--out", "out"});
    ASSERT_EQ(first.code, 0);
    const auto before = TreeOf(m_folder / "out");
    const auto again = Hbd({"run", "tiny.yaml", "--out", "out", "--resume"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, first.out);
    EXPECT_EQ(TreeOf(m_folder / "out"), before);
}

TEST_F(Interruption, TwoRunsDoNotShareAFolder)
{
    Running running(RunInto("out", "1"), m_folder);
    ASSERT_TRUE(Eventually([&] { return !running.Children().empty(); }));
    std::filesystem::create_directory(m_top / "second");
    std::filesystem::create_directory(m_top / "second/work");
    const auto second =
        RunProgram({"run", (m_folder / "slow.yaml").string(), "--out", (m_folder / "out").string(), "--resume"},
            m_top / "second/work");
    EXPECT_EQ(second.code, 2);
    EXPECT_THAT(second.err, HasSubstr("another run"));
}

} // namespace
