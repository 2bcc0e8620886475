/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_COLLECTIVE_TRACKER_H
#define HBD_COLLECTIVE_TRACKER_H

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Identity of one execution of a collective by one group.
 */
struct CollectiveKey
{
    uint64_t epoch;
    uint64_t tag;
    uint32_t group;

    bool operator<(const CollectiveKey& other) const
    {
        return std::tie(epoch, tag, group) < std::tie(other.epoch, other.tag, other.group);
    }
};

/**
 * \ingroup hbd
 * One execution of a collective by one group, while it is open.
 */
struct CollectiveRun
{
    CollectiveKey key;
    uint32_t ranks = 0;
    uint32_t entered = 0;            ///< ranks that have begun
    uint64_t open = 0;               ///< operations of those ranks that are not complete
    int64_t startPs = 0;             ///< the first rank began
    int64_t readyPs = 0;             ///< the last rank began
    int64_t endPs = 0;               ///< the last operation was complete
    std::vector<uint32_t> waiting;   ///< ranks that have begun, are not through, and wait for others to begin

    bool IsReady() const
    {
        return entered == ranks;
    }
    bool IsDone() const
    {
        return IsReady() && open == 0;
    }
};

/**
 * \ingroup hbd
 * The collectives that are open now. Ordered, so that it can be part of a state.
 */
class CollectiveTracker
{
  public:
    /// The run of a key, made on first use. The reference stays valid until Erase.
    CollectiveRun& Get(const CollectiveKey& key, uint32_t ranks)
    {
        CollectiveRun& run = m_open[key];
        run.key = key;
        run.ranks = ranks;
        return run;
    }
    /// The run of a key, or null.
    CollectiveRun* Find(const CollectiveKey& key)
    {
        auto it = m_open.find(key);
        return it == m_open.end() ? nullptr : &it->second;
    }
    void Erase(const CollectiveKey& key)
    {
        m_open.erase(key);
    }
    const std::map<CollectiveKey, CollectiveRun>& GetOpen() const
    {
        return m_open;
    }
    /// Replaces everything.
    void Assign(std::map<CollectiveKey, CollectiveRun> open)
    {
        m_open = std::move(open);
    }
    /// Appends what decides the future: everything but times, epochs relative to a base.
    void AppendState(uint64_t baseEpoch, std::vector<uint32_t>& words) const
    {
        words.push_back(static_cast<uint32_t>(m_open.size()));
        for (const auto& [key, run] : m_open)
        {
            uint64_t delta = key.epoch - baseEpoch;
            for (uint64_t value : {delta, key.tag, run.open})
            {
                words.push_back(static_cast<uint32_t>(value));
                words.push_back(static_cast<uint32_t>(value >> 32));
            }
            words.insert(words.end(), {key.group, run.ranks, run.entered, static_cast<uint32_t>(run.waiting.size())});
            words.insert(words.end(), run.waiting.begin(), run.waiting.end());
        }
    }

  private:
    std::map<CollectiveKey, CollectiveRun> m_open;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_COLLECTIVE_TRACKER_H */
