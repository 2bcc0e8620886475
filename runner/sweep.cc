/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sweep.h"

#include "interrupt.h"
#include "worker-channel.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace hbd::runner
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 200;
/// How long a process that was told to stop may take, before it is killed.
constexpr auto kGrace = std::chrono::seconds(5);

[[noreturn]] void
Fail(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

/// How a process ended that did not say why, as text.
std::string
DescribeDeath(int status)
{
    if (WIFSIGNALED(status))
    {
        const int signal = WTERMSIG(status);
        const char* hint = signal == SIGKILL ? "; the system does that when memory runs out" : "";
        return fmt::format("its process was killed by signal {} ({}){}", signal, strsignal(signal), hint);
    }
    return fmt::format("its process ended early with exit code {}", WEXITSTATUS(status));
}

int
WaitFor(pid_t pid)
{
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
    {
    }
    return status;
}

} // namespace

/// A process and the points it was given.
struct Sweep::Worker
{
    pid_t pid = 0;
    std::unique_ptr<MessageReader> reader;
    PointGroup left;          ///< not finished, in order; the first one is under way
    bool saidFailure = false; ///< it said why it ends early
};

Sweep::Sweep(PointTask task, uint32_t jobs, SweepObserver& observer)
    : m_task(std::move(task)),
      m_jobs(jobs),
      m_observer(observer)
{
}

Sweep::~Sweep()
{
    for (const auto& worker : m_workers)
    {
        ::kill(worker.pid, SIGKILL);
        WaitFor(worker.pid);
    }
}

SweepOutcome
Sweep::Run(const std::vector<PointGroup>& groups)
{
    m_waiting.assign(groups.rbegin(), groups.rend());
    while (Interruptions() == 0 && (!m_waiting.empty() || !m_workers.empty()))
    {
        while (!m_waiting.empty() && m_workers.size() < m_jobs)
        {
            PointGroup group = std::move(m_waiting.back());
            m_waiting.pop_back();
            Start(std::move(group));
        }
        Wait();
    }
    if (Interruptions() != 0)
    {
        StopWorkers();
        m_outcome.interrupted = true;
    }
    return m_outcome;
}

void
Sweep::Start(PointGroup group)
{
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0)
    {
        Fail("cannot make a pipe");
    }
    std::cout.flush();
    std::fflush(nullptr); // what is buffered would be written twice
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0)
    {
        ::close(pipe[0]);
        ::close(pipe[1]);
        Fail("cannot start a process");
    }
    if (pid == 0)
    {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL); // never simulate for a sweep that is gone
        if (::getppid() != parent)
        {
            ::_exit(1);
        }
        ::close(pipe[0]);
        const int code = RunWorker(m_task, group, pipe[1]);
        std::fflush(nullptr);
        ::_exit(code);
    }
    ::close(pipe[1]);
    m_workers.push_back({pid, std::make_unique<MessageReader>(pipe[0]), std::move(group), false});
}

void
Sweep::Wait()
{
    std::vector<pollfd> polled;
    for (const auto& worker : m_workers)
    {
        polled.push_back({worker.reader->Descriptor(), POLLIN, 0});
    }
    const int ready = ::poll(polled.data(), polled.size(), kTickMilliseconds);
    if (ready < 0 && errno != EINTR)
    {
        Fail("cannot wait for a process");
    }
    for (size_t index = polled.size(); ready > 0 && index-- > 0;)
    {
        if (polled[index].revents == 0)
        {
            continue;
        }
        std::vector<WorkerMessage> messages;
        const bool open = m_workers[index].reader->Read(messages);
        Handle(m_workers[index], messages);
        if (!open)
        {
            Reap(index);
        }
    }
    m_observer.OnTick();
}

void
Sweep::Handle(Worker& worker, const std::vector<WorkerMessage>& messages)
{
    for (const auto& message : messages)
    {
        switch (message.event)
        {
        case WorkerEvent::Started:
            m_observer.OnStarted(message.point);
            break;
        case WorkerEvent::Progress:
            m_observer.OnProgress(message.point, message.progress);
            break;
        case WorkerEvent::Finished:
            m_observer.OnFinished(message.point, message.text);
            worker.left.erase(worker.left.begin());
            break;
        case WorkerEvent::Failed:
            m_observer.OnFailed(message.point, message.text);
            ++m_outcome.failed;
            worker.left.erase(worker.left.begin());
            worker.saidFailure = true;
            break;
        }
    }
}

void
Sweep::Reap(size_t index)
{
    Worker worker = std::move(m_workers[index]);
    m_workers.erase(m_workers.begin() + static_cast<std::ptrdiff_t>(index));
    const int status = WaitFor(worker.pid);
    if (!worker.left.empty() && !worker.saidFailure && Interruptions() == 0)
    {
        m_observer.OnFailed(worker.left.front(), DescribeDeath(status));
        ++m_outcome.failed;
        worker.left.erase(worker.left.begin());
    }
    if (!worker.left.empty())
    {
        m_waiting.push_back(std::move(worker.left));
    }
}

void
Sweep::StopWorkers()
{
    const auto firstCount = Interruptions();
    for (const auto& worker : m_workers)
    {
        ::kill(worker.pid, SIGTERM);
    }
    const auto deadline = Clock::now() + kGrace;
    while (!m_workers.empty() && Clock::now() < deadline && Interruptions() == firstCount)
    {
        Wait();
    }
    for (const auto& worker : m_workers)
    {
        ::kill(worker.pid, SIGKILL);
    }
    while (!m_workers.empty())
    {
        Wait();
    }
}

} // namespace hbd::runner
