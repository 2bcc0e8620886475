/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_PROGRESS_DISPLAY_H
#define HBD_RUNNER_PROGRESS_DISPLAY_H

#include "sweep.h"

#include <chrono>
#include <string>
#include <vector>

namespace hbd::runner
{

/**
 * Shows on standard error how a sweep proceeds: on a terminal one line that is redrawn, otherwise a line when a point
 * starts and when it ends. A point that fails is a line of its own in either case.
 */
class ProgressDisplay : public SweepObserver
{
  public:
    /**
     * \param plan the points
     * \param done the points that need not be simulated
     */
    ProgressDisplay(const SweepPlan& plan, const std::vector<bool>& done);
    ~ProgressDisplay() override;

    void OnStarted(size_t point) override;
    void OnProgress(size_t point, const SimulationProgress& progress) override;
    void OnFinished(size_t point, const std::string& result) override;
    void OnFailed(size_t point, const std::string& why) override;
    void OnTick() override;
    /// Takes the redrawn line away.
    void Clear();

  private:
    using Clock = std::chrono::steady_clock;

    /// Where a point is.
    struct PointState
    {
        SimulationProgress progress;
        Clock::time_point started;
        bool ended = false;
    };

    std::string Title(size_t point) const;
    std::string Line() const;
    /// Share of a point that is done, 0 .. 1.
    double FractionOf(size_t point) const;
    /// Share of the work of this run that is done, 0 .. 1.
    double Fraction() const;

    const SweepPlan& m_plan;
    std::vector<PointState> m_points;
    std::vector<bool> m_skipped; ///< points that were there before
    Clock::time_point m_started;
    size_t m_ended; ///< points
    bool m_terminal;
    bool m_drawn = false;
};

/// Seconds as h:mm:ss or m:ss.
std::string ClockText(double seconds);

/// A count or rate with a decimal prefix and three digits: 14.2 M.
std::string ScaledText(double value);

} // namespace hbd::runner

#endif // HBD_RUNNER_PROGRESS_DISPLAY_H
