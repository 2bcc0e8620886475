/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_STATE_WORDS_H
#define HBD_STATE_WORDS_H

#include <cstdint>
#include <cstring>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Appends numbers of 64 bits to the words of a SaveState, bit by bit.
 */
class StateWriter
{
  public:
    explicit StateWriter(std::vector<uint32_t>& words)
        : m_words(words)
    {
    }

    StateWriter& Put(uint64_t value)
    {
        m_words.push_back(static_cast<uint32_t>(value));
        m_words.push_back(static_cast<uint32_t>(value >> 32));
        return *this;
    }

    StateWriter& Put(int64_t value)
    {
        return Put(static_cast<uint64_t>(value));
    }

    StateWriter& Put(uint32_t value)
    {
        m_words.push_back(value);
        return *this;
    }

    StateWriter& Put(double value)
    {
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        return Put(bits);
    }

  private:
    std::vector<uint32_t>& m_words;
};

/**
 * \ingroup hbd
 * Reads what a StateWriter wrote, in the same order.
 */
class StateReader
{
  public:
    explicit StateReader(const uint32_t* words)
        : m_words(words)
    {
    }

    StateReader& Get(uint64_t& value)
    {
        value = static_cast<uint64_t>(m_words[1]) << 32 | m_words[0];
        m_words += 2;
        return *this;
    }

    StateReader& Get(int64_t& value)
    {
        uint64_t bits;
        Get(bits);
        value = static_cast<int64_t>(bits);
        return *this;
    }

    StateReader& Get(uint32_t& value)
    {
        value = *m_words++;
        return *this;
    }

    StateReader& Get(double& value)
    {
        uint64_t bits;
        Get(bits);
        std::memcpy(&value, &bits, sizeof(value));
        return *this;
    }

  private:
    const uint32_t* m_words;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_STATE_WORDS_H */
