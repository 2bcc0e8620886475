/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: packets are marked by the queue that they meet with RED's probability (DCQCN, SIGCOMM 2015, figure 5).

#include "scale-out-fixture.h"

#include "ns3/boolean.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace
{

using namespace scale_out;

constexpr uint32_t PRIORITY = 3;

/// Of standard deviations: a right program is outside of so many once in 150,000 runs.
constexpr double SIGMAS = 4.5;

/// The formula as the paper has it.
double
Probability(double queue, double kmin, double kmax, double pmax)
{
    return queue <= kmin ? 0 : queue > kmax ? 1 : pmax * (queue - kmin) / (kmax - kmin);
}

/// Whether a count is what so many independent trials with a sum of probabilities may give.
void
ExpectBinomial(uint64_t count, double mean, double variance)
{
    EXPECT_NEAR(static_cast<double>(count), mean, SIGMAS * std::sqrt(variance) + 0.5);
}

TEST(EcnMarker, MarksTheShareOfRedBetweenItsThresholds)
{
    constexpr uint32_t TRIALS = 100000;
    EcnMarker marker;
    marker.Configure(EcnConfig{400, 1600, 0.2, 0}, {1});
    marker.AssignStream(5);
    uint64_t draws = 0;
    for (uint64_t queue : {401, 700, 1000, 1599, 1600})
    {
        uint64_t marks = 0;
        for (uint32_t i = 0; i < TRIALS; i++)
        {
            marks += marker.Decide(0, queue, draws) ? 1 : 0;
        }
        double p = Probability(static_cast<double>(queue), 400, 1600, 0.2);
        SCOPED_TRACE(queue);
        ExpectBinomial(marks, TRIALS * p, TRIALS * p * (1 - p));
    }
    EXPECT_EQ(draws, 5 * TRIALS);
}

TEST(EcnMarker, OutsideItsThresholdsNothingIsDrawn)
{
    EcnMarker marker;
    marker.Configure(EcnConfig{400, 1600, 1, 0}, {1});
    uint64_t draws = 0;
    EXPECT_FALSE(marker.Decide(0, 0, draws));
    EXPECT_FALSE(marker.Decide(0, 400, draws));
    EXPECT_TRUE(marker.Decide(0, 1601, draws));
    EXPECT_TRUE(marker.Decide(0, 1ULL << 40, draws));
    EXPECT_EQ(draws, 0U);
}

TEST(EcnMarker, EqualThresholdsAreAStep)
{
    EcnMarker marker;
    marker.Configure(EcnConfig{400, 400, 0, 0}, {1});
    uint64_t draws = 0;
    EXPECT_FALSE(marker.Decide(0, 400, draws));
    EXPECT_TRUE(marker.Decide(0, 401, draws));
    EXPECT_EQ(draws, 0U);
}

TEST(EcnMarker, ThresholdsAreInProportionToThePortsRate)
{
    // HPCC, section 5.1: Kmin = 100 KB x Bw / 25 Gb/s, Kmax = 400 KB x Bw / 25 Gb/s
    EcnMarker marker;
    marker.Configure(EcnConfig{100000, 400000, 0.2, 25000000000}, {25000000000, 100000000000, 800000000000});
    EXPECT_EQ(marker.GetKmin(0), 100000U);
    EXPECT_EQ(marker.GetKmin(1), 400000U);
    EXPECT_EQ(marker.GetKmax(1), 1600000U);
    EXPECT_EQ(marker.GetKmax(2), 12800000U);
}

TEST(EcnMarker, RefusesThresholdsInTheWrongOrderAndNoProbability)
{
    EcnMarker marker;
    EXPECT_THROW(marker.Configure(EcnConfig{401, 400, 0.1, 0}, {1}), std::invalid_argument);
    EXPECT_THROW(marker.Configure(EcnConfig{1, 400, 1.5, 0}, {1}), std::invalid_argument);
    EXPECT_NO_THROW(marker.Configure(EcnConfig{401, 0, 0.1, 0}, {1}));
    EXPECT_FALSE(marker.IsOn());
}

/// Watches all that a switch sends and receives.
struct Marks
{
    Marks(Network& owner, uint32_t switchPorts, double kminBytes, double kmaxBytes, double atKmax)
        : network(owner),
          kmin(kminBytes),
          kmax(kmaxBytes),
          pmax(atKmax)
    {
        for (uint32_t port = 0; port < switchPorts; port++)
        {
            EthernetDevice& device = network.EthernetPort("leaf0", port);
            device.TraceConnectWithoutContext("UnitRx", ns3::MakeCallback(&Marks::OnArrival, this));
            device.TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&Marks::OnSend, this));
        }
    }

    static bool IsData(const PacketUnit& unit)
    {
        return !(unit.flags & (UNIT_ACK | UNIT_PAUSE));
    }

    /// A unit is about to be queued: port i of the switch leads to GPU i.
    void OnArrival(const PacketUnit& unit)
    {
        if (IsData(unit))
        {
            Note(arriving, network.Switch("leaf0").GetQueuedBytes(unit.destination, PRIORITY), unit.packets);
        }
    }

    void OnSend(const PacketUnit& unit)
    {
        if (IsData(unit))
        {
            Note(leaving, network.Switch("leaf0").GetQueuedBytes(unit.destination, PRIORITY), unit.packets);
            marked += unit.flags & UNIT_ECN_MARKED ? unit.packets : 0;
        }
    }

    /// What one way of deciding should give.
    struct Expected
    {
        double mean = 0;
        double variance = 0;
        uint64_t uncertain = 0; ///< units between the thresholds
        uint64_t most = 0;      ///< longest queue
    };

    void Note(Expected& expected, uint64_t queue, uint32_t packets) const
    {
        double p = Probability(static_cast<double>(queue), kmin, kmax, pmax);
        expected.mean += packets * p;
        expected.variance += packets * packets * p * (1 - p);
        expected.uncertain += p > 0 && p < 1 ? 1 : 0;
        expected.most = std::max(expected.most, queue);
    }

    Network& network;
    double kmin;
    double kmax;
    double pmax;
    Expected arriving;
    Expected leaving;
    uint64_t marked = 0;
};

void
SetEcn(Network& network, uint64_t kmin, uint64_t kmax, double pmax)
{
    network.config.ethernetSwitch.Set("EcnKmin", ns3::UintegerValue(kmin));
    network.config.ethernetSwitch.Set("EcnKmax", ns3::UintegerValue(kmax));
    network.config.ethernetSwitch.Set("EcnPmax", ns3::DoubleValue(pmax));
}

/// GPUs 0 and 1 keep a window each under way to GPU 2, most of it in the queue of port 2.
void
PostHeldQueue(Network& network)
{
    network.PostAt(0, 0, 2, 32 << 20);
    network.PostAt(0, 1, 2, 32 << 20);
}

/// Payload of a burst.
class EcnShare : public testing::TestWithParam<uint64_t>
{
};

TEST_P(EcnShare, IsThatOfTheQueueThatPacketsMeet)
{
    Network network;
    network.config.burstBytes = GetParam();
    SetEcn(network, 100000, 1000000, 0.5);
    network.Build(3);
    network.fabric->AssignStreams(7);
    Marks marks(network, 3, 100000, 1000000, 0.5);
    PostHeldQueue(network);
    network.Run();
    EXPECT_GT(marks.arriving.mean, 1000);
    ExpectBinomial(marks.marked, marks.arriving.mean, marks.arriving.variance);
    EXPECT_EQ(network.fabric->GetContext().randomDraws, marks.arriving.uncertain);
    EXPECT_EQ(network.Sum(PORT_ECN_MARKED), marks.marked);
    uint32_t sums = network.EthernetPort("leaf0", 2).GetSums(0);
    EXPECT_EQ(network.fabric->GetContext().statistics.sums[sums + PORT_ECN_MARKED], marks.marked)
        << "counted at the port with the queue";
}

INSTANTIATE_TEST_SUITE_P(Bursts, EcnShare, testing::Values(0, 16384));

TEST(EcnMarking, AtDequeueIsByTheQueueLeftBehind)
{
    Network network;
    SetEcn(network, 100000, 1000000, 0.5);
    network.config.ethernetSwitch.Set("EcnAtDequeue", ns3::BooleanValue(true));
    network.Build(3);
    network.fabric->AssignStreams(7);
    Marks marks(network, 3, 100000, 1000000, 0.5);
    PostHeldQueue(network);
    network.Run();
    EXPECT_GT(marks.leaving.mean, 1000);
    ExpectBinomial(marks.marked, marks.leaving.mean, marks.leaving.variance);
    EXPECT_EQ(network.fabric->GetContext().randomDraws, marks.leaving.uncertain);
}

TEST(EcnMarking, LongestQueueAtKminIsNeverMarkedAndOneByteBelowItDraws)
{
    Marks::Expected seen;
    for (uint64_t step = 0; step < 3; step++)
    {
        Network network;
        uint64_t kmin = step == 0 ? 1ULL << 30 : seen.most - (step - 1);
        SetEcn(network, kmin, 1ULL << 31, 1.0);
        network.Build(3);
        Marks marks(network, 3, 1, 2, 0);
        PostHeldQueue(network);
        network.Run();
        seen = marks.arriving;
        EXPECT_EQ(network.fabric->GetContext().randomDraws != 0, step == 2) << kmin;
        EXPECT_TRUE(step == 2 || network.Sum(PORT_ECN_MARKED) == 0) << kmin;
    }
}

TEST(EcnMarking, EveryDataPacketAboveKmaxIsMarkedAndNoAcknowledgement)
{
    // all to all: acknowledgements wait at the ports at which data do
    constexpr uint32_t GPUS = 4;
    Network network;
    SetEcn(network, 1, 1, 0);
    network.Build(GPUS);
    Marks marks(network, GPUS, 1, 1, 0);
    for (uint32_t source = 0; source < GPUS; source++)
    {
        for (uint32_t step = 1; step < GPUS; step++)
        {
            network.PostAt(0, source, (source + step) % GPUS, 1 << 20);
        }
    }
    network.Run();
    EXPECT_GT(marks.marked, 1000U);
    EXPECT_EQ(static_cast<double>(marks.marked), marks.arriving.mean);
    EXPECT_EQ(network.Sum(PORT_ECN_MARKED), marks.marked);
    EXPECT_EQ(network.fabric->GetContext().randomDraws, 0U);
}

TEST(EcnMarking, OffByDefault)
{
    Network network;
    network.Build(3);
    PostHeldQueue(network);
    network.Run();
    EXPECT_EQ(network.Sum(PORT_ECN_MARKED), 0U);
    EXPECT_EQ(network.fabric->GetContext().randomDraws, 0U);
}

TEST(EcnMarking, StreamDecidesWhichPacketsAreMarked)
{
    auto run = [](int64_t stream) {
        Network network;
        SetEcn(network, 100000, 1000000, 0.5);
        network.Build(3);
        EXPECT_EQ(network.fabric->AssignStreams(stream), 12 + 1) << "3 host links, 3 Ethernet links, one switch";
        std::vector<bool> marked;
        struct Sink
        {
            std::vector<bool>& to;
            void OnUnit(const PacketUnit& unit)
            {
                to.push_back((unit.flags & UNIT_ECN_MARKED) != 0);
            }
        } sink{marked};
        network.EthernetPort("leaf0", 2).TraceConnectWithoutContext("UnitTx", ns3::MakeCallback(&Sink::OnUnit, &sink));
        PostHeldQueue(network);
        network.Run();
        return marked;
    };
    std::vector<bool> first = run(3);
    EXPECT_EQ(first, run(3));
    EXPECT_NE(first, run(4));
}

TEST(ScaleOutInput, EcnThresholdsInTheWrongOrderAreRefused)
{
    Network network;
    SetEcn(network, 2000, 1000, 0.1);
    EXPECT_THROW(network.Build(2), std::invalid_argument);
    network.fabric = nullptr;
}

} // namespace
