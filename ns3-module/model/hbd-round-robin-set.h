/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ROUND_ROBIN_SET_H
#define HBD_ROUND_ROBIN_SET_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * A set of small numbers, one bit each, that is asked for the next member in a circle.
 */
class RoundRobinSet
{
  public:
    static constexpr uint32_t NONE = 0xffffffff;

    /// Empties it. \param size members are 0 .. size - 1
    void Resize(uint32_t size)
    {
        m_words.assign((size + 63) / 64, 0);
    }

    void Set(uint32_t member, bool in)
    {
        uint64_t bit = 1ULL << (member % 64);
        m_words[member / 64] = in ? m_words[member / 64] | bit : m_words[member / 64] & ~bit;
    }

    bool Has(uint32_t member) const
    {
        return (m_words[member / 64] >> (member % 64) & 1) != 0;
    }

    /// Smallest member that is not below `from`, else the smallest of all, else NONE. \param from 0 .. size - 1
    uint32_t Next(uint32_t from) const
    {
        auto words = static_cast<uint32_t>(m_words.size());
        uint32_t word = from / 64;
        uint64_t bits = m_words[word] & (~0ULL << (from % 64));
        for (uint32_t i = 0; i <= words; i++)
        {
            if (bits != 0)
            {
                return word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
            }
            word = word + 1 == words ? 0 : word + 1;
            bits = m_words[word];
        }
        return NONE;
    }

  private:
    std::vector<uint64_t> m_words;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_ROUND_ROBIN_SET_H */
