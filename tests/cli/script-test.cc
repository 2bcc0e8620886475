/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: the script `hbd` refuses wrong arguments before it installs or builds anything, and finds the project from any
// directory. Method: run it as a user does, from the root directory, and look at exit code and output.

#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace
{

struct Outcome
{
    int exitCode;
    std::string output; ///< standard output and standard error
};

/// Runs the script with arguments in shell syntax, from the root directory.
Outcome
RunScript(const std::string& arguments)
{
    const std::string command = "cd / && '" HBD_SOURCE_DIR "/hbd' " + arguments + " 2>&1 </dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr)
    {
        return {-1, "popen failed"};
    }
    Outcome outcome{};
    std::array<char, 4096> buffer;
    while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    {
        outcome.output.append(buffer.data(), count);
    }
    const int status = pclose(pipe);
    outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

struct WrongCall
{
    const char* name;
    const char* arguments;
    const char* message; ///< what the output must say
};

class Script : public testing::TestWithParam<WrongCall>
{
};

TEST_P(Script, RefusesWrongArguments)
{
    const auto outcome = RunScript(GetParam().arguments);
    EXPECT_EQ(outcome.exitCode, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(GetParam().message), std::string::npos) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(
    Calls,
    Script,
    testing::Values(WrongCall{"NoCommand", "", "usage: hbd COMMAND"},
                    WrongCall{"UnknownCommand", "rum", "unknown command 'rum'"},
                    WrongCall{"QuickAndLong", "test --quick --long", "--quick or --long"},
                    WrongCall{"UnknownTestOption", "test --fast", "unknown option --fast"},
                    WrongCall{"TwoPatterns", "test Ring Direct", "one pattern at most"},
                    WrongCall{"UnknownExample", "example no-such-program", "no program 'no-such-program'"},
                    WrongCall{"ExampleOutsideTheFolders", "example ../hbd", "no program '../hbd'"},
                    WrongCall{"ExampleArgumentsWithoutDashes", "example hello --gpus=8", "after --"}),
    [](const auto& info) { return info.param.name; });

TEST(ScriptHelp, NamesEveryCommand)
{
    const auto outcome = RunScript("--help");
    EXPECT_EQ(outcome.exitCode, 0);
    for (const char* command : {"run", "test", "traffic", "fabric", "bench", "example", "list"})
    {
        EXPECT_NE(outcome.output.find(std::string("\n  ") + command + " "), std::string::npos) << command;
    }
}

} // namespace
