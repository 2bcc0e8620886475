/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PLAYER_FIXTURE_H
#define PLAYER_FIXTURE_H

#include "ns3-module/model/hbd-fabric.h"
#include "ns3-module/model/hbd-player.h"
#include "ns3-module/model/hbd-span-cache.h"

#include "ns3/config.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// Programs of ranks written by hand, and everything that running them leaves behind.
namespace player_test
{

using namespace ns3::hbd;

/// Writes an OperationBlock. Each call adds one operation and returns its index.
class BlockWriter
{
  public:
    using Dependencies = std::vector<uint32_t>;

    uint32_t Compute(const Dependencies& dependencies = {})
    {
        Operation operation = Make(OperationKind::COMPUTE);
        operation.durationIndex = m_block.durationCount++;
        return Add(operation, dependencies);
    }

    uint32_t Delay(int64_t ps, const Dependencies& dependencies = {})
    {
        Operation operation = Make(OperationKind::DELAY);
        operation.delayPs = ps;
        return Add(operation, dependencies);
    }

    uint32_t Send(uint32_t peer,
                  uint64_t bytes,
                  uint32_t match,
                  const Dependencies& dependencies = {},
                  int64_t delayPs = 0)
    {
        Operation operation = Make(OperationKind::SEND);
        operation.peer = peer;
        operation.bytes = bytes;
        operation.match = match;
        operation.delayPs = delayPs;
        return Add(operation, dependencies);
    }

    uint32_t Receive(uint32_t peer, uint64_t bytes, uint32_t match, const Dependencies& dependencies = {})
    {
        Operation operation = Make(OperationKind::RECEIVE);
        operation.peer = peer;
        operation.bytes = bytes;
        operation.match = match;
        return Add(operation, dependencies);
    }

    uint32_t Read(uint32_t peer, uint64_t bytes, const Dependencies& dependencies = {})
    {
        Operation operation = Make(OperationKind::READ);
        operation.peer = peer;
        operation.bytes = bytes;
        return Add(operation, dependencies);
    }

    uint32_t Multicast(const std::vector<uint32_t>& group, uint64_t bytes, uint32_t match, const Dependencies& dependencies = {})
    {
        Operation operation = Make(OperationKind::MULTICAST);
        operation.peer = AddGroup(group);
        operation.bytes = bytes;
        operation.match = match;
        return Add(operation, dependencies);
    }

    uint32_t SwitchReduce(const std::vector<uint32_t>& group, uint64_t bytes, const Dependencies& dependencies = {})
    {
        Operation operation = Make(OperationKind::SWITCH_REDUCE);
        operation.peer = AddGroup(group);
        operation.bytes = bytes;
        return Add(operation, dependencies);
    }

    /// How the kernel of an operation writes, bytes a second and bytes a packet.
    void SetTransport(uint32_t operation, uint64_t copyRate, uint32_t packetPayload)
    {
        m_block.operations[operation].copyRate = copyRate;
        m_block.operations[operation].packetPayload = packetPayload;
    }

    /// What is added from here on belongs to this collective.
    void Collective(uint64_t tag, uint32_t group, uint32_t ranks)
    {
        m_collective = static_cast<uint16_t>(m_block.collectives.size());
        m_block.collectives.push_back({tag, group, ranks});
    }

    /// What is added from here on belongs to none.
    void NoCollective()
    {
        m_collective = NO_COLLECTIVE;
    }

    std::shared_ptr<const OperationBlock> Write(uint8_t accountingClass = 0)
    {
        m_block.accountingClass = accountingClass;
        return std::make_shared<const OperationBlock>(m_block);
    }

  private:
    uint32_t AddGroup(const std::vector<uint32_t>& group)
    {
        m_block.groups.push_back(group);
        return static_cast<uint32_t>(m_block.groups.size()) - 1;
    }

    Operation Make(OperationKind kind) const
    {
        Operation operation{};
        operation.kind = kind;
        operation.collective = m_collective;
        return operation;
    }

    uint32_t Add(Operation operation, const Dependencies& dependencies)
    {
        operation.firstDependency = static_cast<uint32_t>(m_block.dependencies.size());
        operation.dependencyCount = static_cast<uint32_t>(dependencies.size());
        m_block.dependencies.insert(m_block.dependencies.end(), dependencies.begin(), dependencies.end());
        m_block.operations.push_back(operation);
        return static_cast<uint32_t>(m_block.operations.size()) - 1;
    }

    OperationBlock m_block;
    uint16_t m_collective = NO_COLLECTIVE;
};

/// While it lives, new players have this ComputeTick.
class TickScope
{
  public:
    explicit TickScope(int64_t ps)
    {
        Set(ps);
    }

    ~TickScope()
    {
        Set(0);
    }

    TickScope(const TickScope&) = delete;
    TickScope& operator=(const TickScope&) = delete;

  private:
    static void Set(int64_t ps)
    {
        ns3::Config::SetDefault("ns3::hbd::Player::ComputeTick", ns3::TimeValue(ns3::PicoSeconds(ps)));
    }
};

/// A rank's blocks, in order.
using RankProgram = std::vector<BlockInstance>;
/// All programs, by rank.
using Program = std::vector<RankProgram>;

inline BlockInstance
Use(std::shared_ptr<const OperationBlock> block, std::vector<int64_t> durations, uint64_t epoch, uint64_t tag = 0)
{
    BlockInstance instance;
    instance.block = std::move(block);
    instance.durations = std::make_shared<const std::vector<int64_t>>(std::move(durations));
    instance.epoch = epoch;
    instance.tag = tag;
    return instance;
}

/// Hands a Program to the player.
class ProgramSource : public OperationSource
{
  public:
    explicit ProgramSource(const Program& program)
        : m_program(program),
          m_next(program.size(), 0)
    {
    }

    bool Next(uint32_t rank, BlockInstance& instance) override
    {
        if (rank >= m_program.size() || m_next[rank] == m_program[rank].size())
        {
            return false;
        }
        instance = m_program[rank][m_next[rank]++];
        return true;
    }

  private:
    const Program& m_program;
    std::vector<size_t> m_next;
};

/// Rank, tag, time in picoseconds.
using BlockDone = std::tuple<uint32_t, uint64_t, int64_t>;
/// Epoch, tag, group, ranks, start, ready and end in picoseconds.
using CollectiveDone = std::tuple<uint64_t, uint64_t, uint32_t, uint32_t, int64_t, int64_t, int64_t>;
/// Bytes, duration, time alone on the fabric.
using MessageKind = std::tuple<uint64_t, int64_t, int64_t>;

/// No block has this tag.
constexpr uint64_t NO_TAG = ~0ULL;

/// Everything that a run leaves behind.
struct Outcome
{
    uint32_t ranks = 0;
    std::vector<uint64_t> sums; ///< without SUM_UNIT_HOPS, which counts what was simulated
    std::vector<uint64_t> maxima;
    std::vector<std::pair<uint64_t, uint64_t>> integrals; ///< high and low half
    std::vector<BlockDone> blocks;
    std::vector<CollectiveDone> collectives;
    std::map<MessageKind, uint64_t> messages;
    std::vector<std::tuple<int64_t, int64_t, int64_t>> times; ///< by rank and class: compute, comm, skew
    int64_t endPs = 0;
    uint64_t postedBytes = 0;
    uint64_t deliveredBytes = 0;
    Player::ReplayCounts replay;
};

/// Writes down what the player tells.
class Recorder : public PlayerObserver
{
  public:
    /**
     * \param outcome where to
     * \param player its time class becomes 1 when all ranks have finished their block of a tag
     * \param lastTag that tag, or NO_TAG
     */
    Recorder(Outcome& outcome, Player& player, uint64_t lastTag)
        : m_outcome(outcome),
          m_player(player),
          m_lastTag(lastTag)
    {
    }

    void OnBlockDone(uint32_t rank, uint64_t tag, int64_t timePs) override
    {
        m_outcome.blocks.emplace_back(rank, tag, timePs);
        if (tag == m_lastTag && ++m_ranksDone == m_outcome.ranks)
        {
            m_player.BeginTimeClass(1);
        }
    }

    bool EndsTimeClass(uint64_t tag) override
    {
        return tag == m_lastTag;
    }

    bool WantsCollectives(uint64_t /* epoch */) override
    {
        return true;
    }

    void OnCollective(const CollectiveRun& run) override
    {
        m_outcome.collectives
            .emplace_back(run.key.epoch, run.key.tag, run.key.group, run.ranks, run.startPs, run.readyPs, run.endPs);
    }

    void OnMessages(uint64_t bytes, int64_t durationPs, int64_t idealPs, uint64_t times) override
    {
        EXPECT_GE(durationPs, idealPs) << "a message of " << bytes << " B was faster than alone on the fabric";
        m_outcome.messages[{bytes, durationPs, idealPs}] += times;
    }

  private:
    Outcome& m_outcome;
    Player& m_player;
    uint64_t m_lastTag;
    uint32_t m_ranksDone = 0;
};

/// Takes the statistics of a finished run.
inline void
TakeStatistics(Fabric& fabric, const Player& player, Outcome& outcome)
{
    const FabricContext& context = fabric.GetContext();
    outcome.sums = context.statistics.sums;
    outcome.postedBytes = outcome.sums[context.globalSums + SUM_BYTES_POSTED];
    outcome.deliveredBytes = outcome.sums[context.globalSums + SUM_BYTES_DELIVERED];
    outcome.sums[context.globalSums + SUM_UNIT_HOPS] = 0;
    outcome.maxima = context.statistics.maxima;
    for (WideInteger integral : context.statistics.integrals)
    {
        outcome.integrals.emplace_back(static_cast<uint64_t>(integral >> 64), static_cast<uint64_t>(integral));
    }
    for (uint32_t rank = 0; rank < fabric.GetGraph().gpus; rank++)
    {
        for (uint32_t accountingClass = 0; accountingClass < context.accountingClasses; accountingClass++)
        {
            RankTimes times = player.GetTimes(rank, accountingClass);
            outcome.times.emplace_back(times.computePs, times.commPs, times.skewPs);
        }
    }
    outcome.endPs = player.GetEndPs();
    outcome.replay = player.GetReplayCounts();
}

/// Called with the fabric before the run.
using Preparation = std::function<void(Fabric& fabric)>;

/// Leaves ns-3 as it was found, whatever happens.
struct SimulatorGuard
{
    ~SimulatorGuard()
    {
        ns3::Simulator::Destroy();
    }
};

/**
 * Runs operations from a source to the end and checks that nothing is lost or left.
 * \param lastTag time counts in class 1 when all ranks have finished their block of this tag
 * \throws FabricError
 */
inline Outcome
RunSource(const FabricConfig& config,
          OperationSource& source,
          const std::shared_ptr<SpanCache>& cache = nullptr,
          const Preparation& prepare = nullptr,
          uint64_t lastTag = NO_TAG)
{
    SimulatorGuard guard;
    Outcome outcome;
    auto fabric = ns3::CreateObject<Fabric>();
    fabric->Build(config);
    outcome.ranks = fabric->GetGraph().gpus;
    auto player = ns3::CreateObject<Player>();
    Recorder recorder(outcome, *player, lastTag);
    player->Setup(fabric, &source, &recorder, cache);
    if (prepare)
    {
        prepare(*fabric);
    }
    player->Start();
    do
    {
        ns3::Simulator::Run();
    } while (player->StartNextSection());
    player->Finish(); // throws when a byte, a credit or a rank is missing
    EXPECT_TRUE(fabric->GetKernel().IsEmpty());
    EXPECT_EQ(fabric->GetContext().units.GetInUse(), 0U);
    TakeStatistics(*fabric, *player, outcome);
    EXPECT_EQ(outcome.postedBytes, outcome.deliveredBytes);
    player->Dispose();
    fabric->Dispose();
    return outcome;
}

inline Outcome
RunProgram(const FabricConfig& config,
           const Program& program,
           const std::shared_ptr<SpanCache>& cache = nullptr,
           const Preparation& prepare = nullptr,
           uint64_t lastTag = NO_TAG)
{
    ProgramSource source(program);
    return RunSource(config, source, cache, prepare, lastTag);
}

/// Checks that two runs left the same behind, replay counts excepted.
inline void
ExpectSame(const Outcome& a, const Outcome& b, const std::string& what = "")
{
    EXPECT_EQ(a.endPs, b.endPs) << what;
    EXPECT_EQ(a.blocks, b.blocks) << what;
    EXPECT_EQ(a.collectives, b.collectives) << what;
    EXPECT_EQ(a.messages, b.messages) << what;
    EXPECT_EQ(a.times, b.times) << what;
    EXPECT_EQ(a.sums, b.sums) << what;
    EXPECT_EQ(a.maxima, b.maxima) << what;
    EXPECT_EQ(a.integrals, b.integrals) << what;
}

/// One HBD of GPUs with one link each, 20 ps a byte; cables 100 ns, switch 200 ns.
inline FabricConfig
OneDomain(uint32_t gpus)
{
    FabricConfig config;
    config.scaleUp.gpus = gpus;
    config.scaleUp.hbdSize = gpus;
    config.scaleUp.planes = 1;
    config.scaleUp.linksPerPlane = 1;
    config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(0)); // times in closed form
    config.scaleUp.linkRate = ns3::DataRate("400Gbps");
    config.scaleUp.linkDelay = ns3::NanoSeconds(100);
    config.nvswitchDelay = ns3::NanoSeconds(200);
    return config;
}

} // namespace player_test

#endif /* PLAYER_FIXTURE_H */
