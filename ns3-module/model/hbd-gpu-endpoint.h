/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_GPU_ENDPOINT_H
#define HBD_GPU_ENDPOINT_H

#include "hbd-fabric-element.h"
#include "hbd-nvlink-device.h"
#include "hbd-scale-up-routes.h"

#include "ns3/object.h"

#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * A GPU as the fabric sees it. Stripes the messages it sends over its NVLinks, packet by packet in a fixed rotation, serves the messages of a link
 * in turn, unit by unit, counts the payload that arrives. Its memory answers the requests of other GPUs and of switches without software; the answers to
 * one message on one link take the turn of one message, in the order in which they were asked for, and so do all packets of users. Its host port fetches
 * for the NIC.
 *
 * Rotation: packet k of a message from s to d goes on link (5 s + 7 d + k) mod links, so that short messages to consecutive GPUs spread; with a group
 * instead of a peer, that is the other end too. What is asked for comes back on the link on which it was asked for.
 *
 * Copy rate: what the GPU's kernels feed to all of its links together. A unit with payload p of a message with copy rate R takes p / R of the kernels' time,
 * one unit after the other in the order in which their links come to ask; it may start on its link up to (k - 1) p / R ahead of its turn, k being the
 * links over which its message is striped, so that all of them begin at once. So k links of one message each send a unit every k p / R, messages to other
 * peers share R with it, and what a link cannot take is left to the others. Messages without a copy rate go in between. Of one virtual channel, the
 * messages with and those without a copy rate take turns.
 */
class GpuEndpoint : public Object, public FabricElement, public Transport
{
  public:
    static TypeId GetTypeId();

    /**
     * \param context the fabric
     * \param gpu its number
     * \param links its NVLink ports, elements' indices 0 ..; may be empty
     * \param hostPort its port to the NIC (index links.size()), or null
     * \param host what decides what the host port sends, or null
     */
    void Setup(FabricContext& context, uint32_t gpu, const std::vector<Ptr<NvlinkDevice>>& links, Ptr<CreditPort> hostPort, HostUnitSource* host);

    /// Time from a request's arrival to the first byte of its answer.
    Time GetReadLatency() const
    {
        return m_readLatency;
    }
    /// Most payload asked for on one link and not here, in bytes; 0 = no limit.
    uint32_t GetReadWindow() const
    {
        return m_readWindow;
    }
    /// Its number.
    uint32_t GetGpu() const
    {
        return m_gpu;
    }
    /// Gives it the links over which it reaches the others. Without a call, all of them for everyone.
    void SetStripes(const GpuStripes& stripes);
    /// Ports over which it sends to a GPU of its domain, ascending; empty when there is no way. \param destination NO_INDEX: all that are up
    const std::vector<uint32_t>& GetStripe(uint32_t destination) const;
    /// Starts a message over the NVLinks.
    void Start(uint32_t message) override;
    /// Queues a user's own packet on one link, behind the messages of the same virtual channel. \return false when the GPU has no such link
    bool QueueRaw(uint32_t link, PacketUnit& unit);

    void ReceiveUnit(uint32_t port, PacketUnit& unit) override;
    void Arbitrate(uint32_t port) override;
    bool IsEndPoint() const override
    {
        return true;
    }
    void SaveState(std::vector<uint32_t>& words) const override;
    void RestoreState(const uint32_t*& words) override;
    bool IsDrained() const override;
    void DescribeBlocked(std::vector<std::string>& lines) const override;
    void GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const override;

    /// Link-layer address of a GPU's NVLink.
    static Mac48Address MakeAddress(uint32_t gpu, uint32_t port);
    /// GPU behind a link-layer address made by MakeAddress, or NO_INDEX.
    static uint32_t ResolveAddress(const Address& address);

  protected:
    void DoDispose() override;

  private:
    /// What a message still has to send on one link: data or requests of its issuer, or what answers its requests.
    struct Stream
    {
        uint32_t message;   ///< slot, or NO_INDEX: the packets that users gave
        PacketUnitQueue units; ///< answers, users' packets: what waits. Empty for what is still to be cut into units: all below is about that
        uint32_t next;
        uint64_t packets;   ///< left on this link
        uint32_t lastBytes; ///< payload of the last of them
        uint32_t links;     ///< over which its message is striped
        bool first;         ///< nothing sent on this link yet
        bool carriesFirst;  ///< the message's first packet is on this link
        bool carriesLast;   ///< its last one is
    };

    /// The stream of a message's answers on one link, while one waits.
    struct AnswerStream
    {
        uint32_t message;
        uint32_t stream;
    };

    /// The kernels' time that is taken for the next unit of a class with a copy rate on a link.
    struct KernelTurn
    {
        int64_t startPs = NO_TURN; ///< when it may start
        int64_t takesPs = 0;
    };
    static constexpr int64_t NO_TURN = -1;

    struct StreamQueue
    {
        uint32_t head = NO_INDEX;
        uint32_t tail = NO_INDEX;
    };

    uint32_t AllocateStream();
    void FreeStream(uint32_t stream);
    void PushStream(StreamQueue& queue, uint32_t stream);
    uint32_t PopStream(StreamQueue& queue);
    /// \param paced of messages with a copy rate
    static uint32_t GetClass(uint32_t channel, bool paced)
    {
        return channel * 2 + (paced ? 1 : 0);
    }
    StreamQueue& GetQueue(uint32_t link, uint32_t trafficClass)
    {
        return m_queues[link * m_classes + trafficClass];
    }
    void AddStream(uint32_t link, uint32_t message, uint64_t packetsOfMessage, uint64_t position, uint64_t links);
    void QueueUnit(uint32_t link, PacketUnit& unit);
    PacketUnit& TakeUnit(uint32_t link, uint32_t stream);
    bool SendFrom(uint32_t link, uint32_t trafficClass);
    PacketUnit LookAt(const Stream& stream, uint32_t link) const;
    PacketUnit& CutUnit(Stream& stream, const PacketUnit& look);
    uint32_t PeekPayload(const Stream& stream, uint32_t packets, uint32_t packetPayload) const;
    void Deliver(PacketUnit& unit);
    void DeliverCopy(uint32_t slot, uint32_t payload);
    /// Whether it asks for payload that this GPU keeps account of.
    static bool IsRequest(const PacketUnit& unit)
    {
        return unit.kind == UnitKind::READ_REQUEST || unit.kind == UnitKind::REDUCE_REQUEST;
    }
    /// Why the first of a class does not start.
    const char* GetObstacle(uint32_t link, uint32_t trafficClass) const;
    bool MayAsk(uint32_t link, uint32_t bytes) const;
    void NoteAnswer(const PacketUnit& unit);
    void Answer(uint32_t link, PacketUnit& unit);
    bool HasTurn(uint32_t link, uint32_t trafficClass, uint64_t payload);
    void EndTurn(uint32_t link, uint32_t trafficClass, int64_t txPs);

    FabricContext* m_context = nullptr;
    uint32_t m_gpu = 0;
    std::vector<Ptr<NvlinkDevice>> m_links;
    GpuStripes m_stripes;
    Ptr<CreditPort> m_hostPort;
    HostUnitSource* m_host = nullptr;
    uint32_t m_channels = 1;
    uint32_t m_classes = 2;                  ///< two a virtual channel
    std::vector<StreamQueue> m_queues;       ///< by link and class
    std::vector<uint32_t> m_classPointer;    ///< by link: class that is looked at first
    int64_t m_kernelFreePs = 0;              ///< until when the kernels' time is taken
    std::vector<KernelTurn> m_turns;         ///< by link and class
    std::vector<std::vector<AnswerStream>> m_answers; ///< by link; few: searched one by one
    std::vector<uint64_t> m_askedBytes;      ///< by link: asked for and not here
    std::vector<bool> m_askWaits;            ///< by link: a request waits for m_askedBytes to fall
    Time m_readLatency;
    uint32_t m_readWindow = 0;
    std::vector<Stream> m_streams;
    uint32_t m_freeStreams = NO_INDEX;
    uint64_t m_activeStreams = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_GPU_ENDPOINT_H */
