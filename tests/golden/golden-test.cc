/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: any change of a prediction shows. Small scenarios whose whole result is kept here; HBD_UPDATE=1 writes it
// again, and the difference belongs into the same commit as its cause.

#include "analysis/record-rows.h"
#include "runner/simulation.h"
#include "traffic-gen/scenario-reader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace
{

using namespace hbd;

class Golden : public testing::TestWithParam<const char*>
{
  protected:
    static std::filesystem::path Folder()
    {
        return std::filesystem::absolute(__FILE__).parent_path();
    }

    /// What the points of a scenario leave behind, except versions and costs.
    static std::string Simulated(const std::string& path)
    {
        std::vector<traffic::Problem> problems;
        traffic::ScenarioFile file = traffic::ReadScenario(path, {}, problems);
        for (const auto& problem : problems)
        {
            ADD_FAILURE() << traffic::ToText(problem);
        }
        std::string text;
        for (const auto& point : file.points)
        {
            analysis::PointRecords records = runner::Simulate(point, {});
            records.metadata.scenario = point.name;
            records.metadata.sweptKeys = point.sweptKeys;
            records.metadata.workload =
                point.workload.inference ? analysis::WorkloadKind::Inference : analysis::WorkloadKind::Network;
            if (point.workload.inference)
            {
                records.metadata.batch = point.workload.inference->batch;
                records.metadata.outputTokens = point.workload.inference->outputTokens;
            }
            records.metadata.gpus = point.cluster.gpus;
            text += analysis::SummaryJson(records).dump(2) + "\n" + analysis::CollectivesText(records.collectives);
            text += records.messages ? analysis::MessagesText(*records.messages) : "";
        }
        return text;
    }
};

TEST_P(Golden, ScenarioGivesTheResultThatIsKept)
{
    const auto kept = Folder() / (std::string(GetParam()) + ".expected");
    const std::string text = Simulated((Folder() / (std::string(GetParam()) + ".yaml")).string());
    if (std::getenv("HBD_UPDATE") != nullptr)
    {
        std::ofstream(kept) << text;
    }
    std::ostringstream expected;
    expected << std::ifstream(kept).rdbuf();
    EXPECT_EQ(text, expected.str())
        << "run this test with HBD_UPDATE=1 to keep the new result, if it is meant to change";
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Golden, testing::Values("moe", "collectives", "messages"));

} // namespace
