/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_REFERENCE_H
#define HBD_ANALYSIS_REFERENCE_H

#include "result.h"
#include "text-table.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hbd::analysis
{

/// A published statement to show beside the result: scenario data (`reference:`), never used by the simulation.
struct PublishedMark
{
    std::string id; ///< R1
    std::string statement;
    std::string metric; ///< key of a metric; trends take several, separated by commas
    std::string kind;   ///< an entry of MarkKinds()
    std::map<std::string, std::string>
        where;                       ///< swept key -> value; of the key `over` "8..64": both must have been run
    std::string over;                ///< swept key, compared from its smallest to its largest value
    std::string gainWith;            ///< gain-grows-with: the key with which the gain grows
    std::optional<double> published; ///< shares and gains as fractions (0.46), ratios as they are (1.36)
    std::optional<double> tolerance; ///< most difference, in the same unit, at which the mark counts as met
    std::string source;
};

/// What a run says about a mark.
struct MarkResult
{
    PublishedMark mark;
    bool covered = false;             ///< the points that the mark speaks of were run
    std::optional<double> simulated;  ///< empty for trends
    std::optional<double> difference; ///< simulated - published
    std::optional<bool> holds;        ///< of a trend, or of a mark with a tolerance
    std::string explanation;          ///< where the figure comes from, which step breaks a trend, or what was not run
};

/// A kind of mark.
struct MarkKind
{
    const char* name;
    const char* meaning;
    bool trend;      ///< has no figure, only holds or does not
    bool percentage; ///< the figure is printed in per cent, its difference in percentage points
    void (*evaluate)(const std::vector<PointResult>& points, MarkResult& result);
};

/// \name falls: what counts as falling step by step
/// \{
constexpr double kFallStepTolerance = 0.002; ///< most that one step may raise the metric
constexpr double kFallAtLeast = 0.02;        ///< least that the last value is below the first
/// \}

/// \return the table of kinds
const std::vector<MarkKind>& MarkKinds();

/// \return the kind of that name. \throw std::invalid_argument when there is none, with the known ones
const MarkKind& FindMarkKind(const std::string& name);

/**
 * \param marks published statements
 * \param points of a run
 * \return one result a mark, in their order
 * \throw std::invalid_argument for an unknown kind, with the known ones
 */
std::vector<MarkResult> EvaluateMarks(const std::vector<PublishedMark>& marks, const std::vector<PointResult>& points);

/// \name Cells of the tables of marks
/// \{
std::string PublishedText(const MarkResult& result);
std::string SimulatedText(const MarkResult& result);
std::string DifferenceText(const MarkResult& result);
std::string HoldsText(const MarkResult& result);
/// \}

/// \return the marks as a table for the terminal
std::string MarksTable(const std::vector<MarkResult>& results, size_t width = kTableWidth);

/// \return the marks as a Markdown table, explanations included
std::string MarksMarkdown(const std::vector<MarkResult>& results);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_REFERENCE_H
