/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_LINK_FAULTS_H
#define HBD_LINK_FAULTS_H

#include "hbd-fabric-graph.h"
#include "hbd-fabric-routes.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace hbd
{

class Fabric;

/**
 * \ingroup hbd
 * Something that happens to an Ethernet link, in both directions.
 */
struct LinkFault
{
    enum class Kind : uint8_t
    {
        DOWN,       ///< what is on it and what waits for it at switches is lost; switches find other ways
        UP,         ///< it works again
        RATE,       ///< it has another rate from now on; 0 = its own again
        LOSS,       ///< each packet is lost with `probability` from now on
        CORRUPTION, ///< each packet arrives corrupted with `probability` from now on
    };

    Kind kind = Kind::DOWN;
    std::string ends[2];           ///< names of the nodes at its ends, in any order
    uint32_t number = FABRIC_NONE; ///< which of the links between them, from 0 in the order in which they were added;
                                   ///< FABRIC_NONE = all
    Time at;                       ///< from the start of the run on, at least 0
    DataRate rate;                 ///< RATE
    double probability = 0;        ///< LOSS, CORRUPTION: 0 .. 1
};

/// Whether packets can be lost by any of them.
bool CanLosePackets(const std::vector<LinkFault>& faults);

/**
 * The links that a fault means.
 * \param graph complete
 * \return indices, at least one
 * \throws std::invalid_argument when there is no such Ethernet link, or not so many between its ends
 */
std::vector<uint32_t> FindFaultLinks(const FabricGraph& graph, const LinkFault& fault);

/**
 * Checks that faults fit a graph and each other.
 * \throws std::invalid_argument as FindFaultLinks, or when a value is out of range, a rate is above that of its link,
 * or a link goes down that is down or comes up that is up
 */
void CheckLinkFaults(const FabricGraph& graph, const std::vector<LinkFault>& faults);

/**
 * \ingroup hbd
 * Lets the faults of a fabric happen, and gives its switches new routes when links go down or come up. Times are
 * declared to the kernel, so that no replay passes over them.
 */
class LinkFaults
{
  public:
    /**
     * \param fabric with all ports started; outlives this
     * \param faults what happens
     * \throws std::invalid_argument as CheckLinkFaults
     */
    LinkFaults(Fabric& fabric, std::vector<LinkFault> faults);

    /// Starts them from now on, on whole links: those of time 0 have happened when it returns.
    void Begin();

    /// How many have happened since Begin: with it, the state of all links is known.
    uint32_t GetHappened() const
    {
        return m_happened;
    }

    /// Whether there is a way between two NICs now.
    bool HasWay(uint32_t sourceGpu, uint32_t destinationGpu) const
    {
        return m_routes->HasWay(sourceGpu, destinationGpu);
    }

    /// Whether a link comes up later.
    bool IsRepairDue() const;
    /// The links that are down, by the names of their ends, separated by commas.
    std::string DescribeDown() const;

  private:
    void Restore();
    void HappenDue();
    bool Happen(const LinkFault& fault);
    void TakeRoutes();

    Fabric& m_fabric;
    std::vector<LinkFault> m_faults;              ///< by time
    std::vector<std::pair<double, double>> m_own; ///< by link: LossRate and CorruptionRate that it has when whole
    std::unique_ptr<FabricRoutes> m_routes;
    uint32_t m_happened = 0;
    int64_t m_beginPs = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_LINK_FAULTS_H */
