/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-switch-groups.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

/// The group in an error message.
std::string
NameOf(const std::vector<uint32_t>& members)
{
    constexpr size_t MOST = 4;
    std::string name = "the switch group of " + std::to_string(members.size()) + " GPUs {";
    for (size_t i = 0; i < members.size() && i < MOST; i++)
    {
        name += (i == 0 ? "" : ", ") + std::to_string(members[i]);
    }
    return name + (members.size() > MOST ? ", ...}" : "}");
}

} // namespace

void
SwitchGroups::Setup(const FabricGraph& graph, uint32_t mostPerDomain)
{
    m_graph = &graph;
    m_most = mostPerDomain;
}

std::vector<uint32_t>
SwitchGroups::GetSwitches(uint32_t gpu) const
{
    // node i of a graph is GPU i
    std::vector<uint32_t> switches;
    for (uint32_t link : m_graph->nodes[gpu].ports)
    {
        uint32_t peer = m_graph->Peer(link, gpu);
        if (m_graph->links[link].tier == FabricTier::SCALE_UP && m_graph->links[link].IsUp())
        {
            switches.push_back(m_graph->nodes[peer].kind == FabricNodeKind::NVSWITCH ? peer : FABRIC_NONE);
        }
    }
    return switches;
}

void
SwitchGroups::Check(const std::vector<uint32_t>& members) const
{
    std::string name = NameOf(members);
    if (members.size() < 2)
    {
        throw std::invalid_argument(name + " needs at least two members");
    }
    if (!std::is_sorted(members.begin(), members.end(), std::less_equal<>()))
    {
        throw std::invalid_argument(name + " does not name each member once, in ascending order");
    }
    if (members.back() >= m_graph->gpus)
    {
        throw std::invalid_argument(name + " has a member " + std::to_string(members.back()) + ", of " + std::to_string(m_graph->gpus) +
                                    " GPUs");
    }
    std::vector<uint32_t> switches = GetSwitches(members.front());
    if (switches.empty() || std::count(switches.begin(), switches.end(), FABRIC_NONE) != 0)
    {
        throw std::invalid_argument(name + " has no switches that could serve it: GPU " + std::to_string(members.front()) +
                                    " has links to other GPUs or none at all");
    }
    for (uint32_t member : members)
    {
        if (GetSwitches(member) != switches)
        {
            throw std::invalid_argument(name + " is not on one set of switches: the links of GPU " + std::to_string(member) +
                                        " do not lead to the switches of GPU " + std::to_string(members.front()));
        }
    }
}

uint32_t
SwitchGroups::Register(const std::vector<uint32_t>& members)
{
    auto known = m_numbers.find(members);
    if (known != m_numbers.end())
    {
        return known->second;
    }
    Check(members);
    uint32_t& used = m_used[m_graph->nodes[members.front()].hbd];
    if (used == m_most)
    {
        throw std::invalid_argument(NameOf(members) + " is one more than the switches of a domain have room for (MulticastGroups " +
                                    std::to_string(m_most) + ")");
    }
    used++;
    auto number = static_cast<uint32_t>(m_members.size());
    m_members.push_back(&m_numbers.emplace(members, number).first->first);
    return number;
}

uint32_t
SwitchGroups::Find(uint32_t group, uint32_t gpu) const
{
    const std::vector<uint32_t>& members = GetMembers(group);
    auto at = std::lower_bound(members.begin(), members.end(), gpu);
    return at != members.end() && *at == gpu ? static_cast<uint32_t>(at - members.begin()) : static_cast<uint32_t>(members.size());
}

} // namespace hbd
} // namespace ns3
