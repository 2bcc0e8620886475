/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-export.h"

#include "schedule-transfers.h"
#include "schedule-walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace hbd::traffic
{

const std::vector<ExportFormat>&
ExportFormats()
{
    static const std::vector<ExportFormat> formats{
        {"csv", WriteCsv, "one line a message; layers and steps that repeat are written once"},
        {"json", WriteJson, "operations, dependencies and durations of every different layer, as one object"},
        {"goal", WriteGoal, "the whole unrolled program in GOAL (LogGOPSim)"},
    };
    return formats;
}

const ExportFormat*
FindExportFormat(const std::string& name)
{
    for (const auto& format : ExportFormats())
    {
        if (name == format.name)
        {
            return &format;
        }
    }
    return nullptr;
}

namespace
{

const char*
TierOf(uint32_t source, uint32_t destination, const ClusterShape& shape)
{
    return shape.SameHbd(source, destination) ? "scale-up" : "scale-out";
}

/// Time that a send waits by itself once all operations before it are complete: its own latency after the longest of
/// the delays that it depends on, in picoseconds.
int64_t
DelayOf(const Block& block, const Op& send)
{
    int64_t longest = 0;
    for (uint32_t d = 0; d < send.dependencyCount; ++d)
    {
        const Op& before = block.ops[block.dependencies[send.firstDependency + d]];
        longest = std::max(longest, before.kind == OpKind::Delay ? before.delayPs : int64_t{0});
    }
    return longest + send.delayPs;
}

/// Picoseconds as exact seconds: 1500000 -> 0.0000015.
std::string
SecondsText(int64_t picoseconds)
{
    constexpr int64_t kPerSecond = 1000000000000;
    std::string text = fmt::format("{}.{:012}", picoseconds / kPerSecond, picoseconds % kPerSecond);
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

const char*
ToText(OpKind kind)
{
    switch (kind)
    {
    case OpKind::Compute:
        return "compute";
    case OpKind::Delay:
        return "delay";
    case OpKind::Send:
        return "send";
    case OpKind::Receive:
        return "receive";
    case OpKind::Read:
        return "read";
    case OpKind::Multicast:
        return "multicast";
    case OpKind::SwitchReduce:
        return "switch-reduce";
    }
    return "unknown";
}

void
WriteCsvItem(const Schedule& schedule, const ClusterShape& shape, const DistinctItem& distinct, std::ostream& out)
{
    const Item& item = schedule.Items()[distinct.participants[0].instance.item];
    const std::string layer = item.layer < 0 ? "" : std::to_string(item.layer);
    for (const auto& [rank, instance] : distinct.participants)
    {
        const Block& block = *instance.block;
        for (const auto& op : block.ops)
        {
            ForEachTransfer(rank, block, op, [&](uint32_t source, uint32_t destination) {
                const CollectiveUse& use = block.collectives.at(op.collective);
                const CollectiveLabel& label = schedule.Collectives()[use.collective];
                fmt::print(out,
                           "{},{},{},{},{},{},{}:{},{},{},{},{},{},{},{},{}\n",
                           schedule.PhaseNames()[item.phase],
                           item.step,
                           layer,
                           label.name,
                           label.op,
                           label.algorithm,
                           label.group,
                           use.group,
                           source,
                           destination,
                           op.bytes,
                           op.match,
                           TierOf(source, destination, shape),
                           distinct.repeat,
                           SecondsText(DelayOf(block, op)),
                           ToText(op.kind));
            });
        }
    }
}

} // namespace

void
WriteCsv(Schedule& schedule, const ClusterShape& shape, std::ostream& out)
{
    out << "phase,step,layer,collective,op,algorithm,group,source,destination,bytes,match,tier,repeat,delay_s,kind\n";
    for (const auto& distinct : DistinctItemsOf(schedule))
    {
        WriteCsvItem(schedule, shape, distinct, out);
    }
}

namespace
{

nlohmann::ordered_json
JsonOfOp(const Op& op, const Instance& instance, const Schedule& schedule)
{
    nlohmann::ordered_json json{{"kind", ToText(op.kind)}};
    const Block& block = *instance.block;
    if (op.kind == OpKind::Compute)
    {
        json["duration_ps"] = (*instance.durations.operations)[op.durationIndex];
        size_t first = 0;
        for (uint32_t i = 0; i < op.durationIndex; ++i)
        {
            first += block.computes[i].stages.size();
        }
        for (uint16_t stage : block.computes[op.durationIndex].stages)
        {
            json["stages"].push_back(
                {{"stage", schedule.StageNames()[stage]}, {"duration_ps", (*instance.durations.stages)[first++]}});
        }
    }
    else if (op.kind == OpKind::Delay)
    {
        json["duration_ps"] = op.delayPs;
    }
    else
    {
        if (op.kind == OpKind::Multicast || op.kind == OpKind::SwitchReduce)
        {
            json["ranks"] = block.groups[op.peer];
        }
        else
        {
            json["peer"] = op.peer;
        }
        json["bytes"] = op.bytes;
        if (op.kind != OpKind::Read && op.kind != OpKind::SwitchReduce)
        {
            json["match"] = op.match;
        }
        if (MovesData(op))
        {
            json["delay_ps"] = op.delayPs;
        }
    }
    if (op.collective != kNoCollective)
    {
        json["collective"] = block.collectives[op.collective].collective;
        json["group"] = block.collectives[op.collective].group;
    }
    const auto first = block.dependencies.begin() + op.firstDependency;
    json["after"] = std::vector<uint32_t>(first, first + op.dependencyCount);
    return json;
}

/// Everything but the items, without the closing brace.
void
WriteJsonHead(const Schedule& schedule, std::ostream& out)
{
    nlohmann::ordered_json head;
    head["ranks"] = schedule.Ranks();
    head["phases"] = schedule.PhaseNames();
    head["layer_classes"] = schedule.LayerClassNames();
    for (const auto& label : schedule.Collectives())
    {
        head["collectives"].push_back({{"name", label.name},
                                       {"op", label.op},
                                       {"algorithm", label.algorithm},
                                       {"group", label.group},
                                       {"ranks", label.ranks},
                                       {"size_bytes", label.sizeBytes},
                                       {"members", label.members}});
    }
    std::string text = head.dump();
    text.pop_back();
    out << text << ",\n\"items\":[";
}

} // namespace

void
WriteJson(Schedule& schedule, const ClusterShape&, std::ostream& out)
{
    WriteJsonHead(schedule, out);
    const char* separator = "\n";
    for (const auto& distinct : DistinctItemsOf(schedule))
    {
        const Item& item = schedule.Items()[distinct.participants[0].instance.item];
        nlohmann::ordered_json json;
        json["phase"] = schedule.PhaseNames()[item.phase];
        json["step"] = item.step;
        json["layer"] = item.layer < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(item.layer);
        json["layer_class"] = schedule.LayerClassNames()[item.layerClass];
        json["repeat"] = distinct.repeat;
        std::string text = json.dump();
        text.pop_back();
        out << separator << text << ",\"blocks\":[";
        separator = ",\n";
        const char* blockSeparator = "\n";
        for (const auto& [rank, instance] : distinct.participants)
        {
            nlohmann::ordered_json block{{"rank", rank}, {"operations", nlohmann::ordered_json::array()}};
            for (const auto& op : instance.block->ops)
            {
                block["operations"].push_back(JsonOfOp(op, instance, schedule));
            }
            out << blockSeparator << block.dump();
            blockSeparator = ",\n";
        }
        out << "]}";
    }
    out << "]}\n";
}

std::vector<TrafficRow>
SummarizeTraffic(Schedule& schedule, const ClusterShape& shape)
{
    std::vector<TrafficRow> rows;
    std::map<std::pair<uint8_t, uint32_t>, size_t> index; // by phase and label
    for (const auto& distinct : DistinctItemsOf(schedule))
    {
        const Item& item = schedule.Items()[distinct.participants[0].instance.item];
        std::set<size_t> occurring;
        for (const auto& [rank, instance] : distinct.participants)
        {
            for (const auto& op : instance.block->ops)
            {
                if (!MovesData(op))
                {
                    continue;
                }
                const uint32_t collective = instance.block->collectives.at(op.collective).collective;
                const auto [entry, isNew] = index.emplace(std::pair(item.phase, collective), rows.size());
                if (isNew)
                {
                    const CollectiveLabel& label = schedule.Collectives()[collective];
                    rows.push_back({schedule.PhaseNames()[item.phase],
                                    label.name,
                                    label.op,
                                    label.algorithm,
                                    label.group,
                                    label.ranks,
                                    label.sizeBytes});
                }
                TrafficRow& row = rows[entry->second];
                ForEachTransfer(rank, *instance.block, op, [&](uint32_t source, uint32_t destination) {
                    row.messages += distinct.repeat;
                    (shape.SameHbd(source, destination) ? row.scaleUpBytes : row.scaleOutBytes) +=
                        op.bytes * distinct.repeat;
                });
                occurring.insert(entry->second);
            }
        }
        for (size_t row : occurring)
        {
            rows[row].occurrences += distinct.repeat;
        }
    }
    return rows;
}

void
WriteTrafficSummary(const std::vector<TrafficRow>& rows, std::ostream& out)
{
    constexpr const char* format = "{:<9} {:<26} {:<15} {:<27} {:<10} {:>6} {:>14} {:>9} {:>12} {:>16} {:>16}\n";
    fmt::print(out,
               format,
               "phase",
               "collective",
               "op",
               "algorithm",
               "group",
               "ranks",
               "size_bytes",
               "times",
               "messages",
               "scale_up_bytes",
               "scale_out_bytes");
    std::vector<TrafficRow> totals;
    for (const auto& row : rows)
    {
        fmt::print(out,
                   format,
                   row.phase,
                   row.collective,
                   row.op,
                   row.algorithm,
                   row.group,
                   row.ranks,
                   row.sizeBytes,
                   row.occurrences,
                   row.messages,
                   row.scaleUpBytes,
                   row.scaleOutBytes);
        auto total = std::find_if(totals.begin(), totals.end(), [&](const auto& t) { return t.phase == row.phase; });
        if (total == totals.end())
        {
            totals.emplace_back();
            total = totals.end() - 1;
            total->phase = row.phase;
        }
        total->messages += row.messages;
        total->scaleUpBytes += row.scaleUpBytes;
        total->scaleOutBytes += row.scaleOutBytes;
    }
    for (const auto& total : totals)
    {
        fmt::print(out,
                   format,
                   total.phase,
                   "all",
                   "",
                   "",
                   "",
                   "",
                   "",
                   "",
                   total.messages,
                   total.scaleUpBytes,
                   total.scaleOutBytes);
    }
}

} // namespace hbd::traffic
