/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TELEMETRY_H
#define HBD_TELEMETRY_H

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What a switch port writes into a data packet when it starts to send it (in-band network telemetry, as HPCC uses it).
 */
struct TelemetryHop
{
    int64_t timePs = 0;      ///< kernel time
    uint64_t txBytes = 0;    ///< wire bytes sent by the port so far, this packet not included
    uint64_t queueBytes = 0; ///< waiting at the port behind it, of all priorities
    uint64_t bitRate = 0;    ///< of the port, bit/s
    uint32_t port = 0;       ///< kernel id of the port: tells ways apart
};

/**
 * \ingroup hbd
 * What a packet has collected on its way. The acknowledgement takes it back.
 */
struct Telemetry
{
    static constexpr uint32_t MOST_HOPS = 8;
    uint32_t hops = 0;
    std::array<TelemetryHop, MOST_HOPS> hop;
};

/**
 * \ingroup hbd
 * The telemetry of all units, by PacketUnit::index. Takes no memory until something asks for it.
 */
class TelemetryTable
{
  public:
    /// From now on switches write.
    void Enable()
    {
        m_enabled = true;
    }
    bool IsEnabled() const
    {
        return m_enabled;
    }
    Telemetry& operator[](uint32_t unit)
    {
        if (unit >= m_units.size())
        {
            m_units.resize(unit + unit / 2 + 64);
        }
        return m_units[unit];
    }

  private:
    std::vector<Telemetry> m_units;
    bool m_enabled = false;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_TELEMETRY_H */
