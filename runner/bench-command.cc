/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "analysis/durable-file.h"
#include "bench.h"
#include "command-line.h"
#include "commands.h"
#include "interrupt.h"

#include <fmt/format.h>

namespace hbd::runner
{

int
BenchCommand(const Arguments& words)
{
    CommandLine line(
        "bench [--json FILE]",
        "Measures the simulator's own speed, in CPU time, beside the rate of bare ns-3 events of the same process.");
    line.Options()("json",
                   boost::program_options::value<std::string>()->value_name("FILE"),
                   "write the figures as a list of {name, value, unit, target, met}");
    const auto values = line.Parse(words);
    if (!values)
    {
        return kExitSuccess;
    }
    CatchInterruptions();
    const auto figures = RunBench();
    fmt::print("{}", BenchTable(figures));
    if (values->count("json") != 0)
    {
        analysis::ReplaceFile((*values)["json"].as<std::string>(), BenchJson(figures));
    }
    return kExitSuccess;
}

} // namespace hbd::runner
