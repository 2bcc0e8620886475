/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: copies over the NVLinks of shipped presets are as fast as published measurements of copy engines and SM stores,
// within 1 %. Nothing is fitted here but the packets for which one acknowledgement is sent.

#include "ns3-module/model/hbd-fabric.h"
#include "runner/fabric-config.h"
#include "traffic-gen/scenario-reader.h"

#include "ns3/simulator.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace
{

using namespace ns3::hbd;

constexpr uint64_t BYTES = 256ULL << 20;

/// One write of BYTES.
struct Copy
{
    uint32_t source;
    uint32_t destination;
    uint32_t packetPayload = 0;
};

class MeasuredLinks : public testing::Test, public DeliveryListener
{
  protected:
    /// A domain of a preset. \return each direction's rate of one link as the preset has it, GB/s
    double Build(const std::string& preset, uint32_t gpus)
    {
        const auto path =
            std::filesystem::temp_directory_path() / ("hbd-measured-links-" + std::to_string(getpid()) + ".yaml");
        std::ofstream(path) << "cluster: {gpus: " << gpus << ", hbd: {size: " << gpus << ", preset: " << preset
                            << "}}\n"
                            << "workload: {collective: all-reduce, sizes: [1MiB]}\n";
        std::vector<hbd::traffic::Problem> problems;
        const auto file = hbd::traffic::ReadScenario(path.string(), {}, problems);
        std::filesystem::remove(path);
        EXPECT_TRUE(problems.empty());
        const FabricConfig config = hbd::runner::MakeFabricConfig(file.points.at(0));
        m_fabric = ns3::CreateObject<Fabric>();
        m_fabric->Build(config);
        m_fabric->SetListener(this);
        return static_cast<double>(config.scaleUp.linkRate.GetBitRate()) / 8e9;
    }

    /// Payload rate of copies that start together, GB/s in all.
    double Measure(const std::vector<Copy>& copies)
    {
        for (const auto& copy : copies)
        {
            Posting posting;
            posting.issuer = copy.source;
            posting.peer = copy.destination;
            posting.bytes = BYTES;
            posting.packetPayload = copy.packetPayload;
            m_fabric->Post(posting);
        }
        ns3::Simulator::Run();
        m_fabric->CheckDrained();
        return static_cast<double>(BYTES * copies.size()) / static_cast<double>(m_endPs) * 1e3;
    }

    void OnDelivered(uint32_t /* message */) override
    {
        m_endPs = m_fabric->GetKernel().NowPs();
    }

    void TearDown() override
    {
        m_fabric->Dispose();
        m_fabric = nullptr;
        ns3::Simulator::Destroy();
    }

    ns3::Ptr<Fabric> m_fabric;
    int64_t m_endPs = 0;
};

TEST_F(MeasuredLinks, A100CopiesToAnother)
{
    EXPECT_DOUBLE_EQ(Build("nvlink3-mesh4", 4), 25.0);
    EXPECT_NEAR(Measure({{0, 1}}), 94.0, 0.94); // of 100
}

TEST_F(MeasuredLinks, TwoA100CopyToEachOther)
{
    Build("nvlink3-mesh4", 4);
    const double both = Measure({{0, 1}, {1, 0}});
    EXPECT_NEAR(both, 186.44, 1.86); // of 200
    EXPECT_LT(both / 2, 94.0) << "acknowledgements take their share";
}

TEST_F(MeasuredLinks, A100CopiesToItsThreePeers)
{
    Build("nvlink3-mesh4", 4);
    EXPECT_NEAR(Measure({{0, 1}, {0, 2}, {0, 3}}), 281.65, 2.82); // of 300
}

TEST_F(MeasuredLinks, Gh200sShareOfTheWireIsThatOfNvlink4)
{
    // measured on boards with 6 links a pair: 133.25 of 150, fanned out 398.71 of 450
    const double link = Build("nvlink4-board", 8);
    EXPECT_DOUBLE_EQ(link, 25.0);
    EXPECT_NEAR(Measure({{0, 1}}) / (18 * link), 133.25 / 150, 0.01 * 133.25 / 150);
}

TEST_F(MeasuredLinks, Gh200sFanOutIsThatOfNvlink4)
{
    const double link = Build("nvlink4-board", 8);
    EXPECT_NEAR(Measure({{0, 1}, {0, 2}, {0, 3}}) / (18 * link), 398.71 / 450, 0.01 * 398.71 / 450);
}

TEST_F(MeasuredLinks, StoresOfMultiprocessorsReachTwentyOfTwentyFive)
{
    Build("nvlink4-board", 8);
    EXPECT_NEAR(Measure({{0, 1, 128}}) / 18, 20.0, 0.2); // packets of 128 B: an NCCL maintainer
}

TEST_F(MeasuredLinks, AMeshOfTwoHasTheLinksOfAPair)
{
    EXPECT_DOUBLE_EQ(Build("nvlink3-mesh4", 2), 25.0);
    EXPECT_NEAR(Measure({{1, 0}}), 94.0, 0.94);
}

} // namespace
