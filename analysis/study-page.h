/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_STUDY_PAGE_H
#define HBD_ANALYSIS_STUDY_PAGE_H

#include "records.h"
#include "reference.h"
#include "result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hbd::analysis
{

/// A result folder of the study, for example at one NIC rate.
struct StudyRun
{
    std::string label; ///< "400 Gb/s"
    std::filesystem::path folder;
};

/// What a layer's collectives cost in decode, per layer, in seconds: a mean over the recorded layers, steps and groups.
struct DecodeLayerTime
{
    uint64_t layers =
        0; ///< executions of the most frequent collective that the means are taken over; 0 = nothing recorded
    double total = 0;   ///< first post to last arrival, summed over the collectives of the layer
    double bytes = 0;   ///< the part that bytes over capacity needs: ideal_bytes_s
    double latency = 0; ///< the part that the chain of messages needs: ideal_latency_s

    double Other() const ///< the rest: late ranks, queueing, what the bound does not see
    {
        return total - bytes - latency;
    }
};

/**
 * Splits the communication of a decode layer. Rows outside layers (LM head) and of other phases are left out. A
 * collective that a layer runs twice counts twice. \param rows of collectives.csv
 */
DecodeLayerTime DecodePerLayer(const std::vector<CollectiveRow>& rows);

/**
 * Fills in the tables of the study page. The page holds pairs of lines `<!-- begin NAME -->` and `<!-- end NAME -->`;
 * what is between them is replaced, the rest stays. NAME is one of
 * - marks: published, simulated, difference of the first run;
 * - marks-by-run: the simulated figures of every run beside each other;
 * - points: the result table of the first run;
 * - decode-layer: decode communication per layer of every point of the first run, split into bytes, latency and the
 * rest. A page need not have all. \param page its text \param runs result folders, the first is the one that the page
 * is about \param marks published statements \return the new text \throw RecordError when a folder cannot be read
 * \throw std::invalid_argument when a begin line has no end line, names nothing known, or there is no run
 */
std::string StudyPage(const std::string& page,
                      const std::vector<StudyRun>& runs,
                      const std::vector<PublishedMark>& marks);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_STUDY_PAGE_H
