/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: what a watched NVLink port shows are the packets of the traffic with their headers, and users can send packets
// of their own.

#include "scale-up-fixture.h"

namespace
{

using namespace scale_up;

/// Keeps what a port shows.
struct Packets
{
    void OnPacket(ns3::Ptr<const ns3::Packet> packet)
    {
        list.push_back(packet->Copy());
        uids.push_back(packet->GetUid());
    }

    /// Takes the header off the i-th packet.
    NvlinkHeader Header(size_t i)
    {
        NvlinkHeader header;
        list[i]->RemoveHeader(header);
        return header;
    }

    std::vector<ns3::Ptr<ns3::Packet>> list;
    std::vector<uint64_t> uids;
};

class ScaleUpPackets : public testing::TestWithParam<uint64_t>
{
};

TEST_P(ScaleUpPackets, CarryHeaderAndPayloadAtBothEnds)
{
    constexpr uint32_t PACKETS = 16;
    Domain domain(1, 1);
    domain.config.burstBytes = GetParam();
    domain.Build(3);
    Packets sent;
    Packets received;
    domain.GpuPort(2, 0).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&Packets::OnPacket, &sent));
    domain.GpuPort(1, 0).TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&Packets::OnPacket, &received));
    domain.PostAt(0, 2, 1, PACKETS * PAYLOAD + 5);
    domain.Run();
    ASSERT_EQ(sent.list.size(), PACKETS + 1);
    ASSERT_EQ(received.list.size(), PACKETS + 1);
    uint64_t wireBytes = 0;
    uint32_t inUnit = std::max<uint32_t>(1, static_cast<uint32_t>(GetParam()) / PAYLOAD);
    for (uint32_t i = 0; i <= PACKETS; i++)
    {
        uint32_t payload = i == PACKETS ? 5 : PAYLOAD;
        for (auto* side : {&sent, &received})
        {
            EXPECT_EQ(side->list[i]->GetSize(), HEADER + payload);
            NvlinkHeader header = side->Header(i);
            EXPECT_EQ(header.source, 2U);
            EXPECT_EQ(header.destination, 1U);
            EXPECT_EQ(header.channel, 0U);
            EXPECT_EQ(header.payloadBytes, payload);
            EXPECT_EQ(header.number, i % inUnit);
            EXPECT_EQ(side->list[i]->GetSize(), payload);
        }
        wireBytes += HEADER + (payload + 15) / 16 * 16; // padding to flits is not in a capture
    }
    uint32_t sums = domain.GpuPort(2, 0).GetSums(0);
    EXPECT_EQ(wireBytes, domain.fabric->GetContext().statistics.sums[sums + PORT_TX_BYTES]);
    if (inUnit == 1)
    {
        EXPECT_EQ(sent.uids, received.uids); // the same Packet at every hop
    }
}

INSTANTIATE_TEST_SUITE_P(Bursts, ScaleUpPackets, testing::Values(0, 1024, 2048));

TEST(ScaleUpObserving, ChangesNoTime)
{
    int64_t ends[2];
    for (int watched = 0; watched < 2; watched++)
    {
        Domain domain(2, 2);
        domain.config.burstBytes = 1024;
        domain.Build(4);
        Packets packets;
        for (uint32_t link = 0; watched && link < domain.fabric->GetGraph().links.size(); link++)
        {
            for (const char* trace : {"MacTx", "MacRx"})
            {
                domain.Link(link, 0).TraceConnectWithoutContext(trace, ns3::MakeCallback(&Packets::OnPacket, &packets));
                domain.Link(link, 1).TraceConnectWithoutContext(trace, ns3::MakeCallback(&Packets::OnPacket, &packets));
            }
        }
        for (uint32_t source = 0; source < 4; source++)
        {
            domain.PostAt(0, source, (source + 1) % 4, 20000 + source);
            domain.PostAt(0, source, (source + 2) % 4, 30000);
        }
        domain.Run();
        ends[watched] = domain.EndPs();
        if (watched)
        {
            EXPECT_EQ(packets.list.size(), 2 * domain.Sum(PORT_TX_PACKETS));
        }
    }
    EXPECT_EQ(ends[0], ends[1]);
}

TEST(ScaleUpHeader, SurvivesSerialisation)
{
    NvlinkHeader header;
    header.source = 0xa0b0c0;
    header.destination = NO_INDEX; // a switch
    header.channel = 1;
    header.flags = UNIT_LAST;
    header.payloadBytes = 256;
    header.number = 70000;
    header.kind = 4;
    for (uint16_t bytes : {16, 17, 32, 16384})
    {
        header.bytes = bytes;
        ns3::Ptr<ns3::Packet> packet = ns3::Create<ns3::Packet>(10);
        packet->AddHeader(header);
        EXPECT_EQ(packet->GetSize(), 10U + bytes);
        NvlinkHeader read;
        EXPECT_EQ(packet->RemoveHeader(read), bytes);
        EXPECT_EQ(read.source, header.source);
        EXPECT_EQ(read.destination, header.destination);
        EXPECT_EQ(read.channel, header.channel);
        EXPECT_EQ(read.flags, header.flags);
        EXPECT_EQ(read.payloadBytes, header.payloadBytes);
        EXPECT_EQ(read.kind, header.kind);
        EXPECT_EQ(read.number, header.number);
    }
}

/// Adds up what a port shows.
struct Bytes
{
    void OnPacket(ns3::Ptr<const ns3::Packet> packet)
    {
        sum += packet->GetSize();
    }

    uint64_t sum = 0;
};

TEST(ScaleUpHeader, IsAsLongInACaptureAsOnTheWire)
{
    constexpr uint32_t PACKETS = 10;
    for (uint32_t flits : {1U, 2U})
    {
        for (uint64_t burst : {0, 1024})
        {
            Domain domain(1, 1);
            domain.config.nvlink.Set("HeaderFlits", ns3::UintegerValue(flits));
            domain.config.burstBytes = burst;
            domain.Build(2);
            Bytes sent;
            Bytes received;
            domain.GpuPort(0, 0).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&Bytes::OnPacket, &sent));
            domain.GpuPort(1, 0).TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&Bytes::OnPacket, &received));
            domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
            domain.Run();
            EXPECT_EQ(sent.sum, PACKETS * (PAYLOAD + flits * 16));
            EXPECT_EQ(received.sum, sent.sum);
            const uint32_t sums = domain.GpuPort(0, 0).GetSums(0);
            EXPECT_EQ(domain.fabric->GetContext().statistics.sums[sums + PORT_TX_BYTES], sent.sum);
        }
    }
}

/// Takes what NetDevice::Send brought.
struct Receiver
{
    bool OnReceive(ns3::Ptr<ns3::NetDevice> /* device */,
                   ns3::Ptr<const ns3::Packet> packet,
                   uint16_t type,
                   const ns3::Address& sender)
    {
        got.push_back(packet->Copy());
        protocol = type;
        from = sender;
        times.push_back(ns3::Simulator::Now().GetPicoSeconds());
        return true;
    }

    std::vector<ns3::Ptr<ns3::Packet>> got;
    std::vector<int64_t> times;
    uint16_t protocol = 0;
    ns3::Address from;
};

TEST(ScaleUpRaw, UsersPacketsCrossTheDomainUnchangedAndOnTime)
{
    Domain domain(2, 2);
    domain.Build(4);
    Receiver receiver;
    domain.GpuPort(3, 2).SetReceiveCallback(ns3::MakeCallback(&Receiver::OnReceive, &receiver));
    std::vector<uint8_t> bytes(1000);
    for (size_t i = 0; i < bytes.size(); i++)
    {
        bytes[i] = static_cast<uint8_t>(i * 7);
    }
    Packets sent;
    domain.GpuPort(1, 2).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&Packets::OnPacket, &sent));
    auto small = ns3::Create<ns3::Packet>(bytes.data(), 100);
    auto large = ns3::Create<ns3::Packet>(bytes.data(), 1000);
    ns3::Simulator::Schedule(ns3::Time(0), [&] {
        EXPECT_TRUE(domain.GpuPort(1, 2).Send(small, domain.GpuPort(3, 2).GetAddress(), 0x0801));
    });
    ns3::Simulator::Schedule(ns3::MicroSeconds(1), [&] {
        EXPECT_TRUE(domain.GpuPort(1, 2).Send(large, domain.GpuPort(3, 2).GetAddress(), 0x0802));
    });
    domain.Run();
    ASSERT_EQ(receiver.got.size(), 2U);
    // 100 B are 7 flits and a header; 1000 B are 63 flits in four packets; and the header at the switch
    EXPECT_EQ(receiver.times[0], (112 + 16 + HEADER) * LINK_PS + FLIGHT_PS);
    EXPECT_EQ(receiver.times[1] - 1000000, (1008 + 4 * 16 + HEADER) * LINK_PS + FLIGHT_PS);
    EXPECT_EQ(receiver.protocol, 0x0802);
    EXPECT_EQ(receiver.from, domain.GpuPort(1, 2).GetAddress());
    EXPECT_EQ(receiver.got[0]->GetUid(), small->GetUid());
    ASSERT_EQ(receiver.got[1]->GetSize(), 1000U);
    std::vector<uint8_t> arrived(1000);
    receiver.got[1]->CopyData(arrived.data(), 1000);
    EXPECT_EQ(arrived, bytes);
    // a capture shows one packet with its header, then four
    ASSERT_EQ(sent.list.size(), 5U);
    for (uint32_t i = 0; i < 5; i++)
    {
        uint32_t payload = i == 0 ? 100 : (i == 4 ? 1000 - 3 * PAYLOAD : PAYLOAD);
        EXPECT_EQ(sent.list[i]->GetSize(), HEADER + payload);
        NvlinkHeader header = sent.Header(i);
        EXPECT_EQ(header.source, 1U);
        EXPECT_EQ(header.destination, 3U);
        EXPECT_EQ(header.payloadBytes, payload);
    }
    uint8_t byte = 0;
    sent.list[2]->CopyData(&byte, 1);
    EXPECT_EQ(byte, bytes[PAYLOAD]);
}

TEST(ScaleUpRaw, HeadersOfTwoFlitsComeOffAgain)
{
    Domain domain(1, 1);
    domain.config.nvlink.Set("HeaderFlits", ns3::UintegerValue(2));
    domain.Build(2);
    Receiver receiver;
    domain.GpuPort(1, 0).SetReceiveCallback(ns3::MakeCallback(&Receiver::OnReceive, &receiver));
    ns3::Simulator::Schedule(ns3::Time(0), [&] {
        EXPECT_TRUE(domain.GpuPort(0, 0).Send(ns3::Create<ns3::Packet>(100), domain.GpuPort(1, 0).GetAddress(), 0x0801));
    });
    domain.Run();
    ASSERT_EQ(receiver.got.size(), 1U);
    EXPECT_EQ(receiver.got[0]->GetSize(), 100U);
    EXPECT_EQ(receiver.times[0], (112 + 32 + 32) * LINK_PS + FLIGHT_PS);
}

TEST(ScaleUpRaw, WhatCannotBeSentIsRefused)
{
    Domain domain(2, 1);
    domain.config.scaleUp.hbdSize = 2;
    domain.Network::Build(4);
    auto packet = ns3::Create<ns3::Packet>(100);
    NvlinkDevice& from = domain.GpuPort(0, 0);
    EXPECT_FALSE(from.Send(packet, from.GetAddress(), 1));                      // to itself
    EXPECT_FALSE(from.Send(packet, domain.GpuPort(2, 0).GetAddress(), 1));      // to another domain
    EXPECT_FALSE(from.Send(packet, ns3::Mac48Address("00:00:00:00:00:01"), 1)); // to nobody
    EXPECT_FALSE(
        from.Send(ns3::Create<ns3::Packet>(5000), domain.GpuPort(1, 0).GetAddress(), 1)); // larger than the MTU
    EXPECT_FALSE(domain.Link(0, 1).Send(packet, domain.GpuPort(1, 0).GetAddress(), 1));   // from a switch
    domain.Run();
    EXPECT_EQ(domain.Sum(PORT_TX_PACKETS), 0U);
}

TEST(ScaleUpRaw, SharesTheLinkWithMessages)
{
    constexpr int64_t PACKETS = 40;
    Domain domain(1, 1);
    domain.Build(2);
    Receiver receiver;
    domain.GpuPort(1, 0).SetReceiveCallback(ns3::MakeCallback(&Receiver::OnReceive, &receiver));
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    ns3::Simulator::Schedule(ns3::PicoSeconds(1), [&domain] {
        EXPECT_TRUE(domain.GpuPort(0, 0).Send(ns3::Create<ns3::Packet>(256), domain.GpuPort(1, 0).GetAddress(), 5));
    });
    domain.Run();
    ASSERT_EQ(receiver.times.size(), 1U);
    // its turn comes after the first packet, which was on the wire, and one that was queued before it
    EXPECT_EQ(receiver.times[0], (3 * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
    EXPECT_EQ(domain.EndPs(), ((PACKETS + 1) * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
}

} // namespace
