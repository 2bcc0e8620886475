/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: `hbd validate` compares what `hbd run` would simulate with the tables it is given, and says what it leaves out.
// Method: the real program on tables written here.

#include "analysis/reader.h"
#include "analysis/record-format.h"
#include "program.h"
#include "traffic-gen/system-preset.h"

#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace
{

using namespace hbd::tests;
using testing::HasSubstr;
using testing::Not;

class Validate : public CommandTest
{
  protected:
    Validate()
    {
        std::filesystem::create_directory(m_folder / "measured");
    }

    /// Writes the table of collectives. \param rows system, op, GPUs, bytes, time
    void Collectives(const std::string& rows) const
    {
        Write("measured/nccl_collectives.csv", "system,op,num_gpus,message_bytes,time_us_median\n" + rows);
    }

    Ended Run(std::vector<std::string> words) const
    {
        words.insert(words.begin(), {"validate", "--measured", "measured"});
        return Hbd(words);
    }

    /// The rows that it wrote to a file, without the header.
    std::vector<std::vector<std::string>> Rows(const std::string& file) const
    {
        std::vector<std::vector<std::string>> rows;
        for (auto& row : hbd::analysis::ParseCsv(Read(file), file))
        {
            rows.push_back(row.cells);
        }
        rows.erase(rows.begin());
        return rows;
    }
};

constexpr size_t kMeasured = 6; ///< column measured_us
constexpr size_t kPredicted = 7;
constexpr size_t kError = 10;

TEST_F(Validate, PredictsWhatRunSimulates)
{
    Collectives("b200_sxm,all_reduce,4,65536,20\n");
    ASSERT_EQ(Run({"--csv", "rows.csv"}).code, 0);
    const auto rows = Rows("rows.csv");
    ASSERT_EQ(rows.size(), 1u);
    // The same as a scenario: what the system's preset says, and the first four GPUs.
    std::vector<hbd::traffic::Problem> problems;
    const auto systems = hbd::traffic::LoadSystems(problems);
    const auto* system = hbd::traffic::FindSystem(systems, "b200_sxm");
    ASSERT_NE(system, nullptr);
    Write("same.yaml",
          fmt::format(
              "cluster: {}\nlibrary: {}\nworkload: {{collective: all-reduce, sizes: [64KiB], ranks: [0, 1, 2, 3]}}\n",
              hbd::traffic::FlowText(system->cluster),
              system->libraries.at("nccl")));
    const auto ended = Hbd({"run", "same.yaml", "--out", "same"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    const auto collectives = hbd::analysis::ReadCollectives(m_folder / "same" / "same");
    ASSERT_EQ(collectives.size(), 1u);
    EXPECT_NEAR(std::stod(rows[0][kPredicted]), static_cast<double>(collectives[0].DurationPs()) / 1e6, 1e-6);
    EXPECT_EQ(rows[0][4], std::to_string(collectives[0].sizeBytes));
}

TEST_F(Validate, EqualTimesMeetTheGateAndHalfOfThemMissIt)
{
    Collectives("b200_sxm,all_gather,8,1048576,20\nb200_sxm,all_gather,8,512,20\n");
    ASSERT_EQ(Run({"--csv", "rows.csv"}).code, 0) << "without --gate a missed target is told only";
    const auto rows = Rows("rows.csv");
    ASSERT_EQ(rows.size(), 2u);
    const auto measure = [&](double factor) {
        std::string text;
        for (const auto& row : rows)
        {
            text += fmt::format("b200_sxm,all_gather,8,{},{:.6f}\n", row[4], std::stod(row[kPredicted]) * factor);
        }
        Collectives(text);
    };
    measure(1);
    const auto same = Run({"--csv", "same.csv", "--gate"});
    EXPECT_EQ(same.code, 0) << same.out << same.err;
    EXPECT_THAT(same.out, HasSubstr("met"));
    EXPECT_THAT(same.out, Not(HasSubstr("MISSED")));
    for (const auto& row : Rows("same.csv"))
    {
        EXPECT_NEAR(std::stod(row[kError]), 0, 1e-5);
        EXPECT_NEAR(std::stod(row[kPredicted]), std::stod(row[kMeasured]), 1e-3);
    }
    measure(2);
    const auto twice = Run({"--csv", "twice.csv", "--gate"});
    EXPECT_EQ(twice.code, 1);
    EXPECT_THAT(twice.out, HasSubstr("MISSED"));
    for (const auto& row : Rows("twice.csv"))
    {
        EXPECT_NEAR(std::stod(row[kError]), -0.5, 1e-5);
    }
}

TEST_F(Validate, ResultsDoNotDependOnJobs)
{
    Collectives("b200_sxm,all_gather,8,1048576,20\nh100_sxm,all_reduce,2,512,20\ngb200,broadcast,8,4096,9\nb200_sxm,"
                "alltoall,4,65536,20\n");
    Write("measured/moe_alltoall_nvl72.csv",
          "hw,ep,batch_tokens_per_rank,topk,experts,bytes_per_token,dispatch_us,combine_us\n"
          "GB200 NVL72,16,4,8,256,14336,19,31\nGB200 NVL72,72,2,8,288,14336,19,31\n");
    const auto one = Run({"--csv", "one.csv", "--doc", "one.md", "--jobs", "1"});
    const auto three = Run({"--csv", "three.csv", "--doc", "three.md", "--jobs", "3"});
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(one.out, three.out);
    EXPECT_EQ(Read("one.csv"), Read("three.csv"));
    EXPECT_EQ(Read("one.md"), Read("three.md"));
    EXPECT_EQ(Rows("one.csv").size(), 8u);
    EXPECT_THAT(Read("one.md"), HasSubstr("# Validation"));
}

TEST_F(Validate, SettingsHoldForEveryRow)
{
    Collectives("b200_sxm,all_gather,8,67108864,200\nb200_sxm,all_gather,8,512,20\n");
    ASSERT_EQ(Run({"--csv", "fast.csv"}).code, 0);
    ASSERT_EQ(Run({"--csv", "slow.csv", "--set", "cluster.hbd.link-delay=10us"}).code, 0);
    for (size_t row = 0; row < 2; ++row)
    {
        EXPECT_GT(std::stod(Rows("slow.csv")[row][kPredicted]), std::stod(Rows("fast.csv")[row][kPredicted]) + 19)
            << "two links of 10 us each";
    }
    const auto wrong = Run({"--set", "cluster.hbd.link-dely=10us"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("cluster.hbd.link-dely"));
}

TEST_F(Validate, WhatCannotBeComparedIsNamed)
{
    Collectives(
        "z9,all_gather,8,512,20\nz9,all_gather,8,1024,20\nb200_sxm,sendrecv,8,512,20\nb200_sxm,all_gather,16,512,20\n"
        "b200_sxm,all_gather,1,512,20\nb200_sxm,all_gather,8,512,20\n");
    Write("measured/gemm.csv", "m,n\n1,2\n");
    const auto ended = Run({"--csv", "rows.csv"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("gemm.csv: nothing here reads this table"));
    EXPECT_THAT(ended.out, HasSubstr("nccl_collectives.csv, 2 rows: there is no preset of the system z9"));
    EXPECT_THAT(ended.out, HasSubstr("1 row: there is no collective sendrecv"));
    EXPECT_THAT(ended.out, HasSubstr("1 row: 16 GPUs are more than the 8 of b200_sxm"));
    EXPECT_THAT(ended.out, HasSubstr("1 row: one GPU alone uses no network"));
    EXPECT_EQ(Rows("rows.csv").size(), 1u);
}

TEST_F(Validate, BadInputIsExitTwoAndWritesNothing)
{
    Collectives("b200_sxm,all_gather,8,512,fast\n");
    const auto bad = Run({"--csv", "rows.csv"});
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("nccl_collectives.csv:2: time_us_median: expected a number above 0, given `fast`"));
    EXPECT_FALSE(std::filesystem::exists(m_folder / "rows.csv"));
    const auto absent = Hbd({"validate", "--measured", "nowhere"});
    EXPECT_EQ(absent.code, 2);
    EXPECT_THAT(absent.err, HasSubstr("nowhere: expected a folder with measured tables (CSV), given no such folder"));
    const auto unknown = Run({"--table", "gemms"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("--table: expected one of nccl_collectives, moe_alltoall_nvl72, deepep"));
    EXPECT_EQ(Run({"--jobs", "0"}).code, 2);
    EXPECT_EQ(Run({"--plot", "v.png", "--jobs", "x"}).code, 2);
}

TEST_F(Validate, OnlyTheNamedTablesAreRead)
{
    Collectives("b200_sxm,all_gather,8,512,fast\n");
    Write("measured/deepep.csv",
          "kernel,platform,ep,tokens_per_rank,hidden,topk,dispatch_dtype,combine_dtype,dispatch_GBps,combine_GBps\n"
          "normal intranode,SM100,8,64,7168,8,FP8,BF16,600,\n");
    const auto ended = Run({"--table", "deepep", "--csv", "rows.csv"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    ASSERT_EQ(Rows("rows.csv").size(), 1u);
    EXPECT_EQ(Rows("rows.csv")[0][8], "600.000");
}

TEST_F(Validate, TheGateDoesNotPassWhereNothingWasCompared)
{
    Write("measured/gemm.csv", "m,n\n1,2\n");
    EXPECT_EQ(Run({}).code, 0);
    const auto none = Run({"--gate"});
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.err, HasSubstr("--gate: no row that has a target was compared"));
    Collectives("z9,all_gather,8,512,20\n"); // all rows skipped
    EXPECT_EQ(Run({"--gate"}).code, 1);
}

TEST_F(Validate, TheShippedPresetsMeetTheTargetsOfTheMeasuredTables)
{
    const char* root = std::getenv("HBD_ROOT");
    const auto folder = std::filesystem::path(root == nullptr ? "." : root) / ".." / "shared" / "measured";
    if (!std::filesystem::is_directory(folder))
    {
        GTEST_SKIP() << "no measured tables at " << folder;
    }
    const auto ended = Hbd({"validate", "--csv", "rows.csv", "--gate"});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("nccl_collectives"));
    EXPECT_THAT(ended.out, Not(HasSubstr("MISSED")));
    EXPECT_GT(Rows("rows.csv").size(), 100u);
}

} // namespace
