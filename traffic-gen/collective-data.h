/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVE_DATA_H
#define HBD_TRAFFIC_COLLECTIVE_DATA_H

#include "collective-lowering.h"

#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// Members whose contributions a value holds.
using Contributions = boost::dynamic_bitset<>;

/**
 * The data of a collective for the symbolic checker: its blocks, cut into segments at the edges of all pieces of a
 * lowering, so that a piece is a run of whole segments; who has which from the start and who wants which in the end.
 */
class CollectiveData
{
  public:
    /// \param problems gets what is wrong with the pieces; there are no segments then
    CollectiveData(const CollectiveRequest& request, const Lowering& lowering, std::vector<std::string>& problems);

    /// Number of segments of all blocks.
    uint32_t Segments() const;
    /// The block of a segment.
    uint32_t BlockOf(uint32_t segment) const;
    /// Numbers of the segments of an operation's pieces, in order.
    std::vector<uint32_t> SegmentsOf(const LoweredOp& op) const;
    /// What a member has of a block before anything arrives: all contributions, its own one, or none.
    Contributions FromTheStart(uint32_t member, uint32_t block) const;
    /// Whether the block belongs to the member's result.
    bool Wants(uint32_t member, uint32_t block) const;
    /// Whether contributions are summed.
    bool Reduces() const;
    /// "block 3 byte 100"
    std::string Describe(uint32_t segment) const;

  private:
    uint32_t BlockCount() const;
    uint64_t BlockBytes(uint32_t block) const;
    /// \return whether the pieces lie in blocks and add up
    bool AddCuts(const LoweredOp& op, std::vector<std::string>& problems);

    const CollectiveRequest& m_request;
    const uint32_t m_n;
    std::vector<std::vector<uint64_t>> m_cuts; ///< by block: where its segments begin, and its end
    std::vector<uint32_t> m_firstSegment;      ///< by block
    std::vector<uint32_t> m_blockOf;           ///< by segment
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVE_DATA_H
