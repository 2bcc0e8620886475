/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RDMA_QUEUE_PAIR_H
#define HBD_RDMA_QUEUE_PAIR_H

#include "hbd-fabric-kernel.h"
#include "hbd-hash.h"
#include "hbd-rdma-receiver.h"
#include "hbd-rdma-sender.h"

#include <cstdint>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * One end of a reliable connection between two NICs.
 */
class RdmaQueuePair
{
  public:
    /**
     * \param local GPU at this end
     * \param remote GPU at the other end
     * \param number among the queue pairs between the two
     * \param transport of the NIC; outlives this
     * \param control of its own, set up
     */
    RdmaQueuePair(uint32_t local, uint32_t remote, uint32_t number, const RdmaTransport& transport, Ptr<CongestionControl> control)
        : sender(transport, control),
          receiver(transport),
          m_remote(remote),
          m_number(number),
          // 1 is what a user sends by NetDevice::Send
          m_flowHash(FlowHash(local, remote, number == 0 ? 0 : number + 1))
    {
    }

    uint32_t GetRemote() const
    {
        return m_remote;
    }

    /// Among the queue pairs between the two NICs, from 0.
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /// Hash of its 5-tuple: all its packets have the same.
    uint32_t GetFlowHash() const
    {
        return m_flowHash;
    }

    CongestionControl& GetControl() const
    {
        return sender.GetControl();
    }

    /// Payload sent and not acknowledged, in bytes.
    uint64_t GetUnacknowledged() const
    {
        return sender.GetInFlight();
    }

    /// Messages that are not sent completely.
    uint64_t GetWaiting() const
    {
        return sender.GetWaiting();
    }

    bool IsIdle() const
    {
        return sender.IsIdle();
    }

    RdmaSender sender;
    RdmaReceiver receiver;
    bool paced = false;                  ///< its rate forbids it to send
    bool timing = false;                 ///< a retransmission timer runs
    FabricKernel::TimerId timer = 0;     ///< while `timing`
    uint64_t restCount = 0;              ///< FabricKernel::GetRestCount when its last message came

  private:
    uint32_t m_remote;
    uint32_t m_number;
    uint32_t m_flowHash;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_RDMA_QUEUE_PAIR_H */
