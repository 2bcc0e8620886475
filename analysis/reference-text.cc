/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reference.h"

#include <fmt/format.h>

namespace hbd::analysis
{

std::string
PublishedText(const MarkResult& result)
{
    const MarkKind& kind = FindMarkKind(result.mark.kind);
    if (!result.mark.published)
    {
        return kind.trend ? "trend" : "-";
    }
    return kind.percentage ? fmt::format("{:.0f} %", *result.mark.published * 100)
                           : fmt::format("{:.2f}", *result.mark.published);
}

std::string
SimulatedText(const MarkResult& result)
{
    const MarkKind& kind = FindMarkKind(result.mark.kind);
    if (!result.covered)
    {
        return "not covered";
    }
    if (!result.simulated)
    {
        return result.holds.value_or(false) ? "holds" : "does not hold";
    }
    return kind.percentage ? fmt::format("{:.1f} %", *result.simulated * 100)
                           : fmt::format("{:.2f}", *result.simulated);
}

std::string
DifferenceText(const MarkResult& result)
{
    if (!result.difference)
    {
        return "-";
    }
    return FindMarkKind(result.mark.kind).percentage ? fmt::format("{:+.1f} points", *result.difference * 100)
                                                     : fmt::format("{:+.2f}", *result.difference);
}

std::string
HoldsText(const MarkResult& result)
{
    return result.holds ? (*result.holds ? "yes" : "no") : "-";
}

std::string
MarksTable(const std::vector<MarkResult>& results, size_t width)
{
    TextTable table({{"mark", false, false},
                     {"statement", false, true},
                     {"published", true, false},
                     {"simulated", true, false},
                     {"difference", true, false},
                     {"holds", true, false}});
    for (const auto& result : results)
    {
        table.AddRow({result.mark.id,
                      result.mark.statement,
                      PublishedText(result),
                      SimulatedText(result),
                      DifferenceText(result),
                      HoldsText(result)});
    }
    return table.Render(width);
}

std::string
MarksMarkdown(const std::vector<MarkResult>& results)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto& result : results)
    {
        rows.push_back({result.mark.id,
                        result.mark.statement,
                        PublishedText(result),
                        SimulatedText(result),
                        DifferenceText(result),
                        HoldsText(result),
                        result.explanation});
    }
    return MarkdownTable({"mark", "statement", "published", "simulated", "difference", "holds", "where"},
                         rows,
                         {false, false, true, true, true, false, false});
}

} // namespace hbd::analysis
