/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: traces of NVLinks and switches fire when what they tell of happens, as often as it does. Method: closed forms; counters of the ports.

#include "group-fixture.h"

#include "ns3/double.h"

namespace
{

using namespace group_test;

/// Notes what trace sources say.
struct TraceSink
{
    void OnUnit(const PacketUnit& /* unit */)
    {
        startsPs.push_back(ns3::Simulator::Now().GetPicoSeconds());
    }
    void OnPacket(ns3::Ptr<const ns3::Packet> /* packet */)
    {
        packetsPs.push_back(ns3::Simulator::Now().GetPicoSeconds());
    }
    void OnRetry(const PacketUnit& unit, uint32_t packets)
    {
        EXPECT_GT(packets, 0U);
        EXPECT_EQ(unit.source, 0U);
        retried += packets;
    }
    void OnControl(uint32_t count)
    {
        flits += count;
        flitsPs.push_back(ns3::Simulator::Now().GetPicoSeconds());
    }
    void OnTable(uint64_t usedBytes)
    {
        used.push_back(usedBytes);
    }

    std::vector<int64_t> startsPs;
    std::vector<int64_t> packetsPs;
    std::vector<int64_t> flitsPs;
    std::vector<uint64_t> used;
    uint64_t retried = 0;
    uint64_t flits = 0;
};

TEST(LinkTraces, AUnitStartsBehindTheControlFlitsOnTheWire)
{
    constexpr int64_t PER_ACK = 4;
    GroupDomain domain(1, 1);
    domain.config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(PER_ACK));
    domain.Build(2);
    TraceSink sink;
    domain.GpuPort(1, 0).TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&TraceSink::OnUnit, &sink));
    domain.GpuPort(1, 0).TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&TraceSink::OnPacket, &sink));
    domain.GpuPort(1, 0).TraceConnectWithoutContext("ControlFlits", ns3::MakeCallback(&TraceSink::OnControl, &sink));
    domain.PostAt(0, Write(0, 1, PER_ACK * PAYLOAD));
    const int64_t arrivedPs = PER_ACK * PACKET_PS + HEADER_PS + FLIGHT_PS;
    domain.PostAt(arrivedPs, Write(1, 0, PAYLOAD));
    domain.Run();
    EXPECT_EQ(sink.flitsPs, std::vector<int64_t>{arrivedPs});
    EXPECT_EQ(sink.startsPs, std::vector<int64_t>{arrivedPs + HEADER_PS}); // a flit is as long as a header
    EXPECT_EQ(sink.packetsPs, sink.startsPs);
}

TEST(LinkTraces, ControlFlitsAndRepetitionsAreThoseThatAreCounted)
{
    constexpr int64_t PACKETS = 4000;
    constexpr int64_t RETRY_PS = 300000;
    for (uint64_t burst : {0, 4096})
    {
        GroupDomain domain(1, 1);
        domain.config.burstBytes = burst;
        domain.config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(8));
        domain.Build(2);
        NvlinkDevice& port = domain.GpuPort(0, 0);
        port.SetAttribute("BitErrorRate", ns3::DoubleValue(1e-5));
        port.SetAttribute("RetryDelay", ns3::TimeValue(ns3::PicoSeconds(RETRY_PS)));
        domain.fabric->AssignStreams(1);
        TraceSink sink;
        port.TraceConnectWithoutContext("LinkRetry", ns3::MakeCallback(&TraceSink::OnRetry, &sink));
        domain.GpuPort(1, 0).TraceConnectWithoutContext("ControlFlits", ns3::MakeCallback(&TraceSink::OnControl, &sink));
        domain.PostAt(0, Write(0, 1, PACKETS * PAYLOAD));
        domain.Run();
        EXPECT_GT(sink.retried, 50U);
        // each of them costs its own time and the delay
        EXPECT_EQ(domain.EndPs(),
                  static_cast<int64_t>(sink.retried) * (PACKET_PS + RETRY_PS) + PACKETS * PACKET_PS + HEADER_PS + FLIGHT_PS);
        EXPECT_EQ(sink.flits, static_cast<uint64_t>(PACKETS / 8));
    }
}

TEST(LinkTraces, AUnitStartsBehindWhatIsRepeated)
{
    constexpr int64_t RETRY_PS = 300000;
    GroupDomain domain(1, 1);
    domain.Build(2);
    NvlinkDevice& port = domain.GpuPort(0, 0);
    port.SetAttribute("BitErrorRate", ns3::DoubleValue(1e-3)); // nine packets of ten
    port.SetAttribute("RetryDelay", ns3::TimeValue(ns3::PicoSeconds(RETRY_PS)));
    domain.fabric->AssignStreams(1);
    TraceSink sink;
    port.TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&TraceSink::OnUnit, &sink));
    port.TraceConnectWithoutContext("LinkRetry", ns3::MakeCallback(&TraceSink::OnRetry, &sink));
    domain.PostAt(0, Write(0, 1, PAYLOAD));
    domain.Run();
    ASSERT_GT(sink.retried, 0U);
    EXPECT_EQ(sink.startsPs, std::vector<int64_t>{static_cast<int64_t>(sink.retried) * (PACKET_PS + RETRY_PS)});
    EXPECT_EQ(domain.EndPs(), sink.startsPs.front() + PACKET_PS + HEADER_PS + FLIGHT_PS);
}

TEST(SwitchTraces, TheTableOfSumsFillsAndEmpties)
{
    constexpr uint64_t ENTRIES = 5;
    constexpr uint64_t SUMS = 20;
    GroupDomain domain(1, 1);
    domain.config.nvswitch.Set("ReductionTableSize", ns3::UintegerValue(ENTRIES * PAYLOAD));
    domain.Build(3);
    TraceSink sink;
    domain.fabric->GetNodes().Get(domain.Find("nvswitch-h0-p0"))->GetObject<NvSwitch>()->TraceConnectWithoutContext(
        "ReductionTable", ns3::MakeCallback(&TraceSink::OnTable, &sink));
    EXPECT_TRUE(domain.fabric->RefreshWatched()); // nothing is replayed
    std::vector<uint32_t> group = FirstGpus(3);
    domain.PostAt(0, Reduce(0, group, SUMS * PAYLOAD));
    domain.Run();
    ASSERT_EQ(sink.used.size(), 2 * SUMS);
    EXPECT_EQ(*std::max_element(sink.used.begin(), sink.used.end()), ENTRIES * PAYLOAD);
    EXPECT_EQ(sink.used.back(), 0U);
}

} // namespace
