/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-builder.h"

namespace hbd::traffic
{

namespace
{

std::string
Lines(const std::vector<Problem>& problems)
{
    std::string text;
    for (const auto& problem : problems)
    {
        text += (text.empty() ? "" : "\n") + ToText(problem);
    }
    return text;
}

} // namespace

ScheduleError::ScheduleError(std::vector<Problem> problems)
    : std::runtime_error(Lines(problems)),
      m_problems(std::move(problems))
{
}

const std::vector<Problem>&
ScheduleError::Problems() const
{
    return m_problems;
}

std::unique_ptr<Schedule>
BuildSchedule(const Scenario& scenario)
{
    if (scenario.workload.inference)
    {
        return BuildInferenceSchedule(scenario);
    }
    if (scenario.workload.collective)
    {
        return BuildCollectiveSchedule(scenario);
    }
    if (scenario.workload.messages)
    {
        return BuildMessagesSchedule(scenario);
    }
    throw std::invalid_argument("the scenario has no workload");
}

} // namespace hbd::traffic
