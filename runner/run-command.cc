/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "command-line.h"
#include "commands.h"
#include "dry-run.h"
#include "interrupt.h"
#include "progress-display.h"
#include "published-marks.h"
#include "result-folder.h"
#include "result-report.h"
#include "scenario-input.h"
#include "sweep-plan.h"
#include "sweep.h"
#include "terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace hbd::runner
{

namespace
{

namespace po = boost::program_options;

/// What runs when no scenario is named.
constexpr const char* kDefaultScenario = "/examples/scenarios/hbd-size-study.yaml";
constexpr int64_t kMostJobs = 1024;

CommandLine
MakeCommandLine()
{
    CommandLine line("run [SCENARIO] [OPTIONS]",
                     "Runs a scenario, or every point of a sweep, and writes the results to a folder. Without a "
                     "scenario: the HBD-size study, "
                     "examples/scenarios/hbd-size-study.yaml.");
    line.Positional("scenario", 1);
    line.AddSet();
    line.Options()("out",
                   po::value<std::string>()->value_name("DIR"),
                   "folder for the results, absent or empty; default: results/NAME-N, the next free N")(
        "jobs",
        po::value<int64_t>()->value_name("N"),
        "processes at a time; default: all cores")("resume",
                                                   "keep the points that are finished in --out and run the others")(
        "dry-run",
        "show the points with an estimate of their results and cost; simulate and write nothing");
    return line;
}

/// The number of processes that was asked for.
uint32_t
JobsOf(const po::variables_map& values)
{
    if (values.count("jobs") == 0)
    {
        return std::max(1u, std::thread::hardware_concurrency());
    }
    const auto jobs = values["jobs"].as<int64_t>();
    if (jobs < 1 || jobs > kMostJobs)
    {
        throw UsageError(fmt::format("--jobs: expected 1 to {}, given {}", kMostJobs, jobs));
    }
    return static_cast<uint32_t>(jobs);
}

std::optional<std::string>
OutOf(const po::variables_map& values)
{
    if (values.count("out") == 0)
    {
        if (values.count("resume") != 0)
        {
            throw UsageError("--resume needs --out: the folder to continue");
        }
        return std::nullopt;
    }
    return values["out"].as<std::string>();
}

/// Simulates what is not done yet.
SweepOutcome
RunPoints(const SweepPlan& plan, ResultFolder& folder, uint32_t jobs)
{
    CatchInterruptions();
    const auto groups = GroupPoints(plan, folder.Done());
    const auto used = static_cast<uint32_t>(std::min<size_t>(jobs, std::max<size_t>(1, groups.size())));
    ProgressDisplay display(plan, folder.Done());
    return Sweep(FolderTask(plan, folder.Path(), used), used, display).Run(groups);
}

/// Says how to go on after an interruption.
int
ReportInterruption(const SweepPlan& plan, const std::vector<bool>& done, const ResultFolder& folder)
{
    const auto finished = std::count(done.begin(), done.end(), true);
    fmt::print(stderr, "hbd run: interrupted, {} of {} points are finished", finished, plan.points.size());
    if (finished > 0)
    {
        fmt::print(stderr, "; continue with --resume --out {}", folder.Path().string());
    }
    fmt::print(stderr, "\n");
    return kExitInterrupted;
}

int
RunSweep(const SweepPlan& plan, const std::vector<analysis::PublishedMark>& marks, ResultFolder& folder, uint32_t jobs)
{
    const auto kept = std::count(folder.Done().begin(), folder.Done().end(), true);
    if (kept > 0)
    {
        fmt::print(stderr, "{} of {} points are finished already\n", kept, plan.points.size());
    }
    const SweepOutcome outcome = RunPoints(plan, folder, jobs);
    const auto done = folder.FindDone(plan);
    const auto results = WriteResults(plan, done, folder.Path());
    folder.CleanUp();
    if (outcome.interrupted)
    {
        return ReportInterruption(plan, done, folder);
    }
    PrintResults(marks, results, folder.Path());
    if (outcome.failed > 0)
    {
        fmt::print(stderr, "hbd run: {} of {} points failed\n", outcome.failed, plan.points.size());
        return kExitFailure;
    }
    return kExitSuccess;
}

} // namespace

int
RunCommand(const Arguments& words)
{
    const auto values = MakeCommandLine().Parse(words);
    if (!values)
    {
        return kExitSuccess;
    }
    const uint32_t jobs = JobsOf(*values);
    const auto out = OutOf(*values);
    const auto named = ValuesOf(*values, "scenario");
    const auto file =
        LoadScenario(named.empty() ? ProjectRoot() + kDefaultScenario : named.front(), ValuesOf(*values, "set"));
    const auto marks = MarksOf(file);
    if (values->count("dry-run") != 0)
    {
        fmt::print("{}", DryRunTable(file, OutputWidth()));
        return kExitSuccess;
    }
    const SweepPlan plan = PlanSweep(file, &EstimatedCost);
    ResultFolder folder(out, file.name, values->count("resume") != 0, plan);
    return RunSweep(plan, marks, folder, jobs);
}

} // namespace hbd::runner
