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

PointTask
FolderTask(const SweepPlan& plan, const std::filesystem::path& folder, uint32_t jobs)
{
    return [&plan, folder, jobs](size_t index, const SimulationOptions& options) {
        const SweepPoint& point = plan.points[index];
        auto records = Simulate(*point.scenario, options);
        FillMetadata(point, records);
        records.cost.jobs = jobs;
        analysis::WritePoint(folder, records);
        return std::string();
    };
}

int
RunWorker(const PointTask& task, const PointGroup& group, int pipe)
{
    SimulationCache cache; // the points of a group have the same fabric and the same messages
    for (const size_t index : group)
    {
        SendMessage(pipe, {WorkerEvent::Started, index, {}, ""});
        std::string why;
        try
        {
            SimulationOptions options;
            options.interrupted = &Interruptions();
            options.cache = &cache;
            options.progress = [index, pipe](const SimulationProgress& progress) {
                SendMessage(pipe, {WorkerEvent::Progress, index, progress, ""});
            };
            SendMessage(pipe, {WorkerEvent::Finished, index, {}, task(index, options)});
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
