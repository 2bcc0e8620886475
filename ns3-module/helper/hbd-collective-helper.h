/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_COLLECTIVE_HELPER_H
#define HBD_COLLECTIVE_HELPER_H

#include "hbd-operation.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * An all-reduce of one domain as a program: each rank has one block. It shows how operations are put together; libraries with their times, and all other
 * collectives, are the traffic generator's.
 */
class AllReduceProgram : public OperationSource
{
  public:
    /**
     * \param algorithm nvls (sums and multicasts in the switches), ring (2 (n - 1) steps), direct (reduce-scatter, then all-gather, each in one step)
     * \param ranks at least 2
     * \param bytes payload of each rank, which is cut into one share a rank
     * \param chunk nvls: most bytes of a share that are summed at a time
     * \throws std::invalid_argument when the algorithm is unknown, there are fewer than 2 ranks or chunk is 0
     */
    AllReduceProgram(const std::string& algorithm, uint32_t ranks, uint64_t bytes, uint64_t chunk);

    /// Ranks beyond the program's have nothing to do.
    bool Next(uint32_t rank, BlockInstance& instance) override;

    /// Payload that the links of a rank carry away from it, in bytes: of nvls (n + 1) / n of the payload and a flag.
    uint64_t GetBytesOut(uint32_t rank) const;
    /// Payload that they bring, in bytes; of nvls with the rank's own copies of what it multicasts.
    uint64_t GetBytesIn(uint32_t rank) const;

    /// Bytes of a flag by which ranks tell each other that their data may be read.
    static constexpr uint64_t FLAG = 16;

  private:
    /// Operations of a rank that something waits for.
    using Waits = std::vector<uint32_t>;

    uint64_t ShareOf(uint32_t rank) const;
    uint32_t Add(uint32_t rank, OperationKind kind, uint32_t peer, uint32_t match, uint64_t bytes, const Waits& after);
    void Move(uint32_t from, uint32_t to, uint32_t match, uint64_t bytes, const Waits& after, Waits& arrived);
    void AddNvls(uint64_t chunk);
    std::vector<Waits> AddFlags();
    void AddRing();
    void AddDirect();

    std::string m_algorithm;
    uint32_t m_ranks;
    uint64_t m_bytes;
    std::vector<std::shared_ptr<OperationBlock>> m_blocks; ///< by rank
    std::vector<bool> m_taken;
};

/**
 * Reads a number of bytes as command lines give it: 16, 64KiB, 8GiB, 1MB.
 * \throws std::invalid_argument when it is no such number or does not fit 64 bits
 */
uint64_t ParseByteCount(const std::string& text);

} // namespace hbd
} // namespace ns3

#endif /* HBD_COLLECTIVE_HELPER_H */
