/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "bench.h"

#include "analysis/text-table.h"
#include "command-line.h"
#include "event-rate.h"
#include "interrupt.h"
#include "scenario-input.h"
#include "simulation.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hbd::runner
{

namespace
{

constexpr int kRounds = 5;
constexpr uint64_t kEvents = 2'000'000; ///< of a measurement of bare events: about half a second
/// A packet-hop should cost no more than one bare event of ns-3, which alone does none of a hop's work.
constexpr double kTargetRatio = 1;

/// A fabric whose packet-hops are measured.
struct BenchCase
{
    const char* name;
    const char* scenario; ///< below the project's folder
};

constexpr BenchCase kCases[] = {
    {"all-to-all-one-domain", "/examples/scenarios/bench-one-domain.yaml"},
    {"all-to-all-leaf-spine", "/examples/scenarios/bench-leaf-spine.yaml"},
};

double
Median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Packet-hops a CPU-second of a whole point, building included.
double
MeasureHopRate(const traffic::Scenario& scenario)
{
    SimulationOptions options;
    options.interrupted = &Interruptions();
    const double before = CpuSeconds();
    const auto records = Simulate(scenario, options);
    return static_cast<double>(records.cost.packetHops) / (CpuSeconds() - before);
}

} // namespace

std::vector<BenchFigure>
RunBench()
{
    std::vector<traffic::Scenario> scenarios;
    for (const auto& benchCase : kCases)
    {
        scenarios.push_back(LoadPoint(ProjectRoot() + benchCase.scenario, {}));
    }
    std::vector<double> eventRates;
    std::vector<std::vector<double>> hopRates(scenarios.size());
    std::vector<std::vector<double>> ratios(scenarios.size());
    for (int round = 0; round < kRounds; ++round)
    {
        fmt::print(stderr, "round {} of {}\n", round + 1, kRounds);
        eventRates.push_back(MeasureEventRate(kEvents));
        for (size_t i = 0; i < scenarios.size(); ++i)
        {
            hopRates[i].push_back(MeasureHopRate(scenarios[i]));
            ratios[i].push_back(hopRates[i].back() / eventRates.back());
        }
    }
    std::vector<BenchFigure> figures{{"bare-events", Median(eventRates), "events/CPU-s", std::nullopt}};
    for (size_t i = 0; i < scenarios.size(); ++i)
    {
        const std::string name = kCases[i].name;
        figures.push_back({name, Median(hopRates[i]), "packet-hops/CPU-s", kTargetRatio * Median(eventRates)});
        figures.push_back({name + "-per-bare-event", Median(ratios[i]), "packet-hops/event", kTargetRatio});
    }
    return figures;
}

std::string
BenchTable(const std::vector<BenchFigure>& figures)
{
    analysis::TextTable table({{"figure", false}, {"value"}, {"target"}, {"unit", false}, {"met", false}});
    for (const auto& figure : figures)
    {
        table.AddRow({figure.name,
                      fmt::format("{:.4g}", figure.value),
                      figure.target ? fmt::format("{:.4g}", *figure.target) : "-",
                      figure.unit,
                      figure.target ? (*figure.Met() ? "yes" : "no") : "-"});
    }
    return table.Render();
}

std::string
BenchJson(const std::vector<BenchFigure>& figures)
{
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const auto& figure : figures)
    {
        list.push_back({{"name", figure.name},
                        {"value", figure.value},
                        {"unit", figure.unit},
                        {"target", figure.target ? Json(*figure.target) : Json(nullptr)},
                        {"met", figure.target ? Json(*figure.Met()) : Json(nullptr)}});
    }
    return list.dump(2) + "\n";
}

} // namespace hbd::runner
