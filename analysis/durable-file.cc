/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "durable-file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hbd::analysis
{

namespace
{

namespace fs = std::filesystem;

/// In the name of everything that is not finished.
constexpr const char* kUnfinished = ".unfinished-";

[[noreturn]] void
Fail(int error, const std::string& what, const fs::path& path)
{
    throw std::system_error(error, std::generic_category(), what + " '" + path.string() + "'");
}

/// An open file descriptor that is closed in any case.
class Descriptor
{
  public:
    Descriptor(const fs::path& path, int flags, const std::string& what)
        : m_path(path),
          m_what(what),
          m_descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666))
    {
        if (m_descriptor < 0)
        {
            Fail(errno, m_what, m_path);
        }
    }

    ~Descriptor()
    {
        if (m_descriptor >= 0)
        {
            ::close(m_descriptor);
        }
    }

    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    void Write(std::string_view text)
    {
        while (!text.empty())
        {
            const ssize_t written = ::write(m_descriptor, text.data(), text.size());
            if (written < 0 && errno != EINTR)
            {
                Fail(errno, m_what, m_path);
            }
            text.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
        }
    }

    /// Some file systems cannot sync a folder or a device and say EINVAL; there is nothing to wait for then.
    void Sync()
    {
        if (::fsync(m_descriptor) != 0 && errno != EINVAL)
        {
            Fail(errno, m_what, m_path);
        }
    }

    void Close()
    {
        if (::close(std::exchange(m_descriptor, -1)) != 0)
        {
            Fail(errno, m_what, m_path);
        }
    }

  private:
    fs::path m_path;
    std::string m_what;
    int m_descriptor;
};

/// Makes the names in a folder durable.
void
SyncFolder(const fs::path& folder)
{
    Descriptor descriptor(folder.empty() ? fs::path(".") : folder, O_RDONLY | O_DIRECTORY, "cannot write to folder");
    descriptor.Sync();
    descriptor.Close();
}

/// A hidden name beside the path that no other process uses.
fs::path
UnfinishedName(const fs::path& path)
{
    return path.parent_path() / ("." + path.filename().string() + kUnfinished + std::to_string(::getpid()));
}

void
Rename(const fs::path& from, const fs::path& to)
{
    if (::rename(from.c_str(), to.c_str()) != 0)
    {
        Fail(errno, "cannot put in place", to);
    }
}

} // namespace

void
WriteFile(const fs::path& path, std::string_view text)
{
    Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC, "cannot write");
    file.Write(text);
    file.Sync();
    file.Close();
}

void
ReplaceFile(const fs::path& path, std::string_view text)
{
    const fs::path unfinished = UnfinishedName(path);
    try
    {
        WriteFile(unfinished, text);
        Rename(unfinished, path);
    }
    catch (const std::system_error&)
    {
        std::error_code ignored;
        fs::remove(unfinished, ignored);
        throw;
    }
    SyncFolder(path.parent_path());
}

PendingFolder::PendingFolder(fs::path finalPath)
    : m_final(std::move(finalPath)),
      m_path(UnfinishedName(m_final))
{
    std::error_code error;
    fs::remove_all(m_path, error);
    fs::create_directory(m_path, error);
    if (error)
    {
        Fail(error.value(), "cannot create folder", m_path);
    }
}

PendingFolder::~PendingFolder()
{
    if (!m_committed)
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
}

const fs::path&
PendingFolder::Path() const
{
    return m_path;
}

void
PendingFolder::Commit()
{
    SyncFolder(m_path);
    Rename(m_path, m_final);
    m_committed = true;
    SyncFolder(m_final.parent_path());
}

void
RemoveUnfinished(const fs::path& folder)
{
    std::vector<fs::path> unfinished;
    for (const auto& entry : fs::directory_iterator(folder))
    {
        const std::string name = entry.path().filename().string();
        if (name.front() == '.' && name.find(kUnfinished) != std::string::npos)
        {
            unfinished.push_back(entry.path());
        }
    }
    for (const auto& path : unfinished)
    {
        fs::remove_all(path);
    }
}

} // namespace hbd::analysis
