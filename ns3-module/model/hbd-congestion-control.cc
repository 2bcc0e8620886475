/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-congestion-control.h"

#include "ns3/trace-source-accessor.h"

namespace ns3
{
namespace hbd
{

NS_OBJECT_ENSURE_REGISTERED(CongestionControl);

TypeId
CongestionControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::hbd::CongestionControl")
                            .SetParent<Object>()
                            .SetGroupName("Hbd")
                            .AddTraceSource("Rate",
                                            "The sending rate has changed: old and new, bit/s on the wire.",
                                            MakeTraceSourceAccessor(&CongestionControl::m_rateTrace),
                                            "ns3::hbd::CongestionControl::RateTracedCallback")
                            .AddTraceSource("Window",
                                            "The window has changed: old and new, bytes of payload.",
                                            MakeTraceSourceAccessor(&CongestionControl::m_windowTrace),
                                            "ns3::hbd::CongestionControl::WindowTracedCallback");
    return tid;
}

} // namespace hbd
} // namespace ns3
