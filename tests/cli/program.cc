/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hbd::tests
{

namespace fs = std::filesystem;

const char* const TINY_SWEEP = R"(name: tiny
cluster:
  gpus: 4
  gpu: b200
  hbd: {size: 4, preset: nvlink5}
  scale-out: {preset: rail-optimized-400g, gpus-per-server: 2}
model: tiny-dense
mapping: {tp: 4}
workload: {batch: 2, input-tokens: 64, output-tokens: 3}
sweep:
  - cluster.hbd.size: [2, 4]
)";

const char* const SLOW_SWEEP = R"(name: slow
burst-size: 256B
acceleration: {replay: off}
cluster:
  gpus: 8
  hbd: {size: 8, preset: nvlink5}
  scale-out: {preset: rail-optimized-400g, gpus-per-server: 4}
workload: {collective: all-to-all, algorithm: direct, sizes: [8MiB]}
sweep:
  - cluster.hbd.link-delay: [100ns, 200ns, 300ns, 400ns]
  - cluster.hbd.size: [4, 8]
)";

namespace
{

std::string
ReadText(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

void
Redirect(const fs::path& path, int descriptor)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(file, descriptor);
    ::close(file);
}

} // namespace

Running::Running(const std::vector<std::string>& words, const fs::path& folder, const std::string& program)
    : m_output(folder.parent_path()),
      m_pid(::fork())
{
    if (m_pid < 0)
    {
        throw std::runtime_error("cannot fork");
    }
    if (m_pid > 0)
    {
        return;
    }
    Redirect(m_output / "stdout", STDOUT_FILENO);
    Redirect(m_output / "stderr", STDERR_FILENO);
    Redirect("/dev/null", STDIN_FILENO);
    const fs::path own = HBD_MAIN_PROGRAM; // all programs are in one folder
    const std::string path = program.empty() ? own.string() : (own.parent_path() / program).string();
    std::vector<char*> arguments{const_cast<char*>(path.c_str())};
    for (const auto& word : words)
    {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    if (::chdir(folder.c_str()) == 0)
    {
        ::execv(path.c_str(), arguments.data());
    }
    ::_exit(127);
}

Running::~Running()
{
    if (!m_waited)
    {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
}

pid_t
Running::Pid() const
{
    return m_pid;
}

std::vector<pid_t>
Running::Children() const
{
    std::istringstream text(
        ReadText("/proc/" + std::to_string(m_pid) + "/task/" + std::to_string(m_pid) + "/children"));
    std::vector<pid_t> children;
    for (pid_t child = 0; text >> child;)
    {
        children.push_back(child);
    }
    return children;
}

void
Running::Signal(int signal) const
{
    ::kill(m_pid, signal);
}

Ended
Running::Wait()
{
    int status = 0;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR)
    {
    }
    m_waited = true;
    Ended ended;
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ended.out = ReadText(m_output / "stdout");
    ended.err = ReadText(m_output / "stderr");
    return ended;
}

Ended
RunProgram(const std::vector<std::string>& words, const fs::path& folder, const std::string& program)
{
    return Running(words, folder, program).Wait();
}

bool
Eventually(const std::function<bool()>& condition)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition())
    {
        if (std::chrono::steady_clock::now() > deadline)
        {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

std::map<std::string, std::string>
TreeOf(const fs::path& folder)
{
    std::map<std::string, std::string> tree;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
    {
        const std::string name = fs::relative(entry.path(), folder).string();
        tree[name + (entry.is_directory() ? "/" : "")] = entry.is_directory() ? "" : ReadText(entry.path());
    }
    return tree;
}

std::map<std::string, std::string>
ResultsOf(const fs::path& folder)
{
    auto tree = TreeOf(folder);
    for (auto& [name, text] : tree)
    {
        if (fs::path(name).filename() == "run.json")
        {
            text.clear();
        }
    }
    return tree;
}

std::vector<std::string>
PointsIn(const fs::path& folder)
{
    std::vector<std::string> points;
    if (fs::is_directory(folder))
    {
        for (const auto& entry : fs::directory_iterator(folder))
        {
            if (entry.is_directory() && entry.path().filename().string().front() != '.')
            {
                points.push_back(entry.path().filename().string());
            }
        }
    }
    std::sort(points.begin(), points.end());
    return points;
}

CommandTest::CommandTest()
{
    std::string name = (fs::temp_directory_path() / "hbd-cli-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
    {
        throw std::runtime_error("cannot make a folder for the test");
    }
    m_top = name;
    m_folder = m_top / "work";
    fs::create_directory(m_folder);
}

CommandTest::~CommandTest()
{
    std::error_code ignored;
    fs::remove_all(m_top, ignored);
}

std::string
CommandTest::Write(const std::string& name, const std::string& text) const
{
    fs::create_directories((m_folder / name).parent_path());
    std::ofstream(m_folder / name, std::ios::binary) << text;
    return name;
}

std::string
CommandTest::Read(const std::string& name) const
{
    return ReadText(m_folder / name);
}

Ended
CommandTest::Hbd(const std::vector<std::string>& words) const
{
    return RunProgram(words, m_folder);
}

Ended
CommandTest::Example(const std::string& name, const std::vector<std::string>& words) const
{
    return RunProgram(words, m_folder, name);
}

} // namespace hbd::tests
