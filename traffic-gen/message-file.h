/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_MESSAGE_FILE_H
#define HBD_TRAFFIC_MESSAGE_FILE_H

#include "problem.h"
#include "units.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// One message of a network-only run.
struct Message
{
    Duration time; ///< when the source posts it
    uint32_t source = 0;
    uint32_t destination = 0;
    Bytes bytes;
};

/**
 * Reads messages as comma-separated text: a first line `time,source,destination,bytes` (columns in any order), then one
 * message a line, time and bytes with units (1.5us, 64KiB), source and destination as rank numbers. Empty lines and
 * lines that begin with # are skipped. \param input the text \param name for the problems \param ranks ranks of the
 * cluster: messages must be between two different ones \param problems every problem found is added, with its line
 * \return the messages that are right, in the order of the text
 */
std::vector<Message> ReadMessages(std::istream& input,
                                  const std::string& name,
                                  uint32_t ranks,
                                  std::vector<Problem>& problems);

/// The same from a file; one that cannot be read, or has no message, is a problem.
std::vector<Message> ReadMessageFile(const std::string& path, uint32_t ranks, std::vector<Problem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_MESSAGE_FILE_H
