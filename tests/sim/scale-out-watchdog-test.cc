/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: a fabric that gets nowhere is reported with its messages and ports, whether it is busy or silent; a slow one is
// not.

#include "ns3-module/model/hbd-watchdog.h"
#include "scale-out-fixture.h"

#include <gmock/gmock.h>
#include <string>

namespace
{

using namespace scale_out;
using testing::HasSubstr;

/// Holds one packet but no burst.
constexpr uint64_t TOO_SMALL = 5000;

/// How long a pause lasts: 65535 quanta of 64 B at 20 ps a byte.
constexpr int64_t PAUSE_PS = 65535LL * 64 * 20;

/// The NIC's end of a GPU's host link.
HostLinkDevice&
NicHostPort(const Network& network, uint32_t gpu)
{
    uint32_t node = network.Find("nic" + std::to_string(gpu));
    return *ns3::DynamicCast<HostLinkDevice>(network.fabric->GetNodes().Get(node)->GetDevice(RdmaNic::HOST_PORT));
}

/// Makes the buffer at the other end of a port smaller than the bursts that the fabric was built for.
void
StarveOfCredit(FabricPort& sender)
{
    sender.GetPeer()->SetAttribute("CreditWindow", ns3::UintegerValue(TOO_SMALL));
    sender.Start();
}

/// Runs under a watchdog. \return its message, or nothing when the run ended
std::string
RunWatched(Network& network, uint64_t patience)
{
    Watchdog watchdog(*network.fabric, patience);
    network.fabric->GetKernel().SetPeriodicCheck(16, ns3::MakeCallback(&Watchdog::Check, &watchdog));
    try
    {
        ns3::Simulator::Stop(ns3::Seconds(1));
        ns3::Simulator::Run();
    }
    catch (const FabricError& error)
    {
        return error.what();
    }
    return {};
}

std::string
NameOf(const FabricPort& port)
{
    return "(port " + std::to_string(port.GetId()) + ")";
}

TEST(ScaleOutWatchdog, PauseThatIsRenewedForEverIsReportedWithMessageAndPorts)
{
    Network network;
    network.config.burstBytes = 65536;
    network.Build(3);
    StarveOfCredit(NicHostPort(network, 1));
    network.PostAt(0, 0, 1, 8 << 20); // more than the NIC's buffer and a window
    network.PostAt(0, 0, 2, 1 << 20); // arrives
    std::string text = RunWatched(network, 1000);
    EXPECT_THAT(text, HasSubstr("watchdog"));
    EXPECT_THAT(text, HasSubstr("1 messages are not delivered"));
    EXPECT_THAT(text, HasSubstr("message from gpu0 to gpu1: 0 of 8388608 B delivered"));
    EXPECT_THAT(text, HasSubstr("nic0: queue pair to gpu1: 1 messages wait"));
    EXPECT_THAT(text, HasSubstr("nic1: "));
    EXPECT_THAT(text, HasSubstr("B wait for the host link " + NameOf(NicHostPort(network, 1))));
    EXPECT_THAT(text, HasSubstr("leaf0: switch output 1 " + NameOf(network.EthernetPort("leaf0", 1))));
    EXPECT_THAT(text, HasSubstr("priorities paused by the peer: 3"));
    EXPECT_EQ(network.deliveries.size(), 1U);
    // what was looked at was busy: pauses were renewed all the while
    EXPECT_NE(network.EthernetPort("nic1", RdmaNic::ETHERNET_PORT).GetPausing(), 0U);
    EXPECT_GT(network.fabric->GetKernel().NowPs(), 5 * PAUSE_PS);
}

TEST(ScaleOutWatchdog, SlowReceiverThatRenewsPausesIsNotReported)
{
    Network network;
    network.config.ethernet.Set("PauseQuanta", ns3::UintegerValue(4096));
    network.config.scaleOut.hostRate = ns3::DataRate("5Gbps");
    network.config.nic.Set("ReceiveBuffer", ns3::UintegerValue(800000));
    network.config.nic.Set("Headroom", ns3::UintegerValue(600000));
    network.Build(4);
    for (uint32_t source = 0; source < 3; source++)
    {
        network.PostAt(0, source, 3, 600000);
    }
    EXPECT_EQ(RunWatched(network, 1000), "");
    network.fabric->CheckDrained();
    EXPECT_EQ(network.deliveries.size(), 3U);
    EXPECT_GT(network.Sum(PORT_PAUSE_PS), 0U);
}

TEST(ScaleOutWatchdog, SilentFabricIsReportedWhenItsEventsHaveRunOut)
{
    Network network;
    network.config.burstBytes = 65536;
    network.Build(2);
    auto& gpuPort = static_cast<HostLinkDevice&>(*NicHostPort(network, 0).GetPeer());
    StarveOfCredit(gpuPort);
    network.PostAt(0, 0, 1, 1 << 20);
    EXPECT_EQ(RunWatched(network, 1000), ""); // nothing is renewed: the run ends by itself
    try
    {
        network.fabric->CheckDrained();
        FAIL() << "the fabric is not drained";
    }
    catch (const FabricError& error)
    {
        EXPECT_THAT(error.what(), HasSubstr("message from gpu0 to gpu1: 0 of 1048576 B delivered"));
        EXPECT_THAT(error.what(), HasSubstr("nic0: queue pair to gpu1: 1 messages wait"));
        EXPECT_THAT(error.what(), HasSubstr("nic0: the GPU's end of the host link " + NameOf(gpuPort)));
    }
}

} // namespace
