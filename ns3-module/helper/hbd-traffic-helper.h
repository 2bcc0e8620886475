/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_HELPER_H
#define HBD_TRAFFIC_HELPER_H

#include "hbd-operation.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Programs of plain messages for examples and tests: each rank has one block, in which all its messages are posted at once.
 */
class MessageProgram : public OperationSource
{
  public:
    /// \param ranks how many ranks there are
    explicit MessageProgram(uint32_t ranks);

    /// Adds a message. \param bytes payload
    void Add(uint32_t source, uint32_t destination, uint64_t bytes);

    bool Next(uint32_t rank, BlockInstance& instance) override;

  private:
    std::vector<std::shared_ptr<OperationBlock>> m_blocks; ///< by rank
    std::vector<bool> m_taken;
    uint32_t m_messages = 0;
};

/**
 * \ingroup hbd
 * Makes the traffic patterns that fabrics are usually tried with.
 */
class HbdTrafficHelper
{
  public:
    /// Every rank sends `bytes` to every other one, starting with its neighbour.
    static std::unique_ptr<MessageProgram> AllToAll(uint32_t ranks, uint64_t bytes);
    /// Ranks 1 .. senders each send `bytes` to rank 0. \param ranks all ranks, more than senders
    static std::unique_ptr<MessageProgram> Incast(uint32_t ranks, uint32_t senders, uint64_t bytes);
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_TRAFFIC_HELPER_H */
