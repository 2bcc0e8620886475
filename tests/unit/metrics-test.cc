/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Metrics against values computed by hand, and the exact printing beneath them.

#include "analysis/decimal.h"
#include "analysis/metrics.h"
#include "analysis/slowdown-histogram.h"

#include <gmock/gmock.h>
#include <limits>
#include <string>

namespace hbd::analysis
{
namespace
{

constexpr int64_t kMs = 1'000'000'000; // picoseconds

/// 2 GPUs, batch 4, 3 output tokens: first tokens at 10 ms after arrival at 1 ms, then 2 ms and 4 ms.
PointRecords
SmallInference()
{
    PointRecords records;
    records.metadata.gpus = 2;
    records.metadata.batch = 4;
    records.metadata.outputTokens = 3;
    records.arrivalPs = 1 * kMs;
    records.endPs = 17 * kMs;
    records.tokens = {{0, 11 * kMs}, {1, 13 * kMs}, {2, 17 * kMs}};
    records.phases = {{"prefill", 1 * kMs, 11 * kMs, {{6 * kMs, 3 * kMs, 1 * kMs}, {8 * kMs, 1 * kMs, 0}}},
                      {"decode", 11 * kMs, 17 * kMs, {{3 * kMs, 2 * kMs, 1 * kMs}, {6 * kMs, 0, 0}}}};
    return records;
}

std::string
Text(const std::optional<Ratio>& value, int digits = 12)
{
    return value ? value->Trimmed(digits) : "empty";
}

TEST(Metrics, TtftIsFromArrivalToTheFirstTokens)
{
    EXPECT_EQ(Text(TimeToFirstToken(SmallInference())), "0.01");
}

TEST(Metrics, TpotIsTheDecodeTimeOverTheTokensAfterTheFirst)
{
    EXPECT_EQ(Text(TimePerOutputToken(SmallInference())), "0.003"); // 6 ms / 2
}

TEST(Metrics, ThroughputsCountTheTokensOfTheWholeBatch)
{
    EXPECT_EQ(Text(DecodeThroughput(SmallInference()), 6), "1333.333333"); // 4 x 2 / 6 ms
    EXPECT_EQ(Text(ThroughputPerGpu(SmallInference()), 6), "375");         // 4 x 3 / 16 ms / 2
}

TEST(Metrics, OneOutputTokenLeavesTpotAndDecodeThroughputEmpty)
{
    PointRecords records = SmallInference();
    records.metadata.outputTokens = 1;
    records.tokens.resize(1);
    records.phases.resize(1);
    EXPECT_EQ(Text(TimeToFirstToken(records)), "0.01");
    EXPECT_EQ(Text(TimePerOutputToken(records)), "empty");
    EXPECT_EQ(Text(DecodeThroughput(records)), "empty");
    EXPECT_EQ(Text(ThroughputPerGpu(records), 6), "200"); // 4 / 10 ms / 2
    EXPECT_EQ(Text(CommunicationShare(records, "decode")), "empty");
    EXPECT_EQ(Text(EndToEndTime(records)), "0.01");
}

TEST(Metrics, WaitingIsTheMeanOverRanksAndItsShareIsOfThePhase)
{
    const PointRecords records = SmallInference();
    EXPECT_EQ(Text(ComputeTime(records, "prefill")), "0.007");
    EXPECT_EQ(Text(CommunicationTime(records, "prefill")), "0.002");
    EXPECT_EQ(Text(SkewTime(records, "prefill")), "0.0005");
    EXPECT_EQ(Text(CommunicationShare(records, "prefill")), "0.25"); // (4 + 1) / (2 x 10)
    EXPECT_EQ(Text(CommunicationShare(records, "decode")), "0.25");  // (3 + 0) / (2 x 6)
}

TEST(Metrics, OfANetworkOnlyRunOnlyTheMakespanIsThere)
{
    PointRecords records;
    records.metadata.workload = WorkloadKind::Network;
    records.endPs = 1500;
    records.phases = {{"network", 0, 1500, {{0, 1500, 0}}}};
    for (const auto& metric : Metrics())
    {
        EXPECT_EQ(Text(metric.evaluate(records)), std::string(metric.key) == "e2e_s" ? "0.0000000015" : "empty")
            << metric.key;
    }
}

TEST(Metrics, RecordsThatContradictThemselvesAreRefused)
{
    PointRecords missing = SmallInference();
    missing.tokens.pop_back();
    EXPECT_THROW(TimeToFirstToken(missing), std::invalid_argument);
    PointRecords backwards = SmallInference();
    backwards.tokens[2].readyPs = 12 * kMs;
    EXPECT_THROW(TimePerOutputToken(backwards), std::invalid_argument);
}

TEST(CollectiveMetrics, BusFactorsAreThoseOfNcclTests)
{
    EXPECT_EQ(Text(BusFactor("all-reduce", 8)), "1.75");
    for (const auto* op : {"reduce-scatter", "all-gather", "all-to-all"})
    {
        EXPECT_EQ(Text(BusFactor(op, 8)), "0.875") << op;
    }
    EXPECT_EQ(Text(BusFactor("broadcast", 8)), "1");
    EXPECT_EQ(Text(BusFactor("send-receive", 8)), "1");
}

TEST(CollectiveMetrics, BandwidthIsSizeOverTimeFromTheFirstPost)
{
    CollectiveRow row;
    row.op = "all-reduce";
    row.ranks = 4;
    row.sizeBytes = 1'000'000;
    row.startPs = 1'000'000;
    row.readyPs = 5'000'000;
    row.endPs = 11'000'000; // 10 us: 100 GB/s
    row.idealBytesPs = 6'000'000;
    row.idealLatencyPs = 2'000'000;
    EXPECT_EQ(Text(AlgorithmBandwidth(row)), "100");
    EXPECT_EQ(Text(BusBandwidth(row)), "150");
    EXPECT_EQ(Text(Slowdown(row)), "1.25");
    row.endPs = row.startPs;
    EXPECT_EQ(Text(AlgorithmBandwidth(row)), "empty");
}

TEST(Decimal, RatiosRoundHalfAwayFromZero)
{
    EXPECT_EQ((Ratio{1, 8}.Fixed(2)), "0.13");
    EXPECT_EQ((Ratio{-1, 8}.Fixed(2)), "-0.13");
    EXPECT_EQ((Ratio{-1, 1000}.Fixed(2)), "0.00");
    EXPECT_EQ((Ratio{9999, 1000}.Fixed(2)), "10.00");
    EXPECT_EQ((Ratio{2, 3}.Fixed(6)), "0.666667");
    EXPECT_EQ((Ratio{5, 2}.Fixed(0)), "3");
    EXPECT_THROW((Ratio{1, 0}.Fixed(2)), std::invalid_argument);
}

TEST(Decimal, SecondsAreExactToThePicosecondBothWays)
{
    for (const int64_t ps : {int64_t{0},
                             int64_t{1},
                             int64_t{-1500},
                             int64_t{123'456'789'012'345'678},
                             std::numeric_limits<int64_t>::max()})
    {
        EXPECT_EQ(ParseSeconds(SecondsText(ps)), std::optional<int64_t>(ps)) << SecondsText(ps);
    }
    EXPECT_EQ(SecondsText(1), "0.000000000001");
    EXPECT_EQ(SecondsText(2'500'000'000'000), "2.5");
    EXPECT_EQ(ParseSeconds("0.0000000000001"), std::nullopt); // a tenth of a picosecond
    for (const auto* text : {"", "-", ".5", "1e3", "1.5x", "99999999999"})
    {
        EXPECT_EQ(ParseSeconds(text), std::nullopt) << text;
    }
}

TEST(Decimal, ValueSizeReadsQuantitiesAndNothingElse)
{
    EXPECT_EQ(ValueSize("8"), 8);
    EXPECT_EQ(ValueSize("400Gbps"), 400e9);
    EXPECT_EQ(ValueSize("1.8TB/s"), 1.8e12);
    EXPECT_EQ(ValueSize("4KiB"), 4096);
    EXPECT_EQ(ValueSize("500 ns"), 500 * 1e-9);
    EXPECT_EQ(ValueSize("3s"), 3);
    EXPECT_EQ(ValueSize("fp8"), std::nullopt);
}

TEST(SlowdownHistogram, PercentilesAreWithinASixtyFourthAndTheLargestIsExact)
{
    SlowdownHistogram histogram;
    for (int i = 1; i <= 100; ++i)
    {
        histogram.Add(4096, i * 1000, 1000); // slowdowns 1 .. 100
    }
    const auto bins = histogram.Bins();
    ASSERT_EQ(bins.size(), 1U);
    EXPECT_EQ(bins[0].maxBytes, 4096U);
    EXPECT_EQ(bins[0].count, 100U);
    EXPECT_GE(bins[0].p50, 50'000U);
    EXPECT_LE(bins[0].p50, 50'000U * 65 / 64);
    EXPECT_GE(bins[0].p99, 99'000U);
    EXPECT_EQ(bins[0].max, 100'000U);
}

TEST(SlowdownHistogram, OrderAndMultiplicityDoNotMatter)
{
    SlowdownHistogram oneByOne;
    SlowdownHistogram replayed;
    SlowdownHistogram other;
    for (int i = 0; i < 3; ++i)
    {
        oneByOne.Add(100, 3000, 1000);
        oneByOne.Add(5000, 1000, 1000);
    }
    other.Add(5000, 1000, 1000, 3);
    replayed.Add(100, 3000, 1000, 3);
    replayed.Merge(other);
    const auto a = oneByOne.Bins();
    const auto b = replayed.Bins();
    ASSERT_EQ(a.size(), 2U);
    ASSERT_EQ(b.size(), 2U);
    for (size_t i = 0; i < a.size(); ++i)
    {
        EXPECT_EQ(a[i].maxBytes, b[i].maxBytes);
        EXPECT_EQ(a[i].count, b[i].count);
        EXPECT_EQ(a[i].p50, b[i].p50);
        EXPECT_EQ(a[i].max, b[i].max);
    }
    EXPECT_EQ(a[0].maxBytes, 128U);
    EXPECT_EQ(a[1].maxBytes, 8192U);
}

} // namespace
} // namespace hbd::analysis
