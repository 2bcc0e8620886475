/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SPAN_REPLAY_H
#define HBD_SPAN_REPLAY_H

#include "hbd-player.h"
#include "hbd-span-cache.h"

#include <map>
#include <tuple>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * Exact replay of spans. A span begins at a quiescent instant in which computes end, and ends at the next quiescent instant. When the whole state at its
 * start (every rank's operations, the open collectives, the fabric's arbitration and congestion state, which computes end) equals that of a recorded
 * span, and what the record presumed about computes and following blocks holds too, its effects are applied at once: the computes that it starts are
 * scheduled at their times, statistics are added up at the end of the run.
 *
 * Not recorded and not replayed: spans with a declared external event inside, spans in which anything random was drawn, spans during which a stock event other than the kernel's ran, and
 * everything while a sink for packets is connected.
 */
class SpanReplay
{
  public:
    SpanReplay(Player& player, SpanCache& cache);

    /**
     * Called at a quiescent instant in which computes have ended (Player::m_finished), before their effects.
     * \return true when the span was replayed; false: it has to run, and is being recorded if that is allowed
     */
    bool TryReplay();
    /**
     * A user is about to act on the fabric: the devices get their state back, and what is known of it is forgotten.
     * \throws FabricError inside time that is already replayed
     */
    void OnOutsideAction();
    /// What is being recorded is no span that could come again: forgets it.
    void Abandon();
    /// The instant is over: closes the record when the fabric is quiescent again.
    void OnInstantEnd();

    void NotePull(uint32_t rank, uint32_t shape, uint64_t epochDelta);
    void NoteComputeStart(uint32_t rank, uint32_t operation, int64_t durationPs);
    void NoteComputeEnd(uint32_t rank);
    void NoteBlockDone(uint32_t rank);
    void NoteCollective(const CollectiveRun& run);
    /// Sends are about to be posted.
    void NotePost();
    /// An operation that moves data is complete.
    void NoteDelivery();
    void NoteMessage(uint64_t bytes, int64_t durationPs, int64_t idealPs);

    /// Adds the statistics of all replayed spans to the bank. Once, at the end.
    void AddReplayed();
    Player::ReplayCounts GetCounts() const
    {
        return m_counts;
    }

  private:
    /// What a rank does in the span that is being recorded.
    struct RankNotes
    {
        uint32_t pulls = 0;
        uint32_t computeEntry = NO_INDEX; ///< of its running compute in m_record.computes
        int64_t computePs = 0;            ///< how long that takes
        int64_t runningDuePs = -1;        ///< of a compute that ran at the start
    };

    struct RunningNow
    {
        uint32_t rank;
        int64_t remainingPs;
    };

    bool IsAllowed();
    void PrepareToRun();
    void ExpandFabric();
    bool SawForeignEvents();
    void BuildKey();
    uint32_t GetRankState(uint32_t rank);
    uint32_t GetFabricState();
    bool Fits(const SpanRecord& record);
    bool FitsPulls(const SpanRecord& record);
    bool FitsComputes(const SpanRecord& record);
    bool FitsRunning(const SpanRecord& record) const;
    bool FitsObserver(const SpanRecord& record) const;
    const BlockInstance& InstanceAfter(uint32_t rank, uint32_t pull) const;
    void Apply(uint32_t number);
    void ApplyPulls(const SpanRecord& record);
    void ApplyComputes(const SpanRecord& record);
    void ApplyCollectives(const SpanRecord& record);
    CollectiveRun Absolute(const CollectiveRun& run, bool startedBefore, bool readyBefore);
    void TellObserver(const SpanRecord& record);
    void Begin();
    void End();
    void TakeEndState();
    void TakeStatistics();
    void MergeMaxima();
    void NoteStatistics();
    void AccountAll();
    int64_t Offset() const;
    CollectiveRun Relative(const CollectiveRun& run) const;

    Player& m_player;
    SpanCache& m_cache;
    Player::ReplayCounts m_counts;
    std::vector<uint32_t> m_key;
    std::vector<uint32_t> m_words;
    std::vector<char> m_isFinished; ///< by rank: its compute ends in this instant
    uint64_t m_baseEpoch = 0;
    uint32_t m_fabricState = NO_INDEX;   ///< number of the fabric's state, if known
    bool m_fabricExpanded = true;        ///< the devices hold that state
    std::vector<uint64_t> m_times;       ///< by record: how often it was replayed in this run

    std::map<CollectiveKey, bool> m_openAtStart; ///< collectives open when the record began, and whether they were ready
    std::vector<RunningNow> m_running;   ///< computes that go on in this instant, by rank
    std::vector<uint32_t> m_pulls;       ///< by rank, scratch

    bool m_recording = false;
    bool m_statisticsTaken = false;
    bool m_foreignSeen = true;
    uint32_t m_fabricStateAtStart = NO_INDEX;
    int64_t m_startPs = 0;
    int64_t m_replayedUntilPs = 0;       ///< end of the last replayed span
    uint64_t m_externalsAtStart = 0;
    uint64_t m_drawsAtStart = 0;
    SpanRecord m_record;
    std::vector<uint32_t> m_recordKey;
    std::vector<RankNotes> m_notes;
    std::vector<uint64_t> m_sumsAtStart;
    std::vector<WideInteger> m_integralsAtStart;
    std::vector<uint64_t> m_maximaBefore; ///< while recording the bank holds those of the span alone
    std::map<std::tuple<uint64_t, int64_t, int64_t>, uint64_t> m_messages;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_SPAN_REPLAY_H */
