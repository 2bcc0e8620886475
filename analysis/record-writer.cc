/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-writer.h"

#include "durable-file.h"
#include "metrics.h"
#include "reader.h"
#include "record-format.h"
#include "record-rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>

namespace hbd::analysis
{

namespace
{

namespace fs = std::filesystem;

/// Writes a JSON record, after a look whether it is what the schema says.
void
WriteJson(const fs::path& folder, const std::string& name, const nlohmann::ordered_json& json)
{
    const auto problems = JsonProblems(FindRecordFile(name), json);
    if (!problems.empty())
    {
        throw std::logic_error(fmt::format("{}: {}", name, fmt::join(problems, "; ")));
    }
    WriteFile(folder / name, json.dump(2) + "\n");
}

} // namespace

void
WritePoint(const fs::path& resultFolder, const PointRecords& records)
{
    const auto summary = SummaryJson(records);
    PendingFolder folder(resultFolder / records.metadata.point);
    const fs::path& path = folder.Path();
    WriteJson(path, "summary.json", summary);
    WriteJson(path, "run.json", RunJson(records.cost));
    WriteJson(path, "topology.json", TopologyJson(records.nodes, records.cables));
    WriteFile(path / "scenario.yaml", records.metadata.scenarioYaml);
    WriteFile(path / "scenario.json", records.metadata.scenarioJson);
    WriteFile(path / "stages.csv", StagesText(records.stages));
    WriteFile(path / "collectives.csv", CollectivesText(records.collectives));
    WriteFile(path / "links.csv", LinksText(records.links, records.phases));
    WriteFile(path / "moe_load.csv", MoeLoadText(records.moeLoad));
    if (records.messages)
    {
        WriteFile(path / "messages.csv", MessagesText(*records.messages));
    }
    folder.Commit();
}

void
WritePoints(const fs::path& resultFolder, const std::vector<PointResult>& points)
{
    ReplaceFile(resultFolder / "points.csv", PointsText(points));
}

PointResult
ResultOf(const PointRecords& records)
{
    return ResultOfSummary(SummaryJson(records));
}

} // namespace hbd::analysis
