/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_RECORD_ROWS_H
#define HBD_ANALYSIS_RECORD_ROWS_H

#include "records.h"
#include "result.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hbd::analysis
{

/**
 * \name Texts of the record files
 * Pure functions: each gives the whole text of a file. This is where integers are divided.
 * \{
 */
/// stages.csv
std::string StagesText(const std::vector<StageRow>& rows);
/// collectives.csv
std::string CollectivesText(const std::vector<CollectiveRow>& rows);
/**
 * links.csv
 * \param phases their times are what utilisation and mean queue refer to; a row of an unknown phase has neither
 */
std::string LinksText(const std::vector<LinkRow>& rows, const std::vector<PhaseRecord>& phases);
/// moe_load.csv
std::string MoeLoadText(const std::vector<MoeLoadRow>& rows);
/// messages.csv
std::string MessagesText(const std::vector<MessageRow>& rows);
/// points.csv; the columns of swept keys are those of the first point. \throw std::invalid_argument when points differ
/// in them
std::string PointsText(const std::vector<PointResult>& points);
/// summary.json
nlohmann::ordered_json SummaryJson(const PointRecords& records);
/// run.json
nlohmann::ordered_json RunJson(const RunCost& cost);
/// topology.json
nlohmann::ordered_json TopologyJson(const std::vector<TopologyNode>& nodes, const std::vector<TopologyLink>& cables);
/** \} */

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_RECORD_ROWS_H
