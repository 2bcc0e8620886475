/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_SWEEP_H
#define HBD_RUNNER_SWEEP_H

#include "simulation.h"
#include "sweep-plan.h"
#include "sweep-worker.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hbd::runner
{

struct WorkerMessage;

/// Who is told how a sweep proceeds.
class SweepObserver
{
  public:
    virtual ~SweepObserver() = default;
    virtual void OnStarted(size_t point) = 0;
    virtual void OnProgress(size_t point, const SimulationProgress& progress) = 0;
    /// \param result what the point's task returned
    virtual void OnFinished(size_t point, const std::string& result) = 0;
    virtual void OnFailed(size_t point, const std::string& why) = 0;
    /// Several times a second.
    virtual void OnTick() = 0;
};

/// How a sweep ended.
struct SweepOutcome
{
    size_t failed = 0;        ///< points
    bool interrupted = false; ///< told to stop before all points were done
};

/**
 * Simulates points in parallel processes. This process never simulates: each group of points has a process of its own.
 * A process that dies or fails takes the point it was at with it; the rest of its group is started afresh.
 *
 * CatchInterruptions() must have been called: an interruption stops all processes, a second one at once.
 */
class Sweep
{
  public:
    /**
     * \param task what to do with a point
     * \param jobs processes at a time, at least 1
     */
    Sweep(PointTask task, uint32_t jobs, SweepObserver& observer);
    ~Sweep();
    Sweep(const Sweep&) = delete;
    Sweep& operator=(const Sweep&) = delete;

    /// Simulates all groups, the first ones first. \throw std::system_error when no process can be started
    SweepOutcome Run(const std::vector<PointGroup>& groups);

  private:
    struct Worker;

    void Start(PointGroup group);
    void Wait();
    void Handle(Worker& worker, const std::vector<WorkerMessage>& messages);
    void Reap(size_t index);
    void StopWorkers();

    PointTask m_task;
    uint32_t m_jobs;
    SweepObserver& m_observer;
    std::vector<PointGroup> m_waiting; ///< the next one last
    std::vector<Worker> m_workers;
    SweepOutcome m_outcome;
};

} // namespace hbd::runner

#endif // HBD_RUNNER_SWEEP_H
