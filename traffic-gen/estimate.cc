/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "estimate.h"

#include "cluster-shape.h"
#include "schedule-builder.h"
#include "schedule-transfers.h"
#include "schedule-walk.h"
#include "topology-file.h"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>

namespace hbd::traffic
{

namespace
{

/// Ethernet + IP + UDP + BTH + RETH + ICRC + FCS + preamble and gap: bytes of a RoCEv2 packet beside its payload.
constexpr uint64_t kRoceOverhead = 14 + 20 + 8 + 12 + 16 + 4 + 4 + 20;

/// Rates and latencies of the two tiers without load.
class Network
{
  public:
    /// \param linksLeft as EstimateOf() takes it
    Network(const ClusterSpec& cluster, const LinksBetween& linksLeft)
        : m_cluster(cluster),
          m_linksLeft(linksLeft),
          m_shape(ShapeOf(cluster))
    {
        const double mtu = static_cast<double>(cluster.scaleOut.mtu.Count());
        m_halfRadix = cluster.scaleOut.HalfRadix(cluster.gpus);
        m_nicRate = cluster.scaleOut.nicRate.BytesPerSecond() * mtu / (mtu + kRoceOverhead);
    }

    /// 0 inside a domain, 1 between domains.
    size_t TierOf(uint32_t a, uint32_t b) const
    {
        return m_shape.SameHbd(a, b) ? 0 : 1;
    }

    /// Which of a GPU's ways out (or in) it takes to (or from) another: one for each tier; in a mesh one for each peer.
    size_t WayOf(uint32_t gpu, uint32_t other) const
    {
        const size_t tier = TierOf(gpu, other);
        return tier == 0 && m_cluster.hbd.topology == "mesh" ? size_t{2} + other : tier;
    }

    /// Payload bytes a second and direction of a GPU for an operation. \param a, b its ends; the same for a group in the switches
    double Rate(uint32_t a, uint32_t b, const Op& op) const
    {
        const size_t tier = TierOf(a, b);
        if (tier == 1)
        {
            return m_nicRate;
        }
        const HbdSpec& hbd = m_cluster.hbd;
        const double payload = static_cast<double>(PacketPayload(tier, op));
        const double header = static_cast<double>(hbd.headerFlits * hbd.flit.Count());
        const double rate = WireRate(a, b) * payload / (payload + header);
        return op.copyRate == 0 ? rate : std::min(rate, static_cast<double>(op.copyRate));
    }

    /// Ethernet switches on the path between two GPUs.
    uint32_t Switches(uint32_t a, uint32_t b) const
    {
        const ScaleOutSpec& out = m_cluster.scaleOut;
        if (out.topology == "file")
        {
            auto& from = m_listedSwitches[a];
            if (from.empty())
            {
                from = out.listed->SwitchesFrom(a);
            }
            return from[b];
        }
        if (out.topology == "fat-tree")
        {
            return a / m_halfRadix == b / m_halfRadix ? 1 : a / m_halfRadix / m_halfRadix == b / m_halfRadix / m_halfRadix ? 3 : 5;
        }
        const bool oneLeaf = out.serversPerLeaf == 0 ||
                             m_shape.ServerOf(a) / out.serversPerLeaf == m_shape.ServerOf(b) / out.serversPerLeaf;
        return out.topology != "rail-optimized" || (oneLeaf && m_shape.RailOf(a) == m_shape.RailOf(b)) ? 1 : 3;
    }

    /// Seconds from the last byte sent to the last byte received.
    double Latency(uint32_t a, uint32_t b) const
    {
        if (TierOf(a, b) == 0)
        {
            const uint32_t links = Links(a, b);
            return links * m_cluster.hbd.linkDelay.Seconds() + (links - 1) * m_cluster.hbd.switchDelay.Seconds();
        }
        const ScaleOutSpec& out = m_cluster.scaleOut;
        const uint32_t switches = Switches(a, b);
        return 2 * out.hostDelay.Seconds() + (switches + 1) * out.linkDelay.Seconds() +
               switches * out.switchDelay.Seconds();
    }

    /// Links on the path between two GPUs.
    uint32_t Links(uint32_t a, uint32_t b) const
    {
        if (TierOf(a, b) == 1)
        {
            return 2 + Switches(a, b) + 1;
        }
        const HbdSpec& hbd = m_cluster.hbd;
        return hbd.topology == "mesh" ? 1 : hbd.CrossesSpine(a, b) ? 4 : 2;
    }

    uint64_t PacketPayload(size_t tier, const Op& op) const
    {
        const uint64_t most = tier == 0 ? m_cluster.hbd.packetPayload.Count() : m_cluster.scaleOut.mtu.Count();
        return std::max<uint64_t>(1,
                                  tier == 0 && op.packetPayload > 0 ? std::min<uint64_t>(most, op.packetPayload)
                                                                    : most);
    }

    /// Links that a message is striped over.
    uint64_t Lanes(size_t tier) const
    {
        const HbdSpec& hbd = m_cluster.hbd;
        return std::max<uint64_t>(1, tier == 1 ? 1 : hbd.topology == "mesh" ? hbd.linksPerPeer : hbd.LinksPerGpu());
    }

  private:
    /// Bytes a second and direction between two GPUs of a domain. Over spines a GPU has an equal share of its leaf's trunks.
    double WireRate(uint32_t a, uint32_t b) const
    {
        const HbdSpec& hbd = m_cluster.hbd;
        if (hbd.topology == "mesh")
        {
            return hbd.RatePerLink().BytesPerSecond() * LinksUp(a, b, hbd.linksPerPeer);
        }
        const double own = hbd.linkRate.BytesPerSecond() / 2 * LinksUp(a, b, hbd.LinksPerGpu()) / hbd.LinksPerGpu();
        if (!hbd.CrossesSpine(a, b))
        {
            return own;
        }
        const double trunks = static_cast<double>(hbd.planes) * hbd.spines * hbd.trunks;
        return std::min(own, trunks * hbd.trunkRate.BytesPerSecond() / hbd.leafSize);
    }

    /// Links that two GPUs of a domain reach each other over. \param whole when nothing is down
    uint32_t LinksUp(uint32_t a, uint32_t b, uint32_t whole) const
    {
        return m_linksLeft && a != b ? std::max(1U, m_linksLeft(a, b)) : whole;
    }

    const ClusterSpec& m_cluster;
    LinksBetween m_linksLeft;
    ClusterShape m_shape;
    mutable std::map<uint32_t, std::vector<uint32_t>> m_listedSwitches; ///< file: by GPU, by other GPU; filled when asked for
    uint32_t m_halfRadix; ///< fat-tree: NICs of an edge switch
    double m_nicRate; ///< payload bytes a second and direction
};

/// Executes one item.
class ItemTimer
{
  public:
    ItemTimer(const std::vector<Participant>& participants, const Network& network)
        : m_participants(participants),
          m_network(network)
    {
        for (size_t p = 0; p < participants.size(); ++p)
        {
            m_firstOp.push_back(m_owner.size());
            m_owner.resize(m_owner.size() + participants[p].instance.block->ops.size(), static_cast<uint32_t>(p));
        }
        m_waits.assign(m_owner.size(), 0);
        m_followers.resize(m_owner.size());
        Connect();
    }

    /// \return seconds until the last rank is done
    double Run()
    {
        double end = 0;
        for (uint32_t i = 0; i < m_waits.size(); ++i)
        {
            if (m_waits[i] == 0)
            {
                Ready(i, 0);
            }
        }
        while (!m_events.empty())
        {
            const Event event = m_events.top();
            m_events.pop();
            if (event.kind != EventKind::Complete)
            {
                const Leg& leg = m_legs[event.index];
                Port& port = m_out[{leg.source, m_network.WayOf(leg.source, leg.destination)}];
                if (event.kind == EventKind::Post)
                {
                    port.waiting.push_back(event.index);
                }
                else
                {
                    port.busy = false;
                }
                StartNext(port, event.time);
                continue;
            }
            end = std::max(end, event.time);
            for (uint32_t follower : m_followers[event.index])
            {
                if (--m_waits[follower] == 0)
                {
                    Ready(follower, event.time);
                }
            }
        }
        return end;
    }

    /// Longest compute time of a rank, in seconds.
    double Compute() const
    {
        double most = 0;
        for (const auto& participant : m_participants)
        {
            int64_t sum = 0;
            for (int64_t time : *participant.instance.durations.operations)
            {
                sum += time;
            }
            most = std::max(most, static_cast<double>(sum) / 1e12);
        }
        return most;
    }

  private:
    enum class EventKind : uint8_t
    {
        Complete, ///< the operation is complete
        Post,     ///< a leg wants the wire
        PortFree, ///< a leg's last byte has left
    };

    struct Event
    {
        double time;
        uint32_t index; ///< of the operation (Complete) or leg
        EventKind kind;
        uint32_t turn =
            0; ///< Post: place of the operation in its block, so that at one time all ranks' first ones come first

        bool operator<(const Event& other) const
        {
            return std::tie(time, turn, index, kind) > std::tie(other.time, other.turn, other.index, other.kind);
        }
    };

    /// Bytes of an operation that leave one GPU: one leg an operation, of a reduction in the switch one for each
    /// member.
    struct Leg
    {
        uint32_t op;
        uint32_t source;
        uint32_t destination; ///< the source itself for a group in the switches
    };

    /// One of a GPU's ways out (Network::WayOf): one message after the other, in the order in which they are posted.
    struct Port
    {
        bool busy = false;
        std::deque<uint32_t> waiting;
    };

    const Op& At(uint32_t op) const
    {
        return m_participants[m_owner[op]].instance.block->ops[op - m_firstOp[m_owner[op]]];
    }

    void Connect()
    {
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> receives;
        for (uint32_t i = 0; i < m_owner.size(); ++i)
        {
            const Op& op = At(i);
            const Participant& participant = m_participants[m_owner[i]];
            for (uint32_t d = 0; d < op.dependencyCount; ++d)
            {
                const uint32_t dependency = participant.instance.block->dependencies[op.firstDependency + d];
                m_followers[m_firstOp[m_owner[i]] + dependency].push_back(i);
                ++m_waits[i];
            }
            if (op.kind == OpKind::Receive)
            {
                receives[{op.peer, participant.rank, op.match}] = i;
                ++m_waits[i];
            }
        }
        for (uint32_t i = 0; i < m_owner.size(); ++i)
        {
            if (At(i).kind == OpKind::Send || At(i).kind == OpKind::Multicast)
            {
                const auto& [rank, instance] = m_participants[m_owner[i]];
                ForEachTransfer(rank, *instance.block, At(i), [&](uint32_t source, uint32_t destination) {
                    m_followers[i].push_back(receives.at({source, destination, At(i).match}));
                });
            }
        }
    }

    void Ready(uint32_t index, double time)
    {
        const Op& op = At(index);
        switch (op.kind)
        {
        case OpKind::Compute: {
            double& engine = m_engine[m_owner[index]];
            const auto& durations = *m_participants[m_owner[index]].instance.durations.operations;
            engine = std::max(engine, time) + static_cast<double>(durations[op.durationIndex]) / 1e12;
            m_events.push({engine, index, EventKind::Complete});
            break;
        }
        case OpKind::Delay:
            m_events.push({time + static_cast<double>(op.delayPs) / 1e12, index, EventKind::Complete});
            break;
        case OpKind::Receive:
            m_events.push({time, index, EventKind::Complete});
            break;
        case OpKind::Send:
        case OpKind::Multicast:
        case OpKind::Read:
        case OpKind::SwitchReduce:
            Post(index, time + static_cast<double>(op.delayPs) / 1e12);
            break;
        }
    }

    /// Queues the legs of an operation. A read's request takes a way of its own first.
    void Post(uint32_t index, double time)
    {
        const Op& op = At(index);
        const uint32_t rank = m_participants[m_owner[index]].rank;
        std::vector<uint32_t> sources{op.kind == OpKind::Read ? op.peer : rank};
        if (op.kind == OpKind::SwitchReduce)
        {
            sources = GroupOf(index);
        }
        for (uint32_t source : sources)
        {
            const uint32_t reader = op.kind == OpKind::Read ? rank : source;
            m_legs.push_back({index, source, op.kind == OpKind::Send ? op.peer : reader});
            const bool asks = op.kind == OpKind::Read || op.kind == OpKind::SwitchReduce;
            const double asked = asks ? time + m_network.Latency(rank, source) : time;
            const auto turn = static_cast<uint32_t>(index - m_firstOp[m_owner[index]] + 1);
            m_events.push({asked, static_cast<uint32_t>(m_legs.size() - 1), EventKind::Post, turn});
        }
        m_legsLeft[index] = static_cast<uint32_t>(sources.size());
    }

    const std::vector<uint32_t>& GroupOf(uint32_t index) const
    {
        return m_participants[m_owner[index]].instance.block->groups[At(index).peer];
    }

    /// Puts the port's next leg on the wire; it arrives when the receivers' ports have taken it.
    void StartNext(Port& port, double time)
    {
        if (port.busy || port.waiting.empty())
        {
            return;
        }
        const uint32_t index = port.waiting.front();
        const Leg leg = m_legs[index];
        port.waiting.pop_front();
        port.busy = true;
        const Op& op = At(leg.op);
        const double length = static_cast<double>(op.bytes) / m_network.Rate(leg.source, leg.destination, op);
        m_events.push({time + length, index, EventKind::PortFree});
        if (--m_legsLeft[leg.op] > 0)
        {
            return; // the switches hold the parts of a sum together
        }
        const uint32_t rank = m_participants[m_owner[leg.op]].rank;
        std::vector<uint32_t> destinations{op.kind == OpKind::Send ? op.peer : rank};
        if (op.kind == OpKind::Multicast)
        {
            destinations = GroupOf(leg.op);
        }
        double end = time;
        for (uint32_t destination : destinations)
        {
            double& in = m_in[{destination, m_network.WayOf(destination, leg.source)}];
            in = std::max(time, in) + length;
            end = std::max(end, in + m_network.Latency(leg.source, destination));
        }
        m_events.push({end, leg.op, EventKind::Complete});
    }

    const std::vector<Participant>& m_participants;
    const Network& m_network;
    std::vector<uint32_t> m_firstOp; ///< by participant
    std::vector<uint32_t> m_owner;   ///< by operation: its participant
    std::vector<uint32_t> m_waits;
    std::vector<std::vector<uint32_t>> m_followers;
    std::priority_queue<Event> m_events;
    std::vector<Leg> m_legs;
    std::map<uint32_t, uint32_t> m_legsLeft;            ///< by operation: legs that have not started
    std::map<uint32_t, double> m_engine;                ///< by participant: when its compute engine is free
    std::map<std::pair<uint32_t, size_t>, Port> m_out;  ///< by rank and way
    std::map<std::pair<uint32_t, size_t>, double> m_in; ///< by rank and way: when the way in is free
};

/// Sums over the items of one phase.
struct PhaseSums
{
    double seconds = 0;
    double computeSeconds = 0;
    uint64_t packets = 0;
    uint64_t unitHops = 0;         ///< of all items
    uint64_t distinctUnitHops = 0; ///< of each different item once
    uint64_t operations = 0;       ///< of the different items
};

/// Adds the packets and simulation units of an operation that occurs so many times.
void
AddPackets(const Network& network,
           uint64_t burst,
           uint32_t rank,
           const Block& block,
           const Op& op,
           uint64_t repeat,
           PhaseSums& sums)
{
    if (!MovesData(op))
    {
        return;
    }
    const bool grouped = op.kind == OpKind::Multicast || op.kind == OpKind::SwitchReduce;
    const size_t tier = grouped ? 0 : network.TierOf(rank, op.peer);
    // A multicast and a reduction cross one link on one side and each member's on the other.
    const uint64_t links = grouped ? block.groups[op.peer].size() + 1 : network.Links(rank, op.peer);
    const uint64_t packet = network.PacketPayload(tier, op);
    const uint64_t unit = std::max(packet, std::min(burst, op.bytes / (2 * network.Lanes(tier))));
    const uint64_t hops = ((op.bytes - 1) / unit + 1) * links;
    sums.packets += ((op.bytes - 1) / packet + 1) * links * repeat;
    sums.unitHops += hops * repeat;
    sums.distinctUnitHops += hops;
}

/// \param phase only items of this one
PhaseSums
SumsOf(const Scenario& scenario, uint8_t phase, const LinksBetween& linksLeft)
{
    const auto schedule = BuildSchedule(scenario);
    const Network network(scenario.cluster, linksLeft);
    PhaseSums sums;
    for (const auto& distinct : DistinctItemsOf(*schedule))
    {
        if (schedule->Items()[distinct.participants[0].instance.item].phase != phase)
        {
            continue;
        }
        ItemTimer timer(distinct.participants, network);
        const double times = static_cast<double>(distinct.repeat);
        sums.seconds += timer.Run() * times;
        sums.computeSeconds += timer.Compute() * times;
        for (const auto& [rank, instance] : distinct.participants)
        {
            sums.operations += instance.block->ops.size();
            for (const auto& op : instance.block->ops)
            {
                AddPackets(network, scenario.burst.Count(), rank, *instance.block, op, distinct.repeat, sums);
            }
        }
    }
    return sums;
}

/// The same scenario with one decode step, at the middle of the decode phase.
Scenario
MiddleStep(const Scenario& scenario)
{
    Scenario middle = scenario;
    InferenceWorkload& workload = *middle.workload.inference;
    workload.inputTokens += workload.outputTokens / 2 - 1;
    workload.outputTokens = 2;
    return middle;
}

} // namespace

Estimate
EstimateOf(const Scenario& scenario, const LinksBetween& linksLeft)
{
    Scenario first = scenario;
    const uint32_t tokens = scenario.workload.inference ? scenario.workload.inference->outputTokens : 1;
    if (first.workload.inference)
    {
        first.workload.inference->outputTokens = 1;
    }
    const PhaseSums prefill = SumsOf(first, 0, linksLeft);
    PhaseSums decode;
    Estimate estimate;
    estimate.ttftS = prefill.seconds;
    estimate.prefillCommS = prefill.seconds - prefill.computeSeconds;
    if (tokens > 1)
    {
        decode = SumsOf(MiddleStep(scenario), 1, linksLeft);
        estimate.tpotS = decode.seconds;
        estimate.decodeCommS = decode.seconds - decode.computeSeconds;
    }
    estimate.packets = prefill.packets + decode.packets * (tokens - 1);
    estimate.unitHops = scenario.acceleration.replay ? prefill.distinctUnitHops + decode.distinctUnitHops
                                                     : prefill.unitHops + decode.unitHops * (tokens - 1);
    estimate.simulationSecondsGuess = static_cast<double>(estimate.unitHops) / kUnitHopsPerSecond;
    // A process without traffic, the operations in both rooms, and devices with their queues for each GPU.
    estimate.memoryBytes =
        (48ull << 20) + (prefill.operations + decode.operations) * 200 + scenario.cluster.gpus * (512ull << 10);
    return estimate;
}

} // namespace hbd::traffic
