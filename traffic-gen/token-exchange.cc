/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "token-exchange.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace hbd::traffic
{

namespace
{

/// A number below `bound`, the same everywhere (the standard's distributions are not).
uint32_t
Below(std::mt19937_64& random, uint32_t bound)
{
    return static_cast<uint32_t>((random() >> 32) * bound >> 32);
}

/// Draws the ranks of one token after the other.
class TokenDraw
{
  public:
    TokenDraw(const ExchangeSpec& exchange, uint32_t ranks, uint32_t source)
        : m_exchange(exchange),
          m_ranks(ranks),
          m_experts(exchange.experts),
          m_lastToken(ranks, 0)
    {
        std::seed_seq seeds{static_cast<uint32_t>(exchange.seed), static_cast<uint32_t>(exchange.seed >> 32), source};
        m_random.seed(seeds);
        std::iota(m_experts.begin(), m_experts.end(), 0);
    }

    /// Adds the ranks of the next token to the counts of its source.
    void Next(uint64_t* counts)
    {
        ++m_token;
        uint32_t chosen = 0;
        uint32_t ranks = 0;
        for (uint32_t place = 0; place < m_experts.size() && chosen < m_exchange.topK; ++place)
        {
            std::swap(m_experts[place], m_experts[place + Below(m_random, m_exchange.experts - place)]);
            const auto rank = static_cast<uint32_t>(uint64_t{m_experts[place]} * m_ranks / m_exchange.experts);
            const bool isNew = m_lastToken[rank] != m_token;
            if (isNew && ranks == m_exchange.ranksPerToken)
            {
                continue;
            }
            ++chosen;
            if (isNew)
            {
                m_lastToken[rank] = m_token;
                ++ranks;
                ++counts[rank];
            }
        }
    }

  private:
    const ExchangeSpec& m_exchange;
    uint32_t m_ranks;
    std::mt19937_64 m_random;
    std::vector<uint32_t> m_experts;   ///< in an order of which the first places are random
    std::vector<uint64_t> m_lastToken; ///< by rank: the last token that went there
    uint64_t m_token = 0;
};

/// Tokens of rank 0 by destination; those of rank r are the same, r further.
std::vector<uint64_t>
BalancedCounts(const ExchangeSpec& exchange, uint32_t ranks)
{
    std::vector<uint64_t> counts(ranks, 0);
    const uint64_t k = exchange.ranksPerToken;
    for (uint64_t token = 0; token < std::min<uint64_t>(exchange.tokens, ranks); ++token)
    {
        // tokens that are a multiple of `ranks` apart go to the same ranks
        const uint64_t alike = (exchange.tokens - token + ranks - 1) / ranks;
        for (uint64_t copy = 0; copy < k; ++copy)
        {
            counts[(token * k + copy) % ranks] += alike;
        }
    }
    return counts;
}

} // namespace

bool
IsExchange(const CollectiveWorkload& workload)
{
    return workload.collective == "dispatch" || workload.collective == "combine";
}

std::vector<uint64_t>
ExchangedTokens(const ExchangeSpec& exchange, uint32_t ranks)
{
    std::vector<uint64_t> tokens(static_cast<size_t>(ranks) * ranks, 0);
    const bool balanced = exchange.routing == "balanced";
    const auto counts = balanced ? BalancedCounts(exchange, ranks) : std::vector<uint64_t>();
    for (uint32_t source = 0; source < ranks; ++source)
    {
        uint64_t* row = &tokens[static_cast<size_t>(source) * ranks];
        if (balanced)
        {
            for (uint32_t distance = 0; distance < ranks; ++distance)
            {
                row[(source + distance) % ranks] = counts[distance];
            }
            continue;
        }
        TokenDraw draw(exchange, ranks, source);
        for (uint32_t token = 0; token < exchange.tokens; ++token)
        {
            draw.Next(row);
        }
    }
    return tokens;
}

std::vector<uint64_t>
ExchangedBytes(const CollectiveWorkload& workload, uint32_t ranks)
{
    const auto tokens = ExchangedTokens(workload.exchange, ranks);
    const bool back = workload.collective == "combine";
    std::vector<uint64_t> bytes(tokens.size());
    for (size_t from = 0; from < ranks; ++from)
    {
        for (size_t to = 0; to < ranks; ++to)
        {
            bytes[from * ranks + to] =
                tokens[back ? to * ranks + from : from * ranks + to] * workload.exchange.bytesPerToken.Count();
        }
    }
    return bytes;
}

} // namespace hbd::traffic
