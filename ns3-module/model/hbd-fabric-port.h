/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FABRIC_PORT_H
#define HBD_FABRIC_PORT_H

#include "hbd-fabric-element.h"
#include "hbd-fabric-kernel.h"
#include "hbd-message.h"
#include "hbd-packet-unit.h"
#include "hbd-statistics.h"
#include "hbd-switch-groups.h"
#include "hbd-telemetry.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{
namespace hbd
{

/// Told when a message's last byte has arrived.
class DeliveryListener
{
  public:
    virtual ~DeliveryListener() = default;
    /// \param message slot; freed when this returns
    virtual void OnDelivered(uint32_t message) = 0;
    /// All of a multicast has arrived at a GPU other than its source. \param message slot \param gpu which one
    virtual void OnCopyDelivered(uint32_t /* message */, uint32_t /* gpu */)
    {
    }
};

/// What all parts of one fabric share. Owned by Fabric.
struct FabricContext
{
    Ptr<FabricKernel> kernel;
    PacketUnitPool units;
    StatisticsBank statistics;
    MessageTable messages;
    SwitchGroups groups;
    TelemetryTable telemetry;
    bool mayLose = false;     ///< something can lose packets: transports keep timers
    uint64_t randomDraws = 0; ///< how often anything has drawn a random variate so far
    uint32_t accountingClasses = 1;
    DeliveryListener* listener = nullptr;
    uint32_t globalSums = 0; ///< index of the GlobalSum counters in statistics.sums
};

/// Counters of the whole fabric, from FabricContext::globalSums on.
enum GlobalSum : uint32_t
{
    SUM_BYTES_POSTED,
    SUM_BYTES_DELIVERED,
    SUM_MESSAGES_POSTED,
    SUM_MESSAGES_DELIVERED,
    SUM_UNIT_HOPS,   ///< data units sent over a link
    SUM_PACKET_HOPS, ///< data packets sent over a link
    SUM_DROPS, ///< packets lost at all ports
    GLOBAL_SUM_COUNT,
};

/// Counters of one port and accounting class, from FabricPort::GetSums(class) on.
enum PortSum : uint32_t
{
    PORT_TX_BYTES,     ///< on the wire, overhead included
    PORT_TX_PAYLOAD,   ///< payload, whatever it is for
    PORT_TX_PACKETS,   ///< wire packets, Ethernet control frames included
    PORT_TX_PS,        ///< time spent sending
    PORT_STALL_PS,     ///< had a unit to send and no credit
    PORT_PAUSE_PS,     ///< was paused by the peer
    PORT_PAUSE_FRAMES, ///< frames sent that pause the peer or renew a pause
    PORT_ECN_MARKED,
    PORT_DROPS,          ///< wire packets lost behind this port (waiting for it, on its link), or that arrived at it and found no room or were corrupted
    PORT_RECEIVE_ERRORS, ///< of them those that arrived corrupted
    PORT_CONTROL_FLITS,   ///< NVLink acknowledgements and credits, beside the packets
    PORT_RETRIED_PACKETS, ///< wire packets that arrived with a bit error and were sent again; in PORT_TX_BYTES and PORT_TX_PS, too. See LinkRetry
    PORT_SUM_COUNT,
};

/// The cable between two ports.
class FabricChannel : public Channel
{
  public:
    static TypeId GetTypeId();
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;
    void Attach(Ptr<NetDevice> a, Ptr<NetDevice> b);
    /// One-way propagation delay.
    Time GetDelay() const
    {
        return m_delay;
    }

  private:
    Time m_delay;
    Ptr<NetDevice> m_devices[2];
};

/**
 * One end of a full-duplex link: serialises units onto its wire, and is where units from the other end arrive. Base of every device of the fabric.
 *
 * A unit occupies the wire for its wire bytes over the rate (rounded up to a picosecond). Its arrival at the other end is the time at which it can
 * be sent on: at an end point when the last byte is there, at a switch when the head is (GetHeadBytes), plus the receiving port's processing delay.
 */
class FabricPort : public NetDevice, public KernelClient
{
  public:
    static TypeId GetTypeId();
    FabricPort();
    ~FabricPort() override;

    /// Puts the port into a fabric. \param index its index in the element
    void AttachTo(FabricContext& context, FabricElement& element, uint32_t index);
    /// Connects two ports by a channel.
    static void Connect(Ptr<FabricPort> a, Ptr<FabricPort> b, Ptr<FabricChannel> channel);
    /// Fixes rate and delays as integers; call when attributes and the channel are set.
    virtual void Start();

    /// Sends a unit now. The port must be free. The port owns the unit until it arrives.
    void Transmit(PacketUnit& unit);
    /// Asks the element to choose a unit at the end of this instant, if the port is free.
    void RequestArbitration()
    {
        if (!m_busy && !m_arbitrationPending)
        {
            m_arbitrationPending = true;
            m_context->kernel->RequestArbitration(m_id);
        }
    }
    bool IsBusy() const
    {
        return m_busy;
    }
    /// Kernel time at which the last unit given to Transmit has left the wire.
    int64_t GetBusyUntilPs() const
    {
        return m_busyUntilPs;
    }

    /// Bytes the unit takes on this link, headers and padding included.
    virtual uint32_t GetWireBytes(const PacketUnit& unit) const = 0;
    /// Bytes that must have arrived before a switch can start to send the unit on. \param wireBytes what GetWireBytes gave
    virtual uint32_t GetHeadBytes(const PacketUnit& unit, uint32_t wireBytes) const = 0;
    /// Bytes of the unit that must have arrived wherever it is sent on without a gap: of its first packet, and so of each.
    virtual uint32_t GetGaplessBytes(const PacketUnit& unit, uint32_t wireBytes) const
    {
        return GetHeadBytes(unit, wireBytes);
    }
    /// Most payload bytes of one packet on this link.
    virtual uint32_t GetPacketPayload() const = 0;

    /// Time on the wire, in picoseconds, rounded up.
    int64_t GetTxTimePs(uint64_t wireBytes) const
    {
        if (m_psPerByte != 0)
        {
            return static_cast<int64_t>(wireBytes * m_psPerByte);
        }
        if (wireBytes < (1ULL << 20))
        {
            return static_cast<int64_t>((wireBytes * 8000000000000ULL + m_bitRate - 1) / m_bitRate);
        }
        return static_cast<int64_t>((static_cast<WideInteger>(wireBytes) * 8000000000000ULL + m_bitRate - 1) / m_bitRate);
    }
    /**
     * Earliest kernel time at which this port can start to send a unit that is still arriving, without running dry: not before its last packet has
     * arrived when that packet's turn comes.
     */
    int64_t GetGaplessStartPs(const PacketUnit& unit) const;

    /// Kernel port id: the canonical order of simultaneous events.
    uint32_t GetId() const
    {
        return m_id;
    }
    uint32_t GetElementIndex() const
    {
        return m_index;
    }
    FabricElement& GetElement() const
    {
        return *m_element;
    }
    FabricPort* GetPeer() const
    {
        return m_peer;
    }
    uint64_t GetBitRate() const
    {
        return m_bitRate;
    }
    int64_t GetDelayPs() const
    {
        return m_delayPs;
    }
    int64_t GetProcessingDelayPs() const
    {
        return m_processingPs;
    }
    Time GetProcessingDelay() const
    {
        return m_processing;
    }
    void SetProcessingDelay(Time delay)
    {
        m_processing = delay;
    }
    /// Counts the packets of a unit as lost at this port and frees it.
    void Drop(PacketUnit& unit);

    /// Bytes waiting for this port: called by the element when it queues or takes a unit.
    void AddQueued(const PacketUnit& unit, int64_t bytes);
    uint64_t GetQueuedBytes() const
    {
        return m_queuedBytes;
    }
    /// Index into StatisticsBank::sums of this port's PortSum counters of one class.
    uint32_t GetSums(uint32_t accountingClass) const
    {
        return m_sums + accountingClass * PORT_SUM_COUNT;
    }
    uint32_t GetMaximum(uint32_t accountingClass) const
    {
        return m_maxima + accountingClass;
    }
    uint32_t GetIntegral(uint32_t accountingClass) const
    {
        return m_integrals + accountingClass;
    }
    /// Brings the queue integral up to the present.
    void FlushQueueIntegral();

    /// Looks again whether anybody wants to see packets at this port.
    virtual void RefreshWatched();
    bool IsWatched() const
    {
        return m_watched;
    }
    /// Whether a sink for units, or for what else is no packet, is connected.
    bool IsUnitTraced() const
    {
        return m_unitTraced;
    }
    /// Hands a packet that came through as itself (UNIT_RAW) up: to the promiscuous receive callback, then to the other.
    void DeliverRaw(PacketUnit& unit);

    // KernelClient
    void OnRecord(RecordKind kind, uint32_t port, uint32_t argument) override;
    void OnArbitration(uint32_t port) override;

    // NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
    bool IsPointToPoint() const override;
    bool IsBridge() const override;
    bool Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet, const Address& source, const Address& destination, uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

    /// Signature of the unit trace sources. \param unit the unit
    typedef void (*UnitTracedCallback)(const PacketUnit& unit);

  protected:
    void DoDispose() override;
    /// A credit or pause state reached this port. \param argument what the sender of it packed
    virtual void OnCredit(uint32_t argument) = 0;
    /**
     * Called when a unit is sent, before it is scheduled to arrive.
     * \param txPs its time on the wire
     * \return picoseconds for which the wire is taken by other things before the unit
     */
    virtual int64_t OnTransmit(PacketUnit& unit, int64_t txPs) = 0;
    /// A unit from the other end has arrived; the element gets it next.
    virtual void OnArrival(const PacketUnit& /* unit */)
    {
    }
    /// Sends at another rate from the next unit on.
    void ChangeRate(DataRate rate);
    /// The wire is free again.
    virtual void OnTxDone()
    {
    }
    /**
     * The i-th packet of a unit as a real Packet, headers included.
     * \param unit the unit
     * \param i 0 .. packets - 1
     */
    virtual Ptr<Packet> MakePacket(const PacketUnit& unit, uint32_t i) const = 0;
    /// Finds the GPU behind a link-layer address. \return NO_INDEX when it is none of this fabric
    virtual uint32_t ResolveDestination(const Address& address) const = 0;
    /// Starts a user's packet on its way. \return false when it cannot be taken
    virtual bool SendRaw(PacketUnit& unit) = 0;

    FabricContext* m_context = nullptr;
    FabricElement* m_element = nullptr;
    FabricPort* m_peer = nullptr;
    uint32_t m_id = NO_INDEX;
    uint32_t m_index = 0;
    bool m_busy = false;
    bool m_arbitrationPending = false;
    bool m_watched = false;
    bool m_unitTraced = false;
    int64_t m_delayPs = 0;
    int64_t m_processingPs = 0;
    int64_t m_busyUntilPs = 0;
    uint64_t m_bitRate = 0;
    uint64_t m_psPerByte = 0;
    TracedCallback<Ptr<const Packet>> m_macTxTrace;
    TracedCallback<Ptr<const Packet>> m_macRxTrace;
    TracedCallback<const PacketUnit&> m_unitTxTrace;
    TracedCallback<const PacketUnit&> m_unitRxTrace;

  private:
    void TracePackets(const TracedCallback<Ptr<const Packet>>& trace, PacketUnit& unit);
    void TraceStart(PacketUnit& unit);
    void CountTransmit(const PacketUnit& unit, uint32_t wireBytes, int64_t txPs);

    DataRate m_rate;
    Time m_processing;
    Ptr<FabricChannel> m_channel;
    Ptr<Node> m_node;
    Mac48Address m_address;
    uint32_t m_ifIndex = 0;
    uint16_t m_mtu = 4096;
    uint32_t m_sums = 0;
    uint32_t m_maxima = 0;
    uint32_t m_integrals = 0;
    uint64_t m_queuedBytes = 0;
    int64_t m_queueSincePs = 0;
    uint32_t m_queueClass = 0;
    NetDevice::ReceiveCallback m_receive;
    NetDevice::PromiscReceiveCallback m_promiscReceive;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FABRIC_PORT_H */
