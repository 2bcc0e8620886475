/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCALE_UP_FIXTURE_H
#define SCALE_UP_FIXTURE_H

#include "ns3-module/model/hbd-nvlink-device.h"
#include "scale-out-fixture.h"

#include <algorithm>

namespace scale_up
{

using namespace ns3::hbd;
using scale_out::Delivery;

// 400 Gb/s a link: 20 ps a byte. A full packet is 256 B of payload and a flit of 16 B.
constexpr int64_t LINK_PS = 20;
constexpr int64_t HEADER = 16;
constexpr int64_t PAYLOAD = 256;
constexpr int64_t PACKET = PAYLOAD + HEADER;
constexpr int64_t DELAY_PS = 100000;
constexpr int64_t SWITCH_PS = 200000;
constexpr int64_t CREDIT_PS = 50000;
/// Two cables and a switch.
constexpr int64_t FLIGHT_PS = 2 * DELAY_PS + SWITCH_PS;

/// One HBD, and what it delivers. Each delivery is checked against the time of the message alone.
class Domain : public scale_out::Network
{
  public:
    Domain(uint32_t planes, uint32_t linksPerPlane)
    {
        config.scaleOut.name.clear();
        config.scaleUp.planes = planes;
        config.scaleUp.linksPerPlane = linksPerPlane;
        config.scaleUp.linkRate = ns3::DataRate("400Gbps");
        config.scaleUp.linkDelay = ns3::PicoSeconds(DELAY_PS);
        config.nvswitchDelay = ns3::PicoSeconds(SWITCH_PS);
        config.nvlink.Set("CreditDelay", ns3::TimeValue(ns3::PicoSeconds(CREDIT_PS)));
        config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(0)); // nvlink-protocol-test has them
    }

    void Build(uint32_t gpus)
    {
        config.scaleUp.hbdSize = gpus;
        Network::Build(gpus);
    }

    /// Runs to the end: nothing is lost or left, every byte posted is delivered, all credits are back.
    void Run()
    {
        Network::Run();
        EXPECT_EQ(GlobalCounter(SUM_BYTES_POSTED), GlobalCounter(SUM_BYTES_DELIVERED));
        EXPECT_EQ(GlobalCounter(SUM_MESSAGES_POSTED), GlobalCounter(SUM_MESSAGES_DELIVERED));
        EXPECT_EQ(deliveries.size(), GlobalCounter(SUM_MESSAGES_POSTED));
        EXPECT_EQ(GlobalCounter(SUM_DROPS), 0U);
        for (uint32_t link = 0; link < fabric->GetGraph().links.size(); link++)
        {
            EXPECT_TRUE(Link(link, 0).IsIdle());
            EXPECT_TRUE(Link(link, 1).IsIdle());
            EXPECT_EQ(Link(link, 0).GetQueuedBytes() + Link(link, 1).GetQueuedBytes(), 0U);
        }
    }

    void OnDelivered(uint32_t message) override
    {
        const Message& m = fabric->GetContext().messages[message];
        if (equalRates)
        {
            EXPECT_GE(fabric->GetKernel().NowPs() - m.postedPs,
                      fabric->GetIdealMessagePs(m.source, m.destination, m.bytes));
        }
        EXPECT_EQ(m.delivered, m.bytes);
        Network::OnDelivered(message);
    }

    /// One end of a link of the graph.
    NvlinkDevice& Link(uint32_t link, uint32_t end) const
    {
        return static_cast<NvlinkDevice&>(fabric->GetPort(link, end));
    }

    /// A port of a GPU.
    NvlinkDevice& GpuPort(uint32_t gpu, uint32_t index) const
    {
        return *ns3::DynamicCast<NvlinkDevice>(
            fabric->GetNodes().Get(Find("gpu" + std::to_string(gpu)))->GetDevice(index));
    }

    GpuEndpoint& Gpu(uint32_t gpu) const
    {
        return *fabric->GetNodes().Get(Find("gpu" + std::to_string(gpu)))->GetObject<GpuEndpoint>();
    }

    /// Starts a message now on a virtual channel; Fabric::Post uses channel 0.
    void StartOnChannel(uint8_t channel, uint32_t source, uint32_t destination, uint64_t bytes)
    {
        FabricContext& context = fabric->GetContext();
        uint32_t slot = context.messages.Allocate();
        Message& message = context.messages[slot];
        message.source = source;
        message.destination = destination;
        message.bytes = bytes;
        message.channel = channel;
        message.burstPackets = fabric->GetBurstPackets(false, bytes);
        context.statistics.sums[context.globalSums + SUM_BYTES_POSTED] += bytes;
        context.statistics.sums[context.globalSums + SUM_MESSAGES_POSTED]++;
        Gpu(source).Start(slot);
    }

    bool equalRates = true; ///< all links have the configured rate
};

/// Wire bytes of the link that carries most of a message striped packet by packet, the first packet on the first link.
inline int64_t
FullestLinkBytes(int64_t bytes, int64_t links)
{
    int64_t fullest = 0;
    for (int64_t first = 0; first < links; first++)
    {
        int64_t wire = 0;
        for (int64_t packet = first; packet == 0 || packet * PAYLOAD < bytes; packet += links)
        {
            int64_t payload = std::min(PAYLOAD, bytes - packet * PAYLOAD);
            wire += HEADER + (payload + 15) / 16 * 16;
        }
        fullest = std::max(fullest, wire);
    }
    return fullest;
}

} // namespace scale_up

#endif /* SCALE_UP_FIXTURE_H */
