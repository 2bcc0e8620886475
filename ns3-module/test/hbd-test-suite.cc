/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/hbd-collective-helper.h"
#include "ns3/hbd-player.h"
#include "ns3/hbd-traffic-helper.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;
using namespace ns3::hbd;

namespace
{

/// A domain of GPUs with one 50 GB/s link to one switch.
FabricConfig
OneLinkDomain(uint32_t gpus)
{
    FabricConfig config;
    config.scaleUp.gpus = gpus;
    config.scaleUp.hbdSize = gpus;
    config.scaleUp.planes = 1;
    config.scaleUp.linkRate = DataRate("400Gbps");
    config.scaleUp.linkDelay = NanoSeconds(100);
    return config;
}

/// Runs a program to its end on a fabric. \return when it ended, in picoseconds
int64_t
RunProgram(Ptr<Fabric> fabric, OperationSource& program)
{
    Ptr<Player> player = CreateObject<Player>();
    player->Setup(fabric, &program, nullptr, nullptr);
    player->Start();
    Simulator::Run();
    player->Finish();
    int64_t end = player->GetEndPs();
    player->Dispose();
    return end;
}

/// The first TestCase sets the resolution when the runner has not: it can be done only once.
class ResolutionTestCase : public TestCase
{
  public:
    ResolutionTestCase()
        : TestCase("time resolution is picoseconds")
    {
    }

  private:
    void DoRun() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        NS_TEST_ASSERT_MSG_EQ((Time::GetResolution() == Time::PS), true, "resolution");
    }
};

/// n to 1 over one link: the receiver's link is busy from the first header to the last flit.
class IncastTestCase : public TestCase
{
  public:
    IncastTestCase()
        : TestCase("an incast fills the receiver's link and ends when its last flit is there")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t SENDERS = 3;
        constexpr uint64_t BYTES = 64 * 256;
        Ptr<Fabric> fabric = CreateObject<Fabric>();
        fabric->Build(OneLinkDomain(SENDERS + 1));
        auto program = HbdTrafficHelper::Incast(SENDERS + 1, SENDERS, BYTES);
        int64_t end = RunProgram(fabric, *program);
        // 20 ps a byte; packets of 272 B on the wire; header of 16 B, two links of 100 ns, a switch of 200 ns
        int64_t expected = SENDERS * 64 * 272 * 20 + 16 * 20 + 2 * 100000 + 200000;
        NS_TEST_ASSERT_MSG_EQ(end, expected, "end of the incast");
        fabric->Dispose();
        Simulator::Destroy();
    }
};

/// Attributes can be reached and set by path, as everywhere in ns-3.
class ConfigPathTestCase : public TestCase
{
  public:
    ConfigPathTestCase()
        : TestCase("Config::SetDefault reaches the devices of a fabric that is built afterwards")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::hbd::NvlinkDevice::PacketPayload", UintegerValue(128));
        Ptr<Fabric> fabric = CreateObject<Fabric>();
        fabric->Build(OneLinkDomain(2));
        Config::SetDefault("ns3::hbd::NvlinkDevice::PacketPayload", UintegerValue(256));
        MessageProgram program(2);
        program.Add(0, 1, 1280);
        // ten packets of 128 + 16 B
        NS_TEST_ASSERT_MSG_EQ(RunProgram(fabric, program), 10 * 144 * 20 + 16 * 20 + 400000, "SM-store packets");
        fabric->Dispose();
        Simulator::Destroy();
    }
};

// In the cases below: 20 ps a byte; packets of 256 B of payload and a flit of 16 B; cables 100 ns, switches 200 ns, credits 50 ns.
constexpr int64_t LINK_PS = 20;
constexpr int64_t PACKET_PS = 272 * LINK_PS;
constexpr int64_t HEADER_PS = 16 * LINK_PS;
constexpr int64_t CABLE_PS = 100000;
constexpr int64_t SWITCH_PS = 200000;
constexpr int64_t CREDIT_PS = 50000;

/// Two GPUs with one link between them.
FabricConfig
TwoGpus()
{
    FabricConfig config = OneLinkDomain(2);
    config.scaleUp.name = "mesh";
    config.scaleUp.planes = 0;
    config.scaleUp.linksPerPeer = 1;
    return config;
}

/// A counter of one end of a link.
uint64_t
Count(const Fabric& fabric, uint32_t link, uint32_t end, PortSum counter)
{
    return fabric.GetContext().statistics.sums[fabric.GetPort(link, end).GetSums(0) + counter];
}

/// Credits x packet / round trip.
class CreditsTestCase : public TestCase
{
  public:
    CreditsTestCase()
        : TestCase("credits limit a link to their packets a round trip")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t PACKETS = 1000;
        constexpr int64_t ROUND_TRIP_PS = PACKET_PS + 2 * CABLE_PS + CREDIT_PS;
        for (int64_t credits : {1, 3, 10})
        {
            FabricConfig config = TwoGpus();
            config.nvlink.Set("CreditWindow", UintegerValue(static_cast<uint64_t>(credits) * 272));
            Ptr<Fabric> fabric = CreateObject<Fabric>();
            fabric->Build(config);
            MessageProgram program(2);
            program.Add(0, 1, PACKETS * 256);
            int64_t last = (PACKETS - 1) / credits * ROUND_TRIP_PS + (PACKETS - 1) % credits * PACKET_PS;
            NS_TEST_ASSERT_MSG_EQ(RunProgram(fabric, program), last + PACKET_PS + CABLE_PS, credits << " packets of credit");
            fabric->Dispose();
            Simulator::Destroy();
        }
    }
};

/// Sums and multicasts in switches: each rank's part of every sum goes out, its own sum once; the same comes in.
class SwitchAllReduceTestCase : public TestCase
{
  public:
    SwitchAllReduceTestCase()
        : TestCase("of an all-reduce in switches a link carries the payload and an n-th of it each way")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 1 << 20;
        for (uint32_t ranks : {2U, 4U, 8U})
        {
            Ptr<Fabric> fabric = CreateObject<Fabric>();
            fabric->Build(OneLinkDomain(ranks));
            AllReduceProgram program("nvls", ranks, BYTES, 65536);
            RunProgram(fabric, program);
            uint64_t expected = BYTES * (ranks + 1) / ranks;
            for (uint32_t gpu = 0; gpu < ranks; gpu++)
            {
                uint32_t link = fabric->GetGraph().nodes[gpu].ports[0];
                uint32_t end = fabric->GetGraph().links[link].node[0] == gpu ? 0 : 1;
                // flags: 16 B from each rank to all, itself included
                NS_TEST_ASSERT_MSG_EQ(Count(*fabric, link, end, PORT_TX_PAYLOAD), expected + 16, "out of GPU " << gpu);
                NS_TEST_ASSERT_MSG_EQ(Count(*fabric, link, 1 - end, PORT_TX_PAYLOAD), expected + 16 * ranks, "into GPU " << gpu);
            }
            fabric->Dispose();
            Simulator::Destroy();
        }
    }
};

/// Two GPUs below a leaf switch share its one trunk.
class TrunkTestCase : public TestCase
{
  public:
    TrunkTestCase()
        : TestCase("flows of two tiers share an oversubscribed trunk")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t PACKETS = 500;
        FabricConfig config = OneLinkDomain(4);
        config.scaleUp.name = "two-tier";
        config.scaleUp.leafSize = 2;
        config.scaleUp.trunkRate = config.scaleUp.linkRate;
        Ptr<Fabric> fabric = CreateObject<Fabric>();
        fabric->Build(config);
        MessageProgram program(4);
        program.Add(0, 2, PACKETS * 256);
        program.Add(1, 3, PACKETS * 256);
        // the trunk is busy with all packets; leaf, spine, leaf, with a header at each
        int64_t expected = 2 * PACKETS * PACKET_PS + 3 * (HEADER_PS + SWITCH_PS) + 4 * CABLE_PS;
        NS_TEST_ASSERT_MSG_EQ(RunProgram(fabric, program), expected, "end of both flows");
        fabric->Dispose();
        Simulator::Destroy();
    }
};

/// Errors come up on one direction of a link of a fabric that is built.
class RetryTestCase : public TestCase
{
  public:
    RetryTestCase()
        : TestCase("a bit error costs its packet's time and the retry delay, and nothing is lost")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t PACKETS = 5000;
        constexpr int64_t DELAY_PS = 300000;
        Ptr<Fabric> fabric = CreateObject<Fabric>();
        fabric->Build(TwoGpus());
        fabric->AssignStreams(1);
        std::string path = "/NodeList/" + std::to_string(fabric->GetNodes().Get(0)->GetId()) + "/DeviceList/0/$ns3::hbd::NvlinkDevice/";
        Config::Set(path + "BitErrorRate", DoubleValue(1e-5));
        Config::Set(path + "RetryDelay", TimeValue(PicoSeconds(DELAY_PS)));
        MessageProgram program(2);
        program.Add(0, 1, PACKETS * 256);
        int64_t end = RunProgram(fabric, program);
        auto errors = static_cast<int64_t>(Count(*fabric, 0, 0, PORT_RETRIED_PACKETS));
        // a packet has 2176 bits: about 109 of 5000 fail, and 2.4 of these again; six standard deviations
        NS_TEST_ASSERT_MSG_EQ_TOL(errors, 111, 64, "packets sent again");
        NS_TEST_ASSERT_MSG_EQ(end, PACKETS * PACKET_PS + CABLE_PS + errors * (PACKET_PS + DELAY_PS), "end");
        fabric->Dispose();
        Simulator::Destroy();
    }
};

/// For eight packets that arrive, an end owes a flit on its own wire.
class AcknowledgementTestCase : public TestCase
{
  public:
    AcknowledgementTestCase()
        : TestCase("acknowledgements take a flit of the other direction for eight packets")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t PACKETS = 8000;
        Ptr<Fabric> fabric = CreateObject<Fabric>();
        fabric->Build(TwoGpus());
        MessageProgram program(2);
        program.Add(0, 1, PACKETS * 256);
        program.Add(1, 0, PACKETS * 256);
        int64_t end = RunProgram(fabric, program);
        constexpr int64_t WIRE = PACKETS * 272 + PACKETS / 8 * 16;
        for (uint32_t i : {0U, 1U})
        {
            NS_TEST_ASSERT_MSG_EQ(Count(*fabric, 0, i, PORT_TX_BYTES), static_cast<uint64_t>(WIRE), "bytes of direction " << i);
        }
        // the flits for what is on its way when the last packet goes come after it: a cable holds 18 packets, so three of them
        NS_TEST_ASSERT_MSG_EQ_TOL(end, WIRE * LINK_PS + CABLE_PS, 3 * HEADER_PS, "end of both directions");
        fabric->Dispose();
        Simulator::Destroy();
    }
};

/// One of two planes is down.
class BrokenPlaneTestCase : public TestCase
{
  public:
    BrokenPlaneTestCase()
        : TestCase("what a broken plane would carry goes over the other one")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t PACKETS = 1000;
        for (bool broken : {false, true})
        {
            FabricConfig config = OneLinkDomain(2);
            config.scaleUp.planes = 2;
            if (broken)
            {
                config.scaleUp.broken = {"hbd0.plane1"};
            }
            Ptr<Fabric> fabric = CreateObject<Fabric>();
            fabric->Build(config);
            MessageProgram program(2);
            program.Add(0, 1, PACKETS * 256);
            int64_t expected = (broken ? PACKETS : PACKETS / 2) * PACKET_PS + HEADER_PS + 2 * CABLE_PS + SWITCH_PS;
            NS_TEST_ASSERT_MSG_EQ(RunProgram(fabric, program), expected, "end, broken " << broken);
            for (uint32_t link = 0; link < fabric->GetGraph().links.size(); link++)
            {
                uint64_t bytes = Count(*fabric, link, 0, PORT_TX_PAYLOAD) + Count(*fabric, link, 1, PORT_TX_PAYLOAD);
                bool down = broken && fabric->GetGraph().links[link].plane == 1;
                NS_TEST_ASSERT_MSG_EQ(bytes, static_cast<uint64_t>(down ? 0 : (broken ? PACKETS : PACKETS / 2) * 256), "link " << link);
            }
            fabric->Dispose();
            Simulator::Destroy();
        }
    }
};

class HbdTestSuite : public TestSuite
{
  public:
    HbdTestSuite()
        : TestSuite("hbd")
    {
        AddTestCase(new ResolutionTestCase);
        AddTestCase(new IncastTestCase);
        AddTestCase(new ConfigPathTestCase);
        AddTestCase(new CreditsTestCase);
        AddTestCase(new SwitchAllReduceTestCase);
        AddTestCase(new TrunkTestCase);
        AddTestCase(new RetryTestCase);
        AddTestCase(new AcknowledgementTestCase);
        AddTestCase(new BrokenPlaneTestCase);
    }
};

HbdTestSuite g_hbdTestSuite; ///< registers the suite

} // namespace
