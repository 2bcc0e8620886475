/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RDMA_NIC_H
#define HBD_RDMA_NIC_H

#include "hbd-ethernet-device.h"
#include "hbd-host-link-device.h"
#include "hbd-priority-queues.h"
#include "hbd-ideal-bound.h"
#include "hbd-rdma-queue-pair.h"
#include "hbd-round-robin-set.h"
#include "hbd-shared-buffer.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * An RDMA NIC between the host link of its GPU (port 0) and an Ethernet link (port 1).
 *
 * Sending: each message belongs to the queue pair of its destination; queue pairs that have something to send and an
 * open window take turns, one unit each. The unit is fetched over the host link when the GPU's host port is free and
 * the NIC has buffer for it (credits of the host link), waits for the Ethernet port and frees the buffer when it is
 * sent; so a pause reaches back to the scheduler. Acknowledgements go ahead of data.
 *
 * Receiving: a data unit is acknowledged when its last byte has arrived, every `AckEvery` units of a queue pair and at
 * the end of each message; it goes on to the GPU over the host link. When the GPU takes it slower than it comes, the
 * receive buffer fills and pauses the switch. Marked data are answered by congestion notification packets, when the
 * queue pair's congestion control works with them.
 *
 * What is missing is sent again: by a negative acknowledgement, or after `RetransmitTimeout`. Timers run only where
 * something can be lost (FabricContext::mayLose).
 */
class RdmaNic : public Object, public EthernetElement, public Transport, public HostUnitSource, public KernelClient
{
  public:
    static constexpr uint32_t HOST_PORT = 0;
    static constexpr uint32_t ETHERNET_PORT = 1;

    static TypeId GetTypeId();

    /**
     * \param context the fabric
     * \param gpu whose NIC it is
     * \param gpus of the fabric
     * \param host port 0
     * \param gpuPort the port of the GPU at the other end of it
     * \param ethernet port 1
     * \param lineRate of the Ethernet port
     * \param maxPackets most packets of any unit
     * \throws std::invalid_argument when the window or a buffer is too small for one unit
     */
    void Setup(FabricContext& context,
               uint32_t gpu,
               uint32_t gpus,
               Ptr<HostLinkDevice> host,
               Ptr<HostLinkDevice> gpuPort,
               Ptr<EthernetDevice> ethernet,
               DataRate lineRate,
               uint32_t maxPackets);

    /// Where a queue pair's round trip is looked up. \param bound of the fabric; outlives this
    void SetIdealBound(const IdealBound* bound)
    {
        m_bound = bound;
    }

    /// Most unacknowledged payload per queue pair, in bytes.
    uint64_t GetWindow() const
    {
        return m_window;
    }

    /// Headroom of the receive buffer, in bytes.
    uint64_t GetHeadroom() const
    {
        return m_headroom;
    }

    /// Time from the head of a unit at one port to where the other may send it, unloaded.
    Time GetProcessingDelay() const
    {
        return m_processing;
    }

    uint32_t GetDataPriority() const
    {
        return m_dataPriority;
    }

    uint32_t GetControlPriority() const
    {
        return m_controlPriority;
    }

    /// Payload of a packet, in bytes.
    uint32_t GetMtu() const
    {
        return m_transport.mtu;
    }

    /// Most packets of any unit.
    uint32_t GetMaxPackets() const
    {
        return m_transport.maxPackets;
    }

    const SharedBuffer& GetReceiveBuffer() const
    {
        return m_buffer;
    }

    /// A queue pair to a GPU, or null when it was not needed yet. \param number 0 .. QueuePairs - 1
    const RdmaQueuePair* FindQueuePair(uint32_t remote, uint32_t number = 0) const
    {
        return m_pairs[remote * m_queuePairs + number].get();
    }

    /// How its queue pairs work.
    const RdmaTransport& GetTransport() const
    {
        return m_transport;
    }

    /// Signature of the trace source QueuePair. \param nic its GPU \param pair the new queue pair
    typedef void (*QueuePairTracedCallback)(uint32_t nic, const RdmaQueuePair& pair);
    /// Signature of the trace sources Retransmit, CnpSent and CnpReceived. \param nic its GPU \param remote GPU at the
    /// other end \param number of the queue pair \param packets how many
    typedef void (*PairEventTracedCallback)(uint32_t nic, uint32_t remote, uint32_t number, uint32_t packets);

    // attributes kept in GetTransport()
    void SetAckEvery(uint32_t units)
    {
        m_transport.ackEvery = units;
    }
    uint32_t GetAckEvery() const
    {
        return m_transport.ackEvery;
    }
    void SetReorderPackets(uint32_t packets)
    {
        m_transport.reorderPackets = packets;
    }
    uint32_t GetReorderPackets() const
    {
        return m_transport.reorderPackets;
    }
    void SetRetryCount(uint32_t count)
    {
        m_transport.retries = count;
    }
    uint32_t GetRetryCount() const
    {
        return m_transport.retries;
    }

    // Transport
    void Start(uint32_t message) override;
    // HostUnitSource
    PacketUnit* NextUnit() override;
    // EthernetElement
    void ReceiveUnit(uint32_t port, PacketUnit& unit) override;
    void Arbitrate(uint32_t port) override;
    void OnSent(uint32_t port) override;
    bool SendRaw(uint32_t port, PacketUnit& unit) override;

    bool IsEndPoint() const override
    {
        return false;
    }

    void SaveState(std::vector<uint32_t>& words) const override;
    void RestoreState(const uint32_t*& words) override;
    bool IsDrained() const override;
    void DescribeBlocked(std::vector<std::string>& lines) const override;
    void GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const override;
    // KernelClient: TIMER = of queue pair `argument` / 2: 0 pacing is over, 1 time to look for what is missing; ARRIVAL = the
    // acknowledgement `argument` of a unit is due, whose last byte has come
    void OnRecord(RecordKind kind, uint32_t port, uint32_t argument) override;

  protected:
    void DoDispose() override;

  private:
    void SavePair(uint32_t index, std::vector<uint32_t>& words) const;
    void RestorePair(uint32_t index, const uint32_t* words, uint32_t count);

    /// What a TIMER record is for.
    enum PairTimer : uint32_t
    {
        PACING,
        RETRANSMIT,
    };

    void CheckAttributes() const;
    RdmaQueuePair& GetQueuePair(uint32_t remote, uint32_t number);
    Ptr<CongestionControl> MakeControl(uint32_t remote) const;
    uint32_t IndexOf(const RdmaQueuePair& pair) const
    {
        return pair.GetRemote() * m_queuePairs + pair.GetNumber();
    }
    bool CanSend(const RdmaQueuePair& pair) const
    {
        return !pair.paced && pair.sender.CanSend(m_context->messages);
    }
    void UpdateReady(RdmaQueuePair& pair);
    void PaceAfter(RdmaQueuePair& pair, const PacketUnit& unit);
    void ArmTimer(RdmaQueuePair& pair);
    void StopTimer(RdmaQueuePair& pair);
    void OnRetransmitTimer(RdmaQueuePair& pair);
    void ReceiveAck(PacketUnit& unit);
    /// Takes a data unit into the receive buffer. \return false when it was lost there
    bool Admit(const PacketUnit& unit);
    /// Sends an acknowledgement or a notification when the last byte of the data that caused it is here.
    void Answer(RdmaQueuePair& pair, const PacketUnit& data, UnitKind kind);
    bool HoldUntilGapless(FabricPort& in, FabricPort& out, PacketUnit& unit);
    void ReceiveFromHost(PacketUnit& unit);
    void ReceiveFromNetwork(PacketUnit& unit);
    void ReceiveData(PacketUnit& unit);
    void ReceiveRaw(PacketUnit& unit);
    /// Frees the Packet that a watched port made of a unit: the framing on the other side of the NIC is another one.
    static void DropShownPacket(PacketUnit& unit);
    void QueueForHost(PacketUnit& unit);
    void QueueForNetwork(PacketUnit& unit);
    void SendToHost();
    void SendToNetwork();

    uint64_t m_window;
    std::string m_recovery;
    Time m_timeout;
    Time m_cnpInterval;
    uint32_t m_queuePairs;
    RdmaTransport m_transport;
    uint8_t m_dataPriority;
    uint8_t m_controlPriority;
    uint64_t m_receiveBufferSize;
    uint64_t m_headroom;
    uint64_t m_xonOffset;
    double m_alpha;
    Time m_processing;
    TypeId m_congestionControl;
    std::string m_congestionParameters;

    FabricContext* m_context = nullptr;
    uint32_t m_gpu = 0;
    uint32_t m_gpus = 0;
    uint32_t m_id = 0; ///< its own port id in the kernel
    uint64_t m_lineBitRate = 0;
    Ptr<HostLinkDevice> m_host;
    Ptr<HostLinkDevice> m_gpuPort;
    Ptr<EthernetDevice> m_ethernet;
    const IdealBound* m_bound = nullptr;
    std::vector<std::unique_ptr<RdmaQueuePair>> m_pairs; ///< by remote GPU and number
    std::vector<uint16_t> m_nextPair;                    ///< by remote GPU: number that its next message gets; empty when all have one
    RoundRobinSet m_ready;                               ///< queue pairs that may send
    uint32_t m_pointer = 0;                              ///< queue pair that is looked at first
    PriorityQueues m_toNetwork;
    PacketUnitQueue m_toHost;
    SharedBuffer m_buffer;        ///< receive buffer; one port
    uint32_t m_toHostSending = 0; ///< bytes of the receive buffer that are on the host link
    uint8_t m_toHostClass = 0;
    TracedCallback<uint32_t, const RdmaQueuePair&> m_pairTrace;
    TracedCallback<uint32_t, uint32_t, uint32_t, uint32_t> m_retransmitTrace;
    TracedCallback<uint32_t, uint32_t, uint32_t, uint32_t> m_cnpSentTrace;
    TracedCallback<uint32_t, uint32_t, uint32_t, uint32_t> m_cnpReceivedTrace;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_RDMA_NIC_H */
