/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3-module/model/hbd-algorithm-table.h"
#include "scale-out-fixture.h"

#include "ns3/double.h"
#include "ns3/string.h"

#include <algorithm>
#include <functional>
#include <set>

namespace
{

using namespace scale_out;

constexpr double LINE_BYTES_PER_PS = 400e9 / 8 * 1e-12;

/// n NICs write to one through one switch.
class Incast
{
  public:
    Incast(const std::string& control, const std::string& parameters = "")
    {
        network.config.nic.Set("CongestionControl",
                               ns3::TypeIdValue(FindAlgorithm(GetCongestionControls(), control).type));
        network.config.nic.Set("CongestionParameters", ns3::StringValue(parameters));
    }

    void MarkBetween(uint64_t kmin, uint64_t kmax, double pmax)
    {
        m_kmin = kmin;
        network.config.ethernetSwitch.Set("EcnKmin", ns3::UintegerValue(kmin));
        network.config.ethernetSwitch.Set("EcnKmax", ns3::UintegerValue(kmax));
        network.config.ethernetSwitch.Set("EcnPmax", ns3::DoubleValue(pmax));
    }

    /// \param fromPs from when on the queue is looked at, every microsecond
    void Run(uint32_t senders, uint64_t bytes, int64_t fromPs)
    {
        network.Build(senders + 1);
        network.fabric->AssignStreams(7);
        for (uint32_t sender = 1; sender <= senders; sender++)
        {
            network.PostAt(0, sender, 0, bytes);
        }
        m_from = fromPs;
        m_messages = senders;
        Sample();
        network.Run();
        EXPECT_EQ(network.deliveries.size(), senders);
        EXPECT_EQ(network.GlobalCounter(SUM_DROPS), 0u);
        EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), senders * bytes);
        utilisation = static_cast<double>(senders * bytes) / (static_cast<double>(network.EndPs()) * LINE_BYTES_PER_PS);
    }

    /// Jain's index of bytes over time to completion.
    double Fairness() const
    {
        double sum = 0;
        double squares = 0;
        for (const auto& [source, destination, bytes, endPs] : network.deliveries)
        {
            double rate = static_cast<double>(bytes) / static_cast<double>(endPs);
            sum += rate;
            squares += rate * rate;
        }
        return sum * sum / (static_cast<double>(network.deliveries.size()) * squares);
    }

    uint64_t MedianQueue()
    {
        std::nth_element(queues.begin(), queues.begin() + static_cast<long>(queues.size() / 2), queues.end());
        return queues[queues.size() / 2];
    }

    Network network;
    std::vector<uint64_t> queues; ///< of the receiver's switch port, while all send
    double utilisation = 0;       ///< payload over the receiver's line

  private:
    void Sample()
    {
        auto& nic = network.EthernetPort("nic0", 1);
        if (network.fabric->GetKernel().NowPs() >= m_from && network.deliveries.empty())
        {
            queues.push_back(nic.GetPeer()->GetQueuedBytes());
        }
        if (network.deliveries.size() < m_messages)
        {
            network.fabric->GetKernel().ScheduleExternal(ns3::MicroSeconds(1), ns3::MakeCallback(&Incast::Sample, this));
        }
    }

    int64_t m_from = 0;
    size_t m_messages = 0;
    uint64_t m_kmin = 0;
};

// DCQCN's own goals (Zhu et al., SIGCOMM 2015, section 4): fair, the line in use, the queue held where marking begins to act. Parameters of their 40 Gb/s
// evaluation scaled by ten to 400 Gb/s.
TEST(RoceCongestion, DcqcnIncastIsFairAndHoldsTheQueueBetweenTheThresholds)
{
    Incast incast("dcqcn",
                  "AdditiveIncrease=400Mbps, HyperIncrease=2Gbps, TimeReset=55us, ByteReset=10000000, Threshold=5, AlphaPeriod=55us, "
                  "Gain=0.00390625, RateReducePeriod=50us");
    incast.network.config.nic.Set("CnpInterval", ns3::TimeValue(ns3::MicroSeconds(50)));
    incast.MarkBetween(50000, 2000000, 0.01);
    incast.Run(4, 200000000, 2000000000);
    EXPECT_GT(incast.Fairness(), 0.9);
    EXPECT_GT(incast.utilisation, 0.8); // the start, in which all senders fall far below their share, included
    EXPECT_GT(incast.network.Sum(PORT_ECN_MARKED), 0u);
    EXPECT_GT(incast.MedianQueue(), 20000u);
    EXPECT_LT(incast.MedianQueue(), 2000000u);
}

// Without a control the windows of all senders stand in the queue.
TEST(RoceCongestion, WithoutControlTheQueueIsTheWindows)
{
    Incast incast("none");
    incast.Run(4, 20000000, 200000000);
    EXPECT_GT(incast.utilisation, 0.95);
    EXPECT_GT(incast.MedianQueue(), 3u << 20);
    EXPECT_LT(incast.MedianQueue(), 4u << 20);
}

// HPCC keeps the line at eta = 95 % and the queue near empty (Li et al., SIGCOMM 2019): below a tenth of what windows alone hold.
TEST(RoceCongestion, HpccIncastKeepsTheQueueNearEmpty)
{
    Incast incast("hpcc");
    incast.Run(4, 20000000, 500000000);
    EXPECT_GT(incast.Fairness(), 0.9);
    EXPECT_GT(incast.utilisation, 0.85);
    EXPECT_LT(incast.MedianQueue(), 400000u);
}

TEST(RoceCongestion, SwiftIncastHoldsItsDelay)
{
    Incast incast("swift");
    incast.Run(4, 20000000, 500000000);
    EXPECT_GT(incast.utilisation, 0.8);
    EXPECT_LT(incast.MedianQueue(), 2u << 20);
}

/// Two leaves and spines between them: traffic from one to the other.
void
LeafSpine(Network& network, const std::string& balancer, const std::string& recovery)
{
    network.config.scaleOut.name = "rail-optimized";
    network.config.scaleOut.gpusPerServer = 1;
    network.config.scaleOut.serversPerLeaf = 4;
    network.config.scaleOut.spines = 4;
    network.config.scaleOut.uplinkRate = ns3::DataRate("400Gbps");
    network.config.ethernetSwitch.Set("LoadBalancer", ns3::TypeIdValue(FindAlgorithm(GetLoadBalancers(), balancer).type));
    network.config.nic.Set("Recovery", ns3::StringValue(recovery));
    network.config.nic.Set("ReorderPackets", ns3::UintegerValue(1000000));
}

// Four flows over four spines: whichever way packets take, every byte arrives once, and spraying has no collisions.
TEST(RoceLoadBalancing, EveryBalancerDeliversEverythingOnce)
{
    for (const auto& entry : GetLoadBalancers())
    {
        Network network;
        LeafSpine(network, entry.name, "selective-repeat");
        network.Build(8);
        network.fabric->AssignStreams(3);
        for (uint32_t gpu = 0; gpu < 4; gpu++)
        {
            network.PostAt(0, gpu, 4 + gpu, 4000000);
        }
        network.Run();
        EXPECT_EQ(network.deliveries.size(), 4u) << entry.name;
        EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), 16000000u) << entry.name;
        double seconds = static_cast<double>(network.EndPs()) * 1e-12;
        double alone = 4000000.0 * (4096 + 82) / 4096 * 8 / 400e9;
        EXPECT_GT(seconds, alone) << entry.name;
        if (entry.name == "spray-least-queue" || entry.name == "spray-round-robin")
        {
            EXPECT_LT(seconds, 1.2 * alone + 20e-6) << entry.name;
        }
    }
}

// With go-back-N each packet that overtakes is thrown away with all behind it until the gap is filled; it all arrives nevertheless.
TEST(RoceLoadBalancing, GoBackNSurvivesPacketsThatOvertake)
{
    Network network;
    LeafSpine(network, "spray-random", "go-back-n");
    network.Build(8);
    network.fabric->AssignStreams(3);
    for (uint32_t gpu = 0; gpu < 4; gpu++)
    {
        network.PostAt(0, gpu, 4 + gpu, 400000);
    }
    network.Run();
    EXPECT_EQ(network.GlobalCounter(SUM_BYTES_DELIVERED), 1600000u);
}

} // namespace
