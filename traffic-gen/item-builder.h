/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_ITEM_BUILDER_H
#define HBD_TRAFFIC_ITEM_BUILDER_H

#include "block-assembler.h"
#include "built-schedule.h"
#include "stage-program.h"

#include <string>
#include <vector>

namespace hbd::traffic
{

/**
 * Builds the blocks of all ranks for one kind of item. Stages and collectives are added in program order, for all ranks
 * that take part; Finish() hands the blocks over to the schedule.
 */
class ItemBuilder
{
  public:
    /// \param parts where shapes go; must outlive this
    ItemBuilder(ScheduleParts& parts, uint8_t phase);

    /// A stage of one rank.
    void AddStage(uint32_t rank, const StageWork& work);

    /**
     * A collective of one group.
     * \param label index into ScheduleParts::collectives
     * \param group number of the group in the label
     * \param ranks the group's global ranks, by member
     */
    void AddCollective(uint32_t label, uint32_t group, const std::vector<uint32_t>& ranks, const Lowering& lowering);

    /// Ends the collective whose groups were added: the next one gets other match numbers.
    void EndCollective();

    /// Adds the class to the parts. \return its index
    uint16_t Finish();

  private:
    ScheduleParts& m_parts;
    std::vector<BlockAssembler> m_assemblers; ///< by rank
    uint32_t m_matchBase = 0;
    uint32_t m_matchCount = 0; ///< of the collective being added
};

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_ITEM_BUILDER_H
