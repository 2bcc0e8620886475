/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_IDEAL_BOUND_H
#define HBD_IDEAL_BOUND_H

#include "hbd-fabric-graph.h"
#include "hbd-fabric-routes.h"
#include "hbd-message.h"
#include "hbd-scale-up-routes.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What the links of a fabric add to payload, and what its elements add to latency.
 */
struct IdealTraits
{
    uint64_t nvlinkPayload = 256; ///< most payload bytes of an NVLink packet
    uint64_t nvlinkHeader = 16;   ///< its bytes beside payload
    uint64_t nvlinkRequest = 16;  ///< bytes of one that asks another GPU for data
    uint64_t nvlinkFlit = 16;     ///< it is padded to whole flits
    uint64_t rocePayload = 4096;  ///< most payload bytes of a RoCE packet
    uint64_t roceOverhead = 82;   ///< its wire bytes beside payload
    uint64_t roceFirst = 16;      ///< more on the first packet of a message
    uint64_t cutThroughBytes = 0; ///< wire bytes of a packet after which Ethernet switches send it on; 0: after all
    uint64_t tlpPayload = 256;    ///< most payload bytes of a host-link packet
    uint64_t tlpOverhead = 24;    ///< its bytes beside payload
    int64_t nvswitchPs = 0;       ///< latency of an NVLink switch, picoseconds
    int64_t nicPs = 0;            ///< of a NIC, each way
    int64_t ethernetSwitchPs = 0; ///< of an Ethernet switch
    int64_t gpuNvlinkPs = 0;      ///< of a GPU that receives over its NVLinks
    int64_t gpuHostPs = 0;        ///< of a GPU that receives over its host link
    int64_t readPs = 0;           ///< of a GPU's memory that answers
    int64_t reductionPs = 0;      ///< of a switch that sums
};

/**
 * \ingroup hbd
 * One message.
 */
struct IdealTransfer
{
    uint32_t source;      ///< GPU; REDUCE: not looked at
    uint32_t destination; ///< another GPU; MULTICAST: not looked at
    uint64_t bytes;       ///< payload, of one copy
    MessageKind kind = MessageKind::WRITE;
    const std::vector<uint32_t>* group = nullptr; ///< MULTICAST, REDUCE: the members; not needed for latencies
    uint32_t packetPayload = 0;                   ///< scale-up: its own limit on the payload of a packet, 0 = none
};

/**
 * \ingroup hbd
 * Lower bounds on what any schedule on a fabric can reach, in integer picoseconds rounded down: wire bytes, headers
 * included, over the capacity of every cut that the traffic must cross. Messages between GPUs of one domain take the
 * scale-up tier, all others the NICs. A multicast leaves its source once and reaches every member; a reduction leaves
 * every member and reaches who asked for it once; requests are a header for each packet asked for.
 */
class IdealBound
{
  public:
    IdealBound(const FabricGraph& graph, const IdealTraits& traits);
    IdealBound(const IdealBound&) = delete;
    IdealBound& operator=(const IdealBound&) = delete;

    /**
     * Largest of bytes over capacity at each GPU's scale-up egress and ingress, the trunks of each group of GPUs that share leaf switches (two
     * tiers), the links between each two GPUs (mesh), each host link, each NIC, the NICs of
     * each domain and the uplinks of each leaf switch, per direction. Acknowledgements are left out. \param transfers
     * all messages, whatever their times \return picoseconds; latencies are not included
     */
    int64_t GetBoundPs(const std::vector<IdealTransfer>& transfers) const;

    /**
     * Shortest time of one message alone, from posted to its last byte's arrival: propagation, processing, packets in a
     * pipeline. \return picoseconds
     */
    int64_t GetLatencyPs(uint32_t source, uint32_t destination, uint64_t bytes) const;
    /// The same for any kind; of a multicast, to one member.
    int64_t GetLatencyPs(const IdealTransfer& transfer) const;
    /// The part of GetLatencyPs that no byte's serialisation adds to: propagation and processing. May be added to
    /// GetBoundPs.
    int64_t GetPropagationPs(uint32_t source, uint32_t destination) const;
    int64_t GetPropagationPs(const IdealTransfer& transfer) const;

    /// Time from the first bit of one full packet on the Ethernet link of the source's NIC until its acknowledgement is back there,
    /// on an empty fabric, processing of switches and NICs included. \return picoseconds
    int64_t GetRoundTripPs(uint32_t source, uint32_t destination) const;
    /// Ethernet links between the NICs of two GPUs.
    uint32_t GetEthernetHops(uint32_t source, uint32_t destination) const
    {
        return m_routes.GetHops(source, destination);
    }

    /// Whether there is a way over Ethernet between the NICs of two GPUs.
    bool HasEthernetWay(uint32_t source, uint32_t destination) const
    {
        return m_routes.HasWay(source, destination);
    }

    /// Wire bytes of a message on one tier. \param packetPayload its own limit on the payload of an NVLink packet, 0 = none
    uint64_t GetWireBytes(FabricTier tier, uint64_t bytes, uint32_t packetPayload = 0) const;

  private:
    /// Traffic over one cut, per direction.
    struct Cut
    {
        uint64_t rate = 0; ///< bit/s
        uint64_t outBytes = 0;
        uint64_t inBytes = 0;
    };

    /// One link of a path.
    struct Hop
    {
        FabricTier tier;
        uint64_t rate;    ///< bit/s
        int64_t flightPs; ///< delay and processing behind it
        bool cutThrough;  ///< what stands behind it sends packets on when their headers are there
    };

    /// A link of a path between NICs.
    struct Cable
    {
        uint64_t rate; ///< bit/s
        int64_t delayPs;
    };

    /// The links from NIC to NIC. Where paths of equal length differ, no link of any is better than the one here.
    std::vector<Cable> GetCables(uint32_t source, uint32_t destination) const;
    bool IsScaleUp(uint32_t a, uint32_t b) const;
    bool IsScaleUp(const IdealTransfer& transfer) const;
    uint64_t GetNvlinkPayload(uint32_t packetPayload) const;
    /// Wire bytes of one request of such a message.
    uint64_t GetRequestBytes(MessageKind kind) const;
    void AddScaleUp(std::vector<Cut>& cuts, const IdealTransfer& transfer) const;
    int64_t GetScaleUpBoundPs(const std::vector<IdealTransfer>& transfers) const;
    void NoteScaleUp(const FabricLink& link);
    /// Group of a GPU: those of a domain that share leaf switches.
    uint32_t GetGroup(uint32_t gpu) const;
    std::vector<Hop> GetHops(uint32_t source, uint32_t destination) const;
    int64_t GetScaleUpLatencyPs(const IdealTransfer& transfer) const;
    int64_t GetScaleUpPropagationPs(const IdealTransfer& transfer) const;
    uint32_t GetScaleUpLinks(const IdealTransfer& transfer) const;
    static int64_t GetTxPs(uint64_t wireBytes, uint64_t rate);
    static void Add(std::vector<Cut>& cuts, uint32_t from, uint32_t to, uint64_t wireBytes);
    static int64_t GetWorstPs(const std::vector<Cut>& cuts);

    FabricGraph m_graph;
    FabricRoutes m_routes;
    IdealTraits m_traits;
    ScaleUpRoutes m_scaleUpRoutes;
    std::vector<Cut> m_scaleUp; ///< by GPU, no traffic
    std::vector<Cut> m_trunks;  ///< by group of GPUs
    bool m_mesh = false;
    bool m_uniform = true;      ///< all links between Ethernet switches are alike
    std::vector<Cut> m_host;    ///< by GPU
    std::vector<Cut> m_nic;     ///< by GPU
    std::vector<Cut> m_domain;  ///< by domain
    std::vector<Cut> m_leaf;    ///< by node: uplinks of leaf switches
    uint64_t m_linkRate = 0;    ///< of one NVLink, bit/s
    uint64_t m_trunkRate = 0;   ///< of a link between NVLink switches, bit/s
    int64_t m_linkDelayPs = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_IDEAL_BOUND_H */
