/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "event-rate.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <ctime>
#include <random>
#include <vector>

namespace hbd::runner
{

namespace
{

constexpr uint64_t kPending = 10000;
constexpr int64_t kShortestPs = 500'000;
constexpr int64_t kLongestPs = 700'000;
constexpr size_t kDelays = 1 << 16; ///< drawn in advance; a power of two

/// Keeps a number of events pending: each one schedules the next.
class EventChain
{
  public:
    explicit EventChain(uint64_t events)
        : m_left(events)
    {
        std::mt19937_64 random(1); // NOLINT: the same delays each time
        std::uniform_int_distribution<int64_t> delays(kShortestPs, kLongestPs);
        for (size_t i = 0; i < kDelays; ++i)
        {
            m_delays.push_back(ns3::PicoSeconds(delays(random)));
        }
    }

    void Tick()
    {
        if (m_left > 0)
        {
            --m_left;
            ns3::Simulator::Schedule(m_delays[m_left & (kDelays - 1)], &EventChain::Tick, this);
        }
    }

  private:
    uint64_t m_left;
    std::vector<ns3::Time> m_delays;
};

} // namespace

double
CpuSeconds()
{
    timespec now = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double
MeasureEventRate(uint64_t events)
{
    EventChain chain(events);
    for (uint64_t i = 0; i < kPending; ++i)
    {
        chain.Tick();
    }
    const double before = CpuSeconds();
    ns3::Simulator::Run();
    const double elapsed = CpuSeconds() - before;
    ns3::Simulator::Destroy();
    return static_cast<double>(events) / elapsed;
}

} // namespace hbd::runner
