/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_VALIDATION_H
#define HBD_ANALYSIS_VALIDATION_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hbd::analysis
{

/// A measurement and what the simulator says of the same.
struct Comparison
{
    std::string table;      ///< file it is from, without .csv
    std::string system;     ///< as the table spells it
    std::string operation;  ///< all-gather, dispatch, ...
    uint32_t gpus = 0;      ///< that take part
    uint64_t sizeBytes = 0; ///< as nccl-tests counts it
    std::string key;        ///< what else tells the rows apart: "batch_tokens_per_rank=128 dtype=bf16"; may be empty
    double measuredUs = 0;
    double predictedUs = 0;
    double logicalBytes = 0; ///< not 0: rates are compared, these bytes over the times

    /// Rate in GB/s. \param us one of the times
    double RateOf(double us) const;
    /// Predicted over measured, minus 1: of the times or, where rates are compared, of the rates.
    double Error() const;
};

/// Which errors are small enough, as shares. What is not set is not asked for.
struct ErrorTarget
{
    std::optional<double> median; ///< most of the median of |error|
    std::optional<double> p90;    ///< most of its 90th percentile
    std::optional<double> most;   ///< most of any row

    /// Whether anything is asked for.
    bool Any() const;
};

/// The errors of the rows with the same table, system, operation and number of GPUs.
struct ErrorStatistics
{
    std::string table;
    std::string system;
    std::string operation;
    uint32_t gpus = 0;
    size_t rows = 0;
    double median = 0; ///< of |error|
    double p90 = 0;    ///< of |error|, interpolated
    double most = 0;   ///< of |error|
    ErrorTarget target;

    /// Whether every target is met.
    bool Met() const;
};

/// What was not compared.
struct SkippedRows
{
    std::string what; ///< a file, or a file and which of its rows
    std::string why;
    size_t rows = 0; ///< 0 = the whole file
};

/// Where a parameter of a preset has its value from.
struct ParameterSource
{
    std::string preset; ///< that sets it
    std::string name;
    std::string value; ///< as the preset writes it
    std::string kind;  ///< constant, measured, fitted, assumption; undeclared
    std::string from;  ///< document, rows, reason
    std::string range; ///< of an assumption
};

/// The parameters of a library on a machine.
struct LibraryProvenance
{
    std::string system;                      ///< preset
    std::string software;                    ///< what was measured: nccl, deepep, ...
    std::string library;                     ///< preset
    std::vector<ParameterSource> parameters; ///< of the library and of the machine's domain

    /// Number of parameters that are fitted, or whose source is not declared.
    size_t Fitted() const;
};

/// Everything that a validation has to tell.
struct ValidationReport
{
    std::vector<Comparison> rows; ///< of a table together, in its order
    std::vector<ErrorStatistics> statistics;
    std::vector<SkippedRows> skipped;
    std::vector<std::string> notes; ///< how a table was read; one sentence or more each
    std::vector<LibraryProvenance> libraries;

    /// Whether every target is met.
    bool Met() const;
    /// Rows that a target is about.
    size_t Targeted() const;
};

/**
 * The statistics of rows, in the order in which the groups appear.
 * \param targetOf the target of a table, by name
 */
std::vector<ErrorStatistics> StatisticsOf(const std::vector<Comparison>& rows,
                                          ErrorTarget (*targetOf)(const std::string&));

/// Most parameters of a library on a machine that may be fitted.
constexpr size_t kMostFitted = 12;

/// The report for a terminal. \param width display columns to fit in
std::string ValidationText(const ValidationReport& report, size_t width);

/// The report as a page, docs/validation.md. \param figure path of the picture from the page; empty = none
std::string ValidationMarkdown(const ValidationReport& report, const std::string& figure);

/// One line a row: table, system, operation, gpus, size_bytes, key, measured_us, predicted_us, measured_GBps,
/// predicted_GBps (both empty where times are compared), error (share).
std::string ValidationCsv(const std::vector<Comparison>& rows);

/// A gnuplot script that draws predicted against measured times into a PNG file. \param picture its path
std::string ValidationPlot(const std::vector<Comparison>& rows, const std::string& picture);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_VALIDATION_H
