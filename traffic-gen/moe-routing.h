/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_MOE_ROUTING_H
#define HBD_TRAFFIC_MOE_ROUTING_H

#include <cstdint>
#include <vector>

namespace hbd::traffic
{

/// Tokens first .. first + count - 1 of the batch.
struct TokenRange
{
    uint64_t first = 0;
    uint64_t count = 0;
};

/**
 * Balanced top-k routing: token t has copies t k .. t k + k - 1, and copy number i goes to the (i mod E)-th expert of a
 * fixed order that visits one expert of each EP rank before the second of any. So the copies of any run of tokens are
 * spread evenly over experts and over EP ranks (counts differ by at most one), what is left over rotates from one run
 * to the next, and the k copies of a token go to different experts. Every layer is alike. Pure arithmetic.
 */
class BalancedRouting
{
  public:
    /// No experts: a dense model.
    BalancedRouting() = default;
    /**
     * \param experts number of experts, at least topK
     * \param epRanks EP ranks; experts are dealt to them in runs, the first runs one longer when it does not divide
     * Throws std::invalid_argument otherwise.
     */
    BalancedRouting(uint32_t experts, uint32_t topK, uint32_t epRanks);

    /// Copies of a run of tokens that an expert gets.
    uint64_t Copies(TokenRange tokens, uint32_t expert) const;

    uint32_t Experts() const;
    uint32_t TopK() const;

  private:
    uint32_t m_topK = 0;
    std::vector<uint32_t> m_position; ///< by expert: its place in the order
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_MOE_ROUTING_H
