/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-load-balancer.h"

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(LoadBalancer);

TypeId
LoadBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::LoadBalancer").SetParent<Object>().SetGroupName("Hbd");
    return tid;
}

} // namespace hbd
} // namespace ns3
