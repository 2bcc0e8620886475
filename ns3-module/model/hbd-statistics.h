/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_STATISTICS_H
#define HBD_STATISTICS_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/// 128 bits: byte-picosecond integrals of queues.
__extension__ typedef unsigned __int128 WideInteger;

/**
 * \ingroup hbd
 * All integer statistics of a run in three flat arrays, so that what a span of simulated time adds to them can be taken as a whole and added again
 * when the span is replayed. Sums and integrals add up; of maxima the largest stays.
 */
struct StatisticsBank
{
    std::vector<uint64_t> sums;
    std::vector<uint64_t> maxima;
    std::vector<WideInteger> integrals;

    /// Reserves n sums. \return index of the first
    uint32_t AddSums(uint32_t n)
    {
        sums.resize(sums.size() + n, 0);
        return static_cast<uint32_t>(sums.size() - n);
    }
    uint32_t AddMaxima(uint32_t n)
    {
        maxima.resize(maxima.size() + n, 0);
        return static_cast<uint32_t>(maxima.size() - n);
    }
    uint32_t AddIntegrals(uint32_t n)
    {
        integrals.resize(integrals.size() + n, 0);
        return static_cast<uint32_t>(integrals.size() - n);
    }
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_STATISTICS_H */
