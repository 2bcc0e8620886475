/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sweep-worker.h"

#include "analysis/record-writer.h"
#include "commands.h"
#include "interrupt.h"
#include "point-metadata.h"
#include "simulation.h"
#include "worker-channel.h"

#include <new>

namespace hbd::runner
{

namespace
{

/// Simulates one point and writes its folder.
void
RunPoint(const SweepPoint& point,
         size_t index,
         const std::filesystem::path& folder,
         uint32_t jobs,
         SimulationCache& cache,
         int pipe)
{
    SimulationOptions options;
    options.interrupted = &Interruptions();
    options.cache = &cache;
    options.progress = [index, pipe](const SimulationProgress& progress) {
        SendMessage(pipe, {WorkerEvent::Progress, index, progress, ""});
    };
    auto records = Simulate(*point.scenario, options);
    FillMetadata(point, records);
    records.cost.jobs = jobs;
    analysis::WritePoint(folder, records);
}

} // namespace

int
RunWorker(const SweepPlan& plan, const PointGroup& group, const std::filesystem::path& folder, uint32_t jobs, int pipe)
{
    SimulationCache cache; // the points of a group have the same fabric and the same messages
    for (const size_t index : group)
    {
        SendMessage(pipe, {WorkerEvent::Started, index, {}, ""});
        std::string why;
        try
        {
            RunPoint(plan.points[index], index, folder, jobs, cache, pipe);
            SendMessage(pipe, {WorkerEvent::Finished, index, {}, ""});
            continue;
        }
        catch (const InterruptedError&)
        {
            return kExitInterrupted;
        }
        catch (const std::bad_alloc&)
        {
            why = "out of memory";
        }
        catch (const std::exception& error)
        {
            why = error.what();
        }
        SendMessage(pipe, {WorkerEvent::Failed, index, {}, why});
        return kExitFailure;
    }
    return kExitSuccess;
}

} // namespace hbd::runner
