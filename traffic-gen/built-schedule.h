/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_BUILT_SCHEDULE_H
#define HBD_TRAFFIC_BUILT_SCHEDULE_H

#include "schedule.h"
#include "stage-time.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// Blocks of all ranks for one kind of item (phase and unit): shared by all items of that kind.
struct ItemClass
{
    std::vector<std::shared_ptr<const Block>> blocks; ///< by rank; nullptr: the rank has nothing to do
    std::vector<uint32_t> shapes;                     ///< by rank: index into ScheduleParts::shapes
};

/// A list of stage works that one or more ranks have in common, cut into compute operations.
struct ComputeShape
{
    std::vector<StageWork> works;
    std::vector<uint32_t> stagesOfCompute; ///< how many works each compute operation merges
    bool grows = false;                    ///< durations depend on the decode step

    friend bool operator<(const ComputeShape& a, const ComputeShape& b)
    {
        return std::tie(a.works, a.stagesOfCompute) < std::tie(b.works, b.stagesOfCompute);
    }
};

/// What a built schedule consists of.
struct ScheduleParts
{
    uint32_t ranks = 0;
    std::vector<Item> items;
    std::vector<uint16_t> classOfItem; ///< by item: index into classes
    std::vector<ItemClass> classes;
    std::vector<ComputeShape> shapes;
    std::vector<CollectiveLabel> collectives;
    std::vector<std::string> phaseNames;
    std::vector<std::string> layerClassNames;
    GpuSpec gpu;
    PrecisionSpec precision;

    /// Index of a shape, added when it is new.
    uint32_t AddShape(ComputeShape shape);

  private:
    std::map<ComputeShape, uint32_t> m_shapeIndex;
};

/**
 * A schedule held as distinct blocks and a list of items. The epoch of an instance is the number of its item. Durations
 * are computed once a shape and step and shared by all layers, and by ranks of the same shape that ask for the same
 * step.
 */
class BuiltSchedule : public Schedule
{
  public:
    explicit BuiltSchedule(ScheduleParts parts);

    uint32_t Ranks() const override;
    bool Next(uint32_t rank, Instance& instance) override;
    void Rewind() override;
    const std::vector<Item>& Items() const override;
    const std::vector<CollectiveLabel>& Collectives() const override;
    const std::vector<std::string>& PhaseNames() const override;
    const std::vector<std::string>& LayerClassNames() const override;
    const std::vector<std::string>& StageNames() const override;

  private:
    /// The durations computed last for a shape.
    struct Cached
    {
        bool filled = false;
        uint32_t step = 0;
        Durations durations;
    };

    const Durations& DurationsOf(uint32_t shape, uint32_t step);

    ScheduleParts m_parts;
    std::vector<size_t> m_next;   ///< by rank: the item to look at next
    std::vector<Cached> m_cached; ///< by shape
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_BUILT_SCHEDULE_H
