/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_DURABLE_FILE_H
#define HBD_ANALYSIS_DURABLE_FILE_H

#include <filesystem>
#include <string_view>

namespace hbd::analysis
{

/**
 * Writes a whole file and makes sure that it is on the disk.
 * \throw std::system_error with the path when the file cannot be created, or the disk is full or fails
 */
void WriteFile(const std::filesystem::path& path, std::string_view text);

/**
 * As WriteFile, but the file appears under its name only when it is whole: a crash leaves the old one or the new one.
 * \throw std::system_error as WriteFile
 */
void ReplaceFile(const std::filesystem::path& path, std::string_view text);

/**
 * A folder in the making: a hidden sibling of its final name, until Commit. Dropped without Commit, it is removed.
 */
class PendingFolder
{
  public:
    /**
     * \param finalPath what it is to be called; its parent exists
     * \throw std::system_error with the path when it cannot be made
     */
    explicit PendingFolder(std::filesystem::path finalPath);
    ~PendingFolder();
    PendingFolder(const PendingFolder&) = delete;
    PendingFolder& operator=(const PendingFolder&) = delete;

    /// Where to put its files until Commit.
    const std::filesystem::path& Path() const;
    /**
     * Gives it its final name.
     * \throw std::system_error with the path when there is something of that name already, or the disk fails
     */
    void Commit();

  private:
    std::filesystem::path m_final;
    std::filesystem::path m_path;
    bool m_committed = false;
};

/**
 * Removes what writers that were killed left unfinished in a folder. Call it when nothing else writes there.
 * \throw std::system_error when something cannot be removed
 */
void RemoveUnfinished(const std::filesystem::path& folder);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_DURABLE_FILE_H
