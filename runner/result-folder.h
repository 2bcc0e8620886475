/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_RESULT_FOLDER_H
#define HBD_RUNNER_RESULT_FOLDER_H

#include "sweep-plan.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hbd::runner
{

/**
 * The folder that a sweep writes to. While this object lives, no other `hbd run` writes there.
 */
class ResultFolder
{
  public:
    /**
     * Opens the folder, creating it when it is absent.
     * \param out the folder that was asked for; nothing = results/<name>-<n> under the working directory, with the
     * lowest n that is free \param name of the scenario \param resume whether finished points in it are kept; otherwise
     * it must be absent or empty \param plan the sweep, to recognise its points \throw InputError when it cannot be
     * created or written, is not empty (without resume), holds something else than points of this sweep (with resume),
     * or another run writes there
     */
    ResultFolder(const std::optional<std::string>& out, const std::string& name, bool resume, const SweepPlan& plan);
    ~ResultFolder();
    ResultFolder(const ResultFolder&) = delete;
    ResultFolder& operator=(const ResultFolder&) = delete;

    /// Where it is, as the user would name it.
    const std::filesystem::path& Path() const;
    /// Which points of the plan are there already, complete.
    const std::vector<bool>& Done() const;
    /// Looks at the folder again: which points are complete now.
    std::vector<bool> FindDone(const SweepPlan& plan) const;
    /// Removes what interrupted writers left, and the folder itself when this object created it and nothing is in it.
    void CleanUp();

  private:
    void Abandon();
    void RemoveCreated();
    void CreateNext(const std::string& name);
    void CreateOrOpen(const std::filesystem::path& path);
    void Lock();
    void CheckContents(bool resume, const SweepPlan& plan);
    void CheckWritable() const;

    std::filesystem::path m_path;
    std::vector<bool> m_done;
    std::vector<std::filesystem::path> m_created; ///< folders that this object made, outermost first
    int m_lock = -1;                              ///< descriptor of the locked folder
};

} // namespace hbd::runner

#endif // HBD_RUNNER_RESULT_FOLDER_H
