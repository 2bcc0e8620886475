/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "command-line.h"
#include "commands.h"
#include "scenario-input.h"
#include "traffic-gen/cluster-shape.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/schedule-export.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <system_error>
#include <unistd.h>

namespace hbd::runner
{

namespace
{

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// "csv, json, goal".
std::string
FormatNames()
{
    std::string names;
    for (const auto& format : traffic::ExportFormats())
    {
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    }
    return names;
}

const traffic::ExportFormat&
FormatOf(const po::variables_map& values)
{
    const auto name = values["format"].as<std::string>();
    const auto* format = traffic::FindExportFormat(name);
    if (format == nullptr)
    {
        throw UsageError(fmt::format("--format: expected one of {}, given {}", FormatNames(), name));
    }
    return *format;
}

/// A file in the making, beside its final name; removed again unless it is committed.
class PendingFile
{
  public:
    /// \throw InputError when it cannot be created
    explicit PendingFile(const fs::path& path)
        : m_final(path),
          m_path(path.string() + fmt::format(".unfinished-{}", ::getpid())),
          m_stream(m_path, std::ios::binary)
    {
        if (fs::is_directory(path))
        {
            Remove();
            throw InputError(fmt::format("--out: {}: expected the name of a file, this is a folder", path.string()));
        }
        if (!m_stream)
        {
            throw InputError(fmt::format("--out: {}: {}", path.string(), std::generic_category().message(errno)));
        }
    }

    ~PendingFile()
    {
        Remove();
    }

    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    std::ostream& Stream()
    {
        return m_stream;
    }

    /// \throw std::runtime_error when the disk is full
    void Commit()
    {
        m_stream.close();
        if (!m_stream)
        {
            throw std::runtime_error(fmt::format("cannot write '{}'", m_final.string()));
        }
        fs::rename(m_path, m_final);
    }

  private:
    void Remove()
    {
        std::error_code ignored;
        fs::remove(m_path, ignored);
    }

    fs::path m_final;
    fs::path m_path;
    std::ofstream m_stream;
};

} // namespace

int
TrafficCommand(const Arguments& words)
{
    CommandLine line(
        "traffic SCENARIO [OPTIONS]",
        "Writes the schedule of one point: what each rank sends to whom, how much, in which layer and collective.");
    line.Positional("scenario", 1);
    line.AddSet();
    line.Options()("out", po::value<std::string>()->value_name("FILE"), "where to write it; default: standard output")(
        "format",
        po::value<std::string>()->value_name("FORMAT")->default_value("csv"),
        FormatNames().c_str());
    const auto values = line.Parse(words);
    if (!values)
    {
        return kExitSuccess;
    }
    const auto& format = FormatOf(*values);
    const auto scenario = LoadPoint(RequiredScenario(*values), ValuesOf(*values, "set"));
    const auto& cluster = scenario.cluster;
    const traffic::ClusterShape shape = traffic::ShapeOf(cluster);
    const auto schedule = traffic::BuildSchedule(scenario);
    const bool toFile = values->count("out") != 0;
    if (toFile)
    {
        PendingFile file((*values)["out"].as<std::string>());
        format.write(*schedule, shape, file.Stream());
        file.Commit();
    }
    else
    {
        format.write(*schedule, shape, std::cout);
    }
    traffic::WriteTrafficSummary(traffic::SummarizeTraffic(*schedule, shape), toFile ? std::cout : std::cerr);
    return kExitSuccess;
}

} // namespace hbd::runner
