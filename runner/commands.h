/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_COMMANDS_H
#define HBD_RUNNER_COMMANDS_H

#include <string>
#include <vector>

namespace hbd::runner
{

/// What follows a command's name on the command line.
using Arguments = std::vector<std::string>;

/// \name Exit codes
/// \{
constexpr int kExitSuccess = 0;
constexpr int kExitFailure = 1;       ///< the simulation failed
constexpr int kExitBadInput = 2;      ///< command line or scenario are wrong; nothing was written
constexpr int kExitInterrupted = 130; ///< as shells report an interrupted program

/// \}

/// One command of `hbd`.
struct Command
{
    const char* name;
    const char* summary;                ///< one line
    int (*run)(const Arguments& words); ///< \return an exit code. \throw InputError, UsageError, std::exception
};

/// \name The commands, one file each
/// \{
int RunCommand(const Arguments& words);
int TrafficCommand(const Arguments& words);
int FabricCommand(const Arguments& words);
int ValidateCommand(const Arguments& words);
int BenchCommand(const Arguments& words);
int ListCommand(const Arguments& words);
/// \}

/// All commands. A new one is a file of its own, its declaration above and a line in commands.cc.
const std::vector<Command>& Commands();

/**
 * Runs the command that the first word names, and reports its errors on standard error.
 * \param words the command line without the program's name
 * \return the exit code
 */
int Dispatch(const Arguments& words);

} // namespace hbd::runner

#endif // HBD_RUNNER_COMMANDS_H
