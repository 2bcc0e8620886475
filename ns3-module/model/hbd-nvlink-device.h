/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_NVLINK_DEVICE_H
#define HBD_NVLINK_DEVICE_H

#include "hbd-credit-port.h"
#include "hbd-link-retry.h"

#include "ns3/header.h"

namespace ns3
{
namespace hbd
{

/**
 * Virtual channels of NVLinks by what they carry. Whatever carries data - writes, multicasts, answers to requests, sums - goes on one: where it arrives there
 * is room for it, so that this channel always drains. Requests (reads, sums by switches), which may have to wait for room in a table, have the other to
 * themselves: they cannot keep the answers that they wait for from coming, and do not stand behind data. NVIDIA's assignment is not public; that
 * requests and their answers are apart is what the protocol needs.
 */
constexpr uint8_t DATA_CHANNEL = 0;
constexpr uint8_t REQUEST_CHANNEL = 1;

/**
 * \ingroup hbd
 * Header of an NVLink packet as this model writes it into traces and captures, as long as on the wire (at least 16 B). NVIDIA's bit layout is not
 * public; this one carries what the model knows. Big endian: source GPU (3 B), destination GPU (3 B), bytes of the header (2 B), virtual channel (1 B),
 * flags (1 B), payload bytes (2 B), UnitKind (1 B), packet number inside its unit (3 B), zeros. A source or destination of all ones is a switch.
 */
class NvlinkHeader : public Header
{
  public:
    static constexpr uint16_t SIZE = 16; ///< least bytes of a header
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    uint32_t source = 0;      ///< below 2^24 - 1, or NO_INDEX
    uint32_t destination = 0; ///< the same
    uint16_t bytes = SIZE;    ///< of this header, zeros at its end included; at least SIZE
    uint8_t channel = 0;
    uint8_t flags = 0;
    uint16_t payloadBytes = 0;
    uint8_t kind = 0;
    uint32_t number = 0; ///< below 2^24
};

/**
 * \ingroup hbd
 * One end of one NVLink: packets of 1 to 18 flits, credit-based flow control per virtual channel. The head that a switch needs before it can send a
 * packet on is the header.
 *
 * Acknowledgements and credits share the wire of the other direction: for every `PacketsPerAck` packets that arrive, this end owes one flit. It goes
 * in front of the next unit that this end sends, or alone while the wire is idle. So a flow in one direction is not slowed, and two opposite flows
 * of full packets have payload / (packet + flit / PacketsPerAck) of the wire each. Less than `PacketsPerAck` packets that are owed for when the
 * fabric comes to rest are forgotten (a real link sends that flit after a while, which nothing waits for).
 *
 * With a `BitErrorRate`, packets fail and are sent again on the link (LinkRetry). A unit is then late as a whole. It and `RetryDelay` belong to one
 * direction and can be set at any time; the other attributes are what a fabric is built with.
 */
class NvlinkDevice : public CreditPort
{
  public:
    static TypeId GetTypeId();

    /// \throws std::invalid_argument when the other end's CreditWindow is smaller than a packet, or a packet would hardly ever arrive without a bit error
    void Start() override;
    uint32_t GetWireBytes(const PacketUnit& unit) const override;
    uint32_t GetHeadBytes(const PacketUnit& unit, uint32_t wireBytes) const override;
    uint32_t GetPacketPayload() const override
    {
        return m_payload;
    }
    /// Most payload of a packet of a message or unit. \param cap its own limit, 0 for none
    uint32_t GetPacketPayload(uint32_t cap) const
    {
        return cap == 0 ? m_payload : std::min(cap, m_payload);
    }
    /// Wire bytes of a packet beside its payload.
    uint32_t GetHeaderBytes() const
    {
        return m_headerFlits * m_flit; // right before Start, too
    }
    /// Wire bytes of a packet that asks for data.
    uint32_t GetRequestBytes() const
    {
        return m_requestFlits * m_flit;
    }
    /// Wire bytes of a packet of the unit beside its payload.
    uint32_t GetHeaderBytes(const PacketUnit& unit) const;
    uint32_t GetFlitBytes() const
    {
        return m_flit;
    }
    /// Whether random bit errors happen here.
    bool HasErrors() const
    {
        return m_bitErrorRate > 0;
    }
    /// Probability that a bit which this port sends arrives wrong; may change at any time. \throws std::invalid_argument as Start
    void SetBitErrorRate(double rate);
    double GetBitErrorRate() const
    {
        return m_bitErrorRate;
    }
    /// Time from the last byte of a packet with a bit error to the first byte of its repetition; may change at any time.
    void SetRetryDelay(Time delay);
    Time GetRetryDelay() const
    {
        return m_retryDelay;
    }
    /// Fixes the random stream of this port's bit errors, of which there may be none yet. \return streams used: 1
    int64_t AssignStreams(int64_t stream);
    /// Hands a packet that a user gave to Send up to the receive callback, as it was given.
    void DeliverUsersPacket(PacketUnit& unit);
    void RefreshWatched() override;

    /// Signature of LinkRetry. \param unit what is late \param packets of it that had an error, one for each error
    typedef void (*RetryTracedCallback)(const PacketUnit& unit, uint32_t packets);
    /// Signature of ControlFlits. \param flits how many
    typedef void (*FlitsTracedCallback)(uint32_t flits);

  protected:
    Ptr<Packet> MakePacket(const PacketUnit& unit, uint32_t i) const override;
    uint32_t ResolveDestination(const Address& address) const override;
    bool SendRaw(PacketUnit& unit) override;
    int64_t OnTransmit(PacketUnit& unit, int64_t txPs) override;
    void OnArrival(const PacketUnit& unit) override;
    void OnTxDone() override;

  private:
    /// Wire bytes of a packet of a unit, unless it is the last one.
    uint32_t GetFullPacketBytes(const PacketUnit& unit) const;
    /// Whether packets of this GPU's port reach another GPU.
    bool Leads(uint32_t gpu) const;
    /// Header of the i-th packet of a unit.
    NvlinkHeader MakeHeader(const PacketUnit& unit, uint32_t i) const;

    uint32_t m_payload;
    uint32_t m_flit;
    uint32_t m_headerFlits;
    uint32_t m_requestFlits;
    /// Puts control flits on the free wire.
    void SendControl();
    /// Sends a unit again as often as bit errors want it. \return picoseconds that it costs
    int64_t Retry(const PacketUnit& unit, int64_t txPs);

    void ConfigureRetry();
    void CheckErrors() const;

    TracedCallback<const PacketUnit&, uint32_t> m_retryTrace;
    TracedCallback<uint32_t> m_controlTrace;
    uint32_t m_mostFlits;
    uint32_t m_packetsPerAck;
    double m_bitErrorRate = 0;
    Time m_retryDelay;
    LinkRetry m_retry;
    int64_t m_stream = -1;          ///< random stream, -1 for any
    bool m_streamAssigned = false;  ///< the retry has it: only what has errors has a random variable
    uint32_t m_unacknowledged = 0; ///< packets that have arrived since the last control flit
    uint64_t m_restCount = 0;      ///< of the kernel when it was counted
    uint32_t m_owedFlits = 0;      ///< wait for the end of the present transmission
    int64_t m_controlUntilPs = 0;  ///< the wire carries control flits until then
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_NVLINK_DEVICE_H */
