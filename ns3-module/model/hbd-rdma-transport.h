/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RDMA_TRANSPORT_H
#define HBD_RDMA_TRANSPORT_H

#include <cstdint>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What a queue pair does when something is missing.
 */
enum class RdmaRecovery : uint8_t
{
    /// The receiver throws away what comes behind a gap and says so once (InfiniBand Architecture Specification 1.5,
    /// 9.9.3); the sender sends everything again from the gap on.
    GO_BACK_N,
    /// The receiver keeps what comes behind a gap and names it; the sender sends what is missing (Mittal et al.,
    /// Revisiting Network Support for RDMA, SIGCOMM 2018).
    SELECTIVE_REPEAT,
};

/**
 * \ingroup hbd
 * How the queue pairs of a NIC work.
 */
struct RdmaTransport
{
    RdmaRecovery recovery = RdmaRecovery::GO_BACK_N;
    uint32_t mtu = 4096;          ///< payload of a packet, bytes
    uint32_t maxPackets = 1;      ///< most packets of a unit
    uint32_t ackEvery = 1;        ///< data units per acknowledgement
    uint32_t reorderPackets = 0;  ///< selective repeat: units that may overtake one before it counts as lost
    int64_t timeoutPs = 0;        ///< unacknowledged data are sent again after this
    uint32_t retries = 7;         ///< timeouts in a row before the queue pair gives up
    int64_t cnpIntervalPs = 0;    ///< least time between two congestion notification packets of a queue pair
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_RDMA_TRANSPORT_H */
