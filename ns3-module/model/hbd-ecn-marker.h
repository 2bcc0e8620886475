/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ECN_MARKER_H
#define HBD_ECN_MARKER_H

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * When an EcnMarker marks.
 */
struct EcnConfig
{
    uint64_t kmin = 0; ///< bytes: up to so many, never
    uint64_t kmax = 0; ///< bytes: above so many, always; 0 = never at all
    double pmax = 0;   ///< probability at kmax, 0 .. 1
    uint64_t referenceBitRate =
        0; ///< kmin and kmax are for a port of this rate, others' are in proportion; 0 = for all
};

/**
 * \ingroup hbd
 * Marks packets by the length of the queue that they meet, as switches do for DCQCN: RED on the instantaneous length q
 * (Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3.1, figure 5). Up to kmin
 * nothing is marked, above kmax everything, between them with probability pmax x (q - kmin) / (kmax - kmin).
 */
class EcnMarker
{
  public:
    /**
     * \param config thresholds
     * \param bitRates of the egress ports, bit/s
     * \throws std::invalid_argument when kmin is above kmax or pmax is no probability
     */
    void Configure(const EcnConfig& config, const std::vector<uint64_t>& bitRates);

    bool IsOn() const
    {
        return m_on;
    }

    /// Fixes the random stream.
    void AssignStream(int64_t stream);

    /**
     * \param egress port
     * \param queueBytes length of the queue
     * \param draws counts the random variates drawn: one between the thresholds, else none
     * \return whether to mark
     */
    bool Decide(uint32_t egress, uint64_t queueBytes, uint64_t& draws)
    {
        const Thresholds& at = m_ports[egress];
        if (queueBytes <= at.kmin)
        {
            return false;
        }
        return queueBytes > at.kmax || Draw(at, queueBytes, draws);
    }

    /// Thresholds of a port, in bytes. \param egress port
    uint64_t GetKmin(uint32_t egress) const
    {
        return m_ports[egress].kmin;
    }

    uint64_t GetKmax(uint32_t egress) const
    {
        return m_ports[egress].kmax;
    }

  private:
    struct Thresholds
    {
        uint64_t kmin = 0;
        uint64_t kmax = 0;
    };

    bool Draw(const Thresholds& at, uint64_t queueBytes, uint64_t& draws);

    std::vector<Thresholds> m_ports;
    double m_pmax = 0;
    bool m_on = false;
    Ptr<UniformRandomVariable> m_random; ///< only when it is on: others' automatic streams do not depend on it
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_ECN_MARKER_H */
