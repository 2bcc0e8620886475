/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: lossy priorities lose what their threshold says, and weights divide a link.

#include "scale-out-fixture.h"

#include "ns3/double.h"
#include "ns3/string.h"

#include <algorithm>

namespace
{

using namespace scale_out;

constexpr uint32_t PRIORITY = 3;

TEST(SharedBuffer, LossyQueueHoldsAlphaTimesFreeMemory)
{
    SharedBufferConfig config;
    config.ports = 2;
    config.size = 9000;
    config.lossyAlpha = 0.5;
    config.lossless = 0;
    SharedBuffer buffer;
    buffer.Configure(config);
    EXPECT_TRUE(buffer.AdmitLossy(0, PRIORITY, 3000)); // 3000 <= 0.5 x 9000
    EXPECT_FALSE(buffer.AdmitLossy(0, PRIORITY, 1));   // 3001 > 0.5 x 6000
    EXPECT_TRUE(buffer.AdmitLossy(1, PRIORITY, 2000)); // another queue: 2000 <= 0.5 x 6000
    EXPECT_FALSE(buffer.AdmitLossy(1, PRIORITY, 1));   // 2001 > 0.5 x 4000
    EXPECT_EQ(buffer.GetLossyBytes(0, PRIORITY), 3000);
    buffer.ReleaseLossy(0, PRIORITY, 3000);
    EXPECT_TRUE(buffer.AdmitLossy(1, PRIORITY, 1500)); // 3500 <= 0.5 x 7000
    buffer.ReleaseLossy(1, PRIORITY, 3500);
    EXPECT_TRUE(buffer.IsEmpty());
}

TEST(SharedBuffer, HeadroomAboveTheBufferIsRefusedWhateverTheNumbers)
{
    // in unsigned arithmetic, buffer - ports x headroom would be a threshold near 2^32 or 2^64, and nothing would pause
    struct
    {
        uint32_t ports;
        int64_t size;
        int64_t headroom;
    } cases[] = {{64, 32 << 20, 612140}, {1, 1, 1}, {4096, int64_t{1} << 41, int64_t{1} << 41}, {2, 100, 50}};

    for (const auto& given : cases)
    {
        SharedBufferConfig config;
        config.ports = given.ports;
        config.size = given.size;
        config.headroom = given.headroom;
        SharedBuffer buffer;
        EXPECT_THROW(buffer.Configure(config), std::invalid_argument) << given.size;
        config.headroom = (given.size - 1) / given.ports;
        EXPECT_NO_THROW(buffer.Configure(config)) << given.size;
        EXPECT_GT(buffer.GetThreshold() + 1, 0);
        EXPECT_EQ(buffer.GetSharedSize(), given.size - given.ports * config.headroom);
    }
}

TEST(SharedBuffer, SizesWhoseProductsWouldWrapAreRefused)
{
    SharedBufferConfig config;
    config.size = SharedBuffer::MOST_BYTES;
    config.alpha = 1024;
    SharedBuffer buffer;
    ASSERT_NO_THROW(buffer.Configure(config));
    EXPECT_EQ(buffer.GetThreshold(), config.size * 1024);
    config.size++;
    EXPECT_THROW(buffer.Configure(config), std::invalid_argument);
    config.size--;
    config.alpha = 1025;
    EXPECT_THROW(buffer.Configure(config), std::invalid_argument);
}

/// Packets given to the Ethernet ports of NICs 0 and 1 for GPU 2, which nothing sends again.
class RawIncast
{
  public:
    explicit RawIncast(Network& owner)
        : network(owner)
    {
        network.EthernetPort("nic2", 1).SetReceiveCallback(ns3::MakeCallback(&RawIncast::OnReceive, this));
        auto ethernetSwitch = ns3::Ptr<EthernetSwitch>(&network.Switch("leaf0"));
        ethernetSwitch->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&RawIncast::OnDrop, this));
        ethernetSwitch->TraceConnectWithoutContext("Enqueue", ns3::MakeCallback(&RawIncast::OnEnqueue, this));
        ethernetSwitch->TraceConnectWithoutContext("Dequeue", ns3::MakeCallback(&RawIncast::OnDequeue, this));
    }

    void Post(uint32_t packets, uint32_t bytes)
    {
        ns3::Simulator::Schedule(ns3::Time(0), [this, packets, bytes] {
            for (uint32_t i = 0; i < 2 * packets; i++)
            {
                EthernetDevice& from = network.EthernetPort("nic" + std::to_string(i % 2), 1);
                sent += from.Send(ns3::Create<ns3::Packet>(bytes), network.EthernetPort("nic2", 1).GetAddress(), 0x801);
            }
        });
    }

    bool OnReceive(ns3::Ptr<ns3::NetDevice> /* device */,
                   ns3::Ptr<const ns3::Packet> /* packet */,
                   uint16_t /* type */,
                   const ns3::Address& /* from */)
    {
        received++;
        return true;
    }

    void OnDrop(const PacketUnit& unit, uint32_t egress)
    {
        EXPECT_EQ(egress, 2U);
        const SharedBuffer& buffer = network.Switch("leaf0").GetBuffer();
        EXPECT_GT(buffer.GetLossyBytes(egress, PRIORITY) + unit.wireBytes, buffer.GetThreshold());
        dropped++;
    }

    void OnEnqueue(const PacketUnit& unit, uint32_t egress)
    {
        const SharedBuffer& buffer = network.Switch("leaf0").GetBuffer();
        EXPECT_LE(buffer.GetLossyBytes(egress, PRIORITY), buffer.GetThreshold() + unit.wireBytes);
        most = std::max(most, buffer.GetLossyBytes(egress, PRIORITY));
        enqueued++;
    }

    void OnDequeue(const PacketUnit& /* unit */, uint32_t /* egress */)
    {
        dequeued++;
    }

    Network& network;
    uint32_t sent = 0;
    uint32_t received = 0;
    uint32_t dropped = 0;
    uint32_t enqueued = 0;
    uint32_t dequeued = 0;
    int64_t most = 0; ///< bytes of the queue, what is being sent included
};

void
SetLossy(Network& network, uint64_t size)
{
    network.config.ethernetSwitch.Set("LosslessPriorities", ns3::UintegerValue(0));
    network.config.ethernetSwitch.Set("LossyPriorities", ns3::UintegerValue(1 << PRIORITY));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(size));
}

TEST(LossySwitch, DropsWhatTwoSendersSendTooMuchAndCountsIt)
{
    constexpr uint32_t PACKETS = 500;
    constexpr int64_t WIRE = 4000 + 18 + 20;
    constexpr int64_t SIZE = 200000;
    Network network;
    SetLossy(network, SIZE);
    network.Build(3);
    EXPECT_TRUE(network.fabric->GetContext().mayLose);
    RawIncast incast(network);
    incast.Post(PACKETS, 4000);
    network.Run();
    EXPECT_EQ(incast.sent, 2 * PACKETS);
    EXPECT_EQ(incast.received + incast.dropped, incast.sent);
    EXPECT_EQ(incast.enqueued, incast.received);
    EXPECT_EQ(incast.dequeued, incast.received);
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), incast.dropped);
    uint32_t sums = network.EthernetPort("leaf0", 2).GetSums(0);
    EXPECT_EQ(network.fabric->GetContext().statistics.sums[sums + PORT_DROPS], incast.dropped);
    EXPECT_EQ(network.Sum(PORT_PAUSE_FRAMES), 0U);
    // one of two packets can leave; of alpha 1, a queue has at most half of the memory, and reaches it to a packet
    EXPECT_NEAR(static_cast<double>(incast.most), SIZE / 2.0, WIRE);
    EXPECT_NEAR(incast.dropped, PACKETS - static_cast<double>(SIZE) / 2 / WIRE, 2);
}

TEST(LossySwitch, SameTrafficIsDroppedNowhereUnderFlowControl)
{
    Network network;
    network.config.ethernetSwitch.Set("Headroom", ns3::UintegerValue(100000));
    network.config.ethernetSwitch.Set("BufferSize", ns3::UintegerValue(200000 + 3 * 100000));
    network.Build(3);
    EXPECT_FALSE(network.fabric->GetContext().mayLose);
    RawIncast incast(network);
    incast.Post(500, 4000);
    network.Run();
    EXPECT_EQ(incast.received, 1000U);
    EXPECT_EQ(incast.dropped, 0U);
    EXPECT_GT(network.Sum(PORT_PAUSE_FRAMES), 0U);
}

TEST(LossySwitch, MessagesThatFitLoseNothing)
{
    Network network;
    SetLossy(network, 10000000);
    network.config.burstBytes = 65536;
    network.Build(4);
    for (uint32_t source = 0; source < 3; source++)
    {
        network.PostAt(0, source, 3, 4 << 20);
    }
    network.Run();
    EXPECT_EQ(network.deliveries.size(), 3U);
    EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0U);
    EXPECT_EQ(network.fabric->GetBurstPackets(true, 4 << 20), 1U) << "packets are lost one by one";
}

TEST(ScaleOutInput, PriorityThatIsLosslessAndLossyIsRefused)
{
    for (uint32_t lossy : {1U << PRIORITY, 1U << 6})
    {
        Network network;
        network.config.ethernetSwitch.Set("LossyPriorities", ns3::UintegerValue(lossy));
        EXPECT_THROW(network.Build(2), std::invalid_argument);
        network.fabric = nullptr;
    }
}

TEST(ScaleOutInput, WeightsThatAreNotEightNumbersAreRefused)
{
    for (const char* weights :
         {"1,1", "1,1,1,1,1,1,1,0", "1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,1,x", "1,1,1,1,1,1,1,-1", ""})
    {
        Network network;
        network.config.ethernetSwitch.Set("Weights", ns3::StringValue(weights));
        EXPECT_THROW(network.Build(2), std::invalid_argument) << weights;
        network.fabric = nullptr;
    }
}

/// Fills queues 1 and 2 with units, sends some, and counts bytes by priority.
std::array<uint64_t, PriorityQueues::PRIORITIES>
Serve(PriorityQueues& queues, const std::vector<std::pair<uint8_t, uint32_t>>& kinds, uint64_t bytes)
{
    PacketUnitPool pool;
    std::array<uint64_t, PriorityQueues::PRIORITIES> sent{};
    uint64_t total = 0;
    auto push = [&](uint8_t priority, uint32_t size) {
        PacketUnit& unit = pool.Allocate();
        unit.channel = priority;
        unit.wireBytes = size;
        queues.Push(pool, unit);
    };
    for (int i = 0; i < 2; i++)
    {
        for (auto [priority, size] : kinds)
        {
            push(priority, size);
        }
    }
    while (total < bytes)
    {
        uint32_t priority = queues.Select(0);
        PacketUnit& unit = queues.Pop(pool, priority);
        sent[priority] += unit.wireBytes;
        total += unit.wireBytes;
        push(unit.channel, unit.wireBytes); // always two of each wait
        pool.Free(unit);
    }
    return sent;
}

TEST(PriorityQueues, BytesAreInProportionToWeightsWhateverTheUnits)
{
    constexpr uint64_t BYTES = 200000000;

    struct
    {
        uint32_t weights[2];
        uint32_t sizes[2];
    } cases[] = {{{1, 1}, {4178, 4178}},
                 {{1, 1}, {86, 66848}},
                 {{3, 1}, {4178, 4178}},
                 {{1, 9}, {66848, 4178}},
                 {{2, 5}, {300000, 1000}}};

    for (const auto& given : cases)
    {
        PriorityQueues queues;
        PriorityQueues::Weights weights{1, 1, 1, 1, 1, 1, 1, 1};
        weights[1] = given.weights[0];
        weights[2] = given.weights[1];
        queues.SetWeights(weights);
        auto sent = Serve(queues, {{1, given.sizes[0]}, {2, given.sizes[1]}}, BYTES);
        double share = static_cast<double>(sent[1]) / static_cast<double>(sent[1] + sent[2]);
        double expected = static_cast<double>(given.weights[0]) / (given.weights[0] + given.weights[1]);
        // off by at most a turn and a unit of each (Shreedhar and Varghese, lemma 2)
        double slack = 2.0 * (given.sizes[0] + given.sizes[1]) + 2.0 * 2048 * (given.weights[0] + given.weights[1]);
        EXPECT_NEAR(share, expected, slack / static_cast<double>(BYTES)) << given.sizes[0] << " " << given.weights[0];
    }
}

TEST(PriorityQueues, ControlGoesAheadOfAllWeights)
{
    PriorityQueues queues;
    PriorityQueues::Weights weights{1000, 1, 1, 1, 1, 1, 1, 1};
    queues.SetWeights(weights);
    queues.SetControl(6);
    auto sent = Serve(queues, {{0, 1000}, {6, 1000}}, 1000000);
    EXPECT_EQ(sent[0], 0U);
}

TEST(PriorityQueues, PausedPriorityLeavesTheLinkToTheOthersAndSavesNothing)
{
    PriorityQueues queues;
    PacketUnitPool pool;
    for (uint32_t i = 0; i < 200; i++)
    {
        for (uint8_t priority : {1, 2})
        {
            PacketUnit& unit = pool.Allocate();
            unit.channel = priority;
            unit.wireBytes = 1000;
            queues.Push(pool, unit);
        }
    }
    for (uint32_t i = 0; i < 100; i++)
    {
        ASSERT_EQ(queues.Select(1 << 1), 2U);
        pool.Free(queues.Pop(pool, 2));
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < 100; i++)
    {
        uint32_t priority = queues.Select(0);
        first += priority == 1 ? 1 : 0;
        pool.Free(queues.Pop(pool, priority));
    }
    EXPECT_NEAR(first, 50, 5);
}

TEST(PriorityQueues, DebtsAreForgottenWhenNothingWaits)
{
    PriorityQueues queues;
    for (uint32_t round = 0; round < 3; round++)
    {
        PacketUnitPool pool;
        for (auto [priority, bytes] : {std::pair<uint8_t, uint32_t>{1, 60000}, {2, 100}})
        {
            PacketUnit& unit = pool.Allocate();
            unit.channel = priority;
            unit.wireBytes = bytes;
            queues.Push(pool, unit);
        }
        queues.SetPointer(7);
        EXPECT_EQ(queues.Select(0), 1U) << "as in the first round";
        pool.Free(queues.Pop(pool, 1));
        pool.Free(queues.Pop(pool, queues.Select(0)));
    }
}

TEST(WeightedSwitch, FlowsOfTwoPrioritiesShareAPortByWeight)
{
    Network network;
    network.config.ethernetSwitch.Set("LosslessPriorities", ns3::UintegerValue(0x18)); // 3 and 4
    network.config.ethernetSwitch.Set("Weights", ns3::StringValue("1,1,1,3,1,1,1,1"));
    network.config.nic.Set("Window", ns3::UintegerValue(4 << 20));
    network.Build(3);
    network.Nic(1).SetAttribute("DataPriority", ns3::UintegerValue(4));

    struct Sink
    {
        uint64_t bytes[8] = {};

        void OnUnit(const PacketUnit& unit)
        {
            if (bytes[3] + bytes[4] < 32000000) // both have more to send
            {
                bytes[unit.channel] += unit.flags & (UNIT_ACK | UNIT_PAUSE) ? 0 : unit.wireBytes;
            }
        }
    } sink;

    network.EthernetPort("leaf0", 2).TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&Sink::OnUnit, &sink));
    network.PostAt(0, 0, 2, 32 << 20);
    network.PostAt(0, 1, 2, 32 << 20);
    network.Run();
    EXPECT_EQ(network.deliveries.size(), 2U);
    double share = static_cast<double>(sink.bytes[3]) / static_cast<double>(sink.bytes[3] + sink.bytes[4]);
    EXPECT_NEAR(share, 0.75, 0.005);
}

} // namespace
