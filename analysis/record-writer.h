/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_RECORD_WRITER_H
#define HBD_ANALYSIS_RECORD_WRITER_H

#include "records.h"
#include "result.h"

#include <filesystem>
#include <vector>

namespace hbd::analysis
{

/**
 * Writes the folder of a point. It appears under its final name (records.metadata.point) only when every file is
 * complete and on the disk; after an exception nothing of it is left. \param resultFolder an existing folder \throw
 * std::system_error with the path: no such folder, not writable, disk full, or a point of that name exists \throw
 * std::invalid_argument when the records contradict themselves
 */
void WritePoint(const std::filesystem::path& resultFolder, const PointRecords& records);

/**
 * Writes points.csv, whole or not at all.
 * \param points in the order of the sweep, all with the same swept keys
 * \throw std::system_error with the path
 */
void WritePoints(const std::filesystem::path& resultFolder, const std::vector<PointResult>& points);

/// \return what ReadPoint would give after WritePoint
PointResult ResultOf(const PointRecords& records);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_RECORD_WRITER_H
