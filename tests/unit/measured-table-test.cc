/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: measured tables are read by the names of their columns, and what is wrong is told with its place. Method: small
// files; the numbers of the targets as the goals of the project state them.

#include "runner/measured-table.h"
#include "runner/validator-table.h"
#include "scenario-fixture.h"

namespace hbd::runner
{

namespace
{

using testing::HasSubstr;

class MeasuredTableTest : public traffic::ScenarioTest
{
  protected:
    /// Reads a table with its validator.
    MeasuredCases Read(const std::string& name, const std::string& text)
    {
        m_problems.clear();
        const Validator* validator = FindValidator(name);
        MeasuredCases cases;
        validator->read(MeasuredTable(Write(name + ".csv", text), validator->columns, m_problems), cases);
        return cases;
    }

    std::string Problems() const
    {
        std::string all;
        for (const auto& problem : m_problems)
        {
            all += traffic::ToText(problem) + "\n";
        }
        return all;
    }

    std::vector<traffic::Problem> m_problems;
};

TEST_F(MeasuredTableTest, ColumnsAreFoundByName)
{
    const auto cases = Read("nccl_collectives",
                            "\xef\xbb\xbftime_us_median,more,system,message_bytes,num_gpus,op\r\n"
                            "16.06,\"a, b\",b200_sxm,512,4,all_gather\r\n"
                            "20,,b200_sxm,1024,8,alltoall\n");
    EXPECT_EQ(Problems(), "");
    ASSERT_EQ(cases.cases.size(), 2u);
    const auto& first = cases.cases[0];
    EXPECT_EQ(first.system, "b200_sxm");
    EXPECT_EQ(first.operation, "all-gather");
    EXPECT_EQ(first.gpus, 4u);
    EXPECT_EQ(first.measuredUs, 16.06);
    EXPECT_EQ(first.workload, (KeyTexts{{"collective", "all-gather"}, {"sizes", "512B"}}));
    EXPECT_EQ(cases.cases[1].operation, "all-to-all");
}

TEST_F(MeasuredTableTest, BadCellsAreToldWithLineAndColumn)
{
    const std::string head = "system,op,num_gpus,message_bytes,time_us_median\n";
    Read("nccl_collectives",
         head + "b200_sxm,all_gather,8,512,fast\n\nb200_sxm,all_gather,8.5,512,16\nb200_sxm,all_gather,8,512,0\n");
    EXPECT_THAT(Problems(),
                HasSubstr("nccl_collectives.csv:2: time_us_median: expected a number above 0, given `fast`"));
    EXPECT_THAT(Problems(),
                HasSubstr("nccl_collectives.csv:4: num_gpus: expected a whole number from 1 to 65536, given `8.5`"));
    EXPECT_THAT(Problems(), HasSubstr("nccl_collectives.csv:5: time_us_median: expected a number above 0, given `0`"));
    Read("nccl_collectives", head + "b200_sxm,all_gather,8,512\n");
    EXPECT_THAT(Problems(), HasSubstr("nccl_collectives.csv:2: expected 5 cells, as the first line has, given 4"));
    Read("nccl_collectives", "system,op,num_gpus,time_us_median\nb200_sxm,all_gather,8,512\n");
    EXPECT_THAT(Problems(), HasSubstr("nccl_collectives.csv:1: message_bytes: expected a column of that name"));
    Read("nccl_collectives", head + "\"b200\n");
    EXPECT_THAT(Problems(), HasSubstr("a quote is not closed"));
    Read("nccl_collectives", "");
    EXPECT_THAT(Problems(), HasSubstr("expected a CSV file"));
}

TEST_F(MeasuredTableTest, UnknownCollectivesAreSkipped)
{
    const auto cases = Read("nccl_collectives",
                            "system,op,num_gpus,message_bytes,time_us_median\nx,sendrecv,8,1,1\nx,sendrecv,8,2,1\n");
    EXPECT_EQ(Problems(), "");
    ASSERT_EQ(cases.skipped.size(), 1u);
    EXPECT_EQ(cases.skipped[0].why, "there is no collective sendrecv");
    EXPECT_EQ(cases.skipped[0].rows, 2u);
}

TEST_F(MeasuredTableTest, AnExchangeRowIsDispatchAndCombine)
{
    const std::string head = "hw,ep,batch_tokens_per_rank,topk,experts,bytes_per_token,dispatch_us,combine_us\n";
    const auto cases = Read("moe_alltoall_nvl72",
                            head + "GB200 NVL72,8,128,8,256,14336,31.7,38.1\nGB200 NVL72,8,128,8,256,4032,20,\n");
    EXPECT_EQ(Problems(), "");
    ASSERT_EQ(cases.cases.size(), 3u);
    EXPECT_EQ(cases.cases[0].operation, "dispatch");
    EXPECT_EQ(cases.cases[1].operation, "combine");
    EXPECT_EQ(cases.cases[1].measuredUs, 38.1);
    EXPECT_EQ(cases.cases[2].operation, "dispatch") << "post-quant rows have no combine";
    EXPECT_THAT(cases.cases[2].workload, testing::Contains(KeyTexts::value_type("bytes-per-token", "4032B")));
    Read("moe_alltoall_nvl72", head + "GB200 NVL72,8,128,8,256,14336,,\n");
    EXPECT_THAT(Problems(), HasSubstr("moe_alltoall_nvl72.csv:2: dispatch_us: expected a time here or in combine_us"));
}

TEST_F(MeasuredTableTest, DeepEpRatesAreBytesOfAllReceivedTokens)
{
    const std::string head =
        "version,kernel,platform,ep,tokens_per_rank,hidden,topk,top_groups,dispatch_dtype,combine_dtype,"
        "dispatch_GBps,combine_GBps,sms\n";
    const auto cases = Read("deepep",
                            head + "V1,normal intranode,SM100,8,4096,7168,8,4,FP8,BF16,153,158,\n"
                                   "V2,expert-parallel,SM100,8,64,7168,64,,FP8,BF16,643,675,24\n"
                                   "V1,normal internode,SM100,16,4096,7168,8,4,FP8,BF16,43,43,\n");
    EXPECT_EQ(Problems(), "");
    ASSERT_EQ(cases.cases.size(), 4u);
    // FP8: hidden + 4 B for each 128, which is x (1 + 4/128) / 2 of the two bytes of BF16
    const auto& dispatch = cases.cases[0];
    const auto& combine = cases.cases[1];
    EXPECT_NEAR(dispatch.logicalBytes / combine.logicalBytes, (1 + 4.0 / 128) / 2, 1e-12);
    // Eight of 256 experts on at most four of eight ranks: nearly always four.
    EXPECT_NEAR(combine.logicalBytes / (4096.0 * 7168 * 2), 4, 0.2);
    EXPECT_NEAR(dispatch.measuredUs, dispatch.logicalBytes / 153e9 * 1e6, 1e-9);
    EXPECT_EQ(cases.cases[2].library, (KeyTexts{{"sms", "24"}}));
    // 64 of 256 experts miss a rank of 32 with probability C(224, 64) / C(256, 64) = 5e-5.
    EXPECT_NEAR(cases.cases[3].logicalBytes / (64.0 * 8 * 7168 * 2), 1, 0.002);
    ASSERT_EQ(cases.skipped.size(), 1u);
    EXPECT_THAT(cases.skipped[0].why, HasSubstr("normal internode"));
    Read("deepep", head + "V1,normal intranode,SM100,8,4096,7168,8,4,INT4,BF16,153,158,\n");
    EXPECT_THAT(Problems(), HasSubstr("deepep.csv:2: dispatch_dtype: expected BF16 or FP8, given `INT4`"));
}

TEST(Validators, TargetsAreTheProjects)
{
    EXPECT_EQ(TargetOf("nccl_collectives").median, 0.08);
    EXPECT_EQ(TargetOf("nccl_collectives").p90, 0.20);
    EXPECT_EQ(TargetOf("moe_alltoall_nvl72").median, 0.08);
    EXPECT_EQ(TargetOf("moe_alltoall_nvl72").p90, 0.15);
    EXPECT_EQ(TargetOf("deepep").most, 0.15);
    EXPECT_FALSE(TargetOf("gemm").median.has_value());
}

} // namespace

} // namespace hbd::runner
