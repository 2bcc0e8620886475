/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "study-scenario.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/schedule-export.h"
#include "traffic-gen/schedule-validator.h"

#include <boost/algorithm/string.hpp>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace hbd::traffic;
using namespace hbd::test;

namespace
{

class ScheduleExport : public testing::Test
{
  protected:
    ScheduleExport()
    {
        Scenario scenario = SmallScenario(8, 4, 4);
        scenario.mapping = {2, 4, 1, 4, 2};
        scenario.workload.inference = InferenceWorkload{8, 16, 4};
        m_schedule = BuildSchedule(scenario);
    }

    std::string Text(const char* format)
    {
        std::ostringstream out;
        FindExportFormat(format)->write(*m_schedule, m_shape, out);
        return out.str();
    }

    static std::vector<std::vector<std::string>> Table(const std::string& text, const char* separators)
    {
        std::vector<std::vector<std::string>> rows;
        std::istringstream in(text);
        std::string line;
        while (std::getline(in, line))
        {
            rows.emplace_back();
            boost::split(rows.back(), line, boost::is_any_of(separators));
        }
        return rows;
    }

    ClusterShape m_shape{8, 4, 8};
    std::unique_ptr<Schedule> m_schedule;
};

} // namespace

TEST_F(ScheduleExport, CsvRowsTimesRepeatAreAllBytes)
{
    const auto rows = Table(Text("csv"), ",");
    EXPECT_EQ(boost::join(rows[0], ","),
              "phase,step,layer,collective,op,algorithm,group,source,destination,bytes,match,tier,repeat,delay_s,kind");
    uint64_t bytes = 0;
    std::set<std::string> tiers;
    for (size_t i = 1; i < rows.size(); ++i)
    {
        ASSERT_EQ(rows[i].size(), 15u);
        bytes += std::stoull(rows[i][9]) * std::stoull(rows[i][12]);
        tiers.insert(rows[i][11]);
        EXPECT_EQ(rows[i][11] == "scale-up", std::stoul(rows[i][7]) / 4 == std::stoul(rows[i][8]) / 4);
    }
    EXPECT_EQ(bytes, TotalsOf(*m_schedule).sendBytes);
    EXPECT_EQ(tiers, (std::set<std::string>{"scale-up", "scale-out"}));
    // First row: layer 0 of the prefill stands for 4 layers; decode for 4 layers in 3 steps.
    EXPECT_EQ(rows[1][0] + rows[1][2] + rows[1][3] + rows[1][12], "prefill0attention-reduce-scatter4");
    std::set<std::string> decode;
    for (const auto& row : rows)
    {
        if (row[0] == "decode" && row[3] == "dispatch")
        {
            decode.insert(row[12]);
        }
    }
    EXPECT_EQ(decode, std::set<std::string>{"12"});
}

TEST_F(ScheduleExport, JsonHoldsEveryOperationOfTheDifferentItems)
{
    const auto json = nlohmann::json::parse(Text("json"));
    EXPECT_EQ(json["ranks"], 8);
    ASSERT_EQ(json["items"].size(), 6u); // embedding, layer, head, in each phase
    EXPECT_TRUE(json["items"][0]["layer"].is_null());
    uint64_t operations = 0;
    uint64_t bytes = 0;
    for (const auto& item : json["items"])
    {
        for (const auto& block : item["blocks"])
        {
            operations += block["operations"].size() * item["repeat"].get<uint64_t>();
            for (const auto& op : block["operations"])
            {
                if (op["kind"] == "send")
                {
                    bytes += op["bytes"].get<uint64_t>() * item["repeat"].get<uint64_t>();
                    EXPECT_LT(op["collective"].get<size_t>(), json["collectives"].size());
                }
                if (op["kind"] == "compute")
                {
                    int64_t sum = 0;
                    for (const auto& stage : op["stages"])
                    {
                        sum += stage["duration_ps"].get<int64_t>();
                    }
                    EXPECT_EQ(sum, op["duration_ps"].get<int64_t>());
                }
            }
        }
    }
    const ScheduleTotals totals = TotalsOf(*m_schedule);
    EXPECT_EQ(operations, totals.operations);
    EXPECT_EQ(bytes, totals.sendBytes);
}

TEST_F(ScheduleExport, GoalPairsEverySendAndRequiresOnlyEarlierLabels)
{
    std::map<std::string, int64_t> open; // bytes, source, destination and tag -> sends minus receives
    uint64_t sent = 0;
    std::string rank;
    uint64_t last = 0;
    uint64_t ranks = 0;
    const auto lines = Table(Text("goal"), " ");
    EXPECT_EQ(boost::join(lines[0], " "), "num_ranks 8");
    for (const auto& words : lines)
    {
        if (words[0] == "rank")
        {
            rank = words[1];
            last = 0;
            ++ranks;
        }
        else if (words.size() == 7)
        {
            const bool send = words[1] == "send";
            const std::string pair = send ? rank + ">" + words[4] : words[4] + ">" + rank;
            open[words[2] + " " + pair + " " + words[6]] += send ? 1 : -1;
            sent += send ? std::stoull(words[2]) : 0;
        }
        if (words.size() == 3 && words[1] == "requires")
        {
            EXPECT_LT(std::stoull(words[2].substr(1)), std::stoull(words[0].substr(1)));
        }
        else if (words[0][0] == 'l')
        {
            EXPECT_EQ(std::stoull(words[0].substr(1)), ++last);
        }
    }
    EXPECT_EQ(ranks, 8u);
    EXPECT_EQ(sent, TotalsOf(*m_schedule).sendBytes);
    for (const auto& [message, balance] : open)
    {
        EXPECT_EQ(balance, 0) << message;
    }
}

TEST_F(ScheduleExport, SummaryAddsUpToTheWhole)
{
    const auto rows = SummarizeTraffic(*m_schedule, m_shape);
    uint64_t bytes = 0;
    for (const auto& row : rows)
    {
        bytes += row.scaleUpBytes + row.scaleOutBytes;
        EXPECT_EQ(row.occurrences,
                  row.collective == "candidate-all-gather" ? (row.phase == "prefill" ? 1u : 3u)
                  : row.phase == "prefill"                 ? 4u
                                                           : 12u);
    }
    EXPECT_EQ(bytes, TotalsOf(*m_schedule).sendBytes);
    std::ostringstream out;
    WriteTrafficSummary(rows, out);
    EXPECT_NE(out.str().find("expert-all-gather"), std::string::npos);
}

TEST_F(ScheduleExport, FormatsAreFoundByName)
{
    for (const auto& format : ExportFormats())
    {
        EXPECT_EQ(FindExportFormat(format.name), &format);
    }
    EXPECT_EQ(FindExportFormat("xml"), nullptr);
}
