/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: switches copy and sum in the time and with the bytes that they must. Method: closed forms on an idle domain.

#include "group-fixture.h"

#include "ns3/double.h"

namespace
{

using namespace group_test;

/// A reduction of one packet from posted to the head of the result at its port of the switch.
constexpr int64_t SUM_PS = REQUEST_PS + READ_PS + HEADER_PS + DELAY_PS + SWITCH_PS + REDUCTION_PS;

TEST(MulticastTime, IsThatOfOneMessage)
{
    constexpr int64_t PACKETS = 40;
    for (uint64_t burst : {0, 2048})
    {
        GroupDomain domain(1, 1);
        domain.config.burstBytes = burst;
        domain.Build(6);
        std::vector<uint32_t> group{1, 2, 4, 5};
        domain.PostAt(0, Multicast(2, group, PACKETS * PAYLOAD));
        domain.Run();
        ASSERT_EQ(domain.deliveries.size(), 3U);
        for (const auto& delivery : domain.deliveries)
        {
            EXPECT_EQ(std::get<3>(delivery), PACKETS * PACKET_PS + HEADER_PS + FLIGHT_PS);
        }
        EXPECT_EQ(domain.completePs, std::vector<int64_t>{domain.EndPs()});
        // up once, down to each member, the source included, and to nobody else
        for (uint32_t gpu = 0; gpu < 6; gpu++)
        {
            EXPECT_EQ(domain.Out(gpu, 0), gpu == 2 ? PACKETS * PAYLOAD : 0U);
            EXPECT_EQ(domain.In(gpu, 0), gpu == 0 || gpu == 3 ? 0U : PACKETS * PAYLOAD);
        }
    }
}

TEST(MulticastTime, OfNothingIsTheWay)
{
    GroupDomain domain(2, 2);
    domain.Build(4);
    std::vector<uint32_t> group = FirstGpus(4);
    domain.PostAt(0, Multicast(3, group, 0));
    domain.Run();
    EXPECT_EQ(domain.deliveries.size(), 3U);
    EXPECT_EQ(domain.EndPs(), 2 * HEADER_PS + FLIGHT_PS);
}

TEST(MulticastFlow, ThroughputIsCreditsTimesPacketOverTheRoundTrip)
{
    constexpr int64_t CREDITS = 3;
    constexpr int64_t ROUNDS = 40;
    // until the credit of a packet is back: header there, packet on, credit back
    constexpr int64_t ROUND_PS = HEADER_PS + DELAY_PS + SWITCH_PS + PACKET_PS + DELAY_PS + CREDIT_PS;
    GroupDomain domain(1, 1);
    domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(CREDITS * PACKET));
    domain.Build(4);
    std::vector<uint32_t> group = FirstGpus(4);
    domain.PostAt(0, Multicast(0, group, ROUNDS * CREDITS * PAYLOAD));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (ROUNDS - 1) * ROUND_PS + CREDITS * PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(MulticastFlow, HoldsTheBufferUntilTheLastCopyHasLeft)
{
    constexpr int64_t PACKETS = 600;
    constexpr int64_t CREDITS = 100; // the round trip takes 84
    GroupDomain domain(1, 1);
    domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(CREDITS * PACKET));
    domain.Build(4);
    std::vector<uint32_t> group{0, 1, 2};
    domain.PostAt(0, 3, 1, PACKETS * PAYLOAD); // GPU 1's link is shared, so all copies come at half the rate
    domain.PostAt(0, Multicast(0, group, PACKETS * PAYLOAD));
    domain.Run();
    int64_t freePs = 0;
    for (const auto& [source, destination, bytes, ps] : domain.deliveries)
    {
        freePs = destination == 2 ? ps : freePs;
    }
    // the copies for GPU 2 are at most a buffer ahead
    EXPECT_GE(freePs, (2 * (PACKETS - CREDITS) - 2) * PACKET_PS);
    EXPECT_EQ(domain.EndPs(), 2 * PACKETS * PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(MulticastFlow, HoldsTheBufferUntilTheCopyThatEndsLastHasLeft)
{
    // a buffer of one packet; the copy for GPU 1, not the last to start, is late by what its link repeats
    constexpr int64_t PACKETS = 400;
    constexpr int64_t RETRY_PS = 50000000;
    constexpr int64_t ROUND_PS = HEADER_PS + DELAY_PS + SWITCH_PS + PACKET_PS + DELAY_PS + CREDIT_PS;
    GroupDomain domain(1, 1);
    domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(PACKET));
    domain.Build(3);
    auto& down = static_cast<NvlinkDevice&>(*domain.GpuPort(1, 0).GetPeer());
    down.SetAttribute("BitErrorRate", ns3::DoubleValue(2e-5));
    down.SetAttribute("RetryDelay", ns3::TimeValue(ns3::PicoSeconds(RETRY_PS)));
    domain.fabric->AssignStreams(1);
    std::vector<uint32_t> group = FirstGpus(3);
    domain.PostAt(0, Multicast(0, group, PACKETS * PAYLOAD));
    domain.Run();
    const auto errors = static_cast<int64_t>(domain.In(1, 0, PORT_RETRIED_PACKETS));
    EXPECT_GT(errors, 5);
    EXPECT_EQ(domain.EndPs(), (PACKETS - 1) * ROUND_PS + errors * (PACKET_PS + RETRY_PS) + PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(ReductionTime, IsRequestAnswerAndSum)
{
    for (int64_t packets : {1, 30})
    {
        for (uint32_t gpus : {2, 7})
        {
            GroupDomain domain(1, 1);
            domain.Build(gpus);
            std::vector<uint32_t> group = FirstGpus(gpus);
            domain.PostAt(0, Reduce(1, group, packets * PAYLOAD));
            domain.Run();
            EXPECT_EQ(domain.EndPs(), SUM_PS + packets * PACKET_PS + DELAY_PS);
            for (uint32_t gpu = 0; gpu < gpus; gpu++)
            {
                EXPECT_EQ(domain.Out(gpu, 0), static_cast<uint64_t>(packets * PAYLOAD));
                EXPECT_EQ(domain.In(gpu, 0), gpu == 1 ? packets * PAYLOAD : 0U);
            }
        }
    }
}

TEST(ReductionTime, OfNothingIsTheRoundTrip)
{
    GroupDomain domain(2, 1);
    domain.Build(3);
    std::vector<uint32_t> group = FirstGpus(3);
    domain.PostAt(0, Reduce(1, group, 0));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), SUM_PS + HEADER_PS + DELAY_PS);
}

TEST(ReductionTime, IsDividedByTheLinks)
{
    constexpr int64_t PACKETS = 18 * 20;
    for (uint32_t perPlane : {1, 9})
    {
        GroupDomain domain(18 / perPlane, perPlane);
        domain.Build(4);
        std::vector<uint32_t> group{0, 1, 3};
        domain.PostAt(0, Reduce(3, group, PACKETS * PAYLOAD));
        domain.Run();
        EXPECT_EQ(domain.EndPs(), SUM_PS + PACKETS / 18 * PACKET_PS + DELAY_PS);
        for (uint32_t link = 0; link < 18; link++)
        {
            EXPECT_EQ(domain.In(3, link), static_cast<uint64_t>(PACKETS / 18 * PAYLOAD));
            EXPECT_EQ(domain.Out(1, link), static_cast<uint64_t>(PACKETS / 18 * PAYLOAD));
        }
    }
}

TEST(ReductionLimits, AFullTableServesOneResultAfterTheOther)
{
    constexpr int64_t PACKETS = 20;
    // from a request's turn to the end of its result: pull, memory, contribution's head, delay, result
    constexpr int64_t TURN_PS =
        HEADER_PS + DELAY_PS + READ_PS + HEADER_PS + DELAY_PS + SWITCH_PS + REDUCTION_PS + PACKET_PS;
    GroupDomain domain(1, 1);
    domain.config.nvswitch.Set("ReductionTableSize", ns3::UintegerValue(PAYLOAD));
    domain.Build(3);
    std::vector<uint32_t> group = FirstGpus(3);
    domain.PostAt(0, Reduce(0, group, PACKETS * PAYLOAD));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), HEADER_PS + DELAY_PS + SWITCH_PS + PACKETS * TURN_PS + DELAY_PS);
}

TEST(ReductionLimits, TableOverTheTurnBoundsTheRate)
{
    constexpr int64_t ENTRIES = 5;
    constexpr int64_t ROUNDS = 10;
    constexpr int64_t TURN_PS =
        HEADER_PS + DELAY_PS + READ_PS + HEADER_PS + DELAY_PS + SWITCH_PS + REDUCTION_PS + PACKET_PS;
    GroupDomain domain(1, 1);
    domain.config.nvswitch.Set("ReductionTableSize", ns3::UintegerValue(ENTRIES * PAYLOAD));
    domain.Build(3);
    std::vector<uint32_t> group = FirstGpus(3);
    domain.PostAt(0, Reduce(0, group, ROUNDS * ENTRIES * PAYLOAD));
    domain.Run();
    // on the way to who asked, the next round's requests to itself go between the results
    EXPECT_EQ(domain.EndPs(),
              HEADER_PS + DELAY_PS + SWITCH_PS + ROUNDS * TURN_PS + (ENTRIES - 1) * (PACKET_PS + HEADER_PS) + DELAY_PS);
}

TEST(ReductionLimits, TheAdderTakesContributionsAtItsRate)
{
    constexpr int64_t PACKETS = 50;
    constexpr int64_t GPUS = 4;
    constexpr int64_t ADD_PS = 10240; // 256 B at 25 GB/s
    GroupDomain domain(1, 1);
    domain.config.nvswitch.Set("ReductionRate", ns3::DataRateValue(ns3::DataRate("200Gbps")));
    domain.Build(GPUS);
    std::vector<uint32_t> group = FirstGpus(GPUS);
    domain.PostAt(0, Reduce(0, group, PACKETS * PAYLOAD));
    domain.Run();
    // the adder is busy from the first head on; the last result runs out one header after the last contribution is in
    int64_t busyPs = PACKETS * GPUS * ADD_PS;
    EXPECT_EQ(domain.EndPs(), SUM_PS + busyPs + HEADER_PS + DELAY_PS);
}

TEST(ReductionFlow, AllAtOnceKeepTheLinksBusy)
{
    // every GPU asks for an equal share: each link carries all of it up, a share down; only the first turn is idle
    constexpr int64_t PACKETS = 200;
    constexpr int64_t GPUS = 4;
    GroupDomain domain(1, 1);
    domain.Build(GPUS);
    std::vector<uint32_t> group = FirstGpus(GPUS);
    for (uint32_t gpu = 0; gpu < GPUS; gpu++)
    {
        domain.PostAt(0, Reduce(gpu, group, PACKETS * PAYLOAD));
    }
    domain.Run();
    int64_t busyPs = GPUS * PACKETS * PACKET_PS; // the contributions; requests are headers in the same direction
    EXPECT_GE(domain.EndPs(), SUM_PS + busyPs);
    EXPECT_LE(domain.EndPs(), SUM_PS + busyPs + PACKETS * HEADER_PS + 2 * GPUS * PACKET_PS);
}

TEST(GroupErrors, SayWhatIsWrong)
{
    GroupDomain domain(1, 1);
    domain.config.scaleUp.hbdSize = 4;
    domain.config.nvswitch.Set("MulticastGroups", ns3::UintegerValue(1));
    domain.Network::Build(8);
    auto message = [&domain](uint32_t gpu, const std::vector<uint32_t>& group) -> std::string {
        try
        {
            domain.fabric->Post(Reduce(gpu, group, 100));
        }
        catch (const std::exception& error)
        {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(message(0, {0}), testing::HasSubstr("at least two"));
    EXPECT_THAT(message(0, {1, 0}), testing::HasSubstr("ascending"));
    EXPECT_THAT(message(0, {0, 0}), testing::HasSubstr("ascending"));
    EXPECT_THAT(message(0, {0, 9}), testing::HasSubstr("member 9"));
    EXPECT_THAT(message(0, {0, 5}), testing::AllOf(testing::HasSubstr("GPU 5"), testing::HasSubstr("switches")));
    EXPECT_THAT(message(0, {1, 2}), testing::AllOf(testing::HasSubstr("GPU 0"), testing::HasSubstr("no member")));
    EXPECT_THAT(message(0, {0, 3}), ""); // the only one that this domain has room for: what was refused takes none
    EXPECT_THAT(message(0, {0, 1, 2}), testing::HasSubstr("MulticastGroups 1"));
    EXPECT_THAT(message(5, {4, 5}), ""); // the other domain has chips of its own
    domain.Run();
}

TEST(GroupErrors, WhatIsRefusedTakesNoRoomInTheTable)
{
    GroupDomain domain(2, 1);
    domain.config.nvswitch.Set("MulticastGroups", ns3::UintegerValue(1));
    domain.config.scaleUp.broken = {"gpu2.link1", "gpu3.link1"};
    domain.config.brokenFails = true;
    domain.Build(4);
    std::vector<uint32_t> others{1, 2};
    std::vector<uint32_t> broken{2, 3};
    std::vector<uint32_t> group{0, 1};
    EXPECT_THROW(domain.fabric->Post(Multicast(0, others, 100)), FabricError); // GPU 0 is no member
    EXPECT_THROW(domain.fabric->Post(Multicast(2, broken, 100)), FabricError); // something would go around
    domain.PostAt(0, Multicast(0, group, 100));
    domain.Run();
    EXPECT_EQ(domain.deliveries.size(), 1U);
    std::vector<uint32_t> second{2, 3};
    EXPECT_THROW(domain.fabric->RegisterGroup(second), std::invalid_argument); // the table is full now
}

TEST(GroupErrors, WhatIsStuckIsNamed)
{
    constexpr int64_t UNIT = 4 * PAYLOAD;
    GroupDomain domain(1, 1);
    domain.config.burstBytes = UNIT;
    domain.config.nvswitch.Set("GroupUnitSize", ns3::UintegerValue(UNIT));
    domain.config.nvswitch.Set("ReductionTableSize", ns3::UintegerValue(4 * UNIT));
    domain.Build(3);
    // the switch's buffer for GPU 1 becomes smaller than the units that the fabric was built for: it never answers
    domain.GpuPort(1, 0).GetPeer()->SetAttribute("CreditWindow", ns3::UintegerValue(2 * PACKET));
    domain.GpuPort(1, 0).Start();
    std::vector<uint32_t> group = FirstGpus(3);
    domain.PostAt(0, Reduce(0, group, 16 * UNIT));
    try
    {
        domain.Run();
        FAIL() << "nothing was stuck";
    }
    catch (const FabricError& error)
    {
        EXPECT_THAT(error.what(),
                    testing::AllOf(testing::HasSubstr("reduction in switches for gpu0: 0 of 16384 B delivered"),
                                   testing::HasSubstr("gpu1 NVLink 0"),
                                   testing::HasSubstr("12 reduction requests wait for room in the table: 4096 of 4096 B taken by 4 results"),
                                   testing::HasSubstr("waits for 1 contributions")));
    }
    // the requests behind the full table wait for GPU 1
    std::vector<std::pair<uint32_t, uint32_t>> waits;
    domain.fabric->GetNodes().Get(domain.Find("nvswitch-h0-p0"))->GetObject<NvSwitch>()->GetWaits(waits);
    EXPECT_THAT(waits, testing::Contains(std::make_pair(domain.GpuPort(0, 0).GetId(), domain.GpuPort(1, 0).GetId())));
    EXPECT_THAT(waits, testing::Not(testing::Contains(std::make_pair(domain.GpuPort(0, 0).GetId(), domain.GpuPort(2, 0).GetId()))));
}

TEST(GroupErrors, ATableSmallerThanAPacketIsRefused)
{
    GroupDomain domain(1, 1);
    domain.config.nvswitch.Set("ReductionTableSize", ns3::UintegerValue(PAYLOAD - 1));
    EXPECT_THROW(domain.Build(2), std::invalid_argument);
}

} // namespace
