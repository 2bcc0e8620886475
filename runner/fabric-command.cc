/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "command-line.h"
#include "commands.h"
#include "fabric-check.h"
#include "fabric-config.h"
#include "fabric-text.h"
#include "ns3-module/model/topologies/hbd-scale-up-topology.h"
#include "ns3-module/model/topologies/hbd-topology-table.h"
#include "scenario-input.h"

#include <fmt/format.h>

namespace hbd::runner
{

namespace
{

namespace po = boost::program_options;

} // namespace

int
FabricCommand(const Arguments& words)
{
    CommandLine line(
        "fabric SCENARIO [OPTIONS]",
        "Shows the network of a scenario: nodes, links, rates, hop counts, oversubscription, bisection, rails.");
    line.Positional("scenario", 1);
    line.AddSet();
    line.Options()("format",
                   po::value<std::string>()->value_name("table|dot")->default_value("table"),
                   "dot: a Graphviz drawing");
    const auto values = line.Parse(words);
    if (!values)
    {
        return kExitSuccess;
    }
    const auto format = (*values)["format"].as<std::string>();
    if (format != "table" && format != "dot")
    {
        throw UsageError(fmt::format("--format: expected table or dot, given {}", format));
    }
    const auto file = LoadScenario(RequiredScenario(*values), ValuesOf(*values, "set"));
    const auto fabrics = DistinctFabrics(file.points);
    if (fabrics.size() > 1)
    {
        throw InputError(
            fmt::format("{}: expected one fabric, given {}. Choose a value of each of these with --set:\n{}",
                        file.path,
                        fabrics.size(),
                        OpenKeysText(fabrics)));
    }
    const auto config = MakeFabricConfig(fabrics.front());
    ns3::hbd::FabricGraph graph;
    ns3::hbd::AddScaleUp(graph, config.scaleUp);
    if (!config.scaleOut.name.empty())
    {
        ns3::hbd::AddScaleOut(graph, config.scaleOut);
    }
    fmt::print("{}", format == "dot" ? FabricDot(graph) : FabricTable(graph, config.scaleUp, config.scaleOut));
    return kExitSuccess;
}

} // namespace hbd::runner
