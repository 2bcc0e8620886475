/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TESTS_CLI_PROGRAM_H
#define HBD_TESTS_CLI_PROGRAM_H

#include <chrono>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hbd::tests
{

/// How a program ended.
struct Ended
{
    int code = -1;   ///< exit code; -1 when a signal ended it
    int signal = 0;  ///< the signal that ended it, or 0
    std::string out; ///< standard output
    std::string err; ///< standard error
};

/// The real program, running. Killed when it goes out of scope.
class Running
{
  public:
    /**
     * Starts it.
     * \param folder working directory; its output goes to files beside that folder
     * \param program another one of the project's programs, by file name; empty: `hbd`
     */
    Running(const std::vector<std::string>& words, const std::filesystem::path& folder, const std::string& program = {});
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    pid_t Pid() const;
    /// Its child processes.
    std::vector<pid_t> Children() const;
    void Signal(int signal) const;
    Ended Wait();

  private:
    std::filesystem::path m_output;
    pid_t m_pid;
    bool m_waited = false;
};

/// Runs the program to its end. \param program as for Running
Ended RunProgram(const std::vector<std::string>& words, const std::filesystem::path& folder, const std::string& program = {});

/// Waits until something is the case. \return false when it is not after 30 seconds
bool Eventually(const std::function<bool()>& condition);

/// Path, below a folder, of every file -> its text. Folders end in "/", with an empty text.
std::map<std::string, std::string> TreeOf(const std::filesystem::path& folder);

/// The same without what may differ between two runs: run.json.
std::map<std::string, std::string> ResultsOf(const std::filesystem::path& folder);

/// The names of the point folders in a result folder, in order.
std::vector<std::string> PointsIn(const std::filesystem::path& folder);

/// Gives each test an empty working directory.
class CommandTest : public testing::Test
{
  protected:
    CommandTest();
    ~CommandTest() override;

    /// Writes a file below the working directory. \return its name
    std::string Write(const std::string& name, const std::string& text) const;
    std::string Read(const std::string& name) const;

    /// Runs it in the working directory.
    Ended Hbd(const std::vector<std::string>& words) const;
    /// Runs an example there. \param name file name without extension
    Ended Example(const std::string& name, const std::vector<std::string>& words) const;

    std::filesystem::path m_top;    ///< of this test; removed with it
    std::filesystem::path m_folder; ///< the working directory, below it
};

/// A model on four GPUs, two points, done in milliseconds.
extern const char* const TINY_SWEEP;

/// The network alone, eight points that take a good part of a second each.
extern const char* const SLOW_SWEEP;

} // namespace hbd::tests

#endif // HBD_TESTS_CLI_PROGRAM_H
