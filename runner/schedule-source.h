/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_SCHEDULE_SOURCE_H
#define HBD_RUNNER_SCHEDULE_SOURCE_H

#include "ns3-module/model/hbd-operation.h"
#include "traffic-gen/schedule.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace hbd::runner
{

/**
 * Gives the player a labelled schedule as anonymous operations. A section ends before each item that is Item::afterAll. Tags: of a block instance its item, of a collective its label's index.
 */
class ScheduleSource : public ns3::hbd::OperationSource
{
  public:
    /// Called for each block that a rank takes, in the rank's order.
    using PullObserver = std::function<void(uint32_t rank, const traffic::Instance& instance)>;

    /**
     * \param schedule outlives the source
     * \param observer sees every instance that is pulled; may be empty
     */
    ScheduleSource(traffic::Schedule& schedule, PullObserver observer);

    bool Next(uint32_t rank, ns3::hbd::BlockInstance& instance) override;
    uint32_t GetSections() const override
    {
        return static_cast<uint32_t>(m_sections.size());
    }
    void BeginSection(uint32_t section) override
    {
        m_section = section;
    }

    /// Instances handed out so far.
    uint64_t GetPulled() const
    {
        return m_pulled;
    }

  private:
    static std::shared_ptr<const ns3::hbd::OperationBlock> Convert(const traffic::Block& block);

    traffic::Schedule& m_schedule;
    PullObserver m_observer;
    std::vector<uint32_t> m_sections;        ///< where each ends: the index of the item behind it
    uint32_t m_section = 0;                  ///< the present one
    std::vector<traffic::Instance> m_ahead;  ///< by rank: taken from the schedule and not handed out, or without a block
    std::unordered_map<const traffic::Block*, std::shared_ptr<const ns3::hbd::OperationBlock>> m_converted;
    uint64_t m_pulled = 0;
};

} // namespace hbd::runner

#endif // HBD_RUNNER_SCHEDULE_SOURCE_H
