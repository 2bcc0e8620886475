/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ETHERNET_SWITCH_H
#define HBD_ETHERNET_SWITCH_H

#include "hbd-ecn-marker.h"
#include "hbd-ethernet-device.h"
#include "hbd-fabric-routes.h"
#include "hbd-load-balancer.h"
#include "hbd-priority-queues.h"
#include "hbd-shared-buffer.h"

#include "ns3/data-rate.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * An Ethernet switch: output queues per (egress, priority), control ahead of data, which share the link by weights; one
 * shared buffer with dynamic thresholds that pause the (port, priority) through which too much came in, or of a lossy
 * priority drop what would make its queue too long; ECN marks; shortest paths with a load balancer among equal ones.
 *
 * The switch stores and forwards packets, or cuts through where the egress is not faster than the ingress. A unit that
 * leaves faster than it comes in waits until it can be sent without a gap. A unit's memory is taken when its head has
 * arrived and free when its last byte has been sent.
 */
class EthernetSwitch : public Object, public EthernetElement
{
  public:
    static TypeId GetTypeId();

    /**
     * \param context the fabric
     * \param ports its ports, in port order
     * \param routes ways to every NIC
     * \param salt of path choice: the number of its node
     * \throws std::invalid_argument when the headroom takes the whole buffer, the control reserve is too small, or
     * attributes contradict each other
     */
    void Setup(FabricContext& context,
               const std::vector<Ptr<EthernetDevice>>& ports,
               SwitchRoutes routes,
               uint32_t salt);

    /// Takes other ways from now on. What waits stays where it is.
    void SetRoutes(SwitchRoutes routes);

    /// Headroom per port and lossless priority, in bytes.
    uint64_t GetHeadroom() const
    {
        return m_headroom;
    }

    /// Whether a priority is protected by flow control.
    bool IsLossless(uint32_t priority) const
    {
        return (m_lossless >> priority & 1) != 0;
    }

    /// Whether a priority is dropped when its queue is too long.
    bool IsLossy(uint32_t priority) const
    {
        return (m_lossy >> priority & 1) != 0;
    }

    /// Whether any priority is protected by flow control.
    bool HasFlowControl() const
    {
        return m_lossless != 0;
    }

    bool IsCutThrough() const
    {
        return m_cutThrough;
    }

    uint32_t GetControlPriority() const
    {
        return m_controlPriority;
    }

    /// Whether its LoadBalancer chooses anew for each packet.
    bool IsPerPacket() const;

    const SharedBuffer& GetBuffer() const
    {
        return m_buffer;
    }

    /// Wire bytes of a priority that wait for a port; what it is sending is not among them.
    uint64_t GetQueuedBytes(uint32_t egress, uint32_t priority) const
    {
        return m_queues[egress].GetBytes(priority);
    }

    /// Throws a unit away and counts its packets as drops. \param port whose counters
    void DropUnit(uint32_t port, PacketUnit& unit);

    /**
     * Signature of Enqueue, Dequeue, Drop and EcnMark.
     * \param unit the unit
     * \param port index of the egress port; of what is dropped before it has one, because there is no way or no memory, of
     * the ingress
     */
    typedef void (*QueueTracedCallback)(const PacketUnit& unit, uint32_t port);
    /**
     * Signature of PauseCause.
     * \param ingress index of the port whose peer is paused
     * \param priority that is paused
     * \param egress index of the port for which most of its bytes wait
     */
    typedef void (*PauseCauseTracedCallback)(uint32_t ingress, uint32_t priority, uint32_t egress);

    void ReceiveUnit(uint32_t port, PacketUnit& unit) override;
    void Arbitrate(uint32_t port) override;
    void OnSent(uint32_t port) override;
    /// What waits for a port whose link goes down is thrown away.
    void OnLinkChange(uint32_t port) override;
    bool SendRaw(uint32_t port, PacketUnit& unit) override;

    bool IsEndPoint() const override
    {
        return false;
    }

    bool IsTraced() const override;
    int64_t AssignStreams(int64_t stream) override;
    void SaveState(std::vector<uint32_t>& words) const override;
    void RestoreState(const uint32_t*& words) override;
    bool IsDrained() const override;
    void DescribeBlocked(std::vector<std::string>& lines) const override;
    void GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const override;

  protected:
    void DoDispose() override;

  private:
    /// The unit that an egress port is sending: what its end frees.
    struct Sending
    {
        uint32_t ingress = 0;
        uint32_t priority = 0;
        uint32_t bytes = 0; ///< 0: nothing of the buffer
        uint8_t accounting = 0;
    };

    void CheckPriorities() const;
    void CheckControlReserve() const;
    void SetupBuffer();
    void SetupQueues();
    void SetupEcn();
    void MarkEcn(uint32_t egress, PacketUnit& unit);
    void AdmitUnit(uint32_t port, uint32_t egress, const PacketUnit& unit);
    void TracePauseCause(uint32_t ingress, uint32_t egress, const PacketUnit& unit);
    void AddTelemetry(uint32_t egress, const PacketUnit& unit);
    /// \return NO_INDEX when no port leads there
    uint32_t SelectEgress(const PacketUnit& unit);
    void Enqueue(uint32_t egress, PacketUnit& unit);
    /// Frees the memory that a unit of this switch, on its way from ingress to egress, holds.
    void FreeMemory(uint32_t egress, const Sending& held);
    void FreeMemory(uint32_t egress, const PacketUnit& unit)
    {
        FreeMemory(egress, Sending{unit.ingress, unit.channel, unit.wireBytes, unit.accounting});
    }

    uint64_t m_bufferSize;
    uint64_t m_headroom;
    uint64_t m_controlReserve;
    uint64_t m_xonOffset;
    double m_alpha;
    double m_lossyAlpha;
    uint8_t m_lossless;
    uint8_t m_lossy;
    std::string m_weights;
    bool m_cutThrough;
    uint8_t m_controlPriority;
    uint32_t m_hashSalt;
    uint64_t m_ecnKmin;
    uint64_t m_ecnKmax;
    double m_ecnPmax;
    DataRate m_ecnReferenceRate;
    bool m_ecnAtDequeue;
    TypeId m_loadBalancerType;
    std::string m_loadBalancerParameters;
    FabricContext* m_context = nullptr;
    std::vector<Ptr<EthernetDevice>> m_ports;
    std::vector<PriorityQueues> m_queues; ///< by egress
    std::vector<Sending> m_sending;       ///< by egress
    SharedBuffer m_buffer;
    EcnMarker m_ecn;
    SwitchRoutes m_routes;
    Ptr<LoadBalancer> m_loadBalancer;
    TracedCallback<const PacketUnit&, uint32_t> m_enqueueTrace;
    TracedCallback<const PacketUnit&, uint32_t> m_dequeueTrace;
    TracedCallback<const PacketUnit&, uint32_t> m_dropTrace;
    TracedCallback<const PacketUnit&, uint32_t> m_markTrace;
    TracedCallback<uint32_t, uint32_t, uint32_t> m_pauseCauseTrace;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_ETHERNET_SWITCH_H */
