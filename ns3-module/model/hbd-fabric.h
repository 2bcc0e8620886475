/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FABRIC_H
#define HBD_FABRIC_H

#include "hbd-fabric-graph.h"
#include "hbd-fabric-port.h"
#include "hbd-gpu-endpoint.h"
#include "hbd-link-faults.h"
#include "hbd-nvswitch.h"
#include "hbd-scale-up-routes.h"

#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/**
 * \defgroup hbd High-bandwidth domains of GPUs
 * Domains of GPUs that NVLink-style links and switches connect, the RDMA network between them, and programs of ranks that run on both: doc/hbd.rst.
 */

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What a fabric is made of. Every device's attributes can be set through its factory.
 */
struct FabricConfig
{
    FabricConfig();

    ScaleUpTopology scaleUp;
    bool brokenFails = false;           ///< messages that would use something broken are an error; else they go around it
    ScaleOutTopology scaleOut;          ///< an empty name: no scale-out fabric
    std::vector<LinkFault> faults;      ///< what happens to Ethernet links
    ObjectFactory gpu;                  ///< ns3::hbd::GpuEndpoint
    ObjectFactory nvlink;               ///< ns3::hbd::NvlinkDevice
    ObjectFactory nvswitch;             ///< ns3::hbd::NvSwitch
    ObjectFactory hostLink;             ///< ns3::hbd::HostLinkDevice
    ObjectFactory ethernet;             ///< ns3::hbd::EthernetDevice
    ObjectFactory ethernetSwitch;       ///< ns3::hbd::EthernetSwitch
    ObjectFactory nic;                  ///< ns3::hbd::RdmaNic
    ObjectFactory kernel;               ///< ns3::hbd::FabricKernel
    Time nvswitchDelay = NanoSeconds(200);       ///< header in to header out, unloaded
    Time ethernetSwitchDelay = NanoSeconds(600); ///< packet in to packet out, unloaded
    uint64_t burstBytes = 0;            ///< most payload of a unit; 0 = one packet
    uint32_t accountingClasses = 1;     ///< sets of counters, 1 .. 8
};

class IdealBound;
class RdmaNic;

/**
 * \ingroup hbd
 * An error of a simulation: a stuck, lossy or incomplete run.
 */
class FabricError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * \ingroup hbd
 * The whole fabric of a cluster: graph, devices, messages under way. Time resolution must be picoseconds.
 */
class Fabric : public Object, public DeliveryListener
{
  public:
    static TypeId GetTypeId();
    Fabric();
    ~Fabric() override;

    /**
     * Builds nodes and devices.
     * \param config the parts
     * \throws std::invalid_argument when they do not fit together
     */
    void Build(const FabricConfig& config);

    /**
     * Sends a message now.
     * \param source GPU
     * \param destination GPU, another one
     * \param bytes payload, may be 0
     * \param accountingClass set of counters
     * \param cookie handed back with its delivery
     * \return its slot
     */
    uint32_t Post(uint32_t source, uint32_t destination, uint64_t bytes, uint8_t accountingClass, uint64_t cookie);
    /**
     * The same for anything that a GPU can do. Of a multicast, what each other member gets counts as a message of its own.
     * \throws FabricError when there is no way for it: domains, virtual channels, links that are down for good
     * \throws std::invalid_argument when the switches cannot serve its group, as SwitchGroups::Register
     */
    uint32_t Post(const Posting& posting);
    /// Enters a group into the switches' tables ahead of its first use. \throws as SwitchGroups::Register
    void RegisterGroup(const std::vector<uint32_t>& members)
    {
        m_context.groups.Register(members);
    }
    /// Lets FabricConfig::faults happen again, their times counted from now on. Nothing may be under way.
    void RestartFaults();
    /// A text that differs between fabrics that behave differently: graph and attributes.
    std::string GetFingerprint() const;

    /// Who is told of deliveries.
    void SetListener(DeliveryListener* listener)
    {
        m_listener = listener;
    }
    void OnDelivered(uint32_t message) override;
    void OnCopyDelivered(uint32_t message, uint32_t gpu) override;

    FabricKernel& GetKernel()
    {
        return *m_context.kernel;
    }
    FabricContext& GetContext()
    {
        return m_context;
    }
    const FabricContext& GetContext() const
    {
        return m_context;
    }
    const FabricGraph& GetGraph() const
    {
        return m_graph;
    }
    const ScaleUpRoutes& GetScaleUpRoutes() const
    {
        return *m_scaleUpRoutes;
    }
    const FabricConfig& GetConfig() const
    {
        return m_config;
    }
    /// The port at one end of a link of the graph (end 0 or 1): its transmit direction is the one away from that end.
    FabricPort& GetPort(uint32_t link, uint32_t end) const
    {
        return *m_linkPorts[link * 2 + end];
    }
    /// The NIC of a GPU. There must be a scale-out fabric.
    RdmaNic& GetNic(uint32_t gpu) const;
    /// ns-3 nodes in graph order.
    const NodeContainer& GetNodes() const
    {
        return m_nodes;
    }
    bool SameDomain(uint32_t a, uint32_t b) const
    {
        return a / m_config.scaleUp.hbdSize == b / m_config.scaleUp.hbdSize;
    }
    /**
     * Most packets that a unit of a message carries: the configured burst, but at most message / (2 x links), a quarter of the credit or transport
     * window, and half of the smallest buffer on the way; at least one packet.
     * \param packetPayload the message's limit on the payload of a packet, 0 = the link's
     */
    uint32_t GetBurstPackets(bool scaleOut, uint64_t bytes, uint32_t packetPayload = 0) const;
    /// The same for a message of any kind; one that asks also keeps to a quarter of GpuEndpoint::ReadWindow, a reduction to one of the switch's table.
    uint32_t GetBurstPackets(const Message& message) const;

    /// Time of one write alone on the fabric, in picoseconds, from posted to its last byte's arrival.
    int64_t GetIdealMessagePs(uint32_t source, uint32_t destination, uint64_t bytes, uint32_t packetPayload = 0) const;
    /// The same for a message of any kind; a lower bound for those that are not writes. Of a multicast, one copy.
    int64_t GetIdealMessagePs(const Message& message) const;

    /// Lower bounds on this fabric.
    const IdealBound& GetIdealBound() const
    {
        return *m_idealBound;
    }

    /**
     * Fixes the random streams of all ports and switches: port i of the kernel has stream + i, switches have those behind. Without it ns-3 hands out streams as it does to everything.
     * \return how many stream numbers are taken
     */
    int64_t AssignStreams(int64_t stream);
    /// Whether anything random happens while it runs: links have bit errors. As of the last RefreshWatched.
    bool IsRandom() const
    {
        return m_random;
    }
    /// Looks again at every port for connected trace sinks and bit errors. \return whether any sink sees packets
    bool RefreshWatched();
    bool IsWatched() const
    {
        return m_watched;
    }
    /// Appends what outlives a quiescent instant.
    void SaveState(std::vector<uint32_t>& words) const;
    void RestoreState(const std::vector<uint32_t>& words);
    /// Brings time integrals up to the present.
    void FlushStatistics();

    /**
     * Checks the end of a run: every message delivered, every byte posted delivered, nothing queued, all credits back, no drop unless
     * FabricContext::mayLose.
     * \throws FabricError that names what is wrong
     */
    void CheckDrained() const;
    /// Messages that are under way and why units wait, with the cycle of full buffers when there is one.
    std::string DescribeStuck() const;

  protected:
    void DoDispose() override;

  private:
    friend class FabricScaleOut;
    friend class LinkFaults;
    friend class Player;

    uint32_t Launch(const Posting& posting);
    void CheckPosting(const Posting& posting) const;
    void CheckWay(uint32_t source, uint32_t destination) const;
    void CheckScaleOutWay(uint32_t source, uint32_t destination) const;
    void CheckGroup(const Posting& posting) const;
    void FillMessage(const Posting& posting, Message& message);

    void BuildNodes();
    void CreatePorts();
    void ConnectLinks();
    void SetupGpus();
    void SetupNvSwitches();
    void StartPorts();
    Ptr<FabricPort> CreatePort(uint32_t node, const FabricLink& link);
    std::vector<std::string> FindWaitCycle() const;

    FabricConfig m_config;
    FabricGraph m_graph;
    FabricContext m_context;
    NodeContainer m_nodes;
    std::vector<Ptr<FabricPort>> m_linkPorts;           ///< by link and end
    std::vector<FabricElement*> m_elements;             ///< by graph node
    std::vector<Ptr<Object>> m_elementObjects;          ///< keeps them alive
    std::vector<Transport*> m_scaleOut;                 ///< by GPU
    std::vector<GpuEndpoint*> m_gpus;                   ///< by GPU
    const NvSwitch* m_chip = nullptr;                   ///< one of the switches, all of which have the same attributes, or null
    std::unique_ptr<const ScaleUpRoutes> m_scaleUpRoutes;
    std::shared_ptr<const IdealBound> m_idealBound;
    std::unique_ptr<LinkFaults> m_faults; ///< null without any
    DeliveryListener* m_listener = nullptr;
    bool m_watched = false;
    bool m_random = false;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FABRIC_H */
