/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "published-marks.h"

#include "analysis/metrics.h"
#include "errors.h"
#include "scenario-input.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hbd::runner
{

namespace
{

using traffic::Problem;

std::vector<std::string>
KindNames()
{
    std::vector<std::string> names;
    for (const auto& kind : analysis::MarkKinds())
    {
        names.emplace_back(kind.name);
    }
    return names;
}

std::vector<std::string>
MetricKeys()
{
    std::vector<std::string> keys;
    for (const auto& metric : analysis::Metrics())
    {
        keys.emplace_back(metric.key);
    }
    return keys;
}

/// Adds a problem when a word of a mark is not one of those known.
void
CheckWord(const std::string& file,
          const std::string& path,
          const std::string& word,
          const std::vector<std::string>& known,
          std::vector<Problem>& problems)
{
    if (std::find(known.begin(), known.end(), word) == known.end())
    {
        const std::string nearest = traffic::Nearest(word, known);
        const std::string hint = nearest.empty() ? "" : "did you mean " + nearest + "?";
        AddProblem(problems, {file, 0, path, fmt::format("one of {}", fmt::join(known, ", ")), word, hint});
    }
}

analysis::PublishedMark
MarkOf(const traffic::Reference& reference)
{
    analysis::PublishedMark mark;
    mark.id = reference.id;
    mark.statement = reference.statement;
    mark.metric = reference.metric;
    mark.kind = reference.kind;
    mark.where = reference.where;
    mark.over = reference.over;
    mark.gainWith = reference.gainWith;
    mark.published = reference.published;
    mark.tolerance = reference.tolerance;
    mark.source = reference.source;
    return mark;
}

} // namespace

std::vector<analysis::PublishedMark>
MarksOf(const traffic::ScenarioFile& file)
{
    std::vector<analysis::PublishedMark> marks;
    std::vector<Problem> problems;
    for (const auto& reference : file.references)
    {
        const std::string path = "reference." + reference.id;
        CheckWord(file.path, path + ".kind", reference.kind, KindNames(), problems);
        std::vector<std::string> metrics;
        boost::split(metrics, reference.metric, boost::is_any_of(","));
        for (auto& metric : metrics)
        {
            boost::trim(metric);
            CheckWord(file.path, path + ".metric", metric, MetricKeys(), problems);
        }
        marks.push_back(MarkOf(reference));
    }
    if (!problems.empty())
    {
        throw InputError(ProblemsText(problems));
    }
    return marks;
}

} // namespace hbd::runner
