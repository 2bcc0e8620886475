/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_OPERATION_H
#define HBD_OPERATION_H

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What an Operation does.
 */
enum class OperationKind : uint8_t
{
    COMPUTE, ///< occupies the rank's compute engine; its duration comes with the block instance
    DELAY,   ///< lets time pass without the compute engine (software latency, local reduction)
    SEND,    ///< writes `bytes` into the memory of `peer`; complete when the last byte is there
    RECEIVE, ///< complete when it is posted and the last byte of the matching SEND or MULTICAST has arrived
    READ,    ///< reads `bytes` from the memory of `peer`, which has no operation for it; complete when the last byte is here
    /**
     * Writes `bytes` into the memory of every other rank of the group OperationBlock::groups[peer], copied by the switches. Each of them has a
     * RECEIVE of this rank and match. Complete when the last byte has reached the last of them (the sender's own copy included).
     */
    MULTICAST,
    /**
     * Reads `bytes` from the memory of every rank of the group OperationBlock::groups[peer] (this one included), summed by the switches on the way;
     * the others have no operation for it. Complete when the last byte of the sum is here.
     */
    SWITCH_REDUCE,
};

/// Whether it moves data over the fabric.
inline bool
MovesData(OperationKind kind)
{
    return kind == OperationKind::SEND || kind == OperationKind::READ || kind == OperationKind::MULTICAST || kind == OperationKind::SWITCH_REDUCE;
}

/// Whether its rank goes on once it is posted: what it writes is for others.
inline bool
EndsWhenPosted(OperationKind kind)
{
    return kind == OperationKind::SEND || kind == OperationKind::MULTICAST;
}

/// Whether Operation::peer is the number of a group.
inline bool
HasGroup(OperationKind kind)
{
    return kind == OperationKind::MULTICAST || kind == OperationKind::SWITCH_REDUCE;
}

/// No collective (Operation::collective).
constexpr uint16_t NO_COLLECTIVE = 0xffff;

/**
 * \ingroup hbd
 * One thing that one rank does. Operations are data: they carry no state of their execution, so that a block of them
 * can be shared by every layer and step that repeats it.
 */
struct Operation
{
    OperationKind kind;        ///< what it does
    uint16_t collective;       ///< index into OperationBlock::collectives, or NO_COLLECTIVE
    uint32_t peer;             ///< rank at the other end (SEND, RECEIVE, READ), index into OperationBlock::groups (MULTICAST, SWITCH_REDUCE), else 0
    uint32_t match;            ///< pairs a SEND or MULTICAST with its RECEIVE: unique per (source, destination, epoch)
    uint32_t durationIndex;    ///< COMPUTE: index into BlockInstance::durations
    uint64_t bytes;            ///< payload in bytes (all but COMPUTE and DELAY)
    int64_t delayPs;           ///< DELAY: its length. Operations that move data: software time between ready and posted, in picoseconds
    uint32_t firstDependency;  ///< index of its first entry in OperationBlock::dependencies
    uint32_t dependencyCount;  ///< number of operations that must be complete before it is ready
    /**
     * Operations that move data over the domain: most payload, in bytes a second over all links of the GPU, that the kernel which issues it
     * sustains (its copy rate); 0 = as much as the links take. Operations of one GPU that run at the same time share it.
     */
    uint64_t copyRate = 0;
    uint32_t packetPayload = 0; ///< the same: most payload of a packet, in bytes (SM stores: 128); 0 = as much as the link allows
};

/**
 * \ingroup hbd
 * A set of operations, on all ranks of a group, whose common start and end are of interest. The module times it and does not know
 * what it is.
 */
struct CollectiveUse
{
    uint64_t tag;    ///< opaque: handed back to the observer
    uint32_t group;  ///< number of the group; (epoch, tag, group) is the same on all its members and on no other set
    uint32_t ranks;  ///< how many ranks take part
};

/**
 * \ingroup hbd
 * A run of operations of one rank, for example one layer. Immutable, shared. Dependencies point backwards inside the block; a rank enters
 * its next block when every operation of the block except SENDs and MULTICASTs is complete.
 */
struct OperationBlock
{
    std::vector<Operation> operations;
    std::vector<uint32_t> dependencies;       ///< indices of operations, each smaller than the index of the one that depends on it
    std::vector<CollectiveUse> collectives;
    /// Sets of ranks that the switches serve together, this block's rank included, ascending. One that no operation names takes no room in the switches.
    std::vector<std::vector<uint32_t>> groups;
    uint32_t durationCount = 0;               ///< length of BlockInstance::durations
    uint8_t accountingClass = 0;              ///< which set of counters its traffic and waiting go to (for example a phase), < 8
};

/**
 * \ingroup hbd
 * One use of a block in a rank's program.
 */
struct BlockInstance
{
    std::shared_ptr<const OperationBlock> block;
    std::shared_ptr<const std::vector<int64_t>> durations; ///< of its COMPUTE operations, in picoseconds, each >= 0
    uint64_t epoch = 0; ///< same number on both sides of every SEND / RECEIVE pair
    uint64_t tag = 0;   ///< opaque: handed back to the observer
};

/**
 * \ingroup hbd
 * Where a rank's program comes from. Pulled block by block, so that an unrolled schedule never has to exist in memory.
 */
class OperationSource
{
  public:
    virtual ~OperationSource() = default;
    /**
     * \param rank the rank
     * \param instance filled with the rank's next block
     * \return false when the rank's program, or its section, is over
     */
    virtual bool Next(uint32_t rank, BlockInstance& instance) = 0;
    /// Sections that the programs have. Each begins on all ranks at once, on an idle fabric, when the one before is over on all of them.
    virtual uint32_t GetSections() const
    {
        return 1;
    }
    /// From now on Next() gives the blocks of another section. \param section from 1 on, in order
    virtual void BeginSection(uint32_t /* section */)
    {
    }
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_OPERATION_H */
