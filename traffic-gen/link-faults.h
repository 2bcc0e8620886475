/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_LINK_FAULTS_H
#define HBD_TRAFFIC_LINK_FAULTS_H

#include "units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// Something that happens to an Ethernet link at one time.
struct LinkFaultSpec
{
    enum class Kind
    {
        Down,
        Up,
        Rate,
        Loss,
        Corruption,
    };

    Kind kind = Kind::Down;
    std::string ends[2];            ///< names of the nodes at its ends
    std::optional<uint32_t> number; ///< which of the links between them, from 0; none = all
    Duration at;                    ///< from the start of the run on
    BitRate rate;                   ///< Rate: 0 = the link's own
    double probability = 0;         ///< Loss, Corruption: of each packet
};

/// One entry of a list that is not right.
struct FaultProblem
{
    std::string expected;
    std::string given;
    std::string hint;
};

/**
 * Reads `cluster.scale-out.faults`: entries separated by commas, or none. Each is a link, what happens, and from when
 * until when: `leaf0-spine1 down 2ms`, `leaf0-spine1 down 2ms 3ms`, `leaf0-spine1 up 3ms`, `nic3-leaf0 rate 100Gbps 1ms
 * 5ms`, `leaf0-spine1 loss 1e-3`, `leaf0-spine1.1 corruption 1e-4 1ms`. Without a time: from the start. What has an end
 * gives two faults. \param text the value of the key \param problems every problem is added \return what is right, in
 * the order of the text
 */
std::vector<LinkFaultSpec> ReadLinkFaults(const std::string& text, std::vector<FaultProblem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_LINK_FAULTS_H
