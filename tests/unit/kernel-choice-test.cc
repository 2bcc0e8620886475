/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: a library chooses the kernel that its conditions and its own cost model say, and the kernel's values are those
// of the operations. Method: costs by hand from NCCL's tuner (launch + steps x latency + bytes / rate), choices on both
// sides of each border, lowerings looked at.

#include "study-scenario.h"
#include "traffic-gen/collective-table.h"
#include "traffic-gen/kernel-choice.h"
#include "traffic-gen/schedule-builder.h"
#include "traffic-gen/workload-kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hbd::traffic;
using namespace hbd::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace
{

constexpr uint64_t kKib = 1024;
constexpr uint64_t kMib = 1024 * kKib;

class KernelChoice : public testing::Test
{
  protected:
    KernelChoice()
        : m_scenario(NetworkScenario(64, 8))
    {
        m_library.preset = "mine";
        m_library.choice = "first";
        m_library.launch = Duration::FromMicroseconds(1);
        // 450 GB/s each way; packets of 16 flits of payload and 2 of header: 400 GB/s of payload.
        m_scenario.cluster.hbd.linkRate = BitRate::FromBytesPerSecond(900000000000);
        m_scenario.cluster.hbd.headerFlits = 2;
    }

    KernelSpec& Add(const char* operation, const char* algorithm, const char* protocol = "none")
    {
        m_library.kernels.push_back(DefaultKernel(m_library, operation, algorithm));
        m_library.kernels.back().protocol = protocol;
        return m_library.kernels.back();
    }

    /// A collective over the first ranks.
    KernelQuery Query(const char* operation, uint32_t ranks, uint64_t size) const
    {
        CollectiveWorkload workload;
        workload.collective = operation;
        workload.algorithm = "auto";
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            workload.ranks.push_back(rank);
        }
        return QueryOf(workload, m_scenario.cluster, Bytes::FromBytes(size));
    }

    std::string Choose(const KernelQuery& query) const
    {
        return KernelName(ChooseKernel(query, m_library, m_scenario.cluster));
    }

    std::string Choose(const char* operation, uint32_t ranks, uint64_t size) const
    {
        return Choose(Query(operation, ranks, size));
    }

    std::string Error(const KernelQuery& query) const
    {
        try
        {
            return "chosen: " + Choose(query);
        }
        catch (const KernelError& error)
        {
            return error.what();
        }
    }

    Duration Estimate(const KernelSpec& kernel, const KernelQuery& query) const
    {
        const CollectiveEntry* entry = FindCollective(OpOfKernels(kernel.operation), kernel.algorithm);
        return EstimateKernel(kernel, entry->cost(entry->op, query.spreads.at(0)), query.size, m_scenario.cluster);
    }

    /// NCCL's constants for rings over NVLink on Hopper (src/graph/tuning.cc at 5067397).
    void AddNcclRings(const char* operation)
    {
        KernelSpec& ll = Add(operation, "ring", "ll");
        ll.launch = Duration::FromNanoseconds(6600);
        ll.scaleUpStep = Duration::FromNanoseconds(600);
        ll.wire = {2, 1};
        ll.copyRate = ByteRate::FromBytesPerSecond(282e9); // 141 GB/s of data
        KernelSpec& ll128 = Add(operation, "ring", "ll128");
        ll128.launch = Duration::FromMicroseconds(14);
        ll128.scaleUpStep = Duration::FromNanoseconds(1900);
        ll128.wire = {16, 15};
        KernelSpec& simple = Add(operation, "ring", "simple");
        simple.launch = Duration::FromNanoseconds(8400);
        simple.scaleUpStep = Duration::FromNanoseconds(3400);
    }

    Scenario m_scenario;
    LibrarySpec m_library;
};

// ---- What the library thinks it costs ----

TEST_F(KernelChoice, CostsOfRingsAreThoseOfNcclsTuner)
{
    AddNcclRings("all-reduce");
    const auto none = Query("all-reduce", 8, 0);
    EXPECT_EQ(Estimate(m_library.kernels[0], none), Duration::FromNanoseconds(6600 + 14 * 600));
    EXPECT_EQ(Estimate(m_library.kernels[1], none), Duration::FromNanoseconds(14000 + 14 * 1900));
    EXPECT_EQ(Estimate(m_library.kernels[2], none), Duration::FromNanoseconds(8400 + 14 * 3400));
    // 8 MB: each GPU sends 2 x 7/8 of it, twice with LL at 282 GB/s, 16/15 times with LL128 and once with Simple at
    // 400.
    const auto large = Query("all-reduce", 8, 8000000);
    const auto us = [&](int kernel) { return Estimate(m_library.kernels[kernel], large).Seconds() * 1e6; };
    EXPECT_NEAR(us(0), 15.0 + 14e6 * 2 / 282e9 * 1e6, 1e-6);
    EXPECT_NEAR(us(1), 40.6 + 14e6 * 16 / 15 / 400e9 * 1e6, 1e-6);
    EXPECT_NEAR(us(2), 56.0 + 14e6 / 400e9 * 1e6, 1e-6);
    // All-gather: half of the steps and bytes.
    m_library.kernels.clear();
    AddNcclRings("all-gather");
    EXPECT_NEAR(Estimate(m_library.kernels[0], Query("all-gather", 8, 8000000)).Seconds() * 1e6,
                6.6 + 7 * 0.6 + 7e6 * 2 / 282e9 * 1e6,
                1e-6);
}

TEST_F(KernelChoice, CostsAcrossDomainsAreThoseOfTheSlowestPart)
{
    KernelSpec ring = DefaultKernel(m_library, "all-reduce", "ring");
    ring.scaleUpStep = Duration::FromMicroseconds(1);
    ring.scaleOutStep = Duration::FromMicroseconds(10);
    // 16 ranks in 2 domains of 8: 30 steps, 2 of them across (NCCL: 2 (nodes - 1)); 8 rings, so each NIC carries 1/8.
    const auto query = Query("all-reduce", 16, 16000000);
    const double seconds = 1e-6 + 28e-6 + 20e-6 + std::max(30e6 / 400e9, 30e6 / 8 / 50e9);
    EXPECT_NEAR(Estimate(ring, query).Seconds(), seconds, 1e-12);
    KernelSpec hierarchical = ring;
    hierarchical.algorithm = "hierarchical";
    // Inside 2 x 7/8 of the payload, across 2 x 1/16 of it.
    EXPECT_NEAR(Estimate(hierarchical, query).Seconds(),
                1e-6 + 2e-6 + 20e-6 + std::max(28e6 / 400e9, 2e6 / 50e9),
                1e-12);
}

TEST_F(KernelChoice, CostsKnowPacketsCopyRatesStagingAndMinimum)
{
    KernelSpec kernel = DefaultKernel(m_library, "all-to-all", "direct");
    kernel.launch = Duration();
    const auto query = Query("all-to-all", 8, 8000000); // 7 MB leave
    EXPECT_NEAR(Estimate(kernel, query).Seconds(), 7e6 / 400e9, 1e-12);
    kernel.packetPayload = Bytes::FromBytes(128); // 8 flits and 2 of header
    EXPECT_NEAR(Estimate(kernel, query).Seconds(), 7e6 / 360e9, 1e-12);
    kernel.copyRate = ByteRate::FromBytesPerSecond(100e9);
    EXPECT_NEAR(Estimate(kernel, query).Seconds(), 7e6 / 100e9, 1e-12);
    kernel.minimum = Duration::FromMicroseconds(71);
    EXPECT_EQ(Estimate(kernel, query), Duration::FromMicroseconds(71));
    KernelSpec nvls = DefaultKernel(m_library, "all-reduce", "nvls");
    nvls.launch = Duration();
    nvls.stagingRate = ByteRate::FromBytesPerSecond(100e9); // slower than (1 + 1/8) of the payload over the links
    nvls.chunk = Bytes::FromBytes(125000); // of each of 8: 1 MB at once
    // The first chunk alone: in, sum, multicast, out. Then a chunk each time the copies have done one.
    EXPECT_NEAR(Estimate(nvls, Query("all-reduce", 8, 1000000)).Seconds(), 2e6 / 100e9 + 2e6 / 400e9, 1e-12);
    EXPECT_NEAR(Estimate(nvls, Query("all-reduce", 8, 8000000)).Seconds(), 16e6 / 100e9 + 2e6 / 400e9, 1e-12);
    nvls.stagingRate = ByteRate();
    EXPECT_NEAR(Estimate(nvls, Query("all-reduce", 8, 8000000)).Seconds(), (2e6 + 7e6 * 1.125) / 400e9, 1e-12);
    nvls.efficiency = 0.75; // of chunks that overlap
    EXPECT_NEAR(Estimate(nvls, Query("all-reduce", 8, 8000000)).Seconds(), (2e6 + 7e6 * 1.125 / 0.75) / 400e9, 1e-12);
    nvls.efficiency = 1;
    nvls.operation = "all-gather";
    EXPECT_NEAR(Estimate(nvls, Query("all-gather", 8, 8000000)).Seconds(), 8e6 / 400e9, 1e-12) << "one stage";
}

TEST_F(KernelChoice, ARatePerPeerIsThatOfAllPeersTogether)
{
    KernelSpec kernel = DefaultKernel(m_library, "all-to-all", "direct");
    kernel.launch = Duration();
    kernel.copyRatePerPeer = ByteRate::FromBytesPerSecond(10e9);
    EXPECT_NEAR(Estimate(kernel, Query("all-to-all", 8, 8000000)).Seconds(), 7e6 / 70e9, 1e-12);
    EXPECT_NEAR(Estimate(kernel, Query("all-to-all", 2, 8000000)).Seconds(), 4e6 / 10e9, 1e-12);
    kernel.copyRate = ByteRate::FromBytesPerSecond(50e9); // of a GPU
    EXPECT_NEAR(Estimate(kernel, Query("all-to-all", 8, 8000000)).Seconds(), 7e6 / 50e9, 1e-12);
    // What operations get is what the estimate takes.
    const ClusterShape shape(64, 8, 8);
    for (const auto& [ranks, rate] : {std::pair<uint32_t, uint64_t>{3, 20000000000}, {8, 50000000000}})
    {
        CollectiveRequest request;
        request.op = CollectiveOp::AllToAll;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            request.ranks.push_back(rank);
        }
        request.pairBytes.assign(ranks * ranks, 1000);
        const CollectiveEntry* entry = FindCollective(CollectiveOp::AllToAll, "direct");
        EXPECT_EQ(entry->lower(request, {shape, kernel}).transport.copyRate, rate);
    }
}

// ---- Which one it takes ----

TEST_F(KernelChoice, CheapestCrossesOverWhereTheCostsDo)
{
    m_library.choice = "cheapest";
    AddNcclRings("all-reduce");
    // LL and LL128 cost the same where 15.0 + 3.5 x / 282e3 = 40.6 + 28/15 x / 400e3 (us, x in bytes), LL128 and Simple
    // where 40.6 + 28/15 x / 400e3 = 56 + 1.75 x / 400e3.
    const double first = 25.6 / (3.5 / 282e3 - 28.0 / 15 / 400e3);
    const double second = 15.4 / ((28.0 / 15 - 1.75) / 400e3);
    EXPECT_EQ(Choose("all-reduce", 8, 8), "ring/ll");
    EXPECT_EQ(Choose("all-reduce", 8, static_cast<uint64_t>(first) - 1000), "ring/ll");
    EXPECT_EQ(Choose("all-reduce", 8, static_cast<uint64_t>(first) + 1000), "ring/ll128");
    EXPECT_EQ(Choose("all-reduce", 8, static_cast<uint64_t>(second) - 1000), "ring/ll128");
    EXPECT_EQ(Choose("all-reduce", 8, static_cast<uint64_t>(second) + 1000), "ring/simple");
}

TEST_F(KernelChoice, FirstTakesTheFirstAndOfEqualCostsTheEarlierIsTaken)
{
    Add("all-reduce", "ring").launch = Duration::FromMicroseconds(9);
    Add("all-reduce", "two-shot", "a");
    Add("all-reduce", "two-shot", "b");
    EXPECT_EQ(Choose("all-reduce", 8, kKib), "ring");
    m_library.choice = "cheapest";
    EXPECT_EQ(Choose("all-reduce", 8, kKib), "two-shot/a");
    std::swap(m_library.kernels[1], m_library.kernels[2]);
    EXPECT_EQ(Choose("all-reduce", 8, kKib), "two-shot/b");
}

TEST_F(KernelChoice, SizesAndBlocksEndBelowTheirLimit)
{
    Add("all-reduce", "one-shot").until = Bytes::FromKib(64);
    Add("all-reduce", "two-shot").blockUntil = Bytes::FromKib(16);
    KernelSpec& tree = Add("all-reduce", "tree");
    tree.from = Bytes::FromKib(128);
    tree.until = Bytes::FromMib(1);
    Add("all-reduce", "ring").blockFrom = Bytes::FromKib(128);
    EXPECT_EQ(Choose("all-reduce", 8, 64 * kKib - 1), "one-shot");
    EXPECT_EQ(Choose("all-reduce", 8, 64 * kKib), "two-shot");
    EXPECT_EQ(Choose("all-reduce", 8, 8 * (16 * kKib - 1)), "two-shot");
    EXPECT_EQ(Choose("all-reduce", 8, 8 * (16 * kKib - 1) + 8), "tree") << "128 KiB, blocks of 16 KiB";
    EXPECT_EQ(Choose("all-reduce", 8, kMib - 1), "tree")
        << "the largest block is 128 KiB, but that is later in the list";
    EXPECT_EQ(Choose("all-reduce", 8, kMib), "ring");
}

TEST_F(KernelChoice, NcclsPointToPointThresholdIsOfAPair)
{
    Add("all-to-all", "direct", "ll").blockUntil = Bytes::FromBytes(16385);
    Add("all-to-all", "direct", "simple");
    EXPECT_EQ(Choose("all-to-all", 8, 8 * 16384), "direct/ll");
    EXPECT_EQ(Choose("all-to-all", 8, 8 * 16384 + 1), "direct/simple");
    EXPECT_EQ(Choose("all-to-all", 4, 4 * 16384), "direct/ll");
    EXPECT_EQ(Choose("all-to-all", 4, 8 * 16384), "direct/simple");
    // Of uneven blocks the largest counts, a rank's own not.
    CollectiveRequest request;
    request.op = CollectiveOp::AllToAll;
    request.ranks = {0, 1};
    request.pairBytes = {1000000, 16384, 5, 1000000};
    KernelQuery query;
    query.operation = "all-to-all";
    query.Add(request, ClusterShape(64, 8, 8));
    EXPECT_EQ(query.largestBlock, 16384u);
    EXPECT_EQ(Choose(query), "direct/ll");
}

TEST_F(KernelChoice, RanksPlacementAndSwitchesDecide)
{
    Add("all-reduce", "one-shot").maxRanks = 2;
    KernelSpec& nvls = Add("all-reduce", "nvls");
    nvls.minRanks = 3;
    nvls.placement = "one-domain";
    nvls.needsSwitches = true;
    Add("all-reduce", "hierarchical").placement = "several-domains";
    Add("all-reduce", "ring");
    EXPECT_EQ(Choose("all-reduce", 2, kMib), "one-shot");
    EXPECT_EQ(Choose("all-reduce", 3, kMib), "nvls");
    EXPECT_EQ(Choose("all-reduce", 8, kMib), "nvls");
    EXPECT_EQ(Choose("all-reduce", 9, kMib), "hierarchical");
    m_scenario.cluster.hbd.topology = "mesh";
    m_scenario.cluster.hbd.planes = 0;
    EXPECT_EQ(Choose("all-reduce", 8, kMib), "ring");
}

TEST_F(KernelChoice, AFallbackIsTakenOnlyWhereNothingElseFits)
{
    m_library.choice = "cheapest";
    Add("all-reduce", "one-shot").fallback = true; // the cheapest, and the first
    KernelSpec& twoShot = Add("all-reduce", "two-shot");
    twoShot.launch = Duration::FromMicroseconds(50);
    twoShot.fallback = true;
    KernelSpec& nvls = Add("all-reduce", "nvls");
    nvls.launch = Duration::FromMicroseconds(99);
    nvls.from = Bytes::FromKib(2);
    EXPECT_EQ(Choose("all-reduce", 8, 2 * kKib), "nvls");
    EXPECT_EQ(Choose("all-reduce", 8, 2 * kKib - 1), "one-shot");
    m_library.kernels[0].maxRanks = 4;
    EXPECT_EQ(Choose("all-reduce", 8, 2 * kKib - 1), "two-shot");
    KernelQuery named = Query("all-reduce", 8, 2 * kKib);
    named.algorithm = "two-shot";
    EXPECT_EQ(Choose(named), "two-shot");
}

TEST_F(KernelChoice, AllGroupsOfACollectiveUseTheSame)
{
    Add("all-gather", "direct").placement = "one-domain";
    Add("all-gather", "ring");
    const ClusterShape shape(64, 8, 8);
    CollectiveRequest inside;
    inside.op = CollectiveOp::AllGather;
    inside.ranks = {0, 1};
    inside.blockBytes = {10, 20};
    CollectiveRequest across = inside;
    across.ranks = {2, 10};
    across.blockBytes = {30, 5};
    KernelQuery query;
    query.operation = "all-gather";
    query.Add(inside, shape);
    EXPECT_EQ(Choose(query), "direct");
    query.Add(across, shape);
    EXPECT_EQ(Choose(query), "ring");
    EXPECT_EQ(query.size, 35u);
    EXPECT_EQ(query.largestBlock, 30u);
    EXPECT_EQ(query.spreads.size(), 2u);
}

TEST_F(KernelChoice, ExchangesOfExpertsFallBackToAllToAlls)
{
    Add("all-to-all", "direct");
    EXPECT_EQ(Choose("dispatch", 8, kMib), "direct");
    EXPECT_EQ(Choose("combine", 8, kMib), "direct");
    Add("combine", "one-sided-read");
    EXPECT_EQ(Choose("dispatch", 8, kMib), "direct");
    EXPECT_EQ(Choose("combine", 8, kMib), "one-sided-read");
    EXPECT_EQ(Choose("all-to-all", 8, kMib), "direct");
}

TEST_F(KernelChoice, ANamedAlgorithmIsTakenWhateverTheSize)
{
    KernelSpec& ll = Add("all-reduce", "ring", "ll");
    ll.until = Bytes::FromKib(64);
    ll.launch = Duration::FromMicroseconds(5);
    KernelSpec& simple = Add("all-reduce", "ring", "simple");
    simple.from = Bytes::FromKib(64);
    simple.until = Bytes::FromMib(1);
    Add("all-reduce", "nvls");
    KernelQuery query = Query("all-reduce", 8, kKib);
    query.algorithm = "ring";
    EXPECT_EQ(Choose(query), "ring/ll");
    query.size = 64 * kKib;
    EXPECT_EQ(Choose(query), "ring/simple");
    query.size = 16 * kMib;
    EXPECT_EQ(Choose(query), "ring/simple") << "neither is for it; the cheaper";
    query.protocol = "ll";
    EXPECT_EQ(Choose(query), "ring/ll");
    query.algorithm = "auto";
    EXPECT_EQ(Choose(query), "ring/ll");
    query.protocol = "auto";
    query.algorithm = "tree";
    const KernelSpec other = ChooseKernel(query, m_library, m_scenario.cluster);
    EXPECT_EQ(KernelName(other), "tree");
    EXPECT_EQ(other.launch, m_library.launch);
}

TEST_F(KernelChoice, SaysWhatWasAskedAndWhyEachKernelWasLeftOut)
{
    Add("all-reduce", "ring", "ll").until = Bytes::FromKib(64);
    Add("all-reduce", "two-shot").placement = "several-domains";
    Add("all-reduce", "nvls").minRanks = 9;
    Add("all-reduce", "one-shot").maxRanks = 2;
    Add("all-reduce", "tree").blockFrom = Bytes::FromMib(1);
    Add("all-gather", "ring");
    EXPECT_THAT(
        Error(Query("all-reduce", 8, kMib)),
        AllOf(HasSubstr("all-reduce of 1MiB (largest block 128KiB) over 8 ranks in 1 domain: the library mine has no "
                        "kernel that fits: "),
              HasSubstr("ring/ll takes size 0B to below 64KiB"),
              HasSubstr("two-shot takes placement several-domains"),
              HasSubstr("nvls takes at least 9 ranks"),
              HasSubstr("one-shot takes at most 2 ranks"),
              HasSubstr("tree takes largest block from 1MiB"),
              Not(HasSubstr("all-gather"))));
    EXPECT_THAT(Error(Query("broadcast", 16, kMib)),
                HasSubstr("16 ranks in 2 domains: the library mine has no kernel for it"));
    KernelQuery named = Query("all-reduce", 8, kMib);
    named.protocol = "ll129";
    EXPECT_THAT(Error(named), AllOf(HasSubstr("protocol ll129"), HasSubstr("ring/ll not what was named")));
}

TEST_F(KernelChoice, AScenarioIsAskedForAllItsCollectives)
{
    m_scenario.library = m_library;
    m_scenario.workload.collective =
        CollectiveWorkload{"all-reduce", "auto", {}, {Bytes::FromKib(1), Bytes::FromMib(1)}};
    m_scenario.library.kernels = {DefaultKernel(m_library, "all-reduce", "ring")};
    EXPECT_EQ(KernelProblem(m_scenario), std::nullopt);
    m_scenario.library.kernels[0].until = Bytes::FromMib(1);
    EXPECT_THAT(KernelProblem(m_scenario).value_or(""), HasSubstr("all-reduce of 1MiB"));
    Scenario study = StudyScenario();
    EXPECT_EQ(KernelProblem(study), std::nullopt);
    study.library.kernels.pop_back(); // all-to-alls
    EXPECT_THAT(KernelProblem(study).value_or(""), HasSubstr("dispatch of"));
}

TEST_F(KernelChoice, CountsTheGroupsThatSwitchesServe)
{
    m_scenario.library = m_library;
    m_scenario.cluster.gpus = 16;
    m_scenario.cluster.hbd.size = 8;
    m_scenario.library.kernels = {DefaultKernel(m_library, "all-reduce", "nvls"), DefaultKernel(m_library, "all-reduce", "ring")};
    CollectiveWorkload workload{"all-reduce", "ring", {}, {Bytes::FromKib(1), Bytes::FromMib(1)}};
    const auto count = [&](const std::string& algorithm, const std::vector<uint32_t>& ranks) {
        workload.algorithm = algorithm;
        workload.ranks = ranks;
        m_scenario.workload.collective = workload;
        return CountSwitchGroups(m_scenario);
    };
    EXPECT_EQ(count("ring", {}), 0U);
    EXPECT_EQ(count("nvls", {}), 1U);         // one in each domain, the same for both sizes
    EXPECT_EQ(count("nvls", {3, 1, 9}), 1U);  // one GPU alone needs none
    EXPECT_EQ(count("nvls", {0, 8}), 0U);
    Scenario model = SmallScenario(16, 8, 0);
    model.mapping = {4, 4, 1, 1, 1};
    model.library.kernels.clear();
    for (const char* operation : {"all-reduce", "all-gather", "reduce-scatter"})
    {
        model.library.kernels.push_back(DefaultKernel(model.library, operation, "nvls"));
    }
    for (const char* operation : {"broadcast", "all-to-all"})
    {
        model.library.kernels.push_back(DefaultKernel(model.library, operation, "direct"));
    }
    EXPECT_EQ(CountSwitchGroups(model), 2U); // groups of four in a domain of eight
}

// ---- What becomes of it ----

TEST_F(KernelChoice, OperationsHaveTheKernelsValues)
{
    KernelSpec& kernel = Add("all-reduce", "ring", "ll128");
    kernel.launch = Duration::FromMicroseconds(7);
    kernel.scaleUpStep = Duration::FromMicroseconds(2);
    kernel.wire = {16, 15};
    kernel.copyRate = ByteRate::FromBytesPerSecond(320e9);
    kernel.packetPayload = Bytes::FromBytes(128);
    m_scenario.library = m_library;
    m_scenario.workload.collective = CollectiveWorkload{"all-reduce", "auto", {0, 1}, {Bytes::FromBytes(2 * 1001)}};
    const auto schedule = BuildSchedule(m_scenario);
    EXPECT_EQ(schedule->Collectives()[0].algorithm, "ring");
    EXPECT_EQ(schedule->Collectives()[0].protocol, "ll128");
    EXPECT_EQ(schedule->Collectives()[0].sizeBytes, 2002u) << "of data, not of what is written";
    Instance instance;
    ASSERT_TRUE(schedule->Next(0, instance));
    std::vector<int64_t> delays;
    for (const auto& op : instance.block->ops)
    {
        if (op.kind == OpKind::Send || op.kind == OpKind::Receive)
        {
            EXPECT_EQ(op.bytes, 1068u) << "1001 x 16 / 15, rounded up";
        }
        if (op.kind == OpKind::Send)
        {
            EXPECT_EQ(op.copyRate, 320000000000u);
            EXPECT_EQ(op.packetPayload, 128u);
            delays.push_back(op.delayPs);
        }
    }
    EXPECT_EQ(delays, (std::vector<int64_t>{9000000, 2000000}));
}

TEST_F(KernelChoice, EveryMemberWaitsForTheMinimum)
{
    KernelSpec& kernel = Add("all-to-all", "direct");
    kernel.minimum = Duration::FromMicroseconds(97);
    m_scenario.library = m_library;
    m_scenario.workload.collective = CollectiveWorkload{"all-to-all", "auto", {0, 1, 2}, {Bytes::FromKib(3)}};
    const auto schedule = BuildSchedule(m_scenario);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        Instance instance;
        ASSERT_TRUE(schedule->Next(rank, instance));
        const auto& ops = instance.block->ops;
        const auto least = std::find_if(ops.begin(), ops.end(), [](const Op& op) { return op.kind == OpKind::Delay; });
        ASSERT_NE(least, ops.end());
        EXPECT_EQ(least->delayPs, 97000000);
        EXPECT_EQ(least->dependencyCount, 0u) << "beside what moves data";
    }
}

} // namespace
