/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_CANONICAL_SORT_H
#define HBD_CANONICAL_SORT_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Sorts keys whose upper 32 bits are port ids and whose lower 32 bits are arguments. Large batches (everything that happens at once in a fabric in
 * lock-step) go through a radix sort on the port, which costs a few nanoseconds a key; the few equal ports are put right afterwards.
 */
class CanonicalSorter
{
  public:
    void Sort(std::vector<uint64_t>& keys)
    {
        if (std::is_sorted(keys.begin(), keys.end()))
        {
            return;
        }
        if (keys.size() < SMALL)
        {
            std::sort(keys.begin(), keys.end());
            return;
        }
        SortByPort(keys);
        SortEqualPorts(keys);
    }

  private:
    static constexpr size_t SMALL = 96;
    static constexpr uint32_t DIGIT = 8;
    static constexpr uint32_t VALUES = 1U << DIGIT;

    void SortByPort(std::vector<uint64_t>& keys)
    {
        uint64_t differing = 0;
        for (uint64_t key : keys)
        {
            differing |= key ^ keys.front();
        }
        for (uint32_t shift = 32; shift < 64; shift += DIGIT)
        {
            if ((differing >> shift & (VALUES - 1)) != 0)
            {
                Pass(keys, shift);
            }
        }
    }

    void Pass(std::vector<uint64_t>& keys, uint32_t shift)
    {
        std::array<uint32_t, VALUES> place{};
        for (uint64_t key : keys)
        {
            place[key >> shift & (VALUES - 1)]++;
        }
        uint32_t sum = 0;
        for (uint32_t& count : place)
        {
            uint32_t next = sum + count;
            count = sum;
            sum = next;
        }
        m_scratch.resize(keys.size());
        for (uint64_t key : keys)
        {
            m_scratch[place[key >> shift & (VALUES - 1)]++] = key;
        }
        keys.swap(m_scratch);
    }

    static void SortEqualPorts(std::vector<uint64_t>& keys)
    {
        for (size_t i = 1; i < keys.size(); i++)
        {
            // the ports are in order already: a smaller key behind a larger one has the same port
            for (size_t k = i; k > 0 && keys[k] < keys[k - 1]; k--)
            {
                std::swap(keys[k], keys[k - 1]);
            }
        }
    }

    std::vector<uint64_t> m_scratch;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_CANONICAL_SORT_H */
