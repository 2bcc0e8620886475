/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: reads take request, memory and answer, are bounded by their window, and nothing that waits keeps answers from coming. Method: closed forms, small buffers.

#include "group-fixture.h"

namespace
{

using namespace group_test;

TEST(ReadTime, IsRequestMemoryAndAnswer)
{
    for (int64_t packets : {1, 2, 40})
    {
        GroupDomain domain(1, 1);
        domain.Build(3);
        domain.PostAt(0, Read(0, 2, packets * PAYLOAD));
        domain.Run();
        EXPECT_EQ(domain.EndPs(), REQUEST_PS + READ_PS + HEADER_PS + packets * PACKET_PS + FLIGHT_PS);
        EXPECT_EQ(domain.EndPs(), domain.fabric->GetIdealMessagePs([&] {
            Message message{};
            message.kind = MessageKind::READ;
            message.source = 2;
            message.bytes = packets * PAYLOAD;
            return message;
        }()));
        // requests: a header a packet
        EXPECT_EQ(domain.Out(0, 0, PORT_TX_BYTES), static_cast<uint64_t>(packets * HEADER));
        EXPECT_EQ(domain.Out(0, 0), 0U);
        EXPECT_EQ(domain.Out(2, 0), static_cast<uint64_t>(packets * PAYLOAD));
        EXPECT_EQ(domain.In(0, 0, PORT_TX_BYTES), static_cast<uint64_t>(packets * PACKET));
    }
}

TEST(ReadTime, OfRequestsAndAnswersThatShareTheLinks)
{
    // all GPUs pull from each other, 2 header flits a packet with data and 1 a request: each direction of each link carries both, and of its
    // wire the payload is payload / (payload + 2 flits + 1 flit), as MoE kernels that pull measure on GB200 (651 of 900 GB/s at 128 B)
    constexpr uint64_t BYTES = PAYLOAD * 400;
    GroupDomain domain(1, 1);
    domain.config.nvlink.Set("HeaderFlits", ns3::UintegerValue(2));
    domain.config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(0));
    domain.Build(4);
    for (uint32_t reader = 0; reader < 4; reader++)
    {
        for (uint32_t other = 1; other < 4; other++)
        {
            domain.PostAt(0, Read(reader, (reader + other) % 4, BYTES));
        }
    }
    domain.Run();
    for (uint32_t gpu = 0; gpu < 4; gpu++)
    {
        EXPECT_EQ(domain.Out(gpu, 0), 3 * BYTES);
        EXPECT_EQ(domain.Out(gpu, 0, PORT_TX_BYTES), 3 * 400 * (PAYLOAD + 2 * HEADER + HEADER));
    }
    int64_t wirePs = 3 * 400 * (PACKET_PS + 2 * HEADER_PS);
    EXPECT_GE(domain.EndPs(), wirePs);
    EXPECT_LE(domain.EndPs(), wirePs * 102 / 100 + 2 * REQUEST_PS + READ_PS);
}

TEST(ReadTime, OfNothingIsTheRoundTrip)
{
    GroupDomain domain(1, 1);
    domain.Build(2);
    domain.PostAt(0, Read(0, 1, 0));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), 2 * REQUEST_PS + READ_PS);
}

TEST(ReadTime, IsDividedByTheLinks)
{
    constexpr int64_t PACKETS = 18 * 20;
    for (uint32_t perPlane : {1, 9})
    {
        GroupDomain domain(18 / perPlane, perPlane);
        domain.Build(3);
        domain.PostAt(0, Read(1, 0, PACKETS * PAYLOAD));
        domain.Run();
        EXPECT_EQ(domain.EndPs(), REQUEST_PS + READ_PS + HEADER_PS + PACKETS / 18 * PACKET_PS + FLIGHT_PS);
        for (uint32_t link = 0; link < 18; link++)
        {
            EXPECT_EQ(domain.In(1, link), static_cast<uint64_t>(PACKETS / 18 * PAYLOAD));
        }
    }
}

TEST(ReadTime, IsLimitedByTheWindowOverTheRoundTrip)
{
    constexpr int64_t WINDOW = 4;
    constexpr int64_t ROUNDS = 25;
    constexpr int64_t ROUND_PS = REQUEST_PS + READ_PS + HEADER_PS + PACKET_PS + FLIGHT_PS;
    GroupDomain domain(1, 1);
    domain.config.gpu.Set("ReadWindow", ns3::UintegerValue(WINDOW * PAYLOAD));
    domain.Build(2);
    domain.PostAt(0, Read(0, 1, ROUNDS * WINDOW * PAYLOAD));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), ROUNDS * ROUND_PS + (WINDOW - 1) * PACKET_PS);
}

TEST(ReadTime, IsLimitedByTheCopyRateOfWhoReads)
{
    constexpr int64_t PACKETS = 50;
    GroupDomain domain(1, 1);
    domain.Build(2);
    Posting read = Read(0, 1, PACKETS * PAYLOAD);
    read.copyRate = 10000000000; // 256 B in 25.6 ns
    domain.PostAt(0, read);
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (PACKETS - 1) * 25600 + REQUEST_PS + READ_PS + HEADER_PS + PACKET_PS + FLIGHT_PS);
}

TEST(ReadFlow, AnswersComeWhateverWaitsInTheRequestChannel)
{
    // every GPU writes to and reads from every other one through buffers of one packet
    GroupDomain domain(2, 1);
    domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(PACKET));
    domain.config.gpu.Set("ReadWindow", ns3::UintegerValue(0));
    domain.Build(5);
    for (uint32_t gpu = 0; gpu < 5; gpu++)
    {
        for (uint32_t step = 1; step < 5; step++)
        {
            domain.PostAt(0, Read(gpu, (gpu + step) % 5, 40 * PAYLOAD + 13 * step));
            domain.PostAt(0, Write(gpu, (gpu + step) % 5, 30 * PAYLOAD + 7 * step));
        }
    }
    domain.Run();
    EXPECT_EQ(domain.deliveries.size(), 40U);
}

TEST(ReadErrors, NameTheGpus)
{
    GroupDomain domain(1, 1);
    domain.config.scaleUp.hbdSize = 2;
    domain.Network::Build(4);
    try
    {
        domain.fabric->Post(Read(1, 3, 100));
        FAIL() << "a read left its domain";
    }
    catch (const FabricError& error)
    {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("GPU 1"), testing::HasSubstr("GPU 3"), testing::HasSubstr("domain")));
    }
}

TEST(ReadErrors, NameTheMissingVirtualChannel)
{
    GroupDomain domain(1, 1);
    domain.config.nvlink.Set("VirtualChannels", ns3::UintegerValue(1));
    domain.Build(2);
    EXPECT_THROW(domain.fabric->Post(Read(0, 1, 100)), FabricError);
    domain.PostAt(0, 0, 1, 1000); // writes need one only
    domain.Run();
}

} // namespace
