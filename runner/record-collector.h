/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_RECORD_COLLECTOR_H
#define HBD_RUNNER_RECORD_COLLECTOR_H

#include "ideal-collective.h"

#include "analysis/records.h"
#include "ns3-module/model/hbd-player.h"
#include "traffic-gen/scenario.h"
#include "traffic-gen/schedule.h"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace hbd::runner
{

/**
 * Joins what the player reports with the labels of the schedule. What is kept is bounded: tokens and waiting of all steps; stages of the prefill and of
 * the first, middle and last decode step; collectives of the first, middle and last layer in those steps. `records: {stages: full}` keeps all.
 */
class RecordCollector : public ns3::hbd::PlayerObserver
{
  public:
    /**
     * \param scenario the point
     * \param schedule its labels; rewound
     * \param fabric built; its graph is what the ideal bound is computed on
     */
    RecordCollector(const traffic::Scenario& scenario, traffic::Schedule& schedule, const ns3::hbd::Fabric& fabric);

    /// The player whose time is divided where the first tokens exist: prefill before, decode after. \param player outlives the collector
    void SetPlayer(ns3::hbd::Player& player)
    {
        m_player = &player;
    }

    /// A rank takes a block.
    void NotePull(uint32_t rank, const traffic::Instance& instance);

    void OnBlockDone(uint32_t rank, uint64_t tag, int64_t timePs) override;
    bool EndsTimeClass(uint64_t tag) override;
    bool WantsCollectives(uint64_t epoch) override;
    void OnCollective(const ns3::hbd::CollectiveRun& run) override;
    void OnMessages(uint64_t bytes, int64_t durationPs, int64_t idealPs, uint64_t times) override;
    bool WantsMessages() override;
    void OnMessage(const ns3::hbd::Message& message, int64_t postedPs, int64_t endPs, int64_t idealPs) override;

    /**
     * Fills tokens, phases, stages, collectives, messages.
     * \param player finished
     * \throws SimulationError when a collective was faster than its ideal bound
     */
    void Fill(const ns3::hbd::Player& player, analysis::PointRecords& records);

  private:
    using StageKey = std::tuple<uint8_t, uint32_t, uint16_t, uint16_t>; ///< phase, step, layer class, stage
    using GroupKey = std::pair<uint32_t, uint32_t>;                     ///< collective, group

    void ChooseItems();
    void FindFirstToken(traffic::Schedule& schedule);
    void FillPhases(const ns3::hbd::Player& player, analysis::PointRecords& records) const;
    void FillStages(analysis::PointRecords& records) const;
    void FillCollectives(analysis::PointRecords& records);

    const traffic::Scenario& m_scenario;
    const traffic::Schedule& m_schedule;
    IdealCollective m_ideal;
    ns3::hbd::Player* m_player = nullptr;
    uint64_t m_firstTokenItem;      ///< the item whose end is the end of the prefill; none: past the last
    uint32_t m_firstTokenRanks = 0; ///< ranks that have yet to finish it
    std::vector<char> m_wantsStages;      ///< by item
    std::vector<char> m_wantsCollectives; ///< by item
    std::vector<int64_t> m_itemDonePs;    ///< by item: the last rank finished it; -1 = nobody yet
    std::map<StageKey, analysis::StageRow> m_stages;
    std::vector<ns3::hbd::CollectiveRun> m_collectives;
    std::map<GroupKey, std::map<uint32_t, std::shared_ptr<const traffic::Block>>> m_members; ///< by rank
    analysis::SlowdownHistogram m_slowdown;
    std::vector<analysis::MessageRow> m_messages;
};

} // namespace hbd::runner

#endif // HBD_RUNNER_RECORD_COLLECTOR_H
