/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_PLAYER_H
#define HBD_PLAYER_H

#include "hbd-collective-tracker.h"
#include "hbd-fabric.h"
#include "hbd-operation.h"
#include "hbd-prepared-block.h"
#include "hbd-rank-state.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace hbd
{

class SpanCache;
class SpanReplay;

/// What the player tells while it runs. Times are simulated picoseconds. Under replay calls come at the start of a replayed span, blocks first.
class PlayerObserver
{
  public:
    virtual ~PlayerObserver() = default;
    /// A rank has finished a block. \param tag the instance's
    virtual void OnBlockDone(uint32_t /* rank */, uint64_t /* tag */, int64_t /* timePs */)
    {
    }
    /**
     * Whether the end of a block may make the observer call Player::BeginTimeClass. A span in which such a block ends is not replayed, so that
     * OnBlockDone comes at its own time. \param tag the instance's
     */
    virtual bool EndsTimeClass(uint64_t /* tag */)
    {
        return false;
    }
    /// Whether OnCollective is wanted for the blocks of an epoch.
    virtual bool WantsCollectives(uint64_t /* epoch */)
    {
        return false;
    }
    /// A collective is over. The run holds its key, start, ready and end.
    virtual void OnCollective(const CollectiveRun& /* run */)
    {
    }
    /// Messages of one kind that were delivered; of a multicast, one for each rank that receives. \param idealPs alone on the fabric. \param times how many of them
    virtual void OnMessages(uint64_t /* bytes */, int64_t /* durationPs */, int64_t /* idealPs */, uint64_t /* times */)
    {
    }
    /// Whether OnMessage is wanted. Replay is off then.
    virtual bool WantsMessages()
    {
        return false;
    }
    /// One message. Of a multicast, one for each rank that receives, which is its destination; of a reduction in switches, source is NO_INDEX.
    virtual void OnMessage(const Message& /* message */, int64_t /* postedPs */, int64_t /* endPs */, int64_t /* idealPs */)
    {
    }
};

/// What a rank's time went to, by time class.
struct RankTimes
{
    int64_t computePs = 0;
    int64_t commPs = 0; ///< engine idle, everybody had begun
    int64_t skewPs = 0; ///< engine idle, another rank had not begun the collective yet
};

/**
 * Runs every rank's program on a fabric: pulls blocks from the source, keeps one compute engine per rank busy, posts sends when their dependencies
 * are met, matches arrivals with receives. Rank r is GPU r.
 */
class Player : public Object, public KernelClient, public InstantListener, public DeliveryListener
{
  public:
    static TypeId GetTypeId();
    Player();
    ~Player() override;

    /**
     * \param fabric a built fabric; outlives the player
     * \param source the programs; outlives the player
     * \param observer told what happens, or null; outlives the player
     * \param cache where replay keeps what it has seen, or null for none of it; may be shared by one run after another on equal fabrics
     */
    void Setup(Ptr<Fabric> fabric, OperationSource* source, PlayerObserver* observer, std::shared_ptr<SpanCache> cache);
    /// Starts all programs now. Then Simulator::Run().
    void Start();
    /**
     * After Simulator::Run(): starts the next section of the programs now, all at once, on a fabric as it was at the start. Then Simulator::Run() again.
     * \return false when there is none, or the one before did not end
     */
    bool StartNextSection();
    /**
     * After Simulator::Run(): adds up what was replayed and checks that every program is through and the fabric is drained.
     * \throws FabricError that names what is stuck or lost
     */
    void Finish();

    /// Simulated time at which the last operation was complete.
    int64_t GetEndPs() const
    {
        return m_endPs;
    }
    RankTimes GetTimes(uint32_t rank, uint32_t timeClass) const;
    /**
     * From now on the time of all ranks counts in another class (of FabricConfig::accountingClasses; 0 at the start). Computes under way are divided.
     * Traffic is counted by the class of its block instead.
     */
    void BeginTimeClass(uint8_t timeClass);
    /// Spans met, spans replayed, simulated time in the replayed ones.
    struct ReplayCounts
    {
        uint64_t spans = 0;
        uint64_t replayed = 0;
        int64_t replayedPs = 0;
        std::string note; ///< why it was off, or empty
    };
    ReplayCounts GetReplayCounts() const;
    /// Ranks whose program is over.
    uint32_t GetEndedRanks() const
    {
        return m_ended;
    }

    // KernelClient, InstantListener, DeliveryListener
    void OnRecord(RecordKind kind, uint32_t port, uint32_t argument) override;
    void OnPost() override;
    void OnInstantEnd() override;
    void OnOutsideAction() override;
    void OnDelivered(uint32_t message) override;
    void OnCopyDelivered(uint32_t message, uint32_t gpu) override;

  protected:
    void DoDispose() override;

  private:
    friend class SpanReplay;

    /// What the player knows of a message under way, by its slot in the fabric.
    struct Sent
    {
        uint64_t epoch;
        uint32_t match;
        uint32_t operation;
        CollectiveRun* run;
    };

    struct RankOperation
    {
        uint32_t rank;
        uint32_t operation;
        bool operator<(const RankOperation& other) const
        {
            return std::tie(rank, operation) < std::tie(other.rank, other.operation);
        }
    };

    RankState& Touch(uint32_t rank);
    const BlockInstance* Peek(uint32_t rank, size_t ahead);
    void PullBlock(uint32_t rank);
    void EndBlock(uint32_t rank);
    void MakeReady(uint32_t rank, uint32_t operation);
    void Complete(uint32_t rank, uint32_t operation);
    void RunWork();
    void CompleteNow(const RankOperation& what);
    void Close(uint32_t rank, RankState& state, uint32_t operation);
    void BeginCollective(uint32_t rank, RankState& state, uint32_t collective);
    void LeaveCollective(uint32_t rank, RankState& state, CollectiveRun& run);
    void CountDone(CollectiveRun& run);
    void StartCompute(uint32_t rank, RankState& state);
    void SetComputeTick(Time tick);
    Time GetComputeTick() const;
    /// Kernel time at which a compute ends that begins at startPs and takes durationPs: at the nearest edge of the tick that is not before startPs.
    int64_t GetComputeEndPs(int64_t startPs, int64_t durationPs) const
    {
        int64_t endPs = startPs + durationPs;
        if (m_tickPs == 0)
        {
            return endPs;
        }
        int64_t nearestPs = (endPs + m_tickPs / 2) / m_tickPs * m_tickPs;
        return nearestPs < startPs ? nearestPs + m_tickPs : nearestPs;
    }
    void FinishComputes();
    void PostSends();
    void PostSend(const RankOperation& what);
    void Arrive(uint32_t rank, const EarlyArrival& arrival);
    /// \param destination GPU, of a copy not the message's
    void NoteMessage(const Message& message, uint32_t destination);
    void AccountWaiting(uint32_t rank, RankState& state);
    void AddWaiting(uint32_t rank, RankState& state, int64_t untilPs);
    std::string DescribeRank(uint32_t rank) const;
    uint32_t WaitingSum(uint32_t rank, uint32_t timeClass) const
    {
        return m_waitingSums + (rank * m_classes + timeClass) * 2;
    }

    Ptr<Fabric> m_fabric;
    FabricKernel* m_kernel = nullptr;
    OperationSource* m_source = nullptr;
    PlayerObserver* m_observer = nullptr;
    std::shared_ptr<SpanCache> m_cache;
    std::unique_ptr<SpanReplay> m_replay;
    BlockInterner* m_interner = nullptr;
    std::unique_ptr<BlockInterner> m_ownInterner;
    uint32_t m_port = 0;    ///< kernel port of rank 0
    uint32_t m_classes = 1;
    uint8_t m_timeClass = 0;
    uint32_t m_waitingSums = 0;
    std::vector<RankState> m_ranks;
    std::vector<int64_t> m_computePs; ///< by rank and class
    int64_t m_tickPs = 0;             ///< ComputeTick
    CollectiveTracker m_tracker;
    std::vector<Sent> m_sent;
    std::vector<RankOperation> m_work;      ///< complete, successors not yet told
    std::vector<RankOperation> m_toPost;
    std::vector<RankOperation> m_finished;  ///< computes that ended in this instant
    bool m_working = false;
    bool m_starting = false;
    uint32_t m_section = 0;
    std::vector<uint32_t> m_stateAtStart; ///< of the fabric, for programs of several sections
    uint32_t m_ended = 0;
    int64_t m_endPs = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_PLAYER_H */
