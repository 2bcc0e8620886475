/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "metrics.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace hbd::analysis
{

namespace
{

constexpr Int128 kPicosecondsPerSecond = 1'000'000'000'000;
/// Bytes a picosecond in GB/s.
constexpr Int128 kGigabytesPerSecondOfBytesPerPicosecond = 1000;

/// When the first and the last tokens were ready.
struct TokenSpan
{
    int64_t firstPs = 0;
    int64_t lastPs = 0;
};

/// Nothing for a run without tokens. Checks that the steps are 0 .. O - 1 in order and that time does not run
/// backwards.
std::optional<TokenSpan>
Tokens(const PointRecords& records)
{
    if (records.metadata.workload == WorkloadKind::Network)
    {
        return std::nullopt;
    }
    const auto& tokens = records.tokens;
    if (tokens.empty() || tokens.size() != records.metadata.outputTokens)
    {
        throw std::invalid_argument(
            fmt::format("token times of {} steps, but {} output tokens", tokens.size(), records.metadata.outputTokens));
    }
    int64_t previousPs = records.arrivalPs;
    for (size_t step = 0; step < tokens.size(); ++step)
    {
        if (tokens[step].step != step || tokens[step].readyPs < previousPs)
        {
            throw std::invalid_argument(fmt::format("token times out of order at step {}", step));
        }
        previousPs = tokens[step].readyPs;
    }
    return TokenSpan{tokens.front().readyPs, tokens.back().readyPs};
}

/// A quotient that is empty when the divisor is zero.
std::optional<Ratio>
Quotient(Int128 numerator, Int128 denominator)
{
    return denominator > 0 ? std::optional<Ratio>(Ratio{numerator, denominator}) : std::nullopt;
}

/// Sum over the ranks of some of their times in a phase; nothing when the run has no such phase or the phase has no
/// ranks.
std::optional<Int128>
SumOverRanks(const PhaseRecord* phase, int64_t (*part)(const RankTime&))
{
    if (phase == nullptr || phase->ranks.empty())
    {
        return std::nullopt;
    }
    Int128 sum = 0;
    for (const auto& rank : phase->ranks)
    {
        sum += part(rank);
    }
    return sum;
}

/// Mean over the ranks of some of their times in a phase, in seconds.
std::optional<Ratio>
MeanSeconds(const PointRecords& records, const std::string& name, int64_t (*part)(const RankTime&))
{
    const PhaseRecord* phase = records.FindPhase(name);
    const auto sum = SumOverRanks(phase, part);
    return sum ? Quotient(*sum, static_cast<Int128>(phase->ranks.size()) * kPicosecondsPerSecond) : std::nullopt;
}

} // namespace

std::optional<Ratio>
TimeToFirstToken(const PointRecords& records)
{
    const auto tokens = Tokens(records);
    return tokens ? Quotient(tokens->firstPs - records.arrivalPs, kPicosecondsPerSecond) : std::nullopt;
}

std::optional<Ratio>
TimePerOutputToken(const PointRecords& records)
{
    const auto tokens = Tokens(records);
    return tokens ? Quotient(tokens->lastPs - tokens->firstPs,
                             (static_cast<Int128>(records.metadata.outputTokens) - 1) * kPicosecondsPerSecond)
                  : std::nullopt;
}

std::optional<Ratio>
DecodeThroughput(const PointRecords& records)
{
    const auto tokens = Tokens(records);
    if (!tokens || records.metadata.outputTokens == 1)
    {
        return std::nullopt;
    }
    const Int128 decoded = static_cast<Int128>(records.metadata.batch) * (records.metadata.outputTokens - 1);
    return Quotient(decoded * kPicosecondsPerSecond, tokens->lastPs - tokens->firstPs);
}

std::optional<Ratio>
ThroughputPerGpu(const PointRecords& records)
{
    const auto tokens = Tokens(records);
    if (!tokens)
    {
        return std::nullopt;
    }
    const Int128 produced = static_cast<Int128>(records.metadata.batch) * records.metadata.outputTokens;
    return Quotient(produced * kPicosecondsPerSecond,
                    static_cast<Int128>(tokens->lastPs - records.arrivalPs) * records.metadata.gpus);
}

std::optional<Ratio>
EndToEndTime(const PointRecords& records)
{
    const auto tokens = Tokens(records);
    return Quotient((tokens ? tokens->lastPs : records.endPs) - records.arrivalPs, kPicosecondsPerSecond);
}

std::optional<Ratio>
ComputeTime(const PointRecords& records, const std::string& phase)
{
    return MeanSeconds(records, phase, [](const RankTime& rank) { return rank.computePs; });
}

std::optional<Ratio>
CommunicationTime(const PointRecords& records, const std::string& phase)
{
    return MeanSeconds(records, phase, [](const RankTime& rank) { return rank.commPs; });
}

std::optional<Ratio>
SkewTime(const PointRecords& records, const std::string& phase)
{
    return MeanSeconds(records, phase, [](const RankTime& rank) { return rank.skewPs; });
}

std::optional<Ratio>
CommunicationShare(const PointRecords& records, const std::string& name)
{
    const PhaseRecord* phase = records.FindPhase(name);
    const auto blocked = SumOverRanks(phase, [](const RankTime& rank) { return rank.commPs + rank.skewPs; });
    return blocked ? Quotient(*blocked, static_cast<Int128>(phase->ranks.size()) * (phase->endPs - phase->startPs))
                   : std::nullopt;
}

const std::vector<MetricDefinition>&
Metrics()
{
    using Records = PointRecords;
    static const std::vector<MetricDefinition> metrics{
        {"ttft_s", "s", "arrival of the batch to the last of its first tokens (TTFT)", 12, TimeToFirstToken},
        {"tpot_s",
         "s",
         "(last token - first token) / (output tokens - 1) (TPOT); empty with one output token",
         12,
         TimePerOutputToken},
        {"decode_throughput_tokens_per_s",
         "tokens/s",
         "batch x (output tokens - 1) / decode time; empty with one output token",
         6,
         DecodeThroughput},
        {"throughput_per_gpu_tokens_per_s",
         "tokens/s per GPU",
         "batch x output tokens / (TTFT + decode time) / GPUs",
         6,
         ThroughputPerGpu},
        {"prefill_compute_s",
         "s",
         "compute engine busy in prefill, mean over the ranks",
         12,
         [](const Records& r) { return ComputeTime(r, "prefill"); }},
        {"prefill_comm_s",
         "s",
         "compute engine waiting in prefill for data whose senders had all posted, mean over the ranks",
         12,
         [](const Records& r) { return CommunicationTime(r, "prefill"); }},
        {"prefill_skew_s",
         "s",
         "compute engine waiting in prefill for a sender that had not posted yet, mean over the ranks",
         12,
         [](const Records& r) { return SkewTime(r, "prefill"); }},
        {"prefill_comm_share",
         "1",
         "(comm + skew) / time of prefill, mean over the ranks",
         9,
         [](const Records& r) { return CommunicationShare(r, "prefill"); }},
        {"decode_compute_s",
         "s",
         "compute engine busy in decode, mean over the ranks",
         12,
         [](const Records& r) { return ComputeTime(r, "decode"); }},
        {"decode_comm_s",
         "s",
         "compute engine waiting in decode for data whose senders had all posted, mean over the ranks",
         12,
         [](const Records& r) { return CommunicationTime(r, "decode"); }},
        {"decode_skew_s",
         "s",
         "compute engine waiting in decode for a sender that had not posted yet, mean over the ranks",
         12,
         [](const Records& r) { return SkewTime(r, "decode"); }},
        {"decode_comm_share",
         "1",
         "(comm + skew) / time of decode, mean over the ranks",
         9,
         [](const Records& r) { return CommunicationShare(r, "decode"); }},
        {"e2e_s", "s", "arrival to the last token; of a network-only run its makespan", 12, EndToEndTime},
    };
    return metrics;
}

const MetricDefinition*
FindMetric(const std::string& key)
{
    const auto& metrics = Metrics();
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&key](const MetricDefinition& metric) {
        return metric.key == key;
    });
    return found == metrics.end() ? nullptr : &*found;
}

bool
SmallerIsBetter(const std::string& key)
{
    return key.find("throughput") == std::string::npos;
}

std::optional<Ratio>
AlgorithmBandwidth(const CollectiveRow& row)
{
    return Quotient(static_cast<Int128>(row.sizeBytes) * kGigabytesPerSecondOfBytesPerPicosecond, row.DurationPs());
}

std::optional<Ratio>
BusBandwidth(const CollectiveRow& row)
{
    const Ratio factor = BusFactor(row.op, row.ranks);
    return Quotient(static_cast<Int128>(row.sizeBytes) * kGigabytesPerSecondOfBytesPerPicosecond * factor.numerator,
                    static_cast<Int128>(row.DurationPs()) * factor.denominator);
}

Ratio
BusFactor(const std::string& op, uint32_t ranks)
{
    const Int128 n = std::max<uint32_t>(ranks, 1);
    if (op == "all-reduce")
    {
        return {2 * (n - 1), n};
    }
    if (op == "reduce-scatter" || op == "all-gather" || op == "all-to-all")
    {
        return {n - 1, n};
    }
    return {1, 1};
}

std::optional<Ratio>
Slowdown(const CollectiveRow& row)
{
    return Quotient(row.DurationPs(), row.IdealPs());
}

} // namespace hbd::analysis
