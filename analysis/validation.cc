/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "validation.h"

#include "record-format.h"
#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace hbd::analysis
{

double
Comparison::RateOf(double us) const
{
    return logicalBytes / us / 1e3;
}

double
Comparison::Error() const
{
    return (logicalBytes == 0 ? predictedUs / measuredUs : measuredUs / predictedUs) - 1;
}

bool
ErrorTarget::Any() const
{
    return median || p90 || most;
}

bool
ErrorStatistics::Met() const
{
    return !(target.median && median > *target.median) && !(target.p90 && p90 > *target.p90) &&
           !(target.most && most > *target.most);
}

size_t
LibraryProvenance::Fitted() const
{
    return static_cast<size_t>(std::count_if(parameters.begin(), parameters.end(), [](const ParameterSource& source) {
        return source.kind == "fitted" || source.kind == "undeclared";
    }));
}

bool
ValidationReport::Met() const
{
    return std::all_of(statistics.begin(), statistics.end(), [](const ErrorStatistics& group) { return group.Met(); });
}

size_t
ValidationReport::Targeted() const
{
    size_t rows = 0;
    for (const auto& group : statistics)
    {
        rows += group.target.Any() ? group.rows : 0;
    }
    return rows;
}

std::vector<ErrorStatistics>
StatisticsOf(const std::vector<Comparison>& rows, ErrorTarget (*targetOf)(const std::string&))
{
    using Group = std::tuple<std::string, std::string, std::string, uint32_t>;
    std::map<Group, std::vector<double>> errors;
    std::vector<Group> order;
    for (const auto& row : rows)
    {
        const Group group{row.table, row.system, row.operation, row.gpus};
        auto& list = errors[group];
        if (list.empty())
        {
            order.push_back(group);
        }
        list.push_back(std::abs(row.Error()));
    }
    std::vector<ErrorStatistics> statistics;
    for (const auto& group : order)
    {
        const auto& list = errors[group];
        ErrorStatistics entry;
        std::tie(entry.table, entry.system, entry.operation, entry.gpus) = group;
        entry.rows = list.size();
        entry.median = Quantile(list, 0.5);
        entry.p90 = Quantile(list, 0.9);
        entry.most = Quantile(list, 1);
        entry.target = targetOf(entry.table);
        statistics.push_back(std::move(entry));
    }
    return statistics;
}

std::string
ValidationCsv(const std::vector<Comparison>& rows)
{
    std::string text = "table,system,operation,gpus,size_bytes,key,measured_us,predicted_us,measured_GBps,"
                       "predicted_GBps,error\n";
    for (const auto& row : rows)
    {
        const auto rate = [&row](double us) {
            return row.logicalBytes == 0 ? "" : fmt::format("{:.3f}", row.RateOf(us));
        };
        text += fmt::format("{},{},{},{},{},{},{:.6g},{:.6f},{},{},{:.6f}\n",
                            CsvCell(row.table),
                            CsvCell(row.system),
                            CsvCell(row.operation),
                            row.gpus,
                            row.sizeBytes,
                            CsvCell(row.key),
                            row.measuredUs,
                            row.predictedUs,
                            rate(row.measuredUs),
                            rate(row.predictedUs),
                            row.Error());
    }
    return text;
}

} // namespace hbd::analysis
