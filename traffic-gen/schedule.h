/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCHEDULE_H
#define HBD_TRAFFIC_SCHEDULE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// What a scheduled operation does (the same meanings as the player gives them).
enum class OpKind : uint8_t
{
    Compute,      ///< occupies the rank's compute engine for durations[durationIndex] picoseconds
    Delay,        ///< delayPs pass, without the engine (software latency, local reduction)
    Send,         ///< bytes to peer; delayPs = software time between ready and on the wire
    Receive,      ///< complete when the last byte of the matching send or multicast is here
    Read,         ///< reads bytes from peer's memory; peer has no operation for it
    Multicast,    ///< bytes to every other rank of Block::groups[peer], copied by the domain's switches; each has a
                  ///< receive
    SwitchReduce, ///< reads bytes from every rank of Block::groups[peer], summed by the domain's switches; the others
                  ///< have no operation
};

constexpr uint16_t kNoCollective = 0xffff;

/// One operation of one rank inside a block.
struct Op
{
    OpKind kind = OpKind::Compute;
    uint16_t collective = kNoCollective; ///< index into Block::collectives
    uint32_t peer =
        0; ///< Send / Receive / Read: the other rank (global); Multicast / SwitchReduce: index into Block::groups
    uint32_t match = 0;           ///< pairs Send or Multicast with Receive: unique per (source, destination, epoch)
    uint32_t durationIndex = 0;   ///< Compute: index into the instance's durations and into Block::computes
    uint64_t bytes = 0;           ///< payload as the library writes it, its protocol's flags included
    int64_t delayPs = 0;          ///< Delay: length; what moves data: software time before it is posted
    uint32_t firstDependency = 0; ///< into Block::dependencies
    uint32_t dependencyCount = 0;
    uint64_t copyRate =
        0; ///< what moves data inside a domain: most bytes a second a GPU's kernel feeds to its links, 0 = no limit
    uint32_t packetPayload = 0; ///< the same: most payload of an NVLink packet, 0 = the link's own
};

/// A collective as one member's block sees it.
struct CollectiveUse
{
    uint32_t collective = 0; ///< index into Schedule::Collectives(): the label
    uint32_t group = 0;      ///< number of the group inside that collective (0 .. groups-1)
    uint32_t ranks = 0;      ///< members of the group that take part (have operations in it): the same on all of them
};

/// A compute operation's label: the stages that were merged into it, in order. Consecutive stages on one rank become
/// one operation.
struct ComputeUse
{
    std::vector<uint16_t> stages; ///< indices into Schedule::StageNames()
};

/// One rank's operations in one layer-like unit. Shared by every layer and step that repeats it. Dependencies point
/// backwards.
struct Block
{
    std::vector<Op> ops;
    std::vector<uint32_t> dependencies;
    std::vector<CollectiveUse> collectives;
    std::vector<ComputeUse> computes;
    std::vector<std::vector<uint32_t>>
        groups;        ///< ranks that the switches serve together (Multicast, SwitchReduce), ascending
    uint8_t phase = 0; ///< 0 prefill (or the only phase of a network-only run), 1 decode
};

/// Durations of one rank's block in one step: of each compute operation, and of each stage merged into it (same order,
/// flattened).
struct Durations
{
    std::shared_ptr<const std::vector<int64_t>> operations; ///< picoseconds, one per Block::computes
    std::shared_ptr<const std::vector<int64_t>> stages;     ///< picoseconds, one per stage of every compute, flattened
};

/// One use of a block.
struct Instance
{
    std::shared_ptr<const Block> block;
    Durations durations;
    uint64_t epoch = 0; ///< same on both sides of every pair; position in the global order of the program
    uint32_t item = 0;  ///< index into Schedule::Items()
};

/// A position in the global program: which layer of which step it is.
struct Item
{
    uint8_t phase = 0;       ///< index into Schedule::PhaseNames()
    uint32_t step = 0;       ///< prefill: 0 (or micro-batch); decode: 1 .. output tokens - 1
    int32_t layer = -1;      ///< layer number, -1 for what is no layer (embedding, LM head)
    uint16_t layerClass = 0; ///< index into Schedule::LayerClassNames()
    bool lastOfStep = false; ///< when every rank has finished it, the step's tokens exist
    bool afterAll = false;   ///< begins on all ranks at once, when the items before are over on all of them
};

/// The label of a collective: what is the same for all its groups.
struct CollectiveLabel
{
    std::string name;       ///< what it is for: attention-reduce-scatter, dispatch, ...
    std::string op;         ///< all-reduce, reduce-scatter, all-gather, all-to-all, broadcast, send-receive, messages
    std::string algorithm;  ///< of the table of collectives
    std::string protocol;   ///< of the library's kernel: ll, simple, ...; may be empty
    std::string group;      ///< tp, expert-tp, ep, pp, world
    uint32_t ranks = 0;     ///< members of each group
    uint64_t sizeBytes = 0; ///< as nccl-tests counts size: see docs/records.md
    std::vector<std::vector<uint32_t>> members; ///< the ranks of each group
};

/**
 * A whole labelled program of all ranks. Holds one copy of each distinct block; the unrolled program is produced on
 * demand.
 */
class Schedule
{
  public:
    virtual ~Schedule() = default;
    virtual uint32_t Ranks() const = 0;
    /// The rank's next block; false at the end. Ranks are pulled independently of one another.
    virtual bool Next(uint32_t rank, Instance& instance) = 0;
    /// Starts every rank from the beginning.
    virtual void Rewind() = 0;
    virtual const std::vector<Item>& Items() const = 0;
    virtual const std::vector<CollectiveLabel>& Collectives() const = 0;
    virtual const std::vector<std::string>& PhaseNames() const = 0;
    virtual const std::vector<std::string>& LayerClassNames() const = 0;
    virtual const std::vector<std::string>& StageNames() const = 0;
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCHEDULE_H
