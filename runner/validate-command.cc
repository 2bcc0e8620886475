/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "analysis/durable-file.h"
#include "command-line.h"
#include "commands.h"
#include "terminal.h"
#include "validate.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace hbd::runner
{

namespace
{

namespace po = boost::program_options;

constexpr int64_t kMostJobs = 1024;

CommandLine
MakeCommandLine()
{
    CommandLine line(
        "validate [OPTIONS]",
        "Simulates what was measured on real hardware: predicted beside measured times of each table, and the "
        "median and 90th percentile of the errors.");
    line.Options()("measured",
                   po::value<std::string>()->value_name("DIR"),
                   "folder of the measured tables; default: ../shared/measured beside the project")(
        "table",
        po::value<std::vector<std::string>>()->value_name("NAME"),
        "only this table; may be repeated")("csv", po::value<std::string>()->value_name("FILE"), "write the rows")(
        "gate",
        "exit with 1 when a target is missed")("jobs",
                                               po::value<int64_t>()->value_name("N"),
                                               "processes at a time; default: all cores");
    return line;
}

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

} // namespace

int
ValidateCommand(const Arguments& words)
{
    const auto values = MakeCommandLine().Parse(words);
    if (!values)
    {
        return kExitSuccess;
    }
    const uint32_t jobs = JobsOf(*values);
    const std::string folder = values->count("measured") != 0 ? (*values)["measured"].as<std::string>()
                                                              : ProjectRoot() + "/../shared/measured";
    const auto report = RunValidation(PlanValidation(folder, ValuesOf(*values, "table")), jobs);
    fmt::print("{}", analysis::ValidationText(report, OutputWidth()));
    if (values->count("csv") != 0)
    {
        analysis::ReplaceFile((*values)["csv"].as<std::string>(), analysis::ValidationCsv(report.rows));
    }
    return values->count("gate") != 0 && !report.Met() ? kExitFailure : kExitSuccess;
}

} // namespace hbd::runner
