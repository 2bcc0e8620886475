/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sweep-plan.h"

#include "traffic-gen/scenario-writer.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace hbd::runner
{

namespace
{

/// Longest name of a point's folder, in bytes: file systems take 255, writers prepend and append something.
constexpr size_t kLongestName = 160;

/// What two points must share to be in one group: everything but what computes.
std::string
GroupKey(const traffic::Scenario& scenario)
{
    auto json = nlohmann::json::parse(scenario.canonicalJson);
    json.erase("precision");
    if (json.contains("cluster"))
    {
        json["cluster"].erase("gpu");
    }
    return json.dump();
}

double
WeightOf(const SweepPlan& plan, const PointGroup& group)
{
    double weight = 0;
    for (const size_t point : group)
    {
        weight += plan.points[point].cost.weight;
    }
    return weight;
}

} // namespace

SweepPlan
PlanSweep(const traffic::ScenarioFile& file, PointCost (*estimate)(const traffic::Scenario&))
{
    SweepPlan plan;
    for (const auto& scenario : file.points)
    {
        SweepPoint point;
        point.scenario = &scenario;
        point.name = PointName(scenario, plan.points.size() + 1, file.points.size());
        point.hash = traffic::HashText(scenario.canonicalYaml);
        point.cost = estimate(scenario);
        plan.points.push_back(point);
    }
    return plan;
}

std::string
PointName(const traffic::Scenario& scenario, size_t number, size_t count)
{
    if (scenario.sweptKeys.empty())
    {
        return FileNameText(scenario.name);
    }
    std::string name = fmt::format("{:0{}}", number, std::max<size_t>(2, std::to_string(count).size()));
    for (const auto& [path, value] : scenario.sweptKeys)
    {
        name += "_" + FileNameText(path.substr(path.rfind('.') + 1) + "-" + value);
    }
    return name.substr(0, kLongestName);
}

std::string
FileNameText(const std::string& text)
{
    std::string name;
    for (const char c : text)
    {
        const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || (c == '.' && !name.empty());
        if (kept)
        {
            name += c;
        }
        else if (!name.empty() && name.back() != '-')
        {
            name += '-';
        }
    }
    while (!name.empty() && name.back() == '-')
    {
        name.pop_back();
    }
    return name.empty() ? "point" : name.substr(0, kLongestName);
}

std::vector<PointGroup>
GroupPoints(const SweepPlan& plan, const std::vector<bool>& done)
{
    std::vector<PointGroup> groups;
    std::map<std::string, size_t> groupOf;
    for (size_t point = 0; point < plan.points.size(); ++point)
    {
        if (done[point])
        {
            continue;
        }
        const auto [at, isNew] = groupOf.emplace(GroupKey(*plan.points[point].scenario), groups.size());
        if (isNew)
        {
            groups.emplace_back();
        }
        groups[at->second].push_back(point);
    }
    std::stable_sort(groups.begin(), groups.end(), [&plan](const PointGroup& a, const PointGroup& b) {
        return WeightOf(plan, a) > WeightOf(plan, b);
    });
    return groups;
}

} // namespace hbd::runner
