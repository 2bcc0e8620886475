/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCENARIO_H
#define HBD_TRAFFIC_SCENARIO_H

#include "library-profile.h"
#include "units.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// Where something stands in the input.
struct Place
{
    std::string file; ///< "--set" for the command line
    int line = 0;     ///< from 1; 0 = unknown
};

/// A number format of weights, activations or the wire.
enum class Precision : uint8_t
{
    Fp16, ///< 16 bits (bf16 counts as this)
    Fp8,
    Fp4,
};

/// GPU: peaks and the efficiency of each kind of stage.
struct GpuSpec
{
    std::string preset;                 ///< name of the preset it came from, or "custom"
    std::map<Precision, FlopRate> peak; ///< dense peak by precision of the GEMM
    ByteRate hbmRate;                   ///< peak memory bandwidth
    Bytes memory;                       ///< capacity
    double memoryUsable = 0.9;          ///< share of the capacity that weights, KV cache and activations may use
    std::map<std::string, double> flopEfficiency;   ///< share of peak reached, by stage kind: gemm, attention-prefill,
                                                    ///< attention-decode, expert-gemm, elementwise
    std::map<std::string, double> memoryEfficiency; ///< share of hbmRate reached, by stage kind
    Duration launch;                                ///< fixed time of each stage (kernel launch and tail)
    Duration tick;                                  ///< stages end at the nearest multiple of it; 0 = at any time
};

/// Scale-up domain: links, planes, protocol.
struct HbdSpec
{
    uint32_t size = 8;            ///< GPUs per domain
    std::string preset;           ///< nvlink5-board, nvlink5-rack, nvlink5 (one layout at every size), ...
    BitRate linkRate;             ///< per GPU, both directions added, all links (as vendors quote it)
    uint32_t planes = 18;         ///< switch chips that each GPU reaches
    uint32_t linksPerPlane = 1;   ///< links of a GPU to each of them
    Duration linkDelay;           ///< GPU to switch, one way, serialisation excluded
    Duration switchDelay;         ///< header in to header out, unloaded
    Bytes packetPayload;          ///< most payload bytes of a packet (NVLink: 256)
    Bytes flit;                   ///< 16
    uint32_t headerFlits = 1;     ///< flits of a packet beside its payload
    uint32_t requestFlits = 1;    ///< flits of a packet that asks for data
    uint32_t packetFlits = 18;    ///< most flits of a packet, header included
    uint32_t packetsPerAck = 8;   ///< packets for which the receiver sends one control flit back; 0 = none
    double bitErrorRate = 0;      ///< of each direction of each link
    Duration retryDelay;          ///< packet with an error received to its repetition on the wire
    uint32_t virtualChannels = 2; ///< per link
    Bytes creditWindow;           ///< receive buffer per link and virtual channel, in wire bytes
    Duration creditDelay;         ///< buffer freed at the receiver to credit usable at the sender, beyond linkDelay
    uint32_t maxSize = 0;         ///< most GPUs that this layout exists for (checked when read); 0 = any
    std::string topology;         ///< single-tier, two-tier, mesh
    uint32_t links = 0;           ///< of a GPU, spread evenly over the planes; 0 = planes x linksPerPlane (mesh: all that it uses)
    uint32_t linksPerPeer = 0;    ///< mesh: between each two GPUs
    uint32_t leafSize = 0;        ///< two-tier: GPUs below one leaf switch; 0 = all of the domain
    uint32_t spines = 1;          ///< two-tier: spine switches of a plane
    uint32_t trunks = 1;          ///< two-tier: links between each leaf and each spine of its plane
    BitRate trunkRate;            ///< two-tier: per trunk and direction
    std::string pathChoice;       ///< two-tier: round-robin, hash, least-queued
    std::string broken;           ///< what is down from the start, separated by commas; none
    std::string onBroken;         ///< reroute or fail
    BitRate reductionRate;        ///< contributions to sums that a switch chip takes; 0 = what its links bring
    Bytes reductionTable;         ///< results that it sums at a time
    Duration reductionDelay;      ///< last contribution's head to the result's, beside switchDelay
    Bytes reductionUnit;          ///< most payload of a simulation unit of a sum or multicast
    uint32_t multicastGroups = 0; ///< groups that its table takes
    Duration readLatency;         ///< of a GPU's memory that answers a read
    Bytes readWindow;             ///< that a GPU has asked for on one link and not got yet; 0 = no limit

    /// Whether the switches can serve groups (multicasts, sums): every GPU on the same chips, nothing down.
    bool HasSwitchGroups() const
    {
        const bool oneTier = topology != "two-tier" || leafSize == 0 || leafSize >= size;
        return planes > 0 && oneTier && (broken.empty() || broken == "none");
    }
    /// Links that a GPU uses. 0 when its domain is a mesh of one GPU.
    uint32_t LinksPerGpu() const
    {
        return topology == "mesh" ? (size - 1) * linksPerPeer : links > 0 ? links : planes * linksPerPlane;
    }
    /// Payload and overhead of one link, each direction; of all links when there are none.
    BitRate RatePerLink() const
    {
        const uint32_t shared = topology == "mesh" && links > 0 ? links : LinksPerGpu();
        return BitRate::FromBitsPerSecond(linkRate.BitsPerSecond() / 2 / std::max(1u, shared));
    }
    /// Payload and overhead of all links that a GPU uses together, each direction, in bytes a second.
    double UsedBytesPerSecond() const
    {
        const uint32_t used = std::max(1u, LinksPerGpu());
        const uint32_t shared = topology == "mesh" && links > 0 ? links : used;
        return linkRate.BytesPerSecond() / 2 * used / shared;
    }
    /// Whether two GPUs of a domain reach each other over spine switches only.
    bool CrossesSpine(uint32_t a, uint32_t b) const
    {
        return topology == "two-tier" && leafSize > 0 && a % size / leafSize != b % size / leafSize;
    }
};

struct ListedTopology;

/// Scale-out fabric: NICs, Ethernet switches, transport.
struct ScaleOutSpec
{
    std::string preset;          ///< name of the preset it came from, or "custom"
    std::string topology;        ///< an entry of the module's table: single-switch, rail-optimized, fat-tree, file
    std::string file = "none";   ///< file: a list of nodes and links, see ReadTopology; its whole path once resolved
    std::shared_ptr<const ListedTopology> listed; ///< file: what it says
    BitRate nicRate;             ///< per direction
    BitRate hostRate;            ///< host link (PCIe) of a NIC, per direction
    Duration hostDelay;          ///< one way
    Duration linkDelay;          ///< Ethernet cable, one way
    Duration switchDelay;        ///< forwarding latency
    uint32_t gpusPerServer = 8;  ///< rail = gpu mod this
    uint32_t serversPerLeaf = 0; ///< rail-optimized: servers below one leaf group; 0 = all
    uint32_t spines = 0;         ///< rail-optimized: 0 = as many as make it non-blocking
    bool crossRail = true;       ///< rail-optimized: spines connect all rails
    uint32_t radix = 0;          ///< fat-tree: ports of a switch; 0 = the least that has room
    uint32_t aggregations = 0;   ///< fat-tree: aggregation switches of a pod; 0 = radix / 2
    uint32_t cores = 0;          ///< fat-tree: core switches in all; 0 = aggregations x radix / 2
    BitRate uplinkRate;          ///< between switches, per direction
    Bytes mtu;                   ///< RoCE payload per packet
    Bytes window;                ///< most unacknowledged payload per queue pair
    uint32_t ackEvery = 1;       ///< packets or bursts per acknowledgement
    uint32_t queuePairs = 1;     ///< between two NICs
    std::string recovery = "auto"; ///< auto, go-back-n, selective-repeat
    uint32_t reorderPackets = 0; ///< selective repeat: packets that may overtake one before it counts as lost; 0 = by load balancing
    Duration retransmitTimeout;  ///< without progress
    uint32_t retryCount = 7;     ///< timeouts in a row before a queue pair gives up
    Duration cnpInterval;        ///< least time between two congestion notification packets of a queue pair
    std::string faults = "none"; ///< what happens to links: see ReadLinkFaults
    Bytes switchBuffer;          ///< shared, per switch
    Bytes nicBuffer;             ///< receive buffer of a NIC, headroom included
    Bytes headroom;              ///< per switch port and lossless priority, and per NIC
    double pfcAlpha = 1.0;       ///< dynamic threshold: XOFF = alpha x free shared buffer
    Bytes pfcXonOffset;          ///< XON that far below XOFF
    std::string congestionControl;    ///< none, dcqcn, hpcc, timely, swift
    std::string congestionParameters; ///< `Name=value, Name=value` of the module's class, or "none"
    std::string loadBalancing;           ///< ecmp, flowlet, spray-random, spray-round-robin, spray-least-queue
    std::string loadBalancingParameters; ///< as congestionParameters
    std::string flowControl;     ///< pfc, or none: switches drop
    std::string forwarding;      ///< store-and-forward, cut-through
    Bytes ecnKmin;               ///< ECN: up to so much waiting in a queue, no mark
    Bytes ecnKmax;               ///< above so much, always; 0 = no marking
    double ecnPmax = 0.05;       ///< probability at ecnKmax

    /// fat-tree: NICs of an edge switch, edge switches of a pod: half of radix, or of the least even one whose cube / 4 is at least `nics`.
    uint32_t HalfRadix(uint32_t nics) const
    {
        uint64_t half = radix == 0 ? 1 : radix / 2;
        while (radix == 0 && 2 * half * half * half < nics)
        {
            ++half;
        }
        return static_cast<uint32_t>(half);
    }
};

struct ClusterSpec
{
    uint32_t gpus = 8;
    GpuSpec gpu;
    HbdSpec hbd;
    ScaleOutSpec scaleOut;
};

/// Transformer shape. Dense when experts = 0.
struct ModelSpec
{
    std::string preset;
    uint32_t layers = 0;
    uint32_t hidden = 0;
    uint32_t heads = 0;
    uint32_t kvHeads = 0;
    uint32_t headDim = 0;
    uint32_t ffn = 0; ///< intermediate size of the dense FFN, or of each expert
    uint32_t vocabulary = 0;
    uint32_t experts = 0;
    uint32_t topK = 0;
    bool gatedFfn = true; ///< three matrices (gate, up, down) instead of two
    bool qkvBias = false;
    bool tiedEmbeddings = false;
};

/// Parallel mapping; all values resolved (no auto left).
struct MappingSpec
{
    uint32_t tp = 1, dp = 1, pp = 1, ep = 1, expertTp = 1;
};

struct PrecisionSpec
{
    Precision weights = Precision::Fp16; ///< weights and GEMMs: the key `precision`
    Precision kvCache = Precision::Fp16;
    Precision attention = Precision::Fp16;
    Precision wire = Precision::Fp16; ///< activations on the network
};

struct InferenceWorkload
{
    uint32_t batch = 1, inputTokens = 1, outputTokens = 1;
};

/// The tokens that expert parallelism exchanges: what a dispatch or combine moves.
struct ExchangeSpec
{
    uint32_t tokens = 0;        ///< of each rank
    uint32_t topK = 0;          ///< experts of a token
    uint32_t experts = 0;       ///< over all ranks, in runs
    uint32_t ranksPerToken = 0; ///< most ranks that a token goes to
    Bytes bytesPerToken;
    std::string routing; ///< balanced or uniform
    uint64_t seed = 1;   ///< of the uniform draw: the scenario's
};

struct CollectiveWorkload
{
    std::string collective;      ///< all-reduce, reduce-scatter, all-gather, all-to-all, broadcast
    std::string algorithm;       ///< auto, or one of the collective's in collective-table.cc
    std::vector<uint32_t> ranks; ///< empty = all
    std::vector<Bytes> sizes;    ///< as nccl-tests counts size
    std::string protocol = "auto"; ///< a kernel's protocol; auto or empty = any
    ExchangeSpec exchange{};     ///< dispatch and combine
};

struct MessagesWorkload
{
    std::string file; ///< CSV: time, source, destination, bytes (resolved relative to the scenario's folder)
};

struct WorkloadSpec
{
    std::optional<InferenceWorkload> inference; ///< exactly one of the three is set
    std::optional<CollectiveWorkload> collective;
    std::optional<MessagesWorkload> messages;
};

struct AccelerationSpec
{
    bool replay = true;              ///< auto / on = true, off = false
    std::string recurrence = "auto"; ///< auto (used where the engine has it) or off
};

struct RecordsSpec
{
    bool stagesFull = false; ///< records: {stages: full}
    bool messages = false;   ///< records: {messages: true}
};

/// One point: everything resolved, validated, defaults filled in.
struct Scenario
{
    std::string name;
    uint64_t seed = 1;
    std::string fidelity = "packet";
    AccelerationSpec acceleration;
    RecordsSpec records;
    Bytes burst; ///< burst-size: most payload of a simulation unit; one packet = packet-exact
    ClusterSpec cluster;
    std::optional<ModelSpec> model; ///< absent for network-only workloads
    MappingSpec mapping;
    PrecisionSpec precision;
    LibrarySpec library;
    WorkloadSpec workload;
    std::string canonicalYaml; ///< the scenario with every default filled in (acceleration left out)
    std::string canonicalJson;
    std::map<std::string, Place> places; ///< path of a key or map -> where the scenario or --set gives it (no presets)
    std::vector<std::pair<std::string, std::string>>
        sweptKeys; ///< key path and value text, in axis order: columns of points.csv
};

/// A published mark: an expectation to show beside the result (never used by the simulation).
struct Reference
{
    std::string id;        ///< R1
    std::string statement; ///< text
    std::string metric; ///< ttft_s, throughput_per_gpu_tokens_per_s, prefill_comm_share, ...; trends may have several,
                        ///< separated by ", "
    std::string kind;   ///< largest-drop, largest-gain, ratio, falls, gain-grows-with, ...
    std::map<std::string, std::string>
        where;            ///< swept key -> value text; for the key `over` `first..last`: both must have been run
    std::string over;     ///< swept key compared from its smallest to its largest value
    std::string gainWith; ///< for trends: the key with which the gain grows
    std::optional<double> published;
    std::optional<double> tolerance; ///< most distance from published at which the mark counts as met
    std::string source;
};

/// A scenario file read: its points and its marks.
struct ScenarioFile
{
    std::string path;
    std::string name;
    std::string hash;             ///< of the canonical text of all points
    std::vector<Scenario> points; ///< cartesian product of the axes, in order, identical ones merged
    std::vector<Reference> references;
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCENARIO_H
