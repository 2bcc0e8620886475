/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-input.h"

#include "errors.h"
#include "fabric-check.h"
#include "traffic-gen/operation-bound.h"
#include "traffic-gen/model-shape.h"
#include "traffic-gen/scenario-reader.h"
#include "traffic-gen/scenario-schema.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/workload-kernels.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hbd::runner
{

namespace
{

/// What is wrong with the files that workloads name.
void
AddWorkloadProblems(const traffic::ScenarioFile& file, std::vector<traffic::Problem>& problems)
{
    for (const auto& point : file.points)
    {
        if (!point.workload.messages)
        {
            continue;
        }
        try
        {
            traffic::BuildSchedule(point);
        }
        catch (const traffic::ScheduleError& error)
        {
            for (const auto& problem : error.Problems())
            {
                AddProblem(problems, problem);
            }
        }
    }
}

/// The points that are too large to be built, as problems.
void
AddOperationProblems(const traffic::ScenarioFile& file, std::vector<traffic::Problem>& problems)
{
    for (const auto& point : file.points)
    {
        if (const auto arithmetic = traffic::OperationProblem(point))
        {
            AddPointProblem(file,
                            point,
                            "cluster.gpus",
                            fmt::format("at most {} operations at once", traffic::kMostOperations),
                            *arithmetic,
                            problems);
        }
    }
}

/// The points whose library has no kernel for what they ask, or kernels that need more of the switches than there is, as problems.
void
AddKernelProblems(const traffic::ScenarioFile& file, std::vector<traffic::Problem>& problems)
{
    for (const auto& point : file.points)
    {
        if (const auto asked = traffic::KernelProblem(point))
        {
            AddPointProblem(file,
                            point,
                            "library.kernels",
                            "a kernel for every collective of the workload",
                            *asked,
                            problems);
            continue;
        }
        const uint32_t groups = traffic::CountSwitchGroups(point);
        if (groups > point.cluster.hbd.multicastGroups)
        {
            AddPointProblem(file,
                            point,
                            "cluster.hbd.multicast-groups",
                            fmt::format("at least {}, the groups that sum and multicast in the switches of a domain (algorithm nvls)", groups),
                            std::to_string(point.cluster.hbd.multicastGroups),
                            problems);
        }
    }
}

/// The points whose model does not fit the memory, as problems. The same arithmetic is told once.
void
AddMemoryProblems(const traffic::ScenarioFile& file, std::vector<traffic::Problem>& problems)
{
    for (const auto& point : file.points)
    {
        if (const auto arithmetic = traffic::MemoryProblem(point))
        {
            AddPointProblem(file,
                            point,
                            "model",
                            "a model that fits the memory of a GPU (cluster.gpu.memory)",
                            *arithmetic,
                            problems);
        }
    }
}

} // namespace

void
AddPointProblem(const traffic::ScenarioFile& file,
                const traffic::Scenario& point,
                const std::string& path,
                const std::string& expected,
                const std::string& given,
                std::vector<traffic::Problem>& problems)
{
    const traffic::Place* place = traffic::PlaceOf(point, path);
    const std::string keys = KeysText(point);
    AddProblem(problems,
               {place != nullptr ? place->file : file.path,
                place != nullptr ? place->line : 0,
                path,
                expected,
                given,
                keys.empty() ? "" : "at the point " + keys});
}

std::string
ProblemsText(const std::vector<traffic::Problem>& problems)
{
    std::vector<std::string> lines;
    for (const auto& problem : problems)
    {
        lines.push_back(traffic::ToText(problem));
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

void
AddInputProblems(const traffic::ScenarioFile& file, std::vector<traffic::Problem>& problems)
{
    const size_t before = problems.size();
    AddOperationProblems(file, problems);
    if (problems.size() == before)
    {
        AddKernelProblems(file, problems);
        AddFabricProblems(file, problems);
        AddMemoryProblems(file, problems);
        AddWorkloadProblems(file, problems);
    }
}

traffic::ScenarioFile
LoadScenario(const std::string& path, const std::vector<std::string>& sets)
{
    std::vector<traffic::Problem> problems;
    auto file = traffic::ReadScenario(path, sets, problems);
    if (problems.empty())
    {
        AddInputProblems(file, problems);
    }
    if (problems.empty())
    {
        return file;
    }
    throw InputError(ProblemsText(problems));
}

traffic::Scenario
LoadPoint(const std::string& path, const std::vector<std::string>& sets)
{
    auto file = LoadScenario(path, sets);
    if (file.points.size() > 1)
    {
        throw InputError(
            fmt::format("{}: expected one point, given {}. Choose a value of each of these with --set:\n{}",
                        path,
                        file.points.size(),
                        OpenKeysText(file.points)));
    }
    return std::move(file.points.front());
}

std::string
KeysText(const traffic::Scenario& scenario)
{
    std::vector<std::string> texts;
    for (const auto& [key, value] : scenario.sweptKeys)
    {
        texts.push_back(key + "=" + value);
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string
OpenKeysText(const std::vector<traffic::Scenario>& points)
{
    std::vector<std::string> lines;
    for (size_t key = 0; key < points.front().sweptKeys.size(); ++key)
    {
        std::vector<std::string> values;
        for (const auto& point : points)
        {
            const std::string& value = point.sweptKeys[key].second;
            if (std::find(values.begin(), values.end(), value) == values.end())
            {
                values.push_back(value);
            }
        }
        if (values.size() > 1)
        {
            lines.push_back(
                fmt::format("  --set {}=...  ({})", points.front().sweptKeys[key].first, fmt::join(values, ", ")));
        }
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

} // namespace hbd::runner
