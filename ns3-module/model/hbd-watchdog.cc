/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-watchdog.h"

namespace ns3
{
namespace hbd
{

Watchdog::Watchdog(Fabric& fabric, uint64_t patience)
    : m_fabric(fabric),
      m_patience(patience)
{
}

void
Watchdog::Check()
{
    const FabricContext& context = m_fabric.GetContext();
    uint64_t units = context.statistics.sums[context.globalSums + SUM_UNIT_HOPS];
    uint64_t records = m_fabric.GetKernel().GetRecordCount();
    if (units != m_movedUnits || context.messages.GetInUse() == 0)
    {
        m_movedUnits = units;
        m_movedRecords = records;
    }
    else if (records - m_movedRecords >= m_patience)
    {
        throw FabricError("watchdog: " + m_fabric.DescribeStuck());
    }
}

} // namespace hbd
} // namespace ns3
