/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TESTS_SCENARIO_FIXTURE_H
#define HBD_TESTS_SCENARIO_FIXTURE_H

#include "traffic-gen/scenario-reader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace hbd::traffic
{

/// A folder of its own for scenario files, and the two ways to read one: it must be right, or it must be refused.
class ScenarioTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        // CTest sets HBD_ROOT; by hand the sources are where this file is.
        setenv("HBD_ROOT", Root().c_str(), 0);
        m_folder = std::filesystem::temp_directory_path() / ("hbd-scenario-test-" + std::to_string(getpid()));
        std::filesystem::create_directories(m_folder);
    }

    void TearDown() override
    {
        std::filesystem::remove_all(m_folder);
    }

    static std::string Root()
    {
        return std::filesystem::absolute(__FILE__).parent_path().parent_path().parent_path().string();
    }

    std::string Write(const std::string& name, const std::string& text) const
    {
        const std::string path = (m_folder / name).string();
        std::ofstream(path) << text;
        return path;
    }

    /// Reads a text that must be right.
    ScenarioFile Good(const std::string& text, const std::vector<std::string>& sets = {}) const
    {
        return GoodFile(Write("scenario.yaml", text), sets);
    }

    static ScenarioFile GoodFile(const std::string& path, const std::vector<std::string>& sets = {})
    {
        std::vector<Problem> problems;
        ScenarioFile file = ReadScenario(path, sets, problems);
        for (const auto& problem : problems)
        {
            ADD_FAILURE() << ToText(problem);
        }
        EXPECT_FALSE(file.points.empty());
        file.points.resize(std::max<std::size_t>(1, file.points.size()));
        return file;
    }

    /// Reads a text that must be refused. \return the problems as text, one a line
    std::string Bad(const std::string& text, const std::vector<std::string>& sets = {}) const
    {
        return BadFile(Write("scenario.yaml", text), sets);
    }

    static std::string BadFile(const std::string& path, const std::vector<std::string>& sets = {})
    {
        std::vector<Problem> problems;
        const ScenarioFile file = ReadScenario(path, sets, problems);
        EXPECT_FALSE(problems.empty());
        EXPECT_TRUE(file.points.empty());
        std::string all;
        for (const auto& problem : problems)
        {
            EXPECT_FALSE(problem.file.empty());
            EXPECT_FALSE(problem.expected.empty());
            EXPECT_FALSE(problem.given.empty());
            all += ToText(problem) + "\n";
        }
        return all;
    }

    std::filesystem::path m_folder;
};

/// Says nothing about the network beyond what has to be said.
constexpr const char* kNetworkOnly = "cluster: {gpus: 16, hbd: {size: 8}}\n"
                                     "workload: {collective: all-reduce, sizes: [1MiB]}\n";

constexpr const char* kInference = "cluster: {gpus: 8, hbd: {size: 8}}\n"
                                   "model: tiny-moe\n"
                                   "mapping: {tp: 8}\n"
                                   "workload: {batch: 2, input-tokens: 128, output-tokens: 8}\n";

} // namespace hbd::traffic

#endif // HBD_TESTS_SCENARIO_FIXTURE_H
