/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listing.h"

#include "analysis/text-table.h"
#include "errors.h"
#include "ns3-module/model/hbd-algorithm-table.h"
#include "ns3-module/model/topologies/hbd-topology-table.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/preset-library.h"
#include "traffic-gen/scenario-schema.h"
#include "traffic-gen/system-preset.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hbd::runner
{

namespace
{

std::vector<ListingEntry>
Presets(const std::string& kind)
{
    std::vector<ListingEntry> entries;
    for (const auto& preset : traffic::ListPresets())
    {
        if (preset.kind == kind)
        {
            entries.push_back({preset.name, preset.line, ""});
        }
    }
    return entries;
}

std::vector<ListingEntry>
Systems()
{
    std::vector<traffic::Problem> ignored; // told by validate
    std::vector<ListingEntry> entries;
    for (const auto& system : traffic::LoadSystems(ignored))
    {
        std::vector<std::string> libraries;
        for (const auto& [software, library] : system.libraries)
        {
            libraries.push_back(software + ": " + library);
        }
        const std::string names = fmt::format("{}{}", fmt::join(system.aliases, ", "), system.aliases.empty() ? "" : "; ");
        entries.push_back({system.name, system.description, names + fmt::format("{}", fmt::join(libraries, ", "))});
    }
    return entries;
}

std::vector<ListingEntry>
Topologies()
{
    std::vector<ListingEntry> entries;
    for (const auto& topology : ns3::hbd::GetScaleOutTopologies())
    {
        entries.push_back({topology.name, topology.summary, topology.parameters});
    }
    return entries;
}

std::vector<ListingEntry>
DomainTopologies()
{
    std::vector<ListingEntry> entries;
    for (const auto& topology : ns3::hbd::GetScaleUpTopologies())
    {
        entries.push_back({topology.name, topology.summary, topology.parameters});
    }
    return entries;
}

std::vector<ListingEntry>
Collectives()
{
    std::vector<ListingEntry> entries;
    for (const auto& collective : traffic::CollectiveTable())
    {
        entries.push_back({fmt::format("{} {}", ToText(collective.op), collective.algorithm), collective.doc, ""});
    }
    return entries;
}

std::vector<ListingEntry>
Keys()
{
    std::vector<ListingEntry> entries;
    for (const auto& key : traffic::ListKeys())
    {
        const std::string fallback = key.fallback.empty() ? "required or from a preset" : "default " + key.fallback;
        entries.push_back({key.path, key.doc, fmt::format("{}; {}", key.takes, fallback)});
    }
    return entries;
}

/// Algorithms with their parameters and what those are by default.
std::vector<ListingEntry>
Algorithms(const std::vector<ns3::hbd::AlgorithmEntry>& table)
{
    std::vector<ListingEntry> entries;
    for (const auto& algorithm : table)
    {
        entries.push_back({algorithm.name, algorithm.summary, ns3::hbd::DescribeParameters(algorithm.type)});
    }
    return entries;
}

std::vector<ListingEntry>
CongestionControls()
{
    return Algorithms(ns3::hbd::GetCongestionControls());
}

std::vector<ListingEntry>
LoadBalancers()
{
    return Algorithms(ns3::hbd::GetLoadBalancers());
}

/// Entries as lines of aligned columns.
std::string
SectionText(const ListingSection& section)
{
    const auto entries = section.entries();
    size_t width = 0;
    for (const auto& entry : entries)
    {
        width = std::max(width, analysis::DisplayWidth(entry.name));
    }
    std::string text = fmt::format("{}: {}\n", section.name, section.meaning);
    for (const auto& entry : entries)
    {
        const std::string separator = entry.line.empty() || entry.parameters.empty() ? "" : " ";
        const std::string parameters =
            entry.parameters.empty() ? "" : fmt::format("{}[{}]", separator, entry.parameters);
        text += fmt::format("  {:<{}}  {}{}\n", entry.name, width, entry.line, parameters);
    }
    return text;
}

} // namespace

const std::vector<ListingSection>&
ListingSections()
{
    // clang-format off
    static const std::vector<ListingSection> sections = {
        {"models", "model presets, for the key model", [] { return Presets("models"); }},
        {"gpus", "GPU presets, for cluster.gpu", [] { return Presets("gpus"); }},
        {"domains", "high-bandwidth domains, for cluster.hbd.preset", [] { return Presets("domains"); }},
        {"scale-out", "scale-out fabrics, for cluster.scale-out.preset", [] { return Presets("scale-out"); }},
        {"libraries", "communication libraries, for library", [] { return Presets("libraries"); }},
        {"systems", "measured machines, for validate [names in tables; libraries]", &Systems},
        {"domain-topologies", "how the GPUs of a domain are connected, for cluster.hbd.topology [what they depend on]", &DomainTopologies},
        {"topologies", "how NICs are connected, for cluster.scale-out.topology [what they depend on]", &Topologies},
        {"collectives", "collective algorithms, for workload.collective and workload.algorithm", &Collectives},
        {"congestion-controls", "what limits a sender, for cluster.scale-out.congestion-control [parameters and defaults]", &CongestionControls},
        {"load-balancers", "how a switch chooses among equal ways, for cluster.scale-out.load-balancing [parameters and defaults]", &LoadBalancers},
        {"keys", "every key of a scenario [what it takes]", &Keys, false},
    };
    // clang-format on
    return sections;
}

std::string
ListingText()
{
    std::string text;
    for (const auto& section : ListingSections())
    {
        if (section.byDefault)
        {
            text += (text.empty() ? "" : "\n") + SectionText(section);
        }
    }
    return text + "\n`hbd list keys` shows every key of a scenario.\n";
}

std::string
ListingText(const std::string& name)
{
    std::string known;
    for (const auto& section : ListingSections())
    {
        if (name == section.name)
        {
            return SectionText(section);
        }
        known += (known.empty() ? "" : ", ") + std::string(section.name);
    }
    throw UsageError(fmt::format("there is no list of '{}'; there are: {}", name, known));
}

} // namespace hbd::runner
