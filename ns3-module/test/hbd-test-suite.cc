/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-player.h"
#include "hbd-traffic-helper.h"

#include "ns3/config.h"
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

class HbdTestSuite : public TestSuite
{
  public:
    HbdTestSuite()
        : TestSuite("hbd")
    {
        AddTestCase(new ResolutionTestCase);
        AddTestCase(new IncastTestCase);
        AddTestCase(new ConfigPathTestCase);
    }
};

HbdTestSuite g_hbdTestSuite; ///< registers the suite

} // namespace
