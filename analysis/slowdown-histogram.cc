/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "slowdown-histogram.h"

#include "decimal.h"

#include <algorithm>
#include <limits>

namespace hbd::analysis
{

namespace
{

constexpr uint64_t kLinear = 128; ///< values below it have a bucket each
constexpr uint64_t kPerDoubling = 64;
constexpr uint64_t kThousandths = 1000;

/// The bucket of a slowdown in thousandths.
size_t
BucketOf(uint64_t value)
{
    uint64_t doublings = 0;
    while ((value >> doublings) >= kLinear)
    {
        ++doublings;
    }
    return (value >> doublings) + doublings * kPerDoubling;
}

/// The largest slowdown of a bucket, in thousandths.
uint64_t
UpperEdge(size_t bucket)
{
    if (bucket < kLinear)
    {
        return bucket;
    }
    const uint64_t doublings = (bucket - kPerDoubling) / kPerDoubling;
    const uint64_t mantissa = bucket - doublings * kPerDoubling;
    return ((mantissa + 1) << doublings) - 1;
}

/// The smallest power of two that is not below the size.
uint64_t
SizeLimit(uint64_t bytes)
{
    uint64_t limit = bytes == 0 ? 0 : 1;
    while (limit < bytes && limit <= std::numeric_limits<uint64_t>::max() / 2)
    {
        limit *= 2;
    }
    return std::max(limit, bytes);
}

} // namespace

void
SlowdownHistogram::Add(uint64_t bytes, int64_t durationPs, int64_t idealPs, uint64_t times)
{
    if (idealPs <= 0 || times == 0)
    {
        return;
    }
    const Int128 exact = static_cast<Int128>(std::max<int64_t>(durationPs, 0)) * kThousandths / idealPs;
    const auto value = static_cast<uint64_t>(std::min<Int128>(exact, std::numeric_limits<int64_t>::max()));
    SizeBin& bin = m_bins[SizeLimit(bytes)];
    const size_t bucket = BucketOf(value);
    bin.counts.resize(std::max(bin.counts.size(), bucket + 1));
    bin.counts[bucket] += times;
    bin.total += times;
    bin.max = std::max(bin.max, value);
}

void
SlowdownHistogram::Merge(const SlowdownHistogram& other)
{
    for (const auto& [limit, from] : other.m_bins)
    {
        SizeBin& into = m_bins[limit];
        into.counts.resize(std::max(into.counts.size(), from.counts.size()));
        for (size_t bucket = 0; bucket < from.counts.size(); ++bucket)
        {
            into.counts[bucket] += from.counts[bucket];
        }
        into.total += from.total;
        into.max = std::max(into.max, from.max);
    }
}

uint64_t
SlowdownHistogram::Percentile(const SizeBin& bin, uint64_t percent)
{
    const uint64_t position = bin.total / 100 * percent + (bin.total % 100 * percent + 99) / 100;
    uint64_t seen = 0;
    for (size_t bucket = 0; bucket < bin.counts.size(); ++bucket)
    {
        seen += bin.counts[bucket];
        if (seen >= position)
        {
            return std::min(UpperEdge(bucket), bin.max);
        }
    }
    return bin.max;
}

std::vector<SlowdownHistogram::Bin>
SlowdownHistogram::Bins() const
{
    std::vector<Bin> bins;
    for (const auto& [limit, bin] : m_bins)
    {
        bins.push_back({limit, bin.total, Percentile(bin, 50), Percentile(bin, 90), Percentile(bin, 99), bin.max});
    }
    return bins;
}

} // namespace hbd::analysis
