/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ETHERNET_DEVICE_H
#define HBD_ETHERNET_DEVICE_H

#include "hbd-ethernet-element.h"
#include "hbd-fabric-graph.h"
#include "hbd-fabric-port.h"

#include "ns3/random-variable-stream.h"

#include <vector>

namespace ns3
{
namespace hbd
{

/// Priorities of an Ethernet link (IEEE 802.1Q).
constexpr uint32_t ETHERNET_PRIORITIES = 8;

/**
 * \ingroup hbd
 * One end of an Ethernet link with RoCEv2 framing and priority flow control (IEEE 802.1Qbb).
 *
 * A data packet takes payload (padded to 4 B) + preamble and start delimiter 8 + Ethernet 14 + IPv4 20 + UDP 8 + BTH 12
 * + invariant CRC 4 + frame check 4
 * + inter-packet gap 12 = payload + 82 B, and 16 B (RETH) more when it is the first of its message; an acknowledgement
 * 86 B; a pause frame 84 B. While telemetry is on (FabricContext), data packets and acknowledgements have TelemetryBytes
 * more. NICs, and switches unless they cut through, store and forward packets: the head of a unit is its first packet.
 *
 * Pause frames go ahead of everything that waits. A pause ends when the peer sends quanta 0 for its priority, or when
 * its quanta have run out; the side that wants it to last repeats it after half of that time. Of a PacketUnit that is a
 * pause frame, `sequence` holds enabled priorities << 8 | paused priorities.
 */
class EthernetDevice : public FabricPort
{
  public:
    static TypeId GetTypeId();

    void Start() override;
    void RefreshWatched() override;

    uint32_t GetWireBytes(const PacketUnit& unit) const override;
    uint32_t GetHeadBytes(const PacketUnit& unit, uint32_t wireBytes) const override;

    uint32_t GetGaplessBytes(const PacketUnit& unit, uint32_t wireBytes) const override;

    uint32_t GetPacketPayload() const override
    {
        return m_payload;
    }

    /// Wire bytes of a data packet beside its payload, RETH excluded.
    uint32_t GetPacketOverhead() const;
    /// Wire bytes up to the end of the BTH, which is what a switch that cuts through waits for.
    uint32_t GetCutThroughBytes() const;

    /// Whether what stands behind this port can send on what arrives here when its headers are here.
    void SetCutThrough(bool cutThrough)
    {
        m_cutThrough = cutThrough;
    }

    bool IsCutThrough() const
    {
        return m_cutThrough;
    }

    /// Priorities that the peer has paused, bit per priority.
    uint8_t GetPaused() const
    {
        return m_paused;
    }

    /// Priorities that this side has asked the peer to pause, bit per priority.
    uint8_t GetPausing() const
    {
        return m_pausing;
    }

    /**
     * Tells the peer to stop or to resume sending.
     * \param priority 0 .. 7
     * \param pause stop or resume
     * \param accountingClass set of counters for the frame
     */
    void SendPause(uint32_t priority, bool pause, uint8_t accountingClass);
    /// A pause frame has arrived: the element hands it here. Frees the unit.
    void ReceivePause(PacketUnit& unit);
    /// Notes that units wait, all of paused priorities; the time until the next transmission counts as PORT_PAUSE_PS of
    /// the class.
    void NotePaused(uint8_t accountingClass);

    /// Whether no pause is on in either direction.
    bool IsIdle() const
    {
        return !IsBusy() && m_paused == 0 && m_pausing == 0 && m_pending == 0;
    }

    /// How long a pause lasts unless repeated, in quanta of 512 bit times.
    uint32_t GetPauseQuanta() const
    {
        return m_quanta;
    }

    /// Bytes of a pause frame on the wire.
    uint32_t GetPauseBytes() const;

    /**
     * Buffer that a (port, priority) needs beyond its XOFF threshold: what arrives between the decision and the moment
     * at which the peer has stopped. That is the unit that crossed the threshold, one that the peer has just begun, and
     * the link rate for as long as: a unit on the reverse direction ends, the pause frame is sent, both ways of the
     * cable, both ends' processing and the head of a unit. \param link rate and delay \param processingPs of this port
     * plus that of the peer, in picoseconds \param unitBytes largest unit on the wire \param headBytes its head \param
     * pauseBytes a pause frame on the wire
     */
    static uint64_t GetRequiredHeadroom(const FabricLink& link,
                                        int64_t processingPs,
                                        uint64_t unitBytes,
                                        uint64_t headBytes,
                                        uint64_t pauseBytes);

    /// \name Faults
    /// What goes wrong on the direction away from this port. Where something can be lost, FabricContext::mayLose is set
    /// before the run, and units are single packets.
    /// \{

    /// Probability that a packet is lost on the link, 0 .. 1. \param rate of each packet on its own
    void SetLossRate(double rate);

    double GetLossRate() const
    {
        return m_lossRate;
    }

    /// Probability that a packet arrives with a wrong frame check and is dropped there, 0 .. 1.
    void SetCorruptionRate(double rate);

    double GetCorruptionRate() const
    {
        return m_corruptionRate;
    }

    /// Remembers from now on what is on the link: before the run, when SetUp will be called.
    void TrackFlight()
    {
        m_tracking = true;
    }

    /**
     * The link goes down or comes up; call it for both ends. What is on the link is lost, pauses by the peer are over, what
     * the port sends from now on is lost until it comes up. A switch sends nothing; a NIC goes on, as it does not know
     * another way. When it comes up, pauses that this side asks for are sent again.
     */
    void SetUp(bool up);

    bool IsUp() const
    {
        return m_up;
    }

    /// Sends at another rate from the next unit on. \param rate above 0
    void SetRate(DataRate rate);
    /// Fixes the stream of the random variable. \return 1
    int64_t AssignStreams(int64_t stream);
    /// \}

    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;

    /// Signature of PfcSent and PfcReceived. \param priority 0 .. 7 \param paused XOFF, or XON
    typedef void (*PfcTracedCallback)(uint32_t priority, bool paused);
    /// Signature of Resume. \param pausedPs picoseconds for which units had waited because of a pause
    typedef void (*ResumeTracedCallback)(int64_t pausedPs);

    void OnRecord(RecordKind kind, uint32_t port, uint32_t argument) override;
    void OnArbitration(uint32_t port) override;

  protected:
    void OnCredit(uint32_t argument) override;
    int64_t OnTransmit(PacketUnit& unit, int64_t txPs) override;
    Ptr<Packet> MakePacket(const PacketUnit& unit, uint32_t i) const override;
    uint32_t ResolveDestination(const Address& address) const override;
    bool SendRaw(PacketUnit& unit) override;

  private:
    /// What a TIMER record of this port means: argument = timer << 3 | priority.
    enum PauseTimer : uint32_t
    {
        PAUSE_EXPIRES,
        PAUSE_REFRESH,
    };

    /// What TrackFlight remembers of a unit.
    struct Flight
    {
        uint32_t unit;
        bool lost;
    };

    void RefreshRandom();
    void PushFlight(const PacketUnit& unit);
    bool PopFlight();
    void LoseFlight();
    void EndPauses();
    /// Whether a unit from the peer is lost: counted and freed then.
    bool LoseArriving(PacketUnit& unit);
    bool Draw(double probability);

    void OnTimer(uint32_t argument);
    void SchedulePause(uint32_t priority);
    void TransmitPause();
    static void TracePause(const TracedCallback<uint32_t, bool>& trace, const PacketUnit& unit);
    Ptr<Packet> MakePauseFrame(const PacketUnit& unit) const;
    Ptr<Packet> MakeAnswer(const PacketUnit& unit) const;
    Ptr<Packet> MakeData(const PacketUnit& unit, uint32_t i) const;
    /// Bytes behind the BTH of a unit without payload.
    static uint32_t GetAnswerBytes(const PacketUnit& unit);
    /// Number of the queue pair at the destination.
    static uint32_t GetQueuePair(const PacketUnit& unit);
    uint8_t GetOpcode(const PacketUnit& unit, uint32_t i) const;

    uint32_t m_payload;
    uint32_t m_preamble;
    uint32_t m_gap;
    uint16_t m_quanta;
    uint32_t m_telemetryBytes;
    bool m_cutThrough = false;
    EthernetElement* m_ethernet = nullptr;
    int64_t m_pausePs = 0; ///< how long the quanta last
    uint8_t m_paused = 0;  ///< by the peer
    uint8_t m_pausing = 0; ///< asked of the peer
    uint8_t m_pending = 0; ///< priorities that the next pause frame names
    uint8_t m_pendingClass = 0;
    FabricKernel::TimerId m_expiry[ETHERNET_PRIORITIES];
    FabricKernel::TimerId m_refresh[ETHERNET_PRIORITIES];
    int64_t m_pausedSincePs = -1;
    uint8_t m_pausedClass = 0;
    double m_lossRate;
    double m_corruptionRate;
    Ptr<UniformRandomVariable> m_random; ///< where one of them is above 0
    int64_t m_stream = -1;
    bool m_up = true;
    bool m_tracking = false;
    std::vector<Flight> m_flight; ///< on the link, first sent first; power of two
    uint64_t m_flightHead = 0;
    uint64_t m_flightTail = 0;
    TracedCallback<> m_linkChange;
    TracedCallback<uint32_t, bool> m_pfcSentTrace;
    TracedCallback<uint32_t, bool> m_pfcReceivedTrace;
    TracedCallback<int64_t> m_resumeTrace;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_ETHERNET_DEVICE_H */
