/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: a kernel's copy rate and the payload that it puts into a packet limit a message exactly as they must. Method: closed forms on an idle domain.

#include "group-fixture.h"

namespace
{

using namespace group_test;

constexpr uint64_t GB = 1000000000;

TEST(CopyRate, SpacesThePacketsOfALink)
{
    constexpr int64_t PACKETS = 100;
    constexpr int64_t GAP_PS = 25600; // 256 B at 10 GB/s; the link takes 5.44 ns for a packet
    GroupDomain domain(1, 1);
    domain.Build(2);
    domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD, 10 * GB));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (PACKETS - 1) * GAP_PS + PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(CopyRate, IsThatOfTheGpuOverAllItsLinks)
{
    constexpr int64_t PACKETS = 18 * 50;
    constexpr int64_t GAP_PS = 46080; // 256 B at 100 GB/s over 18 links
    GroupDomain domain(18, 1);
    domain.Build(2);
    domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD, 100 * GB));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (PACKETS / 18 - 1) * GAP_PS + PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(CopyRate, IsSharedByWhatRunsAtTheSameTime)
{
    constexpr int64_t PACKETS = 60;
    constexpr int64_t GAP_PS = 25600;
    GroupDomain domain(1, 1);
    domain.Build(4);
    for (uint32_t peer = 1; peer < 4; peer++)
    {
        domain.PostAt(0, Write(0, peer, PACKETS * PAYLOAD, 10 * GB));
    }
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (3 * PACKETS - 1) * GAP_PS + PACKET_PS + HEADER_PS + FLIGHT_PS);
    // they take turns: all end within one round
    EXPECT_EQ(std::get<3>(domain.deliveries.front()), domain.EndPs() - 2 * GAP_PS);
}

TEST(CopyRate, AboveTheLinkRateChangesNothing)
{
    constexpr int64_t PACKETS = 100;
    GroupDomain domain(1, 1);
    domain.Build(2);
    domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD, 48 * GB)); // 5.33 ns a packet
    domain.Run();
    EXPECT_EQ(domain.EndPs(), PACKETS * PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(CopyRate, LetsUnlimitedMessagesGoInBetween)
{
    constexpr int64_t PACKETS = 100;
    GroupDomain domain(1, 1);
    domain.Build(3);
    domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD, 4 * GB)); // a packet every 64 ns
    domain.PostAt(0, Write(0, 2, PACKETS * PAYLOAD));
    domain.Run();
    // 64 ns are 11.8 packets: of every twelve one is a limited one, first the second one; the tenth of those comes after the last unlimited one
    EXPECT_EQ(std::get<1>(domain.deliveries.front()), 2U);
    EXPECT_EQ(std::get<3>(domain.deliveries.front()), (PACKETS + 9) * PACKET_PS + HEADER_PS + FLIGHT_PS);
    EXPECT_EQ(domain.EndPs(), (PACKETS + 9) * PACKET_PS + (PACKETS - 10) * 64000 + PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(CopyRate, OutlivesTheMessage)
{
    GroupDomain domain(1, 1);
    domain.Build(2);
    domain.PostAt(0, Write(0, 1, PAYLOAD, GB / 10)); // the next one after 2.56 us
    domain.PostAt(1000000, Write(0, 1, PAYLOAD, GB / 10));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), 2560000 + PACKET_PS + HEADER_PS + FLIGHT_PS);
}

/// A mesh of four GPUs with two links between any two.
void
SetMesh(GroupDomain& domain)
{
    domain.config.scaleUp.name = "mesh";
    domain.config.scaleUp.linksPerPeer = 2;
    domain.Build(4);
}

TEST(CopyRate, OfAMeshIsThereForOnePeer)
{
    constexpr int64_t PACKETS = 400;
    for (uint64_t rate : {200 * GB, 64 * GB})
    {
        GroupDomain domain(0, 1);
        SetMesh(domain);
        domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD, rate));
        domain.Run();
        // two links take 94.1 GB/s; of 64 GB/s a packet takes 4 ns, and both links start with one
        const int64_t lastPs = rate == 64 * GB ? (PACKETS - 2) * 4000 : (PACKETS / 2 - 1) * PACKET_PS;
        EXPECT_EQ(domain.EndPs(), lastPs + PACKET_PS + DELAY_PS);
    }
}

TEST(CopyRate, OfAMeshIsThatOfAllPeersTogether)
{
    constexpr int64_t PACKETS = 400;
    GroupDomain domain(0, 1);
    SetMesh(domain);
    for (uint32_t peer = 1; peer < 4; peer++)
    {
        domain.PostAt(0, Write(0, peer, PACKETS * PAYLOAD, 64 * GB));
    }
    domain.Run();
    // two packets at once, as a message has two links; from then on one every 4 ns, whatever it is of
    EXPECT_EQ(domain.EndPs(), (3 * PACKETS - 2) * 4000 + PACKET_PS + DELAY_PS);
    EXPECT_LE(domain.EndPs() - std::get<3>(domain.deliveries.front()), 6 * 4000);
}

TEST(CopyRate, OfAPeerThatEndsGoesToTheOthers)
{
    constexpr int64_t PACKETS = 400;
    GroupDomain domain(0, 1);
    SetMesh(domain);
    domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD, 64 * GB));
    domain.PostAt(0, Write(0, 3, PACKETS / 4 * PAYLOAD, 64 * GB));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (PACKETS / 4 * 5 - 2) * 4000 + PACKET_PS + DELAY_PS);
}

/// GPU 1 has one of its four links.
void
BreakLinks(GroupDomain& domain)
{
    domain.config.scaleUp.broken = {"gpu1.link1", "gpu1.link2", "gpu1.link3"};
    domain.Build(4);
}

TEST(CopyRate, IsThereForTheLinksThatAreLeft)
{
    constexpr int64_t PACKETS = 400;
    GroupDomain domain(4, 1);
    BreakLinks(domain);
    domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD, 60 * GB)); // the link takes 47.1 GB/s
    domain.Run();
    EXPECT_EQ(domain.EndPs(), PACKETS * PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(CopyRate, IsThatOfMessagesOverFewerAndMoreLinksTogether)
{
    constexpr int64_t PACKETS = 400;
    constexpr int64_t GAP_PS = 8000; // 256 B at 32 GB/s
    GroupDomain domain(4, 1);
    BreakLinks(domain);
    domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD, 32 * GB));
    domain.PostAt(0, Write(0, 2, PACKETS * PAYLOAD, 32 * GB));
    domain.Run();
    EXPECT_LE(domain.EndPs(), 2 * PACKETS * GAP_PS + HEADER_PS + FLIGHT_PS);
    EXPECT_GE(domain.EndPs(), (2 * PACKETS - 4) * GAP_PS + PACKET_PS + HEADER_PS + FLIGHT_PS);
}

/// Payload of a packet, bytes of it on the wire.
struct PacketSize
{
    uint32_t payload;
    int64_t wire;
};

class PacketPayload : public testing::TestWithParam<PacketSize>
{
};

TEST_P(PacketPayload, GivesEveryPacketItsHeaderAndPadding)
{
    constexpr int64_t PACKETS = 96;
    for (uint64_t burst : {0, 4096})
    {
        GroupDomain domain(1, 1);
        domain.config.burstBytes = burst;
        domain.Build(2);
        std::vector<uint32_t> payloads;
        domain.PostAt(0, Write(0, 1, PACKETS * GetParam().payload, 0, GetParam().payload));
        domain.Run();
        EXPECT_EQ(domain.EndPs(), PACKETS * GetParam().wire * LINK_PS + HEADER_PS + FLIGHT_PS) << burst;
        EXPECT_EQ(domain.Out(0, 0, PORT_TX_PACKETS), static_cast<uint64_t>(PACKETS));
        EXPECT_EQ(domain.Out(0, 0, PORT_TX_BYTES), static_cast<uint64_t>(PACKETS * GetParam().wire));
        EXPECT_EQ(domain.Out(0, 0), static_cast<uint64_t>(PACKETS * GetParam().payload));
    }
}

// 256 B: 94.1 %, 128 B (stores of a streaming multiprocessor): 88.9 % of the link; 120 B are padded to 128
INSTANTIATE_TEST_SUITE_P(Sizes,
                         PacketPayload,
                         testing::Values(PacketSize{256, 272}, PacketSize{128, 144}, PacketSize{120, 144}, PacketSize{16, 32}));

TEST(PacketPayload, IsAtMostThatOfTheLink)
{
    GroupDomain domain(1, 1);
    domain.Build(2);
    domain.PostAt(0, Write(0, 1, 10 * PAYLOAD, 0, 4096));
    domain.Run();
    EXPECT_EQ(domain.EndPs(), 10 * PACKET_PS + HEADER_PS + FLIGHT_PS);
}

/// Looks at the headers of packets.
struct HeaderSink
{
    void OnPacket(ns3::Ptr<const ns3::Packet> packet)
    {
        NvlinkHeader header;
        packet->PeekHeader(header);
        payloads.push_back(header.payloadBytes);
        kinds.push_back(header.kind);
    }
    std::vector<uint32_t> payloads;
    std::vector<uint32_t> kinds;
};

TEST(PacketPayload, IsWhatTracesShow)
{
    GroupDomain domain(1, 1);
    domain.config.burstBytes = 512;
    domain.Build(2);
    HeaderSink sink;
    domain.GpuPort(1, 0).TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&HeaderSink::OnPacket, &sink));
    domain.PostAt(0, Write(0, 1, 1000, 0, 120));
    domain.Run();
    EXPECT_EQ(sink.payloads, (std::vector<uint32_t>{120, 120, 120, 120, 120, 120, 120, 120, 40}));
}

TEST(PacketPayload, OfEveryStepOfAReductionIsTheOneAskedFor)
{
    GroupDomain domain(1, 1);
    domain.Build(3);
    HeaderSink toSwitch;
    HeaderSink toGpu;
    domain.GpuPort(1, 0).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&HeaderSink::OnPacket, &toSwitch));
    domain.GpuPort(0, 0).TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&HeaderSink::OnPacket, &toGpu));
    std::vector<uint32_t> group = FirstGpus(3);
    Posting reduce = Reduce(0, group, 300);
    reduce.packetPayload = 128;
    domain.PostAt(0, reduce);
    domain.Run();
    EXPECT_EQ(toSwitch.payloads, (std::vector<uint32_t>{128, 128, 44}));
    EXPECT_EQ(toSwitch.kinds, std::vector<uint32_t>(3, static_cast<uint32_t>(UnitKind::REDUCE_CONTRIBUTION)));
    EXPECT_EQ(toGpu.payloads, (std::vector<uint32_t>{0, 0, 0, 128, 128, 44})); // its own part is asked for, too
    EXPECT_EQ(toGpu.kinds.back(), static_cast<uint32_t>(UnitKind::REDUCE_RESULT));
}

} // namespace
