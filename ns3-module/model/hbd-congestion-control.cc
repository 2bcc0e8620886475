/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-congestion-control.h"

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(CongestionControl);

TypeId
CongestionControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::CongestionControl").SetParent<Object>().SetGroupName("Hbd");
    return tid;
}

} // namespace hbd
} // namespace ns3
