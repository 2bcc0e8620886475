/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_COLLECTIVE_LOWERING_H
#define HBD_TRAFFIC_COLLECTIVE_LOWERING_H

#include "cluster-shape.h"
#include "scenario.h"
#include "schedule.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace hbd::traffic
{

/// The collectives that can be lowered to operations.
enum class CollectiveOp : uint8_t
{
    AllReduce,
    ReduceScatter,
    AllGather,
    AllToAll,
    Broadcast, ///< from member 0 to all
};

/// Text of an op as records and scenarios spell it: all-reduce, reduce-scatter, all-gather, all-to-all, broadcast.
const char* ToText(CollectiveOp op);

/// \param op set on success \return whether the text names an op
bool ParseCollectiveOp(const std::string& text, CollectiveOp& op);

/// One collective over one group. Members are numbered 0 .. ranks.size() - 1 in the order of `ranks`.
struct CollectiveRequest
{
    CollectiveOp op = CollectiveOp::AllReduce;
    std::vector<uint32_t> ranks; ///< global ranks, all different
    /**
     * All-gather: bytes that each member contributes. Reduce-scatter: bytes of the result that each member keeps.
     * All-reduce, broadcast: how the payload is split over the members (it adds up to the payload). All-to-all: unused.
     */
    std::vector<uint64_t> blockBytes;
    /// All-to-all: bytes from member i to member j at [i * n + j]; the diagonal never moves.
    std::vector<uint64_t> pairBytes;

    /// Number of members.
    uint32_t Size() const
    {
        return static_cast<uint32_t>(ranks.size());
    }
};

/// Payload bytes a second that a GPU sends; sizes what pipelines keep under way.
struct TierRates
{
    double inside = 900e9; ///< to another one of its domain, over all its links
    double across = 50e9;  ///< through its NIC

    TierRates() = default;
    explicit TierRates(const ClusterSpec& cluster);
};

/// What a lowering may look at beside the request.
struct CollectiveContext
{
    const ClusterShape& shape;
    const KernelSpec& kernel; ///< how it is run; its algorithm is the one that lowers
    TierRates rates = {};
};

/**
 * A range of one block of data. Blocks are numbered by the member that owns them (all-gather: who contributed it;
 * reduce-scatter and all-reduce: who reduces it; broadcast: the parts of the payload), in an all-to-all by
 * source * n + destination.
 */
struct DataPiece
{
    uint32_t block = 0;
    uint64_t offset = 0; ///< first byte of the range
    uint64_t bytes = 0;
};

/// Indices of operations of one member.
using OpList = std::vector<uint32_t>;

/// Bytes of a synchronisation flag on the wire: the smallest unit of NVLink, one flit.
constexpr uint64_t kFlagBytes = 16;

/// What a Delay that copies inside a GPU's memory is for.
enum class CopyKind : uint8_t
{
    None, ///< it copies nothing: a local reduction
    In,   ///< puts the pieces where other members read them (staging)
    Out,  ///< takes the pieces from where others have written them to where the result belongs
};

/**
 * One operation of one member. A send of a reduction carries the sum of all contributions that arrived in operations it
 * depends on. What a member reads of another one (Read, SwitchReduce) is what that one had when it last told the reader
 * so by a message; such a message is a flag when it carries no pieces: kFlagBytes that only synchronise.
 */
struct LoweredOp
{
    OpKind kind = OpKind::Send; ///< any but Compute; Delay is a local reduction or copy
    uint32_t peer = 0;          ///< member index of the other end (Send, Receive, Read)
    uint32_t match = 0;         ///< n-th message between this source and destination, from 0 (Read, SwitchReduce: 0);
                                ///< a multicast's is the same at all its receives
    uint64_t bytes = 0;         ///< sum of the pieces (data, without what a protocol adds), or kFlagBytes
    int64_t delayPs = 0;        ///< what moves data: library and step latency; Delay: its length
    OpList dependencies;        ///< earlier operations of the same member
    std::vector<DataPiece> pieces; ///< what moves data or copies: what it carries
    std::vector<uint32_t> group; ///< Multicast, SwitchReduce: members of the switch group, this one included, ascending
    CopyKind copy = CopyKind::None; ///< Delay only
};

/// How a library's kernel puts data on the links of a domain. Applies to all operations of a lowering.
struct KernelTransport
{
    uint64_t copyRate = 0;      ///< Op::copyRate
    uint32_t packetPayload = 0; ///< Op::packetPayload
    uint32_t wireNumerator =
        1; ///< bytes written = data bytes x numerator / denominator, rounded up (LL: 2 / 1, LL128: 16 / 15)
    uint32_t wireDenominator = 1;
};

/// A collective as operations of each member.
struct Lowering
{
    std::vector<std::vector<LoweredOp>> members;
    uint32_t matchCount = 0; ///< every match is below it
    KernelTransport transport;
};

/// Members of a group by high-bandwidth domain.
struct GroupLayout
{
    std::vector<std::vector<uint32_t>> domains; ///< members of each domain, both in order of the group
    std::vector<uint32_t> domainOf;             ///< by member
    std::vector<uint32_t> localOf;              ///< by member: position in its domain
    bool even = true;                           ///< all domains have the same number of members
    uint32_t meshPeers = 0;                     ///< other GPUs that each is linked with one by one; 0: switches

    GroupLayout(const std::vector<uint32_t>& ranks, const ClusterShape& shape);

    /**
     * The member that is `distance` (1 .. n - 1) away from another in the order in which direct algorithms send: first
     * the own domain, then domain after domain, each beginning at the own position (rail) and going around. For every
     * distance the pairs are a permutation, so that no receiver is hit by several first sends. Unequal domains: simply
     * around the group.
     */
    uint32_t PeerAt(uint32_t member, uint32_t distance) const;

    /// Whether two-level algorithms make sense: several domains, more than one member in them.
    bool TwoLevel() const
    {
        return even && domains.size() > 1 && domains[0].size() > 1;
    }
};

/// The operations of a message at its sender and at its receiver; both empty when it carries no bytes.
struct MessageEnds
{
    OpList sent;
    OpList received;
};

/// Collects the operations of a lowering: adds latencies, pairs sends with receives, leaves out what carries no bytes.
class LoweringBuilder
{
  public:
    /// Throws std::invalid_argument when the sizes of the request do not fit its members.
    LoweringBuilder(const CollectiveRequest& request, const CollectiveContext& context);

    uint32_t Size() const;
    const CollectiveRequest& Request() const;
    const KernelSpec& Kernel() const;
    const TierRates& Rates() const;
    const GroupLayout& Layout() const;

    /**
     * Moves data. The send's delay is the step latency of its tier, plus the kernel's launch when it waits for
     * nothing. \param after operations of `from` that must be complete first \return the receive at `to`; nothing when
     * the pieces hold no bytes
     */
    OpList Transfer(uint32_t from, uint32_t to, const std::vector<DataPiece>& pieces, const OpList& after);

    /// The same with both ends. Who waits for `sent` knows that the data is in the memory of `to`.
    MessageEnds Write(uint32_t from, uint32_t to, const std::vector<DataPiece>& pieces, const OpList& after);

    /// A message of kFlagBytes that carries no data: what happened before it at `from` has happened for who waits for
    /// it at `to`. Latency as Write().
    MessageEnds Flag(uint32_t from, uint32_t to, const OpList& after);

    /**
     * Reads data of another member of the domain. What it takes must be there: `after` has to wait for a flag (or any
     * other message) of `source` that `source` sends when it is. Its delay is the kernel's launch when it waits for
     * nothing, else 0: the step latency is in the flag. \return the read; nothing when the pieces hold no bytes
     */
    OpList Read(uint32_t reader, uint32_t source, const std::vector<DataPiece>& pieces, const OpList& after);

    /**
     * Writes data to all others of a switch group. Latency as Write().
     * \param group members of one domain, `from` among them, ascending, at least 2
     * \return what each member of the group waits for, in the order of the group: its receive, at `from` the
     * multicast; empty when the pieces hold no bytes
     */
    OpList Multicast(uint32_t from,
                     const std::vector<uint32_t>& group,
                     const std::vector<DataPiece>& pieces,
                     const OpList& after);

    /// A multicast of a flag: see Flag().
    OpList MulticastFlag(uint32_t from, const std::vector<uint32_t>& group, const OpList& after);

    /**
     * Reads the sum of what all members of a switch group have, the reader's own part included. Flags and latency as
     * Read(); it replaces what the reader had itself. \param group as for Multicast() \return the operation; nothing
     * when the pieces hold no bytes
     */
    OpList SwitchReduce(uint32_t reader,
                        const std::vector<uint32_t>& group,
                        const std::vector<DataPiece>& pieces,
                        const OpList& after);

    /**
     * Copy inside a member's memory, as a delay at the kernel's staging rate, plus the launch when it waits for
     * nothing. \return what to wait for: the copy, or `after` when copies are free or there is nothing to copy
     */
    OpList Copy(uint32_t member, CopyKind kind, const std::vector<DataPiece>& pieces, const OpList& after);

    /**
     * Local reduction as a delay at the kernel's reduce rate.
     * \param touched bytes read and written
     * \return what to wait for: the delay, or `after` when reductions are free or there is nothing to reduce
     */
    OpList Reduce(uint32_t member, uint64_t touched, const OpList& after);

    /// The result: with the kernel's transport, and its least time on every member that has something to do. The builder is
    /// empty afterwards.
    Lowering Take();

  private:
    /// \return the operation's index
    uint32_t Add(uint32_t member, LoweredOp op);
    MessageEnds AddMessage(uint32_t from, uint32_t to, LoweredOp op, const OpList& after);
    OpList AddMulticast(uint32_t from, const std::vector<uint32_t>& group, LoweredOp op, const OpList& after);
    /// Throws std::logic_error unless the group is one that the switches of a domain can serve.
    void CheckGroup(uint32_t member, const std::vector<uint32_t>& group) const;
    int64_t LaunchPs(const OpList& after) const;

    const CollectiveRequest& m_request;
    const CollectiveContext& m_context;
    GroupLayout m_layout;
    Lowering m_lowering;
    std::unordered_map<uint64_t, uint32_t> m_matches; ///< messages so far by source * n + destination
};

/// Adds the entries of `more` to `list`.
inline void
Append(OpList& list, const OpList& more)
{
    list.insert(list.end(), more.begin(), more.end());
}

/// Most parts that a large block is cut into, so that the two tiers work at the same time.
constexpr uint64_t kMaxChunks = 4;
/// Blocks are not cut into parts smaller than this, in bytes.
constexpr uint64_t kMinChunkBytes = 256 * 1024;

/// The parts of a block that two-level algorithms pass on one by one; empty when it has no bytes.
std::vector<DataPiece> ChunksOf(uint32_t block, uint64_t bytes);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_COLLECTIVE_LOWERING_H
