/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_IDEAL_COLLECTIVE_H
#define HBD_RUNNER_IDEAL_COLLECTIVE_H

#include "dependency-chain.h"

#include "ns3-module/model/hbd-fabric.h"
#include "ns3-module/model/hbd-ideal-bound.h"

#include <cstdint>

namespace hbd::runner
{

/// Lower bound of a collective's duration in two parts whose sum it is.
struct IdealTime
{
    int64_t bytesPs = 0;   ///< bytes over capacity at the narrowest place
    int64_t latencyPs = 0; ///< what latency and dependencies add to that
};

/**
 * The ideal bound of lowered collectives on a fabric. The larger of two bounds, each of which nothing can beat:
 * - earliest first post + wire bytes over capacity at the narrowest GPU port set, domain, or cut + the shortest way of a message to its end;
 * - the longest chain of dependent messages, each alone on the fabric.
 */
class IdealCollective
{
  public:
    /// \param fabric built; outlives this
    explicit IdealCollective(const ns3::hbd::Fabric& fabric);

    /**
     * \param collective index of its label: which operations of the blocks belong to it
     * \param group number of the group
     * \param members its ranks and the block of each that holds it
     */
    IdealTime Compute(uint32_t collective, uint32_t group, const DependencyChain::Members& members) const;

  private:
    const ns3::hbd::IdealBound& m_bound;
};

} // namespace hbd::runner

#endif // HBD_RUNNER_IDEAL_COLLECTIVE_H
