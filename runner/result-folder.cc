/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "result-folder.h"

#include "analysis/durable-file.h"
#include "analysis/reader.h"
#include "analysis/record-format.h"
#include "errors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <sys/file.h>
#include <unistd.h>

namespace hbd::runner
{

namespace
{

namespace fs = std::filesystem;

[[noreturn]] void
Refuse(const fs::path& path, const std::string& why)
{
    throw InputError(fmt::format("--out: {}: {}", path.string(), why));
}

/// Whether a folder entry is what a killed run leaves: hidden, in the making.
bool
IsUnfinished(const fs::path& path)
{
    return path.filename().string().front() == '.';
}

/// Hash of the scenario that a point's folder belongs to; empty when it is no readable point.
std::string
HashOfPoint(const fs::path& folder)
{
    try
    {
        return analysis::ReadPoint(folder).scenarioHash;
    }
    catch (const analysis::RecordError&)
    {
        return "";
    }
}

} // namespace

ResultFolder::ResultFolder(const std::optional<std::string>& out,
                           const std::string& name,
                           bool resume,
                           const SweepPlan& plan)
{
    try
    {
        if (out)
        {
            CreateOrOpen(*out);
        }
        else
        {
            CreateNext(FileNameText(name));
        }
        Lock();
        CheckContents(resume, plan);
        CheckWritable();
    }
    catch (const fs::filesystem_error& error)
    {
        Abandon();
        Refuse(error.path1(), error.code().message());
    }
    catch (...)
    {
        Abandon();
        throw;
    }
}

ResultFolder::~ResultFolder()
{
    ::close(m_lock);
}

const fs::path&
ResultFolder::Path() const
{
    return m_path;
}

const std::vector<bool>&
ResultFolder::Done() const
{
    return m_done;
}

void
ResultFolder::CreateNext(const std::string& name)
{
    const fs::path results = "results";
    if (fs::create_directory(results))
    {
        m_created.push_back(results);
    }
    for (uint64_t n = 1;; ++n)
    {
        const fs::path path = results / fmt::format("{}-{}", name, n);
        if (fs::create_directory(path)) // false: exists already, perhaps since a moment ago
        {
            m_path = path;
            m_created.push_back(path);
            return;
        }
    }
}

void
ResultFolder::CreateOrOpen(const fs::path& path)
{
    m_path = path.has_filename() ? path : path.parent_path();
    if (m_path.empty())
    {
        Refuse(path, "expected the name of a folder");
    }
    std::vector<fs::path> missing;
    for (fs::path at = m_path; !at.empty() && !fs::exists(fs::symlink_status(at)); at = at.parent_path())
    {
        missing.push_back(at);
    }
    for (auto at = missing.rbegin(); at != missing.rend(); ++at)
    {
        fs::create_directory(*at);
        m_created.push_back(*at);
    }
    if (!fs::is_directory(m_path))
    {
        Refuse(m_path, "expected a folder, this is a file");
    }
}

void
ResultFolder::Lock()
{
    m_lock = ::open(m_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (m_lock < 0)
    {
        Refuse(m_path, std::strerror(errno));
    }
    if (::flock(m_lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    {
        Refuse(m_path, "another run is writing to this folder");
    }
}

void
ResultFolder::CheckContents(bool resume, const SweepPlan& plan)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(m_path))
    {
        if (!resume)
        {
            Refuse(m_path, "the folder is not empty; name another one, or continue it with --resume");
        }
        if (!IsUnfinished(entry.path()))
        {
            names.insert(entry.path().filename().string());
        }
    }
    m_done = FindDone(plan);
    for (size_t point = 0; point < plan.points.size(); ++point)
    {
        if (m_done[point])
        {
            names.erase(plan.points[point].name);
        }
    }
    for (const auto& name : names)
    {
        if (fs::exists(m_path / name / "summary.json"))
        {
            Refuse(
                m_path,
                fmt::format("cannot resume: '{}' is a point of another scenario, or of another version of it", name));
        }
    }
    if (!names.empty() && std::find(m_done.begin(), m_done.end(), true) == m_done.end())
    {
        Refuse(m_path, fmt::format("cannot resume: no results of this scenario, but '{}'", *names.begin()));
    }
    if (resume)
    {
        analysis::RemoveUnfinished(m_path);
    }
}

std::vector<bool>
ResultFolder::FindDone(const SweepPlan& plan) const
{
    std::vector<bool> done;
    for (const auto& point : plan.points)
    {
        done.push_back(HashOfPoint(m_path / point.name) == point.hash);
    }
    return done;
}

void
ResultFolder::CheckWritable() const
{
    if (::access(m_path.c_str(), W_OK | X_OK) != 0)
    {
        Refuse(m_path, fmt::format("cannot write to the folder: {}", std::strerror(errno)));
    }
}

void
ResultFolder::CleanUp()
{
    analysis::RemoveUnfinished(m_path);
    RemoveCreated();
}

void
ResultFolder::Abandon()
{
    RemoveCreated();
    if (m_lock >= 0)
    {
        ::close(m_lock);
    }
}

void
ResultFolder::RemoveCreated()
{
    std::error_code ignored;
    for (auto path = m_created.rbegin(); path != m_created.rend(); ++path)
    {
        if (!fs::is_empty(*path, ignored) || ignored)
        {
            return;
        }
        fs::remove(*path, ignored);
    }
}

} // namespace hbd::runner
