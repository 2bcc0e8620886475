/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_SLOWDOWN_HISTOGRAM_H
#define HBD_ANALYSIS_SLOWDOWN_HISTOGRAM_H

#include <cstdint>
#include <map>
#include <vector>

namespace hbd::analysis
{

/**
 * How much longer messages took than alone on the fabric, by message size. Integers only, so that the order in which
 * messages are added (and whether they come one by one or as a replayed span) cannot change a percentile.
 *
 * Size bins are powers of two. Slowdowns are kept in thousandths; from 128 thousandths on, buckets grow with the value
 * (64 per doubling, as HdrHistogram does), so a percentile is at most 1/64 too high.
 */
class SlowdownHistogram
{
  public:
    /// One size bin's percentiles. Slowdowns in thousandths (1000 = as fast as alone), at the upper edge of their
    /// bucket.
    struct Bin
    {
        uint64_t maxBytes = 0; ///< sizes above half of it, up to it; 0: empty messages
        uint64_t count = 0;
        uint64_t p50 = 0;
        uint64_t p90 = 0;
        uint64_t p99 = 0;
        uint64_t max = 0; ///< the largest seen, exact
    };

    /**
     * \param bytes payload
     * \param durationPs posted to complete, in picoseconds
     * \param idealPs the same alone on the fabric; messages with 0 or less (within a rank) are not counted
     * \param times how many such messages (a replayed span adds its own count)
     */
    void Add(uint64_t bytes, int64_t durationPs, int64_t idealPs, uint64_t times = 1);
    /// Adds all of another histogram.
    void Merge(const SlowdownHistogram& other);
    /// \return the non-empty size bins, from small to large
    std::vector<Bin> Bins() const;

  private:
    /// Counts of one size bin.
    struct SizeBin
    {
        std::vector<uint64_t> counts; ///< by bucket of the slowdown
        uint64_t total = 0;
        uint64_t max = 0; ///< thousandths
    };

    /// The slowdown, in thousandths, that \p share percent of the bin's messages do not exceed.
    static uint64_t Percentile(const SizeBin& bin, uint64_t percent);

    std::map<uint64_t, SizeBin> m_bins; ///< by upper size limit
};

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_SLOWDOWN_HISTOGRAM_H
