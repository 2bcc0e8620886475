/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: what a watched Ethernet port shows are the real RoCEv2 packets of the traffic, and users can send packets of
// their own.

#include "ns3-module/model/hbd-roce-headers.h"
#include "scale-out-fixture.h"

#include "ns3/ethernet-header.h"

#include <memory>

namespace
{

using namespace scale_out;

/// Keeps what a port sends.
struct Packets
{
    void OnPacket(ns3::Ptr<const ns3::Packet> packet)
    {
        list.push_back(packet->Copy());
    }

    void OnUnit(const PacketUnit& /* unit */)
    {
        units++;
    }

    std::vector<ns3::Ptr<ns3::Packet>> list;
    uint32_t units = 0;
};

/// A packet taken apart.
struct Parsed
{
    explicit Parsed(ns3::Ptr<ns3::Packet> packet)
    {
        packet->RemoveHeader(ethernet);
        packet->RemoveHeader(ip);
        packet->RemoveHeader(bth);
        rest = packet->GetSize();
    }

    ns3::EthernetHeader ethernet{false};
    RoceIpUdpHeader ip;
    BthHeader bth;
    uint32_t rest = 0; ///< bytes behind the BTH, invariant CRC included
};

TEST(ScaleOutPackets, MessageShowsAsFirstMiddleAndLastWrite)
{
    Network network;
    network.config.burstBytes = 16384;
    network.Build(2);
    Packets sent;
    network.EthernetPort("nic0", 1).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&Packets::OnPacket, &sent));
    network.PostAt(0, 0, 1, 8 * 4096 + 5);
    network.Run();
    ASSERT_EQ(sent.list.size(), 9U);
    uint64_t wireBytes = 0;
    for (uint32_t i = 0; i < 9; i++)
    {
        wireBytes += sent.list[i]->GetSize() + 8 + 4 + 12; // preamble, frame check, gap are not in a capture
        Parsed packet(sent.list[i]);
        EXPECT_EQ(packet.ethernet.GetLengthType(), 0x0800);
        EXPECT_EQ(packet.ip.source, 0U);
        EXPECT_EQ(packet.ip.destination, 1U);
        EXPECT_EQ(packet.ip.priority, 3U);
        EXPECT_EQ(packet.bth.sequence, i);
        EXPECT_EQ(packet.bth.opcode, i == 0 ? roce::WRITE_FIRST : (i == 8 ? roce::WRITE_LAST : roce::WRITE_MIDDLE));
        EXPECT_EQ(packet.bth.padBytes, i == 8 ? 3U : 0U);
        EXPECT_EQ(packet.rest, (i == 0 ? 16U : 0U) + (i == 8 ? 8U : 4096U) + 4U);
    }
    uint32_t sums = network.EthernetPort("nic0", 1).GetSums(0);
    EXPECT_EQ(wireBytes, network.fabric->GetContext().statistics.sums[sums + PORT_TX_BYTES]);
}

TEST(ScaleOutPackets, AcknowledgementCarriesTheSequenceNumberReceived)
{
    Network network;
    network.Build(2);
    Packets sent;
    network.EthernetPort("nic1", 1).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&Packets::OnPacket, &sent));
    network.PostAt(0, 0, 1, 3 * 4096);
    network.Run();
    ASSERT_EQ(sent.list.size(), 3U);
    for (uint32_t i = 0; i < 3; i++)
    {
        EXPECT_EQ(sent.list[i]->GetSize(), 14 + 28 + 12 + 4 + 4U);
        Parsed packet(sent.list[i]);
        EXPECT_EQ(packet.bth.opcode, roce::ACKNOWLEDGE);
        EXPECT_EQ(packet.bth.sequence, i);
        EXPECT_EQ(packet.ip.priority, 6U);
    }
}

TEST(ScaleOutPackets, Ipv4HeaderIsValid)
{
    RoceIpUdpHeader header;
    header.source = 0;
    header.destination = 258;
    header.sourcePort = 0xc123;
    header.udpBytes = 8 + 12 + 4;
    ns3::Ptr<ns3::Packet> packet = ns3::Create<ns3::Packet>();
    packet->AddHeader(header);
    uint8_t bytes[28];
    ASSERT_EQ(packet->CopyData(bytes, 28), 28U);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 20; i += 2)
    {
        sum += static_cast<uint32_t>(bytes[i]) << 8 | bytes[i + 1];
    }
    EXPECT_EQ((sum & 0xffff) + (sum >> 16), 0xffffU); // the checksum makes it so
    EXPECT_EQ(bytes[0], 0x45);
    EXPECT_EQ(bytes[3], 20 + 24);
    EXPECT_EQ(bytes[9], 17);
    EXPECT_EQ(bytes[15], 1);                    // 10.0.0.1
    EXPECT_EQ(bytes[18] << 8 | bytes[19], 259); // 10.0.1.3
    EXPECT_EQ(bytes[22] << 8 | bytes[23], roce::UDP_PORT);
    EXPECT_EQ(bytes[24] << 8 | bytes[25], 24);
}

TEST(ScaleOutPackets, InvariantCrcIgnoresWhatRoutersChange)
{
    auto crc = [](uint8_t priority, uint32_t sequence) {
        ns3::Ptr<ns3::Packet> packet = ns3::Create<ns3::Packet>(16);
        BthHeader bth;
        bth.opcode = roce::WRITE_ONLY;
        bth.sequence = sequence;
        packet->AddHeader(bth);
        RoceIpUdpHeader ip;
        ip.priority = priority;
        packet->AddHeader(ip);
        uint32_t before = packet->GetSize();
        AddInvariantCrc(packet);
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        return std::vector<uint8_t>(bytes.begin() + before, bytes.end());
    };
    EXPECT_EQ(crc(3, 7).size(), 4U);
    EXPECT_EQ(crc(3, 7), crc(5, 7)); // type of service, and the checksum that follows it
    EXPECT_NE(crc(3, 7), crc(3, 8));
}

TEST(ScaleOutPackets, PauseFrameNamesPriorityAndQuanta)
{
    Network network;
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(200000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(100000 + 3 * 200000));
    network.Build(3);
    Packets sent;
    network.EthernetPort("leaf0", 0).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&Packets::OnPacket, &sent));
    network.PostAt(0, 0, 2, 1 << 20);
    network.PostAt(0, 1, 2, 1 << 20);
    network.Run();
    uint32_t pauses = 0;
    for (const auto& packet : sent.list)
    {
        ns3::EthernetHeader ethernet(false);
        packet->RemoveHeader(ethernet);
        if (ethernet.GetLengthType() == roce::MAC_CONTROL_TYPE)
        {
            EXPECT_EQ(packet->GetSize(), 46U);
            PfcHeader pfc;
            packet->RemoveHeader(pfc);
            EXPECT_EQ(pfc.enabled, 1U << 3);
            EXPECT_EQ(pfc.quanta[3], pauses % 2 == 0 ? 65535 : 0);
            pauses++;
        }
    }
    EXPECT_GE(pauses, 2U);
}

TEST(ScaleOutPackets, UnitsArriveOnceEachHoweverLongTheyAreHeld)
{
    Network network;
    network.config.burstBytes = 32768;
    network.config.scaleOut.hostRate = ns3::DataRate("800Gbps");
    network.Build(2);
    Packets sent;
    Packets received;
    network.EthernetPort("leaf0", 1).TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&Packets::OnUnit, &sent));
    network.EthernetPort("nic1", 1).TraceConnectWithoutContext("UnitRx",
                                                               ns3::MakeCallback(&Packets::OnUnit, &received));
    network.PostAt(0, 0, 1, 1 << 20);
    network.Run();
    EXPECT_EQ(sent.units, 32U);
    EXPECT_EQ(received.units, 32U);
}

TEST(ScaleOutPackets, EachPortShowsItsOwnFramingWhenAllAreWatched)
{
    Network network;
    network.Build(2);
    std::vector<std::unique_ptr<Packets>> sinks;
    const FabricGraph& graph = network.fabric->GetGraph();
    for (uint32_t link = 0; link < graph.links.size(); link++)
    {
        for (uint32_t end = 0; end < 2; end++)
        {
            sinks.push_back(std::make_unique<Packets>());
            network.fabric->GetPort(link, end).TraceConnectWithoutContext(
                "MacTx",
                ns3::MakeCallback(&Packets::OnPacket, sinks.back().get()));
        }
    }
    network.PostAt(0, 0, 1, 100);
    network.Run();
    uint32_t hosts = 0;
    uint32_t frames = 0;
    for (uint32_t link = 0; link < graph.links.size(); link++)
    {
        for (uint32_t end = 0; end < 2; end++)
        {
            for (const auto& packet : sinks[link * 2 + end]->list)
            {
                if (graph.links[link].tier == FabricTier::HOST)
                {
                    EXPECT_EQ(packet->GetSize(), 100 + 24U); // one transaction-layer packet
                    hosts++;
                    continue;
                }
                Parsed parsed(packet->Copy());
                EXPECT_EQ(parsed.ethernet.GetLengthType(), roce::IPV4_TYPE);
                bool ack = parsed.bth.opcode == roce::ACKNOWLEDGE;
                EXPECT_EQ(packet->GetSize(), 14 + 28 + 12 + 4 + (ack ? 4U : 16U + 100U));
                frames++;
            }
        }
    }
    EXPECT_EQ(hosts, 2U);
    EXPECT_EQ(frames, 4U); // data and acknowledgement, two hops each
}

TEST(ScaleOutPackets, UsersPacketCrossesTheNetworkUnchanged)
{
    Network network;
    network.Build(4);
    ns3::Ptr<ns3::Packet> got;
    uint16_t protocol = 0;

    struct Receiver
    {
        ns3::Ptr<ns3::Packet>& got;
        uint16_t& protocol;

        bool OnReceive(ns3::Ptr<ns3::NetDevice> /* device */,
                       ns3::Ptr<const ns3::Packet> packet,
                       uint16_t type,
                       const ns3::Address& /* from */)
        {
            got = packet->Copy();
            protocol = type;
            return true;
        }
    } receiver{got, protocol};

    EthernetDevice& to = network.EthernetPort("nic3", 1);
    to.SetReceiveCallback(ns3::MakeCallback(&Receiver::OnReceive, &receiver));
    const uint8_t text[] = "four score and seven years ago, more or less, on a network of cables and switches";
    ns3::Ptr<ns3::Packet> packet = ns3::Create<ns3::Packet>(text, static_cast<uint32_t>(sizeof(text)));
    bool taken = false;
    bool toItself = true;
    ns3::Simulator::Schedule(ns3::Time(0), [&] {
        EthernetDevice& from = network.EthernetPort("nic0", 1);
        taken = from.Send(packet, to.GetAddress(), 0x0801);
        toItself = from.Send(packet, from.GetAddress(), 0x0801);
    });
    network.Run();
    EXPECT_TRUE(taken);
    EXPECT_FALSE(toItself);
    ASSERT_TRUE(got);
    EXPECT_EQ(protocol, 0x0801);
    EXPECT_EQ(got->GetUid(), packet->GetUid());
    uint8_t bytes[sizeof(text)];
    ASSERT_EQ(got->CopyData(bytes, sizeof(text)), sizeof(text));
    EXPECT_EQ(std::memcmp(bytes, text, sizeof(text)), 0);
}

TEST(ScaleOutPackets, PromiscuousCallbackSeesUsersPacketsWithBothAddresses)
{
    Network network;
    network.Build(3);

    struct Receiver
    {
        std::vector<std::tuple<ns3::Address, ns3::Address, uint16_t, ns3::NetDevice::PacketType>> seen;
        uint32_t plain = 0;

        bool OnPromiscuous(ns3::Ptr<ns3::NetDevice> /* device */,
                           ns3::Ptr<const ns3::Packet> /* packet */,
                           uint16_t protocol,
                           const ns3::Address& from,
                           const ns3::Address& to,
                           ns3::NetDevice::PacketType type)
        {
            seen.emplace_back(from, to, protocol, type);
            return true;
        }

        bool OnReceive(ns3::Ptr<ns3::NetDevice> /* device */,
                       ns3::Ptr<const ns3::Packet> /* packet */,
                       uint16_t /* protocol */,
                       const ns3::Address& /* from */)
        {
            plain++;
            return true;
        }
    } receiver;

    EthernetDevice& from = network.EthernetPort("nic0", 1);
    EthernetDevice& to = network.EthernetPort("nic2", 1);
    to.SetPromiscReceiveCallback(ns3::MakeCallback(&Receiver::OnPromiscuous, &receiver));
    to.SetReceiveCallback(ns3::MakeCallback(&Receiver::OnReceive, &receiver));
    ns3::Simulator::Schedule(ns3::Time(0), [&] {
        from.Send(ns3::Create<ns3::Packet>(100), to.GetAddress(), 0x0801);
    });
    network.Run();
    ASSERT_EQ(receiver.seen.size(), 1U);
    EXPECT_EQ(receiver.seen[0],
              std::make_tuple(from.GetAddress(),
                              to.GetAddress(),
                              static_cast<uint16_t>(0x0801),
                              ns3::NetDevice::PACKET_HOST));
    EXPECT_EQ(receiver.plain, 1U);
}

TEST(ScaleOutPackets, PortOutsideAFabricSendsNothing)
{
    auto port = ns3::CreateObject<EthernetDevice>();
    EXPECT_FALSE(port->Send(ns3::Create<ns3::Packet>(100), ns3::Mac48Address("02:ff:00:00:00:01"), 0x0801));
    port->Dispose();
}

} // namespace
