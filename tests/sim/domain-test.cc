/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scale-up-fixture.h"

#include "ns3/string.h"

// Domains with two tiers of switches, without switches, with planes that have different numbers of links and with links that are down. Right values are
// bytes over the links that are left; Domain::Run checks conservation and the time of each message alone.

namespace
{

using namespace scale_up;

constexpr int64_t PACKETS = 7200;
constexpr int64_t BYTES = PACKETS * PAYLOAD;

/// Expects a time that is a number of packets on one link, and at most the way and a few packets more.
void
ExpectPackets(int64_t ps, int64_t packets)
{
    EXPECT_GE(ps, packets * PACKET * LINK_PS);
    EXPECT_LE(ps, packets * PACKET * LINK_PS + 4 * FLIGHT_PS + 16 * PACKET * LINK_PS);
}

/// A plane with leaf switches of two GPUs.
void
SetTwoTier(Domain& domain, uint32_t spines, uint32_t trunks)
{
    domain.config.scaleUp.name = "two-tier";
    domain.config.scaleUp.leafSize = 2;
    domain.config.scaleUp.spines = spines;
    domain.config.scaleUp.trunks = trunks;
    domain.config.scaleUp.trunkRate = domain.config.scaleUp.linkRate;
}

TEST(TwoTierDomain, FlowsShareAnOversubscribedTrunkExactly)
{
    // two GPUs with a link each below a leaf that has one trunk: each gets half of it; inside the leaf they have all of their links
    Domain domain(1, 1);
    SetTwoTier(domain, 1, 1);
    domain.Build(4);
    domain.PostAt(0, 0, 2, BYTES);
    domain.PostAt(0, 1, 3, BYTES);
    domain.Run();
    ExpectPackets(domain.EndPs(), 2 * PACKETS);
    ASSERT_EQ(domain.deliveries.size(), 2U);
    EXPECT_NEAR(static_cast<double>(std::get<3>(domain.deliveries[0])), domain.EndPs(), 2 * PACKET * LINK_PS);
}

TEST(TwoTierDomain, InsideALeafTrunksDoNotMatter)
{
    Domain domain(1, 1);
    SetTwoTier(domain, 1, 1);
    domain.Build(4);
    domain.PostAt(0, 0, 1, BYTES);
    domain.PostAt(0, 2, 3, BYTES);
    domain.Run();
    ExpectPackets(domain.EndPs(), PACKETS);
}

TEST(TwoTierDomain, EveryPathChoiceUsesAllTrunksOfAllSpines)
{
    for (const char* choice : {"round-robin", "least-queued", "hash"})
    {
        Domain domain(1, 1);
        SetTwoTier(domain, 2, 1);
        domain.config.nvswitch.Set("PathChoice", ns3::StringValue(choice));
        domain.Build(4);
        domain.PostAt(0, 0, 2, BYTES);
        domain.PostAt(0, 1, 3, BYTES);
        domain.Run();
        // two trunks for two links: nothing is oversubscribed; a hash spreads packets at random
        const int64_t fullPs = PACKETS * PACKET * LINK_PS;
        const int64_t wayPs = 4 * DELAY_PS + 3 * SWITCH_PS;
        EXPECT_GE(domain.EndPs(), fullPs + wayPs) << choice;
        EXPECT_LE(domain.EndPs(), fullPs + wayPs + (choice == std::string("hash") ? fullPs / 10 : 16 * PACKET * LINK_PS)) << choice;
    }
}

TEST(MeshDomain, AMessageHasTheLinksBetweenItsTwoGpus)
{
    Domain domain(0, 1);
    domain.config.scaleUp.name = "mesh";
    domain.config.scaleUp.linksPerPeer = 3;
    domain.Build(4);
    domain.PostAt(0, 0, 1, BYTES);
    domain.PostAt(0, 0, 2, BYTES); // over other links, at the same time
    domain.Run();
    ExpectPackets(domain.EndPs(), PACKETS / 3);
}

TEST(MeshDomain, CreditsLimitALinkToTheirWindowOverTheRoundTrip)
{
    // two ports and a cable: a packet, its way, and the credit's way back
    constexpr int64_t ROUND_TRIP_PS = PACKET * LINK_PS + 2 * DELAY_PS + CREDIT_PS;
    for (int64_t window : {1, 3, 10})
    {
        Domain domain(0, 1);
        domain.config.scaleUp.name = "mesh";
        domain.config.scaleUp.linksPerPeer = 1;
        domain.config.nvlink.Set("CreditWindow", ns3::UintegerValue(static_cast<uint64_t>(window * PACKET)));
        domain.Build(2);
        domain.PostAt(0, 0, 1, BYTES);
        domain.Run();
        const int64_t lastPs = (PACKETS - 1) / window * ROUND_TRIP_PS + (PACKETS - 1) % window * PACKET * LINK_PS;
        EXPECT_EQ(domain.EndPs(), lastPs + PACKET * LINK_PS + DELAY_PS) << window;
    }
}

TEST(MeshDomain, BothDirectionsShareTheWireWithTheirAcknowledgements)
{
    Domain domain(0, 1);
    domain.config.scaleUp.name = "mesh";
    domain.config.scaleUp.linksPerPeer = 2;
    domain.config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(4));
    domain.Build(3);
    domain.PostAt(0, 0, 1, BYTES);
    domain.PostAt(0, 1, 0, BYTES);
    domain.Run();
    // per packet a quarter of a flit of 16 B; what is owed for the last way goes after the data
    const int64_t perLink = PACKETS / 2;
    const int64_t fullPs = (perLink * PACKET + perLink / 4 * 16) * LINK_PS + DELAY_PS;
    EXPECT_LE(domain.EndPs(), fullPs);
    EXPECT_GE(domain.EndPs(), fullPs - (DELAY_PS / (PACKET * LINK_PS) / 4 + 2) * 16 * LINK_PS);
}

TEST(MeshDomain, UsersSendPacketsToTheGpuAtTheOtherEndOnly)
{
    Domain domain(0, 1);
    domain.config.scaleUp.name = "mesh";
    domain.config.scaleUp.linksPerPeer = 1;
    domain.Build(3);
    auto packet = ns3::Create<ns3::Packet>(100);
    EXPECT_TRUE(domain.GpuPort(0, 1).Send(packet, GpuEndpoint::MakeAddress(2, 0), 1));
    EXPECT_FALSE(domain.GpuPort(0, 1).Send(packet, GpuEndpoint::MakeAddress(1, 0), 1));
    ns3::Simulator::Run();
    domain.fabric->CheckDrained();
}

TEST(UnevenPlanes, AllLinksCarryTheSame)
{
    // 18 links over 4 planes are 5, 4, 4, 5
    Domain domain(4, 1);
    domain.config.scaleUp.links = 18;
    domain.Build(8);
    domain.PostAt(0, 5, 2, BYTES);
    domain.Run();
    ExpectPackets(domain.EndPs(), PACKETS / 18);
    for (uint32_t index = 0; index < 18; index++)
    {
        EXPECT_EQ(domain.fabric->GetContext().statistics.sums[domain.GpuPort(5, index).GetSums(0) + PORT_TX_PACKETS],
                  static_cast<uint64_t>(PACKETS / 18));
    }
}

TEST(BrokenPlane, TheOthersCarryItsShare)
{
    for (const char* broken : {"hbd0.plane1", "gpu2.link1"})
    {
        Domain domain(3, 1);
        domain.config.scaleUp.broken = {broken};
        domain.Build(8);
        domain.PostAt(0, 5, 2, BYTES);
        domain.Run();
        ExpectPackets(domain.EndPs(), PACKETS / 2);
        EXPECT_EQ(domain.fabric->GetContext().statistics.sums[domain.GpuPort(5, 1).GetSums(0) + PORT_TX_PACKETS], 0U) << broken;
    }
}

TEST(BrokenPlane, OfOneGpuDoesNotSlowOthers)
{
    Domain domain(3, 1);
    domain.config.scaleUp.broken = {"gpu2.link1"};
    domain.Build(8);
    domain.PostAt(0, 5, 6, BYTES);
    domain.Run();
    ExpectPackets(domain.EndPs(), PACKETS / 3);
}

TEST(BrokenPlane, IsAnErrorThatNamesItWhenItMustNotBeGoneAround)
{
    Domain domain(3, 1);
    domain.config.scaleUp.broken = {"hbd0.plane1"};
    domain.config.brokenFails = true;
    domain.Build(8);
    try
    {
        domain.fabric->Post(5, 2, BYTES, 0, 0);
        FAIL() << "no error";
    }
    catch (const FabricError& error)
    {
        EXPECT_NE(std::string(error.what()).find("hbd0.plane1 is down"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("gpu5 and gpu2"), std::string::npos) << error.what();
    }
}

TEST(BrokenTrunk, LeavesTheOtherOne)
{
    Domain domain(1, 1);
    SetTwoTier(domain, 2, 1);
    domain.config.scaleUp.broken = {"hbd0.plane0.leaf0-spine1.0"};
    domain.Build(4);
    domain.PostAt(0, 0, 2, BYTES);
    domain.PostAt(0, 1, 3, BYTES);
    domain.Run();
    ExpectPackets(domain.EndPs(), 2 * PACKETS);
}

} // namespace
