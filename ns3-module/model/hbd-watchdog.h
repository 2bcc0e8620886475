/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_WATCHDOG_H
#define HBD_WATCHDOG_H

#include "hbd-fabric.h"

#include <cstdint>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Finds a fabric that keeps itself busy without getting anywhere: messages are outstanding, and over `Patience` kernel records nothing was sent but control
 * traffic (pause frames are renewed for as long as a deadlock lasts). A fabric in which nothing happens at all runs out of events instead, and
 * Player::Finish or Fabric::CheckDrained reports it.
 */
class Watchdog
{
  public:
    /// \param fabric the fabric to watch. \param patience kernel records without a data unit sent, after which it is taken for stuck
    explicit Watchdog(Fabric& fabric, uint64_t patience = 1 << 20);

    /// Call now and then, for example from FabricKernel::SetPeriodicCheck. \throws FabricError that names messages, ports and the cycle of full buffers
    void Check();

  private:
    Fabric& m_fabric;
    uint64_t m_patience;
    uint64_t m_movedUnits = 0;   ///< data units sent when something last moved
    uint64_t m_movedRecords = 0; ///< kernel records run by then
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_WATCHDOG_H */
