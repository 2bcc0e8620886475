/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SWITCH_GROUPS_H
#define HBD_SWITCH_GROUPS_H

#include "hbd-fabric-graph.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * The sets of GPUs that the switches of a domain copy to and sum over, as they stand in the switches' tables. A chip has a limited number of entries, and all
 * chips of a domain hold all groups of that domain.
 */
class SwitchGroups
{
  public:
    /**
     * \param graph the fabric; outlives this
     * \param mostPerDomain entries of a chip's table
     */
    void Setup(const FabricGraph& graph, uint32_t mostPerDomain);

    /// Refuses what the switches cannot serve, however much room they have. \throws std::invalid_argument as Register
    void Check(const std::vector<uint32_t>& members) const;

    /**
     * Enters a group unless it is known.
     * \param members GPUs, ascending
     * \return its number; results never depend on it
     * \throws std::invalid_argument when it is no group of at least two GPUs whose links lead to the same switches in the same order, or when the
     *         switches' tables are full
     */
    uint32_t Register(const std::vector<uint32_t>& members);

    const std::vector<uint32_t>& GetMembers(uint32_t group) const
    {
        return *m_members[group];
    }
    /// Position of a GPU among the members. \return GetMembers().size() when it is none
    uint32_t Find(uint32_t group, uint32_t gpu) const;

  private:
    std::vector<uint32_t> GetSwitches(uint32_t gpu) const;

    const FabricGraph* m_graph = nullptr;
    uint32_t m_most = 0;
    std::map<std::vector<uint32_t>, uint32_t> m_numbers;
    std::vector<const std::vector<uint32_t>*> m_members; ///< by number: keys of m_numbers
    std::map<uint32_t, uint32_t> m_used;                 ///< by domain: entries of its chips' tables
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_SWITCH_GROUPS_H */
