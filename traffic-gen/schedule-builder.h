/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCHEDULE_BUILDER_H
#define HBD_TRAFFIC_SCHEDULE_BUILDER_H

#include "problem.h"
#include "scenario.h"
#include "schedule.h"

#include <memory>
#include <stdexcept>
#include <vector>

namespace hbd::traffic
{

/// A workload file that cannot be used. what() has one problem a line.
class ScheduleError : public std::runtime_error
{
  public:
    explicit ScheduleError(std::vector<Problem> problems);

    const std::vector<Problem>& Problems() const;

  private:
    std::vector<Problem> m_problems;
};

/**
 * The program of all ranks of a scenario.
 *
 * Inference: items in program order are, per step, [token return,] embedding, the layers (with a stage transfer between
 * pipeline stages) and the LM head, which ends the step. Step 0 is the prefill, steps 1 to output tokens - 1 are
 * decode. With several pipeline stages the whole batch goes through them one after the other (one micro-batch). A
 * collective: one item a size, step = its index. Messages: one item.
 *
 * Throws ScheduleError for a bad message file and std::invalid_argument for a scenario that does not hold together.
 */
std::unique_ptr<Schedule> BuildSchedule(const Scenario& scenario);

/// The three kinds of workload; BuildSchedule() chooses.
std::unique_ptr<Schedule> BuildInferenceSchedule(const Scenario& scenario);
std::unique_ptr<Schedule> BuildCollectiveSchedule(const Scenario& scenario);
std::unique_ptr<Schedule> BuildMessagesSchedule(const Scenario& scenario);

/**
 * Request of a collective workload of a given size (as nccl-tests counts it: see CollectiveSize()): blocks or, in an
 * all-to-all, destinations share it evenly, the first ones taking one byte more when it does not divide.
 */
struct CollectiveRequest;
CollectiveRequest RequestOfSize(const CollectiveWorkload& workload, uint32_t gpus, Bytes size);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCHEDULE_BUILDER_H
