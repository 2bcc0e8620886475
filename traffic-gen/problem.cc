/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "problem.h"

#include <algorithm>
#include <numeric>

namespace hbd::traffic
{

namespace
{

/// Levenshtein distance.
std::size_t
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j)
        {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

} // namespace

std::string
ToText(const Problem& problem)
{
    std::string text = problem.file;
    text += problem.line > 0 ? ":" + std::to_string(problem.line) : "";
    text += ": ";
    text += problem.path.empty() ? "" : problem.path + ": ";
    text += "expected " + problem.expected + ", given " + problem.given;
    text += problem.hint.empty() ? "" : " (" + problem.hint + ")";
    return text;
}

void
AddProblem(std::vector<Problem>& problems, Problem problem)
{
    const bool known = std::any_of(problems.begin(), problems.end(), [&](const Problem& other) {
        return other.file == problem.file && other.line == problem.line && other.path == problem.path &&
               other.expected == problem.expected && other.given == problem.given;
    });
    if (!known)
    {
        problems.push_back(std::move(problem));
    }
}

std::string
Nearest(const std::string& given, const std::vector<std::string>& known)
{
    // A hostile key of megabytes is nobody's typing mistake.
    if (given.size() > 100)
    {
        return "";
    }
    const std::size_t furthest = given.size() <= 3 ? 1 : std::max<std::size_t>(2, given.size() / 3);
    std::size_t best = furthest + 1;
    std::string nearest;
    for (const auto& word : known)
    {
        const std::size_t distance = EditDistance(given, word);
        if (distance < best)
        {
            best = distance;
            nearest = word;
        }
    }
    return nearest;
}

} // namespace hbd::traffic
