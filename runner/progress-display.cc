/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "progress-display.h"

#include "analysis/text-table.h"
#include "scenario-input.h"
#include "terminal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace hbd::runner
{

namespace
{

constexpr size_t kBarWidth = 20;
constexpr size_t kDefaultWidth = 80;
/// Share below which an estimate of the remaining time means nothing.
constexpr double kFirstEstimate = 0.005;

double
SecondsBetween(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

} // namespace

ProgressDisplay::ProgressDisplay(const SweepPlan& plan, const std::vector<bool>& done)
    : m_plan(plan),
      m_points(plan.points.size()),
      m_skipped(done),
      m_started(Clock::now()),
      m_ended(static_cast<size_t>(std::count(done.begin(), done.end(), true))),
      m_terminal(::isatty(STDERR_FILENO) == 1)
{
}

ProgressDisplay::~ProgressDisplay()
{
    Clear();
}

std::string
ProgressDisplay::Title(size_t point) const
{
    const std::string keys = KeysText(*m_plan.points[point].scenario);
    return fmt::format("point {} of {}{}{}", point + 1, m_plan.points.size(), keys.empty() ? "" : ": ", keys);
}

void
ProgressDisplay::OnStarted(size_t point)
{
    m_points[point].started = Clock::now();
    if (!m_terminal)
    {
        fmt::print(stderr, "{}: started\n", Title(point));
    }
}

void
ProgressDisplay::OnProgress(size_t point, const SimulationProgress& progress)
{
    m_points[point].progress = progress;
}

void
ProgressDisplay::OnFinished(size_t point, const std::string& /* result */)
{
    m_points[point].ended = true;
    ++m_ended;
    if (!m_terminal)
    {
        fmt::print(stderr,
                   "{}: done in {:.1f} s\n",
                   Title(point),
                   SecondsBetween(m_points[point].started, Clock::now()));
    }
}

void
ProgressDisplay::OnFailed(size_t point, const std::string& why)
{
    m_points[point].ended = true;
    ++m_ended;
    Clear();
    fmt::print(stderr, "{}: failed: {}\n", Title(point), why);
}

void
ProgressDisplay::OnTick()
{
    if (m_terminal)
    {
        fmt::print(stderr, "\r{}\033[K", analysis::Shortened(Line(), TerminalWidth(STDERR_FILENO, kDefaultWidth) - 1));
        std::fflush(stderr);
        m_drawn = true;
    }
}

void
ProgressDisplay::Clear()
{
    if (m_drawn)
    {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
        m_drawn = false;
    }
}

double
ProgressDisplay::FractionOf(size_t point) const
{
    const auto& state = m_points[point];
    const double expectedHops = m_plan.points[point].cost.packetHops;
    if (state.ended)
    {
        return 1;
    }
    if (m_plan.points[point].scenario->workload.inference || expectedHops <= 0)
    {
        return state.progress.fraction;
    }
    // The network alone has a few long operations: what is started says little, what has moved says all.
    return std::min(1.0, static_cast<double>(state.progress.packetHops) / expectedHops);
}

double
ProgressDisplay::Fraction() const
{
    double whole = 0;
    double part = 0;
    for (size_t point = 0; point < m_points.size(); ++point)
    {
        if (!m_skipped[point])
        {
            const double weight = m_plan.points[point].cost.weight;
            whole += weight;
            part += weight * FractionOf(point);
        }
    }
    return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 1;
}

std::string
ProgressDisplay::Line() const
{
    const double fraction = Fraction();
    const double elapsed = SecondsBetween(m_started, Clock::now());
    double simulated = 0;
    double hops = 0;
    for (const auto& point : m_points)
    {
        simulated += point.progress.simulatedSeconds;
        hops += static_cast<double>(point.progress.packetHops);
    }
    const auto filled = static_cast<size_t>(std::lround(fraction * kBarWidth));
    const std::string eta = fraction > kFirstEstimate ? ClockText(elapsed * (1 - fraction) / fraction) : "--:--";
    return fmt::format("[{:#>{}}{:->{}}] {}/{} points, ETA {}, {:.3g} s simulated, {}hops/s",
                       "",
                       filled,
                       "",
                       kBarWidth - filled,
                       m_ended,
                       m_points.size(),
                       eta,
                       simulated,
                       ScaledText(elapsed > 0 ? hops / elapsed : 0));
}

std::string
ClockText(double seconds)
{
    const auto whole = static_cast<int64_t>(std::llround(seconds));
    const auto minutes = whole / 60;
    return minutes < 60 ? fmt::format("{}:{:02}", minutes, whole % 60)
                        : fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, whole % 60);
}

std::string
ScaledText(double value)
{
    static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t prefix = 0;
    while (value >= 999.5 && prefix + 1 < std::size(kPrefixes))
    {
        value /= 1000;
        ++prefix;
    }
    return fmt::format("{:.3g} {}", value, kPrefixes[prefix]);
}

} // namespace hbd::runner
