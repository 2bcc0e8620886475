/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_TOPOLOGY_FILE_H
#define HBD_TRAFFIC_TOPOLOGY_FILE_H

#include "problem.h"
#include "units.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// A NIC or an Ethernet switch.
struct ListedNode
{
    std::string name; ///< letters, digits and _
    bool isSwitch = false;
};

/// Cables between two nodes, full duplex.
struct ListedLink
{
    uint32_t ends[2] = {0, 0}; ///< indices of nodes
    uint32_t number = 1;       ///< of cables, all alike
    BitRate rate;              ///< of each, each direction
    Duration delay;            ///< one way
    double loss = 0;           ///< probability that a packet is lost, each direction
};

/// A scale-out network as a list of nodes and links. The i-th node that is no switch is the NIC of GPU i.
struct ListedTopology
{
    std::vector<ListedNode> nodes;
    std::vector<ListedLink> links;

    /// Number of NICs.
    uint32_t Nics() const;
    /// Switches between two NICs on a shortest way, by NIC; 0 = to itself, or no way. \param nic the other one, by its
    /// number
    std::vector<uint32_t> SwitchesFrom(uint32_t nic) const;
};

/**
 * Reads a list of nodes and links, in one of two forms.
 *
 * Ours: one node or link a line, in any order; # begins a comment.
 *
 *     nic NAME [NAME ...]
 *     switch NAME [NAME ...]
 *     link NAME NAME RATE DELAY [xN] [loss PROBABILITY]
 *
 * with units (400Gbps, 150ns). xN is the number of cables; two lines for the same two nodes are a problem.
 *
 * The plain text of published RoCE simulators (the topology file of HPCC, SIGCOMM 2019, and those derived from it):
 * numbers of nodes, switches and links; the numbers of the nodes that are switches; then for each link two node
 * numbers, rate, delay and error rate. Node numbers count from 0; nodes that are no switches are NICs, in order: nic0,
 * nic1, ...; node 20, if it is one, is switch20. It is taken for this form when it begins with a digit.
 *
 * Every NIC has one link, to a switch, and reaches every other one.
 *
 * \param input the text \param name for the problems \param gpus how many NICs there must be
 * \param problems every problem found is added, with its line
 * \return what is right
 */
ListedTopology ReadTopology(std::istream& input,
                            const std::string& name,
                            uint32_t gpus,
                            std::vector<Problem>& problems);

/// The same from a file; one that cannot be read is a problem.
ListedTopology ReadTopologyFile(const std::string& path, uint32_t gpus, std::vector<Problem>& problems);

/// Text of our form that ReadTopology reads back to the same.
std::string WriteTopology(const ListedTopology& topology);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_TOPOLOGY_FILE_H
