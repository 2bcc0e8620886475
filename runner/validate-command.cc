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
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <system_error>
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
    line.AddSet();
    line.Options()("measured",
                   po::value<std::string>()->value_name("DIR"),
                   "folder of the measured tables; default: ../shared/measured beside the project")(
        "table",
        po::value<std::vector<std::string>>()->value_name("NAME"),
        "only this table; may be repeated")("csv", po::value<std::string>()->value_name("FILE"), "write the rows")(
        "plot",
        po::value<std::string>()->value_name("FILE.png"),
        "draw predicted against measured times (needs gnuplot)")("doc",
                                                                 po::value<std::string>()->value_name("FILE"),
                                                                 "write the page (docs/validation.md)")(
        "gate",
        "exit with 1 when a target is missed, or no row with a target was compared")("jobs",
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

/// Draws the picture. It appears under its name only when it is whole.
void
DrawPlot(const std::vector<analysis::Comparison>& rows, const std::string& picture)
{
    const std::string unfinished = picture + ".part";
    std::FILE* gnuplot = ::popen("gnuplot", "w"); // a missing program is told by the exit code
    if (gnuplot == nullptr)
    {
        throw std::system_error(errno, std::generic_category(), "cannot start gnuplot");
    }
    fmt::print(gnuplot, "{}", analysis::ValidationPlot(rows, unfinished));
    if (::pclose(gnuplot) != 0)
    {
        throw std::runtime_error("--plot: gnuplot failed; is it installed (Debian: gnuplot-nox)?");
    }
    std::filesystem::rename(unfinished, picture);
}

/// Where the page finds its picture: what --plot drew, else the one that is there.
std::string
FigureOf(const po::variables_map& values, const std::filesystem::path& page)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::absolute(page).parent_path();
    if (values.count("plot") != 0)
    {
        return fs::proximate(values["plot"].as<std::string>(), folder).generic_string();
    }
    const char* const usual = "images/validation.png";
    return fs::exists(folder / usual) ? usual : "";
}

void
WriteDocuments(const po::variables_map& values, const analysis::ValidationReport& report)
{
    if (values.count("plot") != 0)
    {
        DrawPlot(report.rows, values["plot"].as<std::string>());
    }
    if (values.count("doc") != 0)
    {
        const auto page = values["doc"].as<std::string>();
        analysis::ReplaceFile(page, analysis::ValidationMarkdown(report, FigureOf(values, page)));
    }
}

/// The exit code with --gate. Where no row has a target nothing was checked, which must not pass for success.
int
GateCode(const analysis::ValidationReport& report)
{
    if (report.Targeted() == 0)
    {
        fmt::print(stderr, "hbd validate: --gate: no row that has a target was compared\n");
        return kExitFailure;
    }
    return report.Met() ? kExitSuccess : kExitFailure;
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
    const auto report =
        RunValidation(PlanValidation(folder, ValuesOf(*values, "table"), ValuesOf(*values, "set")), jobs);
    fmt::print("{}", analysis::ValidationText(report, OutputWidth()));
    if (values->count("csv") != 0)
    {
        analysis::ReplaceFile((*values)["csv"].as<std::string>(), analysis::ValidationCsv(report.rows));
    }
    WriteDocuments(*values, report);
    return values->count("gate") != 0 ? GateCode(report) : kExitSuccess;
}

} // namespace hbd::runner
