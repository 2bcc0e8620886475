/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_RECORDS_H
#define HBD_ANALYSIS_RECORDS_H

#include "decimal.h"
#include "slowdown-histogram.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hbd::analysis
{

/// Swept keys of a point, in axis order: key path and value text.
using SweptKeys = std::vector<std::pair<std::string, std::string>>;

/// What a point ran.
enum class WorkloadKind : uint8_t
{
    Inference, ///< a model: has tokens and phases named prefill and decode
    Network,   ///< collectives or messages alone
};

/// What a point is and where it came from.
struct PointMetadata
{
    std::string point;        ///< name of the point's folder
    std::string scenario;     ///< name of the scenario
    std::string scenarioHash; ///< of the point's canonical scenario, acceleration left out
    uint64_t seed = 1;
    std::string fidelity;                        ///< packet or flow
    std::map<std::string, std::string> versions; ///< program or library -> version
    SweptKeys sweptKeys;
    WorkloadKind workload = WorkloadKind::Inference;
    uint32_t gpus = 0;         ///< GPUs of the cluster
    uint32_t batch = 0;        ///< sequences; 0 for the network alone
    uint32_t inputTokens = 0;  ///< per sequence; 0 for the network alone
    uint32_t outputTokens = 0; ///< per sequence; 0 for the network alone
    uint32_t layers = 0;       ///< of the model; 0 for the network alone
    std::string scenarioYaml;  ///< text of scenario.yaml
    std::string scenarioJson;  ///< text of scenario.json
};

/// When the tokens of a step exist on all ranks.
struct TokenTime
{
    uint32_t step = 0;   ///< 0 is the first token (the prefill's), then 1 .. output tokens - 1
    int64_t readyPs = 0; ///< simulated time
};

/// What a rank's compute engine did in a phase. The three need not add up to the phase: the rest is idle time without
/// communication.
struct RankTime
{
    int64_t computePs = 0; ///< busy
    int64_t commPs = 0;    ///< blocked: every sender had posted, the data had not arrived
    int64_t skewPs = 0;    ///< blocked: a sender had not posted yet
};

/// A phase of the run: prefill, decode, or the only one of a network-only run.
struct PhaseRecord
{
    std::string name;
    int64_t startPs = 0;
    int64_t endPs = 0;
    std::vector<RankTime> ranks; ///< one per rank, in order
};

/// Durations of a stage over the ranks (and the layers of its class) in one step.
struct StageRow
{
    std::string phase;
    uint32_t step = 0;
    std::string layerClass;
    std::string stage;
    uint64_t count = 0; ///< durations seen
    int64_t minPs = 0;
    int64_t maxPs = 0;
    Int128 sumPs = 0; ///< the mean is sumPs / count
};

/// One execution of a collective by one group, or by all its groups together.
struct CollectiveRow
{
    std::string phase;
    uint32_t step = 0;
    int32_t layer = -1;    ///< -1: not in a layer (embedding, LM head, network-only)
    std::string name;      ///< what it is for: dispatch, combine, ...
    std::string op;        ///< all-reduce, reduce-scatter, all-gather, all-to-all, broadcast, send-receive, messages
    std::string algorithm; ///< direct, ring, hierarchical, ...
    std::string protocol;  ///< of the library's kernel: ll, simple, ...; may be empty
    std::string group;     ///< kind of group: tp, expert-tp, ep, pp, world
    std::optional<uint32_t> groupNumber; ///< which group; nothing = all groups: first start, last ready, last end
    uint32_t ranks = 0;                  ///< members of a group
    uint64_t sizeBytes = 0;              ///< as nccl-tests counts size (docs/records.md)
    int64_t startPs = 0;                 ///< the first rank posts
    int64_t readyPs = 0;                 ///< the last rank posts
    int64_t endPs = 0;                   ///< the last rank has all its data
    int64_t idealBytesPs = 0;            ///< bound by bytes over capacity
    int64_t idealLatencyPs = 0;          ///< latency of the longest dependency chain

    /// The ideal bound: both parts, in picoseconds.
    int64_t IdealPs() const
    {
        return idealBytesPs + idealLatencyPs;
    }

    /// From the first post to the last arrival, in picoseconds.
    int64_t DurationPs() const
    {
        return endPs - startPs;
    }
};

/// One direction of a link in one phase.
struct LinkRow
{
    std::string link;           ///< a->b, the names of topology.json
    std::string phase;          ///< name of a PhaseRecord
    std::string tier;           ///< scale-up, host, scale-out
    uint64_t rateBps = 0;       ///< bits a second of this direction
    uint64_t txBytes = 0;       ///< on the wire, headers included
    uint64_t txPackets = 0;     ///< wire packets
    int64_t busyPs = 0;         ///< time spent transmitting
    uint64_t maxQueueBytes = 0; ///< of the queue in front of it
    UInt128 queueBytePs = 0;    ///< integral of that queue over the phase, byte-picoseconds
    uint64_t ecnMarked = 0;     ///< packets
    int64_t pausePs = 0;        ///< stopped by priority flow control
    int64_t creditStallPs = 0;  ///< data waiting, no credit
    uint64_t drops = 0;         ///< packets
    uint64_t controlFlits = 0;  ///< acknowledgements and credits of the other direction
    uint64_t receiveErrors = 0;  ///< arrived corrupted, part of drops
    uint64_t retriedPackets = 0; ///< sent again after a bit error
    uint64_t pauseFrames = 0;   ///< sent, that pause the other end
};

/// Tokens that an expert's shard on a rank got.
struct MoeLoadRow
{
    std::string phase;
    std::string layerClass;
    uint32_t rank = 0;
    uint32_t expert = 0;
    uint64_t tokens = 0; ///< token copies
};

/// One message, on request.
struct MessageRow
{
    std::string phase;
    uint32_t source = 0;
    uint32_t destination = 0;
    uint64_t bytes = 0;  ///< payload
    int64_t startPs = 0; ///< posted by the sender
    int64_t endPs = 0;   ///< the last byte is there
    int64_t idealPs = 0; ///< alone on the fabric
};

/// A node of the fabric.
struct TopologyNode
{
    std::string name;
    std::string kind;            ///< gpu, nvswitch, nic, ethernet-switch
    std::optional<uint32_t> gpu; ///< GPU, NIC: the GPU's number
    std::optional<uint32_t> hbd; ///< domain
    std::optional<uint32_t> rail;
    uint32_t level = 0; ///< switches: 0 next to the hosts
};

/// A cable of the fabric.
struct TopologyLink
{
    std::string a;        ///< name of the node at one end
    std::string b;        ///< at the other
    std::string tier;     ///< scale-up, host, scale-out
    uint32_t plane = 0;   ///< scale-up: switch plane
    uint64_t rateBps = 0; ///< per direction
    int64_t delayPs = 0;  ///< one way
};

/// What the run cost. The only records that may differ between accelerations, schedulers and numbers of jobs.
struct RunCost
{
    double wallSeconds = 0;
    uint64_t events = 0;     ///< of the ns-3 engine
    uint64_t unitHops = 0;   ///< simulation units x links, as run
    uint64_t packetHops = 0; ///< wire packets x links, replayed ones included
    uint64_t spans = 0;      ///< quiescent instant to quiescent instant
    uint64_t replayedSpans = 0;
    int64_t replayedPs = 0;         ///< simulated time inside replayed spans
    int64_t simulatedPs = 0;        ///< simulated time of the whole run
    uint64_t peakMemoryBytes = 0;   ///< resident, of the process
    uint32_t jobs = 1;              ///< processes of the sweep
    std::string acceleration;       ///< what was on: "replay", "none"
    std::vector<std::string> notes; ///< why replay was off somewhere, and the like
};

/// Everything that a point leaves behind. The runner fills it, the writer prints it, the metrics are computed from it.
struct PointRecords
{
    PointMetadata metadata;
    int64_t arrivalPs = 0;         ///< when the batch arrives
    int64_t endPs = 0;             ///< when the last operation of any rank is complete
    std::vector<TokenTime> tokens; ///< every step, in order; empty for the network alone
    std::vector<PhaseRecord> phases;
    std::vector<StageRow> stages;
    std::vector<CollectiveRow> collectives;
    std::vector<LinkRow> links;
    std::vector<MoeLoadRow> moeLoad;
    SlowdownHistogram messageSlowdown;
    std::optional<std::vector<MessageRow>> messages; ///< set when asked for: messages.csv is then written
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> cables;
    RunCost cost;

    /// \return the phase of that name, or nullptr
    const PhaseRecord* FindPhase(const std::string& name) const
    {
        for (const auto& phase : phases)
        {
            if (phase.name == name)
            {
                return &phase;
            }
        }
        return nullptr;
    }
};

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_RECORDS_H
