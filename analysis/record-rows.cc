/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-rows.h"

#include "metrics.h"
#include "record-format.h"

#include <fmt/format.h>
#include <stdexcept>

namespace hbd::analysis
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr int kBandwidthDigits = 6; ///< of GB/s and Gb/s: to the kB/s
constexpr int kRatioDigits = 6;     ///< of utilisation, slowdown
constexpr int kQueueDigits = 3;     ///< of a mean queue in bytes
constexpr int kSecondDigits = 12;
constexpr Int128 kBitsPerGigabit = 1'000'000'000;
constexpr Int128 kThousandths = 1000;

/// Fixed digits, or an empty cell.
std::string
FixedOrEmpty(const std::optional<Ratio>& ratio, int digits)
{
    return ratio ? ratio->Fixed(digits) : "";
}

/// An integer, or an empty cell.
template <typename Number>
std::string
NumberOrEmpty(const std::optional<Number>& number)
{
    return number ? fmt::format("{}", *number) : "";
}

/// Something per time of the phase, or an empty cell for a phase that is unknown or took no time.
std::string
PerPhaseTime(Int128 value, int64_t phasePs, int digits)
{
    return phasePs > 0 ? Ratio{value, phasePs}.Fixed(digits) : "";
}

/// The number that a decimal text names: every JSON number comes from the text that CSV would show.
Json
NumberOf(const std::string& text)
{
    return *ParseDecimal(text);
}

Json
Seconds(int64_t picoseconds)
{
    return NumberOf(SecondsText(picoseconds));
}

Json
Thousandths(uint64_t value)
{
    return NumberOf(Ratio{static_cast<Int128>(value), kThousandths}.Trimmed(3));
}

Json
Optional(const std::optional<uint32_t>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json
WorkloadJson(const PointMetadata& metadata)
{
    return {{"kind", metadata.workload == WorkloadKind::Inference ? "inference" : "network"},
            {"gpus", metadata.gpus},
            {"batch", metadata.batch},
            {"input_tokens", metadata.inputTokens},
            {"output_tokens", metadata.outputTokens},
            {"layers", metadata.layers}};
}

Json
MetricsJson(const PointRecords& records)
{
    Json metrics = Json::object();
    for (const auto& metric : Metrics())
    {
        const auto value = metric.evaluate(records);
        metrics[metric.key] = value ? NumberOf(value->Trimmed(metric.digits)) : Json(nullptr);
    }
    return metrics;
}

Json
PhasesJson(const std::vector<PhaseRecord>& phases)
{
    Json list = Json::array();
    for (const auto& phase : phases)
    {
        list.push_back({{"name", phase.name}, {"start_s", Seconds(phase.startPs)}, {"end_s", Seconds(phase.endPs)}});
    }
    return list;
}

Json
SlowdownJson(const SlowdownHistogram& histogram)
{
    Json list = Json::array();
    for (const auto& bin : histogram.Bins())
    {
        list.push_back({{"max_bytes", bin.maxBytes},
                        {"count", bin.count},
                        {"p50", Thousandths(bin.p50)},
                        {"p90", Thousandths(bin.p90)},
                        {"p99", Thousandths(bin.p99)},
                        {"max", Thousandths(bin.max)}});
    }
    return list;
}

/// A metric as points.csv shows it. The value went through summary.json, whose digits are the same.
std::string
MetricText(const PointResult& point, const MetricDefinition& metric)
{
    const auto value = point.Metric(metric.key);
    if (!value)
    {
        return "";
    }
    std::string text = fmt::format("{:.{}f}", *value, metric.digits);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
    {
        text.pop_back();
    }
    return text;
}

} // namespace

std::string
StagesText(const std::vector<StageRow>& rows)
{
    CsvWriter csv(FindRecordFile("stages.csv"));
    for (const auto& row : rows)
    {
        const Ratio mean{row.sumPs, static_cast<Int128>(row.count) * 1'000'000'000'000};
        csv.Set("phase", row.phase)
            .Set("step", row.step)
            .Set("layer_class", row.layerClass)
            .Set("stage", row.stage)
            .Set("count", row.count)
            .Set("min_s", SecondsText(row.minPs))
            .Set("mean_s", mean.Trimmed(kSecondDigits))
            .Set("max_s", SecondsText(row.maxPs))
            .EndRow();
    }
    return csv.Text();
}

std::string
CollectivesText(const std::vector<CollectiveRow>& rows)
{
    CsvWriter csv(FindRecordFile("collectives.csv"));
    for (const auto& row : rows)
    {
        csv.Set("phase", row.phase)
            .Set("step", row.step)
            .Set("layer", row.layer < 0 ? "" : fmt::format("{}", row.layer))
            .Set("name", row.name)
            .Set("op", row.op)
            .Set("algorithm", row.algorithm)
            .Set("protocol", row.protocol)
            .Set("group", row.group)
            .Set("group_number", NumberOrEmpty(row.groupNumber))
            .Set("ranks", row.ranks)
            .Set("size_bytes", row.sizeBytes)
            .Set("start_s", SecondsText(row.startPs))
            .Set("ready_s", SecondsText(row.readyPs))
            .Set("end_s", SecondsText(row.endPs))
            .Set("algbw_GBps", FixedOrEmpty(AlgorithmBandwidth(row), kBandwidthDigits))
            .Set("busbw_GBps", FixedOrEmpty(BusBandwidth(row), kBandwidthDigits))
            .Set("ideal_s", SecondsText(row.IdealPs()))
            .Set("ideal_bytes_s", SecondsText(row.idealBytesPs))
            .Set("ideal_latency_s", SecondsText(row.idealLatencyPs))
            .Set("slowdown", FixedOrEmpty(Slowdown(row), kRatioDigits))
            .EndRow();
    }
    return csv.Text();
}

std::string
LinksText(const std::vector<LinkRow>& rows, const std::vector<PhaseRecord>& phases)
{
    std::map<std::string, int64_t> phasePs;
    for (const auto& phase : phases)
    {
        phasePs[phase.name] = phase.endPs - phase.startPs;
    }
    CsvWriter csv(FindRecordFile("links.csv"));
    for (const auto& row : rows)
    {
        csv.Set("link", row.link)
            .Set("phase", row.phase)
            .Set("tier", row.tier)
            .Set("rate_Gbps", Ratio{static_cast<Int128>(row.rateBps), kBitsPerGigabit}.Trimmed(9))
            .Set("tx_bytes", row.txBytes)
            .Set("tx_packets", row.txPackets)
            .Set("utilisation", PerPhaseTime(row.busyPs, phasePs[row.phase], kRatioDigits))
            .Set("max_queue_bytes", row.maxQueueBytes)
            .Set("mean_queue_bytes",
                 PerPhaseTime(static_cast<Int128>(row.queueBytePs), phasePs[row.phase], kQueueDigits))
            .Set("ecn_marked", row.ecnMarked)
            .Set("pause_s", SecondsText(row.pausePs))
            .Set("credit_stall_s", SecondsText(row.creditStallPs))
            .Set("drops", row.drops)
            .Set("control_flits", row.controlFlits)
            .Set("receive_errors", row.receiveErrors)
            .Set("retried_packets", row.retriedPackets)
            .Set("pause_frames", row.pauseFrames)
            .EndRow();
    }
    return csv.Text();
}

std::string
MoeLoadText(const std::vector<MoeLoadRow>& rows)
{
    CsvWriter csv(FindRecordFile("moe_load.csv"));
    for (const auto& row : rows)
    {
        csv.Set("phase", row.phase)
            .Set("layer_class", row.layerClass)
            .Set("rank", row.rank)
            .Set("expert", row.expert)
            .Set("tokens", row.tokens)
            .EndRow();
    }
    return csv.Text();
}

std::string
MessagesText(const std::vector<MessageRow>& rows)
{
    CsvWriter csv(FindRecordFile("messages.csv"));
    for (const auto& row : rows)
    {
        const int64_t durationPs = row.endPs - row.startPs;
        csv.Set("phase", row.phase)
            .Set("source", row.source)
            .Set("destination", row.destination)
            .Set("size_bytes", row.bytes)
            .Set("start_s", SecondsText(row.startPs))
            .Set("end_s", SecondsText(row.endPs))
            .Set("ideal_s", SecondsText(row.idealPs))
            .Set("slowdown", row.idealPs > 0 ? Ratio{durationPs, row.idealPs}.Fixed(kRatioDigits) : "")
            .EndRow();
    }
    return csv.Text();
}

std::string
PointsText(const std::vector<PointResult>& points)
{
    std::vector<std::string> keys;
    for (const auto& key : points.empty() ? SweptKeys{} : points.front().keys)
    {
        keys.push_back(key.first);
    }
    CsvWriter csv(FindRecordFile("points.csv"), keys);
    for (const auto& point : points)
    {
        if (point.keys.size() != keys.size())
        {
            throw std::invalid_argument(fmt::format("point {} has other swept keys than the first", point.point));
        }
        csv.Set("point", point.point);
        for (size_t i = 0; i < keys.size(); ++i)
        {
            if (point.keys[i].first != keys[i])
            {
                throw std::invalid_argument(fmt::format("point {} has other swept keys than the first", point.point));
            }
            csv.Set(keys[i], point.keys[i].second);
        }
        for (const auto& metric : Metrics())
        {
            csv.Set(metric.key, MetricText(point, metric));
        }
        csv.EndRow();
    }
    return csv.Text();
}

Json
SummaryJson(const PointRecords& records)
{
    const PointMetadata& metadata = records.metadata;
    Json versions = Json::object();
    for (const auto& [program, version] : metadata.versions)
    {
        versions[program] = version;
    }
    Json swept = Json::object();
    for (const auto& [key, value] : metadata.sweptKeys)
    {
        swept[key] = value;
    }
    Json tokens = Json::array();
    for (const auto& token : records.tokens)
    {
        tokens.push_back(Seconds(token.readyPs));
    }
    return {{"point", metadata.point},
            {"scenario", metadata.scenario},
            {"scenario_hash", metadata.scenarioHash},
            {"seed", metadata.seed},
            {"fidelity", metadata.fidelity},
            {"versions", versions},
            {"swept", swept},
            {"workload", WorkloadJson(metadata)},
            {"metrics", MetricsJson(records)},
            {"phases", PhasesJson(records.phases)},
            {"token_ready_s", tokens},
            {"message_slowdown", SlowdownJson(records.messageSlowdown)}};
}

Json
RunJson(const RunCost& cost)
{
    return {
        {"wall_s", NumberOf(fmt::format("{:.3f}", cost.wallSeconds))},
        {"events", cost.events},
        {"unit_hops", cost.unitHops},
        {"packet_hops", cost.packetHops},
        {"spans", cost.spans},
        {"replayed_spans", cost.replayedSpans},
        {"replayed_s", Seconds(cost.replayedPs)},
        {"simulated_s", Seconds(cost.simulatedPs)},
        {"replayed_share",
         cost.simulatedPs > 0 ? NumberOf(Ratio{cost.replayedPs, cost.simulatedPs}.Fixed(kRatioDigits)) : Json(nullptr)},
        {"peak_memory_bytes", cost.peakMemoryBytes},
        {"jobs", cost.jobs},
        {"acceleration", cost.acceleration},
        {"notes", cost.notes}};
}

Json
TopologyJson(const std::vector<TopologyNode>& nodes, const std::vector<TopologyLink>& cables)
{
    Json json = {{"nodes", Json::array()}, {"links", Json::array()}};
    for (const auto& node : nodes)
    {
        json["nodes"].push_back({{"name", node.name},
                                 {"kind", node.kind},
                                 {"gpu", Optional(node.gpu)},
                                 {"hbd", Optional(node.hbd)},
                                 {"rail", Optional(node.rail)},
                                 {"level", node.level}});
    }
    for (const auto& cable : cables)
    {
        json["links"].push_back(
            {{"a", cable.a},
             {"b", cable.b},
             {"tier", cable.tier},
             {"plane", cable.plane},
             {"rate_Gbps", NumberOf(Ratio{static_cast<Int128>(cable.rateBps), kBitsPerGigabit}.Trimmed(9))},
             {"delay_s", Seconds(cable.delayPs)}});
    }
    return json;
}

} // namespace hbd::analysis
