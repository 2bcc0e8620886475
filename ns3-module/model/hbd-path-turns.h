/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_PATH_TURNS_H
#define HBD_PATH_TURNS_H

#include "hbd-fabric-port.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * A pointer that goes round each set of equal-cost ports of a switch. Where it starts differs between switches. It goes
 * back there when the fabric has been at rest, unless it is kept: as KeepPointers of NvSwitch.
 */
class PathTurns
{
  public:
    /// \param context the fabric \param salt of the switch \param keep over rests
    void Setup(FabricContext& context, uint32_t salt, bool keep);
    /// The place in `candidates` whose turn it is; the next call for the same ports gives the next one.
    uint32_t Next(const std::vector<uint16_t>& candidates);

    /// Appends the pointers that are not at their start.
    void SaveState(std::vector<uint32_t>& words) const;
    /// Takes back what SaveState wrote. \param words advanced past what was read
    void RestoreState(const uint32_t*& words);

  private:
    struct Set
    {
        std::vector<uint16_t> ports;
        uint32_t start = 0;
        uint32_t turn = 0;
    };

    Set& Find(const std::vector<uint16_t>& candidates);
    void Reset();

    FabricContext* m_context = nullptr;
    uint32_t m_salt = 0;
    bool m_keep = false;
    uint64_t m_rests = 0;
    std::vector<std::vector<Set>> m_sets; ///< by first port, sorted by ports
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_PATH_TURNS_H */
