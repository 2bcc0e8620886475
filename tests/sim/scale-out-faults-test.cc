/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: links that go down, come up, get slower: what is lost, what is found again, what cannot be. Method: the other
// way, the retry limit and the packets on a cable are known from the fabric's sizes.

#include "scale-out-fixture.h"

#include "ns3/string.h"

#include <gmock/gmock.h>
#include <string>

namespace
{

using namespace scale_out;
using testing::HasSubstr;

constexpr int64_t US = 1000000; // picoseconds

LinkFault
Fault(LinkFault::Kind kind, const std::string& a, const std::string& b, int64_t ps)
{
    LinkFault fault;
    fault.kind = kind;
    fault.ends[0] = a;
    fault.ends[1] = b;
    fault.at = ns3::PicoSeconds(ps);
    return fault;
}

LinkFault
Down(const std::string& a, const std::string& b, int64_t ps)
{
    return Fault(LinkFault::Kind::DOWN, a, b, ps);
}

LinkFault
Up(const std::string& a, const std::string& b, int64_t ps)
{
    return Fault(LinkFault::Kind::UP, a, b, ps);
}

LinkFault
Rate(const std::string& a, const std::string& b, const std::string& rate, int64_t ps)
{
    LinkFault fault = Fault(LinkFault::Kind::RATE, a, b, ps);
    fault.rate = ns3::DataRate(rate);
    return fault;
}

void
SetTimeout(Network& network, int64_t ps, uint32_t retries)
{
    network.config.nic.Set("RetransmitTimeout", ns3::TimeValue(ns3::PicoSeconds(ps)));
    network.config.nic.Set("RetryCount", ns3::UintegerValue(retries));
}

/// Two servers of one GPU, a leaf each, two spines.
void
TwoLeavesTwoSpines(Network& network)
{
    network.config.scaleOut.name = "rail-optimized";
    network.config.scaleOut.gpusPerServer = 1;
    network.config.scaleOut.serversPerLeaf = 1;
    network.config.scaleOut.spines = 2;
}

/// Runs. \return what it failed with, or nothing
std::string
RunToError(Network& network)
{
    try
    {
        network.Run();
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    return {};
}

/// Name of the spine that the flow from GPU 0 to GPU 1 takes.
std::string
FindSpine()
{
    Network network;
    TwoLeavesTwoSpines(network);
    network.Build(2);
    network.PostAt(0, 0, 1, 4096);
    network.Run();
    for (uint32_t port : {1U, 2U})
    {
        auto& uplink = network.EthernetPort("leaf0", port);
        if (network.fabric->GetContext().statistics.sums[uplink.GetSums(0) + PORT_TX_PAYLOAD] != 0)
        {
            return "spine" + std::to_string(port - 1);
        }
    }
    return "none";
}

TEST(ScaleOutFaults, MessageWhoseLinkGoesDownTakesTheOtherSpine)
{
    const std::string used = FindSpine();
    int64_t whole = 0;
    {
        Network same;
        TwoLeavesTwoSpines(same);
        same.Build(2);
        same.PostAt(0, 0, 1, 4 << 20);
        same.Run();
        whole = same.EndPs();
    }
    Network network;
    TwoLeavesTwoSpines(network);
    network.config.faults = {Down("leaf0", used, 40 * US)};
    network.Build(2);
    network.PostAt(0, 0, 1, 4 << 20);
    network.Run();
    ASSERT_EQ(network.deliveries.size(), 1U);
    EXPECT_GT(network.GlobalCounter(SUM_DROPS), 0U);
    const uint32_t other = used == "spine0" ? 2 : 1;
    EXPECT_GT(
        network.fabric->GetContext().statistics.sums[network.EthernetPort("leaf0", other).GetSums(0) + PORT_TX_PAYLOAD],
        1U << 20);
    // the first packet over the other spine tells what is missing: a round trip and a window of 21 us at most, no timeout
    EXPECT_GT(network.EndPs(), whole);
    EXPECT_LT(network.EndPs(), whole + 30 * US);
}

TEST(ScaleOutFaults, BackwardDirectionAloneIsLostToo)
{
    // acknowledgements come back through the second leaf: without its link to the spine in use, data take the other
    for (const char* spine : {"spine0", "spine1"})
    {
        Network network;
        TwoLeavesTwoSpines(network);
        network.config.faults = {Down(spine, "leaf1", 40 * US)};
        SetTimeout(network, 100 * US, 7);
        network.Build(2);
        network.PostAt(0, 0, 1, 4 << 20);
        network.PostAt(0, 1, 0, 4 << 20);
        network.Run();
        EXPECT_EQ(network.deliveries.size(), 2U);
    }
}

TEST(ScaleOutFaults, QueuePairGivesUpWhenNoWayComesBack)
{
    Network network;
    SetTimeout(network, 10 * US, 3);
    network.config.nic.Set("Window", ns3::UintegerValue(16384)); // so that nothing waits in the NIC
    network.config.faults = {Down("leaf0", "nic1", 20 * US)};
    network.Build(2);
    network.PostAt(0, 0, 1, 4 << 20);
    const std::string error = RunToError(network);
    EXPECT_THAT(error, HasSubstr("queue pair 0 from GPU 0 to GPU 1 gives up after 3 timeouts"));
    EXPECT_TRUE(network.deliveries.empty());
    // nothing has come back since shortly after the link went down; 3 repetitions and the end, 10 us each
    const int64_t end = network.fabric->GetKernel().NowPs();
    EXPECT_GE(end, 60 * US);
    EXPECT_LT(end, 65 * US);
}

TEST(ScaleOutFaults, SenderWhoseOwnLinkIsDownGivesUpToo)
{
    Network network;
    SetTimeout(network, 10 * US, 3);
    network.config.faults = {Down("nic0", "leaf0", 20 * US)};
    network.Build(2);
    network.PostAt(0, 0, 1, 4 << 20);
    EXPECT_THAT(RunToError(network), HasSubstr("queue pair 0 from GPU 0 to GPU 1 gives up"));
}

TEST(ScaleOutFaults, LinkThatComesUpInTimeLosesNothing)
{
    for (const char* nic : {"nic0", "nic1"})
    {
        Network network;
        SetTimeout(network, 10 * US, 3);
        network.config.faults = {Down(nic, "leaf0", 20 * US), Up(nic, "leaf0", 45 * US)};
        network.Build(2);
        network.PostAt(0, 0, 1, 4 << 20);
        network.Run();
        ASSERT_EQ(network.deliveries.size(), 1U);
        EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), 4U << 20);
        EXPECT_GT(network.EndPs(), 45 * US);
    }
}

TEST(ScaleOutFaults, MessageWithoutAWayFromTheStartFailsWithItsGpusTimeAndLinks)
{
    Network network;
    TwoLeavesTwoSpines(network);
    network.config.faults = {Down("leaf0", "spine0", 0), Down("leaf0", "spine1", 3 * US)};
    network.Build(2);
    network.PostAt(US, 0, 1, 4096);
    network.PostAt(20 * US, 1, 0, 4096);
    const std::string error = RunToError(network);
    EXPECT_THAT(error, HasSubstr("no way from gpu1 to gpu0 at +20us"));
    EXPECT_THAT(error, HasSubstr("leaf0-spine0, leaf0-spine1 down"));
    EXPECT_EQ(network.deliveries.size(), 1U);
}

TEST(ScaleOutFaults, MessageWaitsForALinkThatComesUpLater)
{
    Network network;
    SetTimeout(network, 10 * US, 7);
    network.config.faults = {Down("leaf0", "nic1", 0), Up("leaf0", "nic1", 35 * US)};
    network.Build(2);
    network.PostAt(US, 0, 1, 4096);
    network.Run();
    ASSERT_EQ(network.deliveries.size(), 1U);
    EXPECT_GT(network.EndPs(), 35 * US);
    EXPECT_LT(network.EndPs(), 35 * US + 10 * US + 5 * US); // the next timeout and the way
}

TEST(ScaleOutFaults, WhatIsOnTheCableIsLostAndNothingElse)
{
    // a cable of 10 us that is full holds delay / packet time packets and the one that is being sent, and pieces at
    // both ends; the NIC that sends goes on into it until the run is stopped
    Network network;
    network.config.scaleOut.linkDelay = ns3::MicroSeconds(10);
    network.config.nic.Set("Window", ns3::UintegerValue(8 << 20));
    network.config.nic.Set("Headroom", ns3::UintegerValue(3 << 20));
    network.config.nic.Set("ReceiveBuffer", ns3::UintegerValue(8 << 20));
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(3 << 20));
    network.config.faults = {Down("leaf0", "nic1", 100 * US)};
    network.Build(2);
    network.PostAt(0, 0, 1, 64 << 20);
    ns3::Simulator::Stop(ns3::PicoSeconds(111 * US));
    ns3::Simulator::Run();
    const int64_t packetPs = (4096 + 82) * 20; // 400 Gb/s
    const auto lost = static_cast<int64_t>(
        network.Sum(network.fabric->GetGraph().nodes[network.Find("leaf0")].ports[1], 0, PORT_DROPS) +
        network.Sum(network.fabric->GetGraph().nodes[network.Find("leaf0")].ports[1], 1, PORT_DROPS));
    // data there, acknowledgements back: one for each packet, on a cable of the same length
    EXPECT_NEAR(static_cast<double>(lost), 2.0 * 10 * US / packetPs, 4);
}

TEST(ScaleOutFaults, QueueOfADeadPortIsFlushedAndItsSendersAreReleased)
{
    // 3 to 1 fills the switch until it pauses; then the receiver's link goes down, and a flow to another receiver goes
    // on
    Network network;
    SetTimeout(network, 50 * US, 7);
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(5 * 612140 + 400000));
    network.config.nic.Set("Window", ns3::UintegerValue(8 << 20));
    network.config.faults = {Down("leaf0", "nic0", 100 * US), Up("leaf0", "nic0", 150 * US)};
    network.Build(5);
    for (uint32_t source : {1U, 2U, 3U})
    {
        network.PostAt(0, source, 0, 8 << 20);
    }
    bool paused = false;
    bool released = false;
    ns3::Simulator::Schedule(ns3::PicoSeconds(99 * US), [&] {
        paused = network.EthernetPort("leaf0", 1).GetPausing() != 0 &&
                 network.EthernetPort("leaf0", 0).GetQueuedBytes() > 100000;
    });
    ns3::Simulator::Schedule(ns3::PicoSeconds(101 * US), [&] {
        released = network.EthernetPort("leaf0", 1).GetPausing() == 0 &&
                   network.EthernetPort("leaf0", 0).GetQueuedBytes() == 0;
    });
    network.PostAt(102 * US, 1, 4, 4096);
    network.Run(); // checks that all buffers are empty at the end
    EXPECT_TRUE(paused);
    EXPECT_TRUE(released);
    EXPECT_EQ(network.deliveries.size(), 4U);
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), (24U << 20) + 4096U);
}

TEST(ScaleOutFaults, DegradedLinkCarriesItsRateFromThatTimeOn)
{
    Network network;
    network.config.faults = {Rate("nic1", "leaf0", "100Gbps", 50 * US), Rate("leaf0", "nic1", "200Gbps", 150 * US)};
    network.config.burstBytes = 65536;
    network.Build(2);
    network.PostAt(0, 0, 1, 8 << 20);
    network.Run();
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0U);
    // 8 MiB: 400 Gb/s from the first packet's arrival at the switch until 50 us, 100 Gb/s for 100 us, 200 Gb/s for the
    // rest
    const double wire = 4096 + 82;
    const double packets = (8 << 20) / 4096.0;
    const double arrival = 0.2 + 4096.0 * 8 / 500e3 * (280.0 / 256) + 0.25 + 0.05 + wire * 8 / 400e3 + 0.6; // us
    const double before = (50 - arrival) * 400e3 / 8 / wire;
    const double during = 100 * 100e3 / 8 / wire;
    const double end = 150 + (packets - before - during) * wire * 8 / 200e3;
    EXPECT_NEAR(static_cast<double>(network.EndPs()) / US, end + 0.05 + 0.25 + 0.2, 0.6);
}

TEST(ScaleOutFaults, FaultsThatCannotHappenAreRefused)
{
    const std::vector<std::pair<std::vector<LinkFault>, std::string>> wrong = {
        {{Down("leaf0", "spine0", 0)}, "no Ethernet link between 'leaf0' and 'spine0'"},
        {{Down("gpu0", "nic0", 0)}, "no Ethernet link between 'gpu0' and 'nic0'"},
        {{Down("leaf0", "nic0", 5), Down("nic0", "leaf0", 7)}, "nic0-leaf0 goes down when it is down"},
        {{Up("leaf0", "nic0", 5)}, "leaf0-nic0 comes up when it is up"},
        {{Up("leaf0", "nic0", 5), Down("leaf0", "nic0", 4), Up("leaf0", "nic0", 6)}, "comes up when it is up"},
        {{Rate("leaf0", "nic0", "401Gbps", 5)}, "400000000000 bit/s and cannot get more"},
        {{Down("leaf0", "nic0", -5)}, "before the start"},
    };
    for (const auto& [faults, text] : wrong)
    {
        Network network;
        network.config.faults = faults;
        try
        {
            network.Build(2);
            ADD_FAILURE() << text;
        }
        catch (const std::invalid_argument& error)
        {
            EXPECT_THAT(error.what(), HasSubstr(text));
        }
    }
    Network network;
    network.config.faults = {Down("leaf0", "nic0", 5)};
    network.config.faults.front().number = 1;
    EXPECT_THROW(network.Build(2), std::invalid_argument);
}

} // namespace
