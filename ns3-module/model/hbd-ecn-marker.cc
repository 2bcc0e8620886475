/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-ecn-marker.h"

#include "hbd-statistics.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace hbd
{

void
EcnMarker::Configure(const EcnConfig& config, const std::vector<uint64_t>& bitRates)
{
    m_on = config.kmax != 0;
    m_pmax = config.pmax;
    m_ports.assign(bitRates.size(), Thresholds());
    if (!m_on)
    {
        return;
    }
    if (config.kmin > config.kmax || !(config.pmax >= 0 && config.pmax <= 1))
    {
        throw std::invalid_argument("ECN marking needs a Kmin of at most Kmax and a probability, not Kmin " +
                                    std::to_string(config.kmin) + " B, Kmax " + std::to_string(config.kmax) +
                                    " B, Pmax " + std::to_string(config.pmax));
    }
    for (size_t egress = 0; egress < bitRates.size(); egress++)
    {
        auto scale = [&](uint64_t bytes) {
            if (config.referenceBitRate == 0)
            {
                return bytes;
            }
            return static_cast<uint64_t>(static_cast<WideInteger>(bytes) * bitRates[egress] / config.referenceBitRate);
        };
        m_ports[egress] = Thresholds{scale(config.kmin), scale(config.kmax)};
    }
    if (!m_random)
    {
        m_random = CreateObject<UniformRandomVariable>();
    }
}

void
EcnMarker::AssignStream(int64_t stream)
{
    if (m_random)
    {
        m_random->SetStream(stream);
    }
}

bool
EcnMarker::Draw(const Thresholds& at, uint64_t queueBytes, uint64_t& draws)
{
    draws++;
    double share = static_cast<double>(queueBytes - at.kmin) / static_cast<double>(at.kmax - at.kmin);
    return m_random->GetValue(0.0, 1.0) < m_pmax * share;
}

} // namespace hbd
} // namespace ns3
