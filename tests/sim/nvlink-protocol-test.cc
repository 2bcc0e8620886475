/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: acknowledgements and credits take exactly the share of the wire that they must, and bit errors cost what sending
// again costs, without loss or disorder.

#include "scale-up-fixture.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/node.h"

#include <cmath>

namespace
{

using namespace scale_up;

constexpr int64_t FLIT = 16;
constexpr int64_t PER_ACK = 8;

class AcknowledgedDomain : public Domain
{
  public:
    explicit AcknowledgedDomain(uint32_t planes = 1, uint32_t linksPerPlane = 1)
        : Domain(planes, linksPerPlane)
    {
        config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(PER_ACK));
    }

    uint64_t Counter(FabricPort& port, PortSum counter) const
    {
        return fabric->GetContext().statistics.sums[port.GetSums(0) + counter];
    }
};

class AcknowledgedBursts : public testing::TestWithParam<uint64_t>
{
};

TEST_P(AcknowledgedBursts, DoNotSlowAFlowInOneDirection)
{
    constexpr int64_t PACKETS = 100;
    AcknowledgedDomain domain;
    domain.config.burstBytes = GetParam();
    domain.Build(2);
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.Run();
    EXPECT_EQ(domain.EndPs(), (PACKETS * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
    for (uint32_t link = 0; link < 2; link++)
    {
        const uint32_t data = link == 0 ? 0 : 1; // the end that sends data
        EXPECT_EQ(domain.Counter(domain.Link(link, data), PORT_CONTROL_FLITS), 0U);
        EXPECT_EQ(domain.Counter(domain.Link(link, data), PORT_TX_BYTES), static_cast<uint64_t>(PACKETS * PACKET));
        EXPECT_EQ(domain.Counter(domain.Link(link, 1 - data), PORT_CONTROL_FLITS), static_cast<uint64_t>(PACKETS / PER_ACK));
        EXPECT_EQ(domain.Counter(domain.Link(link, 1 - data), PORT_TX_BYTES), static_cast<uint64_t>(PACKETS / PER_ACK * FLIT));
        EXPECT_EQ(domain.Counter(domain.Link(link, 1 - data), PORT_TX_PACKETS), 0U);
        EXPECT_EQ(domain.Counter(domain.Link(link, 1 - data), PORT_TX_PS), static_cast<uint64_t>(PACKETS / PER_ACK * FLIT * LINK_PS));
    }
}

TEST_P(AcknowledgedBursts, ShareTheWireWithTheOtherDirection)
{
    constexpr int64_t PACKETS = 16000;
    AcknowledgedDomain domain;
    domain.config.burstBytes = GetParam();
    domain.Build(2);
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.PostAt(0, 1, 0, PACKETS * PAYLOAD);
    domain.Run();
    // a packet and an eighth of a flit each; what is owed for the last round trip goes after the data
    const int64_t share = PACKETS * PACKET + PACKETS / PER_ACK * FLIT;
    const int64_t inFlight = (FLIGHT_PS / LINK_PS + 3 * static_cast<int64_t>(GetParam())) / PACKET / PER_ACK + 2;
    for (const auto& delivery : domain.deliveries)
    {
        EXPECT_LE(std::get<3>(delivery), (share + HEADER + 2 * FLIT) * LINK_PS + FLIGHT_PS);
        EXPECT_GE(std::get<3>(delivery), (share - inFlight * FLIT) * LINK_PS + FLIGHT_PS);
    }
    for (uint32_t link = 0; link < 2; link++)
    {
        for (uint32_t end = 0; end < 2; end++)
        {
            EXPECT_EQ(domain.Counter(domain.Link(link, end), PORT_TX_BYTES), static_cast<uint64_t>(share));
            EXPECT_EQ(domain.Counter(domain.Link(link, end), PORT_TX_PS), static_cast<uint64_t>(share * LINK_PS));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AcknowledgedBursts, testing::Values(0, 1024, 65536));

TEST(AcknowledgedPackets, AControlFlitThatIsOwedGoesFirst)
{
    for (int64_t packets : {PER_ACK - 1, PER_ACK})
    {
        AcknowledgedDomain domain;
        domain.Build(2);
        domain.PostAt(0, 0, 1, static_cast<uint64_t>(packets * PAYLOAD));
        // when the last of them arrives
        const int64_t arrived = (packets * PACKET + HEADER) * LINK_PS + FLIGHT_PS;
        domain.PostAt(arrived, 1, 0, PAYLOAD);
        domain.Run();
        const int64_t flit = packets == PER_ACK ? FLIT * LINK_PS : 0;
        EXPECT_EQ(domain.EndPs() - arrived, (PACKET + HEADER) * LINK_PS + FLIGHT_PS + flit);
    }
}

TEST(AcknowledgedPackets, LessThanAFlitIsForgottenAtRest)
{
    AcknowledgedDomain domain;
    domain.Build(2);
    for (int64_t i = 0; i < 4; i++)
    {
        domain.PostAt(i * 1000000000, 0, 1, (PER_ACK - 1) * PAYLOAD);
    }
    domain.Run();
    EXPECT_EQ(domain.Sum(PORT_CONTROL_FLITS), 0U);
}

TEST(AcknowledgedPackets, AControlFlitThatOutlastsItsCreditKeepsTheFabricActive)
{
    AcknowledgedDomain domain;
    domain.config.scaleUp.linkDelay = ns3::Time(0);
    domain.config.nvlink.Set("CreditDelay", ns3::TimeValue(ns3::Time(0)));
    domain.config.nvswitchDelay = ns3::Time(0);
    domain.Build(2);
    domain.PostAt(0, 0, 1, PER_ACK * PAYLOAD);
    const int64_t arrived = (PER_ACK * PACKET + HEADER) * LINK_PS;
    bool active = false;
    ns3::Simulator::Schedule(ns3::PicoSeconds(arrived + FLIT * LINK_PS - 1), [&] { active = !domain.fabric->GetKernel().IsQuiescent(); });
    domain.Run();
    EXPECT_TRUE(active);
}

/// Packets of a unit.
class BitErrors : public testing::TestWithParam<int64_t>
{
};

TEST_P(BitErrors, CostTheRepetitionAndLoseNothing)
{
    constexpr int64_t PACKETS = 20000;
    constexpr int64_t RETRY_PS = 300000;
    constexpr double BIT_ERROR_RATE = 1e-5;
    Domain domain(1, 1);
    domain.config.burstBytes = static_cast<uint64_t>(GetParam() * PAYLOAD);
    domain.Build(2);
    NvlinkDevice& port = domain.GpuPort(0, 0);
    EXPECT_EQ(domain.fabric->AssignStreams(100), 4); // two links of two ports
    EXPECT_FALSE(domain.fabric->IsRandom());
    const std::string path = "/NodeList/" + std::to_string(port.GetNode()->GetId()) + "/DeviceList/0/$ns3::hbd::NvlinkDevice/";
    ns3::Config::Set(path + "BitErrorRate", ns3::DoubleValue(BIT_ERROR_RATE));
    ns3::Config::Set(path + "RetryDelay", ns3::TimeValue(ns3::PicoSeconds(RETRY_PS)));
    domain.fabric->RefreshWatched();
    EXPECT_TRUE(domain.fabric->IsRandom());
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.Run();
    // each error costs its packet's time and the delay; the next link is as fast and has none
    const int64_t extra = domain.EndPs() - ((PACKETS * PACKET + HEADER) * LINK_PS + FLIGHT_PS);
    const int64_t errors = extra / (PACKET * LINK_PS + RETRY_PS);
    EXPECT_EQ(errors * (PACKET * LINK_PS + RETRY_PS), extra);
    const double bad = 1 - std::pow(1 - BIT_ERROR_RATE, 8 * PACKET);
    const double expected = PACKETS * bad / (1 - bad);
    const double deviation = std::sqrt(PACKETS * bad) / (1 - bad);
    EXPECT_NEAR(static_cast<double>(errors), expected, 4 * deviation);
    // each is counted once, however many packets a unit has
    const auto retried = static_cast<uint64_t>(errors);
    EXPECT_EQ(domain.fabric->GetContext().statistics.sums[port.GetSums(0) + PORT_RETRIED_PACKETS], retried);
    EXPECT_EQ(domain.Sum(PORT_TX_PACKETS), 2U * PACKETS);
    EXPECT_EQ(domain.Sum(PORT_TX_BYTES), (2U * PACKETS + retried) * PACKET);
    EXPECT_EQ(domain.Sum(PORT_TX_PS), (2U * PACKETS + retried) * PACKET * LINK_PS);
}

INSTANTIATE_TEST_SUITE_P(Packets, BitErrors, testing::Values(1, 16, 256));

TEST(BitErrorsOfLinks, KeepTheOrderOfPackets)
{
    Domain domain(1, 1);
    domain.config.nvlink.Set("BitErrorRate", ns3::DoubleValue(1e-4));
    domain.Build(2);
    std::vector<uint32_t> sizes;
    domain.GpuPort(1, 0).TraceConnectWithoutContext(
        "UnitRx",
        ns3::MakeBoundCallback(+[](std::vector<uint32_t>* list, const PacketUnit& unit) { list->push_back(unit.payloadBytes); }, &sizes));
    // sizes tell the packets apart
    for (uint32_t i = 0; i < 200; i++)
    {
        domain.PostAt(i * 20000, 0, 1, 1 + i);
    }
    domain.Run();
    ASSERT_EQ(sizes.size(), 200U);
    EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
    EXPECT_GT(domain.Sum(PORT_RETRIED_PACKETS), 0U);
}

TEST(BitErrorsOfLinks, AreTheSameForTheSameStreams)
{
    std::vector<uint64_t> outcomes[5]; // the end, and what each link repeated
    for (int64_t run = 0; run < 5; run++)
    {
        const bool late = run == 1; // errors come up after the streams are fixed
        Domain domain(2, 2);
        domain.config.nvlink.Set("BitErrorRate", ns3::DoubleValue(late ? 0 : 1e-5));
        domain.Build(4);
        if (run < 3) // else any streams
        {
            domain.fabric->AssignStreams(run == 2 ? 5000 : 7);
        }
        if (late)
        {
            ns3::Config::Set("/NodeList/*/DeviceList/*/$ns3::hbd::NvlinkDevice/BitErrorRate", ns3::DoubleValue(1e-5));
        }
        for (uint32_t gpu = 0; gpu < 4; gpu++)
        {
            domain.PostAt(0, gpu, (gpu + 1) % 4, 1000000);
        }
        domain.Run();
        outcomes[run].push_back(static_cast<uint64_t>(domain.EndPs()));
        for (uint32_t port = 0; port < 2 * 4 * 4; port++)
        {
            const uint32_t sums = domain.Link(port / 2, port % 2).GetSums(0);
            outcomes[run].push_back(domain.fabric->GetContext().statistics.sums[sums + PORT_RETRIED_PACKETS]);
        }
    }
    EXPECT_EQ(outcomes[0], outcomes[1]);
    EXPECT_NE(outcomes[0], outcomes[2]);
    EXPECT_NE(outcomes[3], outcomes[4]);
}

TEST(BitErrorsOfLinks, CanBeSetForOneDirectionInMidRun)
{
    constexpr int64_t PACKETS = 20000;
    Domain domain(1, 1);
    domain.Build(2);
    domain.fabric->AssignStreams(3);
    NvlinkDevice& port = domain.GpuPort(0, 0);
    auto retried = [&] { return domain.fabric->GetContext().statistics.sums[port.GetSums(0) + PORT_RETRIED_PACKETS]; };
    domain.PostAt(0, 0, 1, PACKETS * PAYLOAD);
    domain.PostAt(0, 1, 0, PACKETS * PAYLOAD);
    const int64_t third = PACKETS * PACKET * LINK_PS / 3;
    uint64_t before = 1;
    uint64_t during = 0;
    ns3::Simulator::Schedule(ns3::PicoSeconds(third), [&] {
        before = retried();
        port.SetAttribute("BitErrorRate", ns3::DoubleValue(1e-4));
    });
    ns3::Simulator::Schedule(ns3::PicoSeconds(2 * third), [&] {
        during = retried();
        port.SetAttribute("BitErrorRate", ns3::DoubleValue(0));
    });
    domain.Run();
    EXPECT_EQ(before, 0U);
    EXPECT_GT(during, 0U);
    EXPECT_EQ(domain.Sum(PORT_RETRIED_PACKETS), during); // none after, none in the other direction
}

TEST(LinkAttributes, ThatAFabricIsBuiltWithCannotBeSetLater)
{
    Domain domain(1, 1);
    domain.Build(2);
    NvlinkDevice& port = domain.GpuPort(0, 0);
    for (const char* name : {"PacketPayload", "FlitBytes", "HeaderFlits", "PacketFlits", "PacketsPerAck", "VirtualChannels"})
    {
        EXPECT_FALSE(port.SetAttributeFailSafe(name, ns3::UintegerValue(2))) << name;
    }
    auto chip = domain.fabric->GetNodes().Get(domain.Find("nvswitch-h0-p0"))->GetObject<NvSwitch>();
    for (const char* name : {"ReductionTableSize", "MulticastGroups", "GroupUnitSize"})
    {
        EXPECT_FALSE(chip->SetAttributeFailSafe(name, ns3::UintegerValue(256))) << name;
    }
    EXPECT_FALSE(chip->SetAttributeFailSafe("ReductionDelay", ns3::TimeValue(ns3::NanoSeconds(1))));
    EXPECT_FALSE(chip->SetAttributeFailSafe("ReductionRate", ns3::DataRateValue(ns3::DataRate("1Gbps"))));
}

TEST(BitErrorsOfLinks, SoManyThatAPacketHardlyEverArrivesAreRefused)
{
    Domain domain(1, 1);
    domain.config.nvlink.Set("PacketPayload", ns3::UintegerValue(8192));
    domain.config.nvlink.Set("PacketFlits", ns3::UintegerValue(1024));
    domain.config.nvlink.Set("BitErrorRate", ns3::DoubleValue(1e-3));
    try
    {
        domain.Build(2);
        FAIL() << "66 errors a packet are taken";
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_NE(std::string(error.what()).find("BitErrorRate of 0.001"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("8208 B has 65.66"), std::string::npos) << error.what();
    }
}

TEST(BitErrorsOfLinks, OfAFabricThatIsBuiltAreCheckedToo)
{
    Domain domain(1, 1);
    domain.config.nvlink.Set("PacketPayload", ns3::UintegerValue(8192));
    domain.config.nvlink.Set("PacketFlits", ns3::UintegerValue(1024));
    domain.Build(2);
    EXPECT_THROW(domain.GpuPort(0, 0).SetBitErrorRate(1e-3), std::invalid_argument);
}

TEST(PacketFlits, MoreThanAPacketMayHaveAreRefused)
{
    Domain domain(1, 1);
    domain.config.nvlink.Set("HeaderFlits", ns3::UintegerValue(3));
    EXPECT_THROW(domain.Build(2), std::invalid_argument); // 16 + 3
}

} // namespace
