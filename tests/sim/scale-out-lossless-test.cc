/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: priority flow control by its thresholds, and no loss whatever comes in.

#include "scale-out-fixture.h"

namespace
{

using namespace scale_out;

constexpr uint32_t PRIORITY = 3;

SharedBufferConfig
SmallBuffer()
{
    SharedBufferConfig config;
    config.ports = 2;
    config.headroom = 3000;
    config.size = 10000 + 2 * 3000; // 10,000 B are shared
    config.xonOffset = 500;
    config.alpha = 0.5;
    return config;
}

TEST(SharedBuffer, PausesAboveAlphaTimesFreeMemory)
{
    SharedBuffer buffer;
    buffer.Configure(SmallBuffer());
    EXPECT_EQ(buffer.GetThreshold(), 5000);
    EXPECT_FALSE(buffer.Admit(0, PRIORITY, 2000)); // 2000 <= 0.5 x 10000
    EXPECT_EQ(buffer.GetThreshold(), 4000);
    EXPECT_FALSE(buffer.Admit(0, PRIORITY, 1000)); // 3000 <= 0.5 x 8000
    EXPECT_EQ(buffer.GetThreshold(), 3500);
    EXPECT_TRUE(buffer.Admit(0, PRIORITY, 501));  // 3501 > 0.5 x 7000
    EXPECT_FALSE(buffer.Admit(0, PRIORITY, 499)); // is paused already
    EXPECT_EQ(buffer.GetBytes(0, PRIORITY), 4000);
    EXPECT_EQ(buffer.GetThreshold(), 3500); // headroom takes no shared memory
}

TEST(SharedBuffer, OtherPortsLowerTheThreshold)
{
    SharedBuffer buffer;
    buffer.Configure(SmallBuffer());
    EXPECT_FALSE(buffer.Admit(0, PRIORITY, 4000));
    EXPECT_FALSE(buffer.Admit(1, PRIORITY, 1500)); // 0.5 x 6000
    EXPECT_TRUE(buffer.Admit(1, PRIORITY, 751));   // 2251 > 0.5 x 4500
    EXPECT_FALSE(buffer.IsPaused(0, PRIORITY));
}

TEST(SharedBuffer, ResumesAtThresholdMinusOffsetOnceTheHeadroomIsEmpty)
{
    SharedBuffer buffer;
    buffer.Configure(SmallBuffer());
    buffer.Admit(0, PRIORITY, 3000);
    ASSERT_TRUE(buffer.Admit(0, PRIORITY, 600));
    EXPECT_FALSE(buffer.Release(0, PRIORITY, 599)); // 1 B is left in the headroom
    EXPECT_TRUE(buffer.Release(0, PRIORITY, 1));    // 3000 = 0.5 x 7000 - 500
    EXPECT_FALSE(buffer.IsPaused(0, PRIORITY));
}

TEST(SharedBuffer, StaysPausedOneByteAboveThresholdMinusOffset)
{
    SharedBuffer buffer;
    buffer.Configure(SmallBuffer());
    buffer.Admit(0, PRIORITY, 3000);
    buffer.Admit(1, PRIORITY, 2); // 0.5 x 6998 = 3499
    ASSERT_TRUE(buffer.Admit(0, PRIORITY, 600));
    EXPECT_FALSE(buffer.Release(0, PRIORITY, 600)); // 3000 > 3499 - 500
    EXPECT_TRUE(buffer.Release(0, PRIORITY, 1));
}

TEST(SharedBuffer, ResumesWhenItsPartIsEmptyHoweverFullTheRestIs)
{
    SharedBuffer buffer;
    SharedBufferConfig config = SmallBuffer();
    config.alpha = 4;
    buffer.Configure(config);
    EXPECT_FALSE(buffer.Admit(0, PRIORITY, 8000)); // 4 x 10000
    EXPECT_FALSE(buffer.Admit(0, PRIORITY, 0));
    ASSERT_TRUE(buffer.Admit(1, PRIORITY, 2001)); // fits no more
    EXPECT_TRUE(buffer.Release(1, PRIORITY, 2001));
}

TEST(SharedBuffer, OverfullHeadroomIsAnError)
{
    SharedBuffer buffer;
    buffer.Configure(SmallBuffer());
    ASSERT_FALSE(buffer.Admit(0, PRIORITY, 3000));
    ASSERT_TRUE(buffer.Admit(0, PRIORITY, 3000)); // fills the headroom
    EXPECT_THROW(buffer.Admit(0, PRIORITY, 1), std::overflow_error);
}

TEST(SharedBuffer, RefusesHeadroomThatLeavesNothing)
{
    SharedBufferConfig config = SmallBuffer();
    config.size = 6000;
    SharedBuffer buffer;
    EXPECT_THROW(buffer.Configure(config), std::invalid_argument);
}

TEST(SharedBuffer, ControlTakesItsReserveOnceTheSharedPartIsFull)
{
    constexpr uint32_t CONTROL = 6;
    SharedBufferConfig config = SmallBuffer();
    config.control = 200;
    config.alpha = 4;
    SharedBuffer buffer;
    buffer.Configure(config);
    ASSERT_FALSE(buffer.Admit(0, PRIORITY, 7900));
    ASSERT_FALSE(buffer.Admit(1, CONTROL, 2100)); // shared
    EXPECT_EQ(buffer.GetThreshold(), 0);
    EXPECT_FALSE(buffer.Admit(0, CONTROL, 120));
    EXPECT_FALSE(buffer.Admit(1, CONTROL, 80));
    EXPECT_THROW(buffer.Admit(1, CONTROL, 1), std::overflow_error);
    EXPECT_FALSE(buffer.Release(1, CONTROL, 80)); // the reserve is freed first
    EXPECT_EQ(buffer.GetThreshold(), 0);
    EXPECT_FALSE(buffer.Admit(0, CONTROL, 80));
    EXPECT_FALSE(buffer.Release(0, CONTROL, 200));
    EXPECT_FALSE(buffer.Release(1, CONTROL, 2100));
    EXPECT_FALSE(buffer.Release(0, PRIORITY, 7900));
    EXPECT_TRUE(buffer.IsEmpty());
}

/// Sinks for the pause frames that one switch port sends.
struct PauseFrames
{
    explicit PauseFrames(Network& owner)
        : network(owner)
    {
    }

    void OnUnit(const PacketUnit& unit)
    {
        if (!(unit.flags & UNIT_PAUSE))
        {
            return;
        }
        const SharedBuffer& buffer = network.Switch("leaf0").GetBuffer();
        bool pause = (unit.sequence & 0xff) != 0;
        times.push_back(network.fabric->GetKernel().NowPs());
        isPause.push_back(pause);
        bytes.push_back(buffer.GetBytes(0, PRIORITY));
        thresholds.push_back(buffer.GetThreshold());
    }

    Network& network;
    std::vector<int64_t> times;
    std::vector<bool> isPause;
    std::vector<int64_t> bytes;      ///< of port 0 when the frame starts
    std::vector<int64_t> thresholds; ///< then
};

/// GPUs 0 and 1 send to GPU 2 through a switch with 100 kB of shared memory.
void
BuildIncast(Network& network, uint64_t shared)
{
    constexpr uint64_t HEADROOM = 200000;
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(HEADROOM));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(shared + 3 * HEADROOM));
    network.Build(3);
}

TEST(PriorityFlowControl, PausesAboveTheThresholdAndResumesBelowIt)
{
    constexpr int64_t OFFSET = 3556;
    constexpr int64_t LARGEST = 4096 + 82 + 16;
    Network network;
    BuildIncast(network, 100000);
    PauseFrames frames(network);
    network.EthernetPort("leaf0", 0)
        .TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&PauseFrames::OnUnit, &frames));
    network.PostAt(0, 0, 2, 4 << 20);
    network.PostAt(0, 1, 2, 4 << 20);
    network.Run();
    ASSERT_GE(frames.times.size(), 4U);
    for (size_t i = 0; i < frames.times.size(); i++)
    {
        EXPECT_EQ(frames.isPause[i], i % 2 == 0) << i;
        if (frames.isPause[i])
        {
            EXPECT_GT(frames.bytes[i], frames.thresholds[i]) << i;
            EXPECT_LE(frames.bytes[i], frames.thresholds[i] + 2 * LARGEST) << i;
        }
        else
        {
            EXPECT_LE(frames.bytes[i] + OFFSET, frames.thresholds[i] + LARGEST) << i;
            // since port 0's last look: a packet of its own left, which counts twice, and one of port 1
            EXPECT_GE(frames.bytes[i] + OFFSET, frames.thresholds[i] - 3 * LARGEST) << i;
        }
    }
    // both fill alike: x = 100000 - 2 x at the threshold
    EXPECT_NEAR(static_cast<double>(frames.bytes[0]), 33333, 2.0 * LARGEST);
    EXPECT_EQ(network.Sum(PORT_DROPS), 0);
}

TEST(PriorityFlowControl, PausedSenderIsSilentUntilItResumes)
{
    Network network;
    BuildIncast(network, 100000);
    EthernetDevice& nic = network.EthernetPort("nic0", 1);

    struct Sink
    {
        EthernetDevice& nic;
        uint32_t sent;
        uint32_t sentWhilePaused;

        void OnUnit(const PacketUnit& unit)
        {
            bool data = unit.channel == PRIORITY;
            sent += data ? 1 : 0;
            sentWhilePaused += data && (nic.GetPaused() >> PRIORITY & 1) != 0 ? 1 : 0;
        }
    } sink{nic, 0, 0};

    nic.TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&Sink::OnUnit, &sink));
    network.PostAt(0, 0, 2, 4 << 20);
    network.PostAt(0, 1, 2, 4 << 20);
    network.Run();
    EXPECT_EQ(sink.sent, 1024U);
    EXPECT_EQ(sink.sentWhilePaused, 0U);
    EXPECT_GT(network.Sum(PORT_PAUSE_PS), 0);
}

TEST(PriorityFlowControl, PauseIsRenewedUntilItsEndIsDue)
{
    // quanta of 4096 x 512 bit last 5.24 us; the receiver's host link drains so slowly that pauses last longer
    Network network;
    network.config.ethernet.Set("PauseQuanta", ns3::UintegerValue(4096));
    network.config.scaleOut.hostRate = ns3::DataRate("5Gbps");
    network.config.nic.Set("ReceiveBuffer", ns3::UintegerValue(800000));
    network.config.nic.Set("Headroom", ns3::UintegerValue(600000));
    network.Build(4);
    for (uint32_t source = 0; source < 3; source++)
    {
        for (uint32_t i = 0; i < 3; i++)
        {
            network.PostAt(0, source, 3, 200000);
        }
    }
    PauseFrames frames(network);
    network.EthernetPort("nic3", 1).TraceConnectWithoutContext("UnitTx",
                                                               ns3::MakeCallback(&PauseFrames::OnUnit, &frames));
    network.Run();
    size_t renewals = 0;
    for (size_t i = 1; i < frames.times.size(); i++)
    {
        if (frames.isPause[i] && frames.isPause[i - 1])
        {
            renewals++;
            EXPECT_EQ(frames.times[i] - frames.times[i - 1], 4096 * 64 * 20 / 2) << i;
        }
    }
    EXPECT_GT(renewals, 0U);
    EXPECT_EQ(network.deliveries.size(), 9U);
}

/// Payload of a burst.
class Incast : public testing::TestWithParam<uint64_t>
{
};

TEST_P(Incast, LargerThanAllBuffersLosesNothing)
{
    constexpr uint32_t SENDERS = 15;
    constexpr uint64_t BYTES = 2 << 20;
    Network network;
    network.config.burstBytes = GetParam();
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(200000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(500000 + 16 * 200000));
    network.Build(SENDERS + 1);
    for (uint32_t source = 0; source < SENDERS; source++)
    {
        network.PostAt(0, source, SENDERS, BYTES);
    }
    network.Run();
    EXPECT_EQ(network.deliveries.size(), SENDERS);
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), SENDERS * BYTES);
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0);
    EXPECT_GT(network.Sum(PORT_PAUSE_PS), 0);
    // the receiver's link is never idle: the time is that of all bytes over it
    std::vector<IdealTransfer> transfers;
    for (uint32_t source = 0; source < SENDERS; source++)
    {
        transfers.push_back(IdealTransfer{source, SENDERS, BYTES});
    }
    int64_t bound = network.fabric->GetIdealBound().GetBoundPs(transfers);
    EXPECT_EQ(bound, static_cast<int64_t>(SENDERS * (512 * (4096 + 82) + 16) * 20));
    EXPECT_GE(network.EndPs(), bound);
    EXPECT_LT(network.EndPs(), bound * 101 / 100);
}

INSTANTIATE_TEST_SUITE_P(Bursts, Incast, testing::Values(0, 16384, 65536));

TEST(Incast, SendersShareTheReceiverEvenly)
{
    Network network;
    network.Build(4);
    for (uint32_t source = 0; source < 3; source++)
    {
        network.PostAt(0, source, 3, 4 << 20);
    }
    network.Run();
    int64_t first = std::get<3>(network.deliveries.front());
    EXPECT_LT(network.EndPs() - first, 4 * (4096 + 82) * 20);
}

TEST(Incast, SharedPartOfOnePacketLosesNoAcknowledgement)
{
    Network network;
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(200000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(4250 + 4 * 200000));
    network.Build(4);
    for (uint32_t source = 0; source < 4; source++)
    {
        for (uint32_t step = 1; step < 4; step++)
        {
            network.PostAt(0, source, (source + step) % 4, 1 << 20);
        }
    }
    network.Run();
    EXPECT_EQ(network.deliveries.size(), 12U);
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0);
}

TEST(ScaleOutInput, ControlReserveOfLessThanAnAcknowledgementAPortIsRefused)
{
    Network network;
    network.config.ethernetSwitch.Set("ControlReserve", ns3::UintegerValue(2 * 86 - 1));
    EXPECT_THROW(network.Build(2), std::invalid_argument);
    network.fabric = nullptr;
}

TEST(ScaleOutInput, CreditWindowSmallerThanAPacketIsRefused)
{
    constexpr uint64_t HOST_PACKET = 4096 + 16 * 24;
    for (uint64_t window : {HOST_PACKET - 1, HOST_PACKET})
    {
        Network network;
        network.config.hostLink.Set("CreditWindow", ns3::UintegerValue(window));
        if (window < HOST_PACKET)
        {
            EXPECT_THROW(network.Build(2), std::invalid_argument);
            network.fabric = nullptr;
            continue;
        }
        network.Build(2);
        network.PostAt(0, 0, 1, 1 << 20);
        network.Run(); // one packet at a time, but all of them
        EXPECT_EQ(network.deliveries.size(), 1U);
    }
    for (uint64_t window : {256 + 15, 256 + 16})
    {
        Network network;
        network.config.scaleUp.hbdSize = 2;
        network.config.scaleUp.linkRate = ns3::DataRate("400Gbps");
        network.config.scaleUp.linkDelay = ns3::NanoSeconds(20);
        network.config.nvlink.Set("CreditWindow", ns3::UintegerValue(window));
        if (window < 256 + 16)
        {
            EXPECT_THROW(network.Build(2), std::invalid_argument);
            network.fabric = nullptr;
            continue;
        }
        network.Build(2);
        network.PostAt(0, 0, 1, 1 << 16);
        network.Run();
        EXPECT_EQ(network.deliveries.size(), 1U);
    }
}

TEST(ScaleOutInput, HeadroomThatCannotHoldWhatArrivesIsRefused)
{
    Network network;
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(20000));
    EXPECT_THROW(network.Build(2), std::invalid_argument);
    network.fabric = nullptr;
}

TEST(ScaleOutInput, WindowSmallerThanAPacketIsRefused)
{
    Network network;
    network.config.nic.Set("Window", ns3::UintegerValue(4095));
    EXPECT_THROW(network.Build(2), std::invalid_argument);
    network.fabric = nullptr;
}

TEST(ScaleOutInput, UnprotectedDataPriorityIsRefused)
{
    Network network;
    network.config.nic.Set("DataPriority", ns3::UintegerValue(4));
    EXPECT_THROW(network.Build(2), std::invalid_argument);
    network.fabric = nullptr;
}

} // namespace
