/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The record files: what the writer writes the schema describes and the reader reads; nothing half-written is ever in
// place.

#include "analysis/durable-file.h"
#include "analysis/metrics.h"
#include "analysis/reader.h"
#include "analysis/record-format.h"
#include "analysis/record-rows.h"
#include "analysis/record-schema.h"
#include "analysis/record-writer.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <set>
#include <string>
#include <system_error>
#include <unistd.h>

namespace hbd::analysis
{
namespace
{

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string
Read(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The message of the exception that a function throws.
template <typename Exception, typename Function>
std::string
MessageOf(Function function)
{
    try
    {
        function();
    }
    catch (const Exception& error)
    {
        return error.what();
    }
    return "nothing was thrown";
}

/// A folder of its own for each test.
class Records : public testing::Test
{
  protected:
    void SetUp() override
    {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        m_folder =
            fs::temp_directory_path() / ("hbd-records-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
        fs::remove_all(m_folder);
        fs::create_directory(m_folder);
    }

    void TearDown() override
    {
        fs::remove_all(m_folder);
    }

    fs::path m_folder;
};

PointRecords
SmallPoint(const std::string& name = "point-1")
{
    PointRecords records;
    auto& metadata = records.metadata;
    metadata.point = name;
    metadata.scenario = "small";
    metadata.scenarioHash = "abc123";
    metadata.fidelity = "packet";
    metadata.versions = {{"ns-3", "3.37"}};
    metadata.sweptKeys = {{"cluster.hbd.size", "8"}, {"precision", "fp8"}};
    metadata.gpus = 2;
    metadata.batch = 1;
    metadata.outputTokens = 2;
    metadata.scenarioYaml = "name: small\n";
    metadata.scenarioJson = "{\"name\": \"small\"}\n";
    records.tokens = {{0, 1'000'000'000'003}, {1, 1'500'000'000'003}};
    records.endPs = 1'500'000'000'003;
    records.phases = {{"prefill", 0, 1'000'000'000'003, {{1, 2, 3}, {4, 5, 6}}},
                      {"decode", 1'000'000'000'003, 1'500'000'000'003, {{0, 0, 0}, {0, 0, 0}}}};
    records.stages = {{"prefill", 0, "moe", "qkv", 3, 1, 2, 4}};
    CollectiveRow row;
    row.phase = "decode";
    row.step = 1;
    row.layer = 7;
    row.name = "dispatch, \"first\"";
    row.op = "all-to-all";
    row.algorithm = "direct";
    row.group = "ep";
    row.groupNumber = 3;
    row.ranks = 8;
    row.sizeBytes = 8'000;
    row.startPs = 1'000'000'000'003;
    row.readyPs = 1'000'000'000'103;
    row.endPs = 1'000'000'100'003;
    row.idealBytesPs = 60'000;
    row.idealLatencyPs = 20'000;
    records.collectives = {row};
    records.links = {{"gpu0->nic0",
                      "decode",
                      "host",
                      512'000'000'000,
                      4096,
                      1,
                      250'000'000'000,
                      100,
                      UInt128{1} << 100,
                      0,
                      7,
                      0,
                      0}};
    records.moeLoad = {{"prefill", "moe", 1, 2, 64}};
    records.messageSlowdown.Add(4096, 1250, 1000);
    records.nodes = {{"gpu0", "gpu", 0, 0, 0, 0}, {"leaf0", "ethernet-switch", {}, {}, 0, 0}};
    records.cables = {{"gpu0", "leaf0", "scale-out", 0, 400'000'000'000, 500'000}};
    records.cost.simulatedPs = 4;
    records.cost.replayedPs = 3;
    records.cost.acceleration = "replay";
    records.cost.notes = {"none"};
    return records;
}

TEST_F(Records, EveryFileOfTheSchemaIsWrittenAndIsWhatTheSchemaSays)
{
    PointRecords records = SmallPoint();
    records.messages = {{"decode", 0, 1, 4096, 10, 20, 5}};
    WritePoint(m_folder, records);
    WritePoints(m_folder, {ResultOf(records)});
    std::set<std::string> expected;
    for (const auto& file : RecordFiles())
    {
        const fs::path path = (file.inPointFolder ? m_folder / "point-1" : m_folder) / file.name;
        ASSERT_TRUE(fs::exists(path)) << path;
        expected.insert(file.inPointFolder ? file.name : "");
        if (file.format == RecordFormat::Csv)
        {
            EXPECT_EQ(ReadCsvRecord(path).Rows(), 1U) << path;
        }
        else if (file.format == RecordFormat::Json)
        {
            EXPECT_NO_THROW(ReadJsonRecord(path)) << path;
        }
    }
    for (const auto& entry : fs::directory_iterator(m_folder / "point-1"))
    {
        EXPECT_EQ(expected.count(entry.path().filename().string()), 1U) << entry.path();
    }
    EXPECT_EQ(Read(m_folder / "point-1" / "scenario.yaml"), "name: small\n");
}

TEST_F(Records, APointReadBackIsThePointWritten)
{
    const PointRecords records = SmallPoint();
    WritePoint(m_folder, records);
    WritePoints(m_folder, {ResultOf(records)});
    const PointResult summary = ReadPoint(m_folder / "point-1");
    EXPECT_EQ(summary.point, "point-1");
    EXPECT_EQ(summary.scenarioHash, "abc123");
    EXPECT_EQ(summary.keys, records.metadata.sweptKeys);
    EXPECT_EQ(summary.Metric("ttft_s"), 1.000000000003);
    const auto points = ReadPoints(m_folder);
    ASSERT_EQ(points.size(), 1U);
    EXPECT_EQ(points[0].keys, summary.keys);
    EXPECT_EQ(points[0].metrics, summary.metrics);
}

TEST_F(Records, CollectivesReadBackAreExact)
{
    const PointRecords records = SmallPoint();
    WritePoint(m_folder, records);
    const auto rows = ReadCollectives(m_folder / "point-1");
    ASSERT_EQ(rows.size(), 1U);
    const auto& written = records.collectives[0];
    EXPECT_EQ(rows[0].name, written.name);
    EXPECT_EQ(rows[0].layer, 7);
    EXPECT_EQ(rows[0].groupNumber, std::optional<uint32_t>(3));
    EXPECT_EQ(rows[0].startPs, written.startPs);
    EXPECT_EQ(rows[0].readyPs, written.readyPs);
    EXPECT_EQ(rows[0].endPs, written.endPs);
    EXPECT_EQ(rows[0].idealBytesPs, written.idealBytesPs);
    EXPECT_EQ(rows[0].idealLatencyPs, written.idealLatencyPs);
}

TEST_F(Records, StatisticsAreDividedFromIntegersWhenPrinted)
{
    const PointRecords records = SmallPoint();
    // Half a second of decode: busy a quarter of a second is a half; 2^100 byte-ps / 5e11 ps, by hand.
    const std::string links = LinksText(records.links, records.phases);
    EXPECT_THAT(
        links,
        HasSubstr("gpu0->nic0,decode,host,512,4096,1,0.500000,100,2535301200456458802.993,0,0.000000000007,0,0,0,0,0,0\n"));
    // 100 ns for 8000 B: 80 GB/s; x 7/8; 100 ns over 80 ns.
    EXPECT_THAT(CollectivesText(records.collectives),
                HasSubstr("80.000000,70.000000,0.00000008,0.00000006,0.00000002,1.250000\n"));
    EXPECT_THAT(StagesText(records.stages), HasSubstr("moe,qkv,3,0.000000000001,0.000000000001,0.000000000002\n"));
}

TEST_F(Records, EmptyMetricsAreNullAndEmptyCellsNotZero)
{
    PointRecords records = SmallPoint();
    records.metadata.outputTokens = 1;
    records.tokens.resize(1);
    WritePoint(m_folder, records);
    EXPECT_TRUE(ReadJsonRecord(m_folder / "point-1" / "summary.json").at("metrics").at("tpot_s").is_null());
    EXPECT_THAT(PointsText({ResultOf(records)}), HasSubstr("\npoint-1,8,fp8,1.000000000003,,,"));
}

TEST_F(Records, OnlyTheCostOfTheRunMayDiffer)
{
    for (const auto& file : RecordFiles())
    {
        for (const auto& column : file.columns)
        {
            EXPECT_EQ(column.replay == ReplayEffect::Cost, file.name == "run.json") << file.name << " " << column.name;
        }
    }
}

TEST_F(Records, DocumentationIsTheSchema)
{
    const fs::path path = fs::path(__FILE__).parent_path() / ".." / ".." / "docs" / "records.md";
    if (std::getenv("HBD_UPDATE") != nullptr)
    {
        WriteFile(path, RecordsMarkdown());
    }
    EXPECT_EQ(Read(path), RecordsMarkdown()) << "run this test with HBD_UPDATE=1 to write docs/records.md again";
}

TEST_F(Records, ColumnNamesAreUniqueAndEndInTheirUnit)
{
    const std::map<std::string, std::string> suffix{{"s", "_s"}, {"B", "bytes"}, {"GB/s", "_GBps"}, {"Gb/s", "_Gbps"}};
    for (const auto& file : RecordFiles())
    {
        std::set<std::string> seen;
        for (const auto& column : file.columns)
        {
            EXPECT_TRUE(seen.insert(column.name).second) << file.name << " " << column.name;
            std::string name = column.name;
            name = name.size() > 2 && name.substr(name.size() - 2) == "[]" ? name.substr(0, name.size() - 2) : name;
            const auto unit = suffix.find(column.unit);
            if (unit != suffix.end())
            {
                EXPECT_THAT(name, testing::EndsWith(unit->second)) << file.name;
            }
        }
    }
}

TEST_F(Records, APointThatExistsIsNotTouched)
{
    WritePoint(m_folder, SmallPoint());
    const std::string before = Read(m_folder / "point-1" / "summary.json");
    PointRecords other = SmallPoint();
    other.metadata.seed = 99;
    EXPECT_THAT(MessageOf<std::system_error>([&] { WritePoint(m_folder, other); }), HasSubstr("point-1"));
    EXPECT_EQ(Read(m_folder / "point-1" / "summary.json"), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(m_folder), fs::directory_iterator()), 1);
}

TEST_F(Records, AFailureLeavesNothingBehind)
{
    PointRecords broken = SmallPoint();
    broken.collectives[0].sizeBytes = ~uint64_t{0}; // does not fit the schema's 64-bit integer
    EXPECT_THROW(WritePoint(m_folder, broken), std::logic_error);
    EXPECT_TRUE(fs::is_empty(m_folder));
    const fs::path file = m_folder / "a-file";
    WriteFile(file, "x");
    EXPECT_THAT(MessageOf<std::system_error>([&] { WritePoint(file, SmallPoint()); }), HasSubstr(file.string()));
    EXPECT_THAT(MessageOf<std::system_error>([&] { WritePoints(m_folder / "absent", {}); }), HasSubstr("absent"));
}

TEST_F(Records, AFullDiskIsNamed)
{
    if (!fs::exists("/dev/full"))
    {
        GTEST_SKIP() << "no /dev/full here";
    }
    try
    {
        WriteFile("/dev/full", "text");
        FAIL() << "a full disk went unnoticed";
    }
    catch (const std::system_error& error)
    {
        EXPECT_EQ(error.code().value(), ENOSPC);
        EXPECT_THAT(error.what(), HasSubstr("/dev/full"));
    }
}

TEST_F(Records, APendingFolderIsInvisibleUntilCommitAndRemovedWithoutIt)
{
    {
        PendingFolder pending(m_folder / "done");
        WriteFile(pending.Path() / "a", "1");
        EXPECT_FALSE(fs::exists(m_folder / "done"));
    }
    EXPECT_TRUE(fs::is_empty(m_folder));
    PendingFolder pending(m_folder / "done");
    WriteFile(pending.Path() / "a", "1");
    pending.Commit();
    EXPECT_EQ(Read(m_folder / "done" / "a"), "1");
}

TEST_F(Records, WhatAKilledWriterLeftIsRemovedAndNothingElse)
{
    fs::create_directory(m_folder / ".point-3.unfinished-123");
    WriteFile(m_folder / ".point-3.unfinished-123" / "a", "1");
    WriteFile(m_folder / ".points.csv.unfinished-123", "1");
    WriteFile(m_folder / ".keep", "1");
    WritePoint(m_folder, SmallPoint());
    RemoveUnfinished(m_folder);
    std::set<std::string> left;
    for (const auto& entry : fs::directory_iterator(m_folder))
    {
        left.insert(entry.path().filename().string());
    }
    EXPECT_EQ(left, (std::set<std::string>{".keep", "point-1"}));
}

TEST_F(Records, ReadErrorsNameFileLineAndColumn)
{
    const std::string header = "phase,layer_class,rank,expert,tokens\n";
    const fs::path path = m_folder / "moe_load.csv";
    const std::map<std::string, std::string> wrong{
        {header + "a,b,1,2,3\na,b,1,x,3\n", ":3: column expert: expected an integer, found 'x'"},
        {header + "a,b,1,2\n", ":2: column tokens: is missing: 4 cells, expected 5"},
        {header + "a,b,1,2,3,4\n", ":2: 6 cells, expected 5"},
        {header + "a,,1,2,3\n", ":2: column layer_class: is empty"},
        {header + "\"a\nb\",c,1,2,3\na,\"b,1,2,3\n", ":4: a quote is not closed"},
        {header + "\"a\"b,c,1,2,3\n", ":2: expected a comma or the end of the line"},
        {"phase,rank,expert,tokens\n", ":1: column layer_class: expected here, found 'rank'"},
        {"phase,layer_class,rank,expert,tokens,extra\n", ":1: column extra: is not in the schema"},
        {"", ":1: the header line is missing"},
    };
    for (const auto& [text, message] : wrong)
    {
        WriteFile(path, text);
        EXPECT_THAT(MessageOf<RecordError>([&path] { ReadCsvRecord(path); }), HasSubstr("moe_load.csv" + message))
            << text;
    }
    EXPECT_THAT(MessageOf<RecordError>([&] { ReadPoint(m_folder / "absent"); }),
                HasSubstr("summary.json: cannot be read"));
}

TEST_F(Records, JsonErrorsNameWhatIsUnknownMissingOrOfAnotherType)
{
    WritePoint(m_folder, SmallPoint());
    const fs::path path = m_folder / "point-1" / "summary.json";
    auto json = ReadJsonRecord(path);
    json.erase("scenario_hash");
    json["seed"] = "one";
    json["metrics"]["colour"] = 3;
    WriteFile(path, json.dump());
    const std::string message = MessageOf<RecordError>([&path] { ReadJsonRecord(path); });
    EXPECT_THAT(message, HasSubstr("summary.json"));
    EXPECT_THAT(message, HasSubstr("scenario_hash is missing"));
    EXPECT_THAT(message, HasSubstr("seed: a value of another type: \"one\""));
    EXPECT_THAT(message, HasSubstr("metrics.colour is not in the schema"));
    WriteFile(path, "{\n\"point\": ,}");
    EXPECT_THAT(MessageOf<RecordError>([&path] { ReadJsonRecord(path); }), HasSubstr("line 2"));
}

TEST_F(Records, AWriterThatLeavesTheSchemaIsStopped)
{
    CsvWriter csv(FindRecordFile("moe_load.csv"));
    EXPECT_THROW(csv.Set("rank", 1), std::logic_error);
    csv.Set("phase", "a").Set("layer_class", "b");
    EXPECT_THROW(csv.Set("rank", "one"), std::logic_error);
    EXPECT_THROW(csv.EndRow(), std::logic_error);
}

TEST_F(Records, PointsWithOtherSweptKeysAreRefused)
{
    const PointResult point = ResultOf(SmallPoint());
    PointResult other = point;
    other.keys[1].first = "model";
    EXPECT_THROW(PointsText({point, other}), std::invalid_argument);
    other.keys.pop_back();
    EXPECT_THROW(PointsText({point, other}), std::invalid_argument);
}

} // namespace
} // namespace hbd::analysis
