/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SPAN_CACHE_H
#define HBD_SPAN_CACHE_H

#include "hbd-collective-tracker.h"
#include "hbd-prepared-block.h"
#include "hbd-statistics.h"

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Word vectors, each kept once; equal ones have the same number. Equality is by content, the hash only finds candidates.
 */
class WordInterner
{
  public:
    /// Number of a word vector.
    uint32_t Intern(const std::vector<uint32_t>& words);
    /// Number of a word vector, or NO_INDEX.
    uint32_t Find(const std::vector<uint32_t>& words) const;
    const std::vector<uint32_t>& Get(uint32_t number) const
    {
        return m_words[number];
    }
    uint64_t GetMemory() const
    {
        return m_memory;
    }
    /// Makes every hash the same, to prove that equality does not rest on it.
    void ForceCollisions()
    {
        m_collide = true;
    }

  private:
    uint64_t Hash(const std::vector<uint32_t>& words) const;
    std::vector<std::vector<uint32_t>> m_words;
    std::unordered_multimap<uint64_t, uint32_t> m_byHash;
    uint64_t m_memory = 0;
    bool m_collide = false;
};

/**
 * \ingroup hbd
 * What happened between two quiescent instants, relative to the first. Ranks, operations and blocks are named as the program names them; epochs are
 * relative to each rank's block at the start.
 */
struct SpanRecord
{
    struct Running ///< a compute that ran at the start and ended inside
    {
        uint32_t rank;
        int64_t remainingPs;
    };
    struct Pull ///< a block entered inside, in order
    {
        uint32_t rank;
        uint32_t shape;       ///< NO_INDEX: the program's end
        uint64_t epochDelta;  ///< to the rank's block before it
    };
    struct Compute ///< a compute started inside
    {
        uint32_t rank;
        uint32_t pull;        ///< 0: of the block at the start, 1: of the first one entered, ...
        uint32_t operation;
        int64_t startPs;      ///< offset
        int64_t durationPs;   ///< its length when it also ended inside, else -1
    };
    struct BlockDone
    {
        uint32_t rank;
        uint32_t pull;
        int64_t offsetPs;
    };
    struct Messages ///< equal ones
    {
        uint64_t bytes;
        int64_t durationPs;
        int64_t idealPs;
        uint64_t times;
    };
    struct RankEnd
    {
        uint32_t snapshot;
        uint32_t unreadyRuns;
    };
    struct Open ///< a collective that is open at the end
    {
        CollectiveRun run;    ///< epoch relative to the base epoch, times as offsets
        bool startedBefore;   ///< its start lies before the span
        bool readyBefore;
    };

    int64_t lengthPs = 0;
    int64_t lastCompletionPs = 0; ///< offset of the last operation that was complete
    std::vector<Running> running;
    std::vector<Pull> pulls;
    std::vector<Compute> computes;
    std::vector<BlockDone> blocksDone;
    std::vector<CollectiveRun> collectives; ///< closed inside; epoch relative to the base epoch, times as offsets
    std::vector<bool> startedBefore;        ///< of `collectives`: start lies before the span
    std::vector<bool> readyBefore;
    std::vector<Messages> messages;
    std::vector<Open> open;
    std::vector<RankEnd> ranks;
    uint32_t fabricState = 0;
    std::vector<std::pair<uint32_t, uint64_t>> sums;         ///< what it adds to StatisticsBank::sums
    std::vector<std::pair<uint32_t, WideInteger>> integrals; ///< and to ::integrals
    std::vector<std::pair<uint32_t, uint64_t>> maxima;       ///< the maxima it reaches, not 0

    uint64_t GetMemory() const;
};

/**
 * \ingroup hbd
 * Spans by the state in which they began. Can serve one run after another as long as their fabrics are the same.
 */
class SpanCache
{
  public:
    BlockInterner blocks;
    WordInterner rankStates;
    WordInterner fabricStates;

    /// Records that began in a state.
    const std::vector<uint32_t>& Find(const std::vector<uint32_t>& key) const;
    /// Adds a record. \return its number
    uint32_t Add(const std::vector<uint32_t>& key, SpanRecord record);
    const SpanRecord& Get(uint32_t number) const
    {
        return m_records[number];
    }
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_records.size());
    }
    /// Bytes held.
    uint64_t GetMemory() const
    {
        return m_memory + rankStates.GetMemory() + fabricStates.GetMemory() + m_keys.GetMemory();
    }
    /// Adding stops there.
    void SetMemoryLimit(uint64_t bytes)
    {
        m_limit = bytes;
    }
    bool IsFull() const
    {
        return GetMemory() >= m_limit;
    }
    /**
     * Ties the cache to a fabric on first use. \param fingerprint Fabric::GetFingerprint()
     * \throws std::invalid_argument when it is tied to a different one
     */
    void Bind(const std::string& fingerprint);
    /// All hashes the same (a check).
    void ForceCollisions();

  private:
    WordInterner m_keys;
    std::vector<std::vector<uint32_t>> m_byKey; ///< by number of the key
    std::deque<SpanRecord> m_records;  ///< addresses stay valid
    std::string m_fingerprint;
    uint64_t m_memory = 0;
    uint64_t m_limit = 1ULL << 30;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_SPAN_CACHE_H */
