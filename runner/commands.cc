/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "commands.h"

#include "command-line.h"
#include "simulation.h"
#include "version.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <new>

namespace hbd::runner
{

namespace
{

// clang-format off
const std::vector<Command> kCommands = {
    {"run", "run a scenario or sweep; without one, the HBD-size study", &RunCommand},
    {"traffic", "write the schedule: who sends what to whom, in which layer and collective", &TrafficCommand},
    {"fabric", "show the network: nodes, links, rates, hop counts, bisection", &FabricCommand},
    {"validate", "the simulator against measured hardware: predicted, measured, error", &ValidateCommand},
    {"bench", "measure the simulator's own speed", &BenchCommand},
    {"list", "models, GPUs, topologies, collectives and their parameters", &ListCommand},
};

// clang-format on

std::string
CommandsText()
{
    std::string text;
    for (const auto& command : Commands())
    {
        text += fmt::format("  {:<10}{}\n", command.name, command.summary);
    }
    return text;
}

const Command*
FindCommand(const std::string& name)
{
    for (const auto& command : Commands())
    {
        if (name == command.name)
        {
            return &command;
        }
    }
    return nullptr;
}

int
ShowUsage(std::FILE* stream, int code)
{
    fmt::print(stream,
               "usage: hbd COMMAND [ARGUMENTS]\n\n{}\n`hbd COMMAND --help` explains a command.\n",
               CommandsText());
    return code;
}

/// Runs a command; whatever it throws becomes a message and an exit code.
int
RunGuarded(const Command& command, const Arguments& words)
{
    try
    {
        return command.run(words);
    }
    catch (const UsageError& error)
    {
        fmt::print(stderr,
                   "hbd {}: {}\n`hbd {} --help` shows the options.\n",
                   command.name,
                   error.what(),
                   command.name);
        return kExitBadInput;
    }
    catch (const InputError& error)
    {
        fmt::print(stderr, "{}\n", error.what());
        return kExitBadInput;
    }
    catch (const InterruptedError&)
    {
        fmt::print(stderr, "hbd {}: interrupted\n", command.name);
        return kExitInterrupted;
    }
    catch (const std::bad_alloc&)
    {
        fmt::print(stderr, "hbd {}: out of memory\n", command.name);
    }
    catch (const std::exception& error)
    {
        fmt::print(stderr, "hbd {}: {}\n", command.name, error.what());
    }
    return kExitFailure;
}

} // namespace

const std::vector<Command>&
Commands()
{
    return kCommands;
}

int
Dispatch(const Arguments& words)
{
    ::setenv("HBD_ROOT", ProjectRoot().c_str(), 1); // where presets are looked for
    if (words.empty())
    {
        return ShowUsage(stderr, kExitBadInput);
    }
    const std::string& name = words.front();
    if (name == "--help" || name == "-h" || name == "help")
    {
        return ShowUsage(stdout, kExitSuccess);
    }
    if (name == "--version")
    {
        fmt::print("hbd {}\n", VersionText());
        return kExitSuccess;
    }
    const Command* command = FindCommand(name);
    if (command == nullptr)
    {
        fmt::print(stderr, "hbd: unknown command '{}'. The commands are:\n{}", name, CommandsText());
        return kExitBadInput;
    }
    const int code = RunGuarded(*command, {words.begin() + 1, words.end()});
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
    {
        fmt::print(stderr, "hbd {}: cannot write to standard output\n", name);
        return code == kExitSuccess ? kExitFailure : code;
    }
    return code;
}

} // namespace hbd::runner
