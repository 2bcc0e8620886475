/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: whatever a domain looks like and whatever its GPUs do, everything arrives, nothing is left, nothing is faster than its bound, and the order in which
// simultaneous records are made decides nothing. Method: random domains at the edges of what attributes take, random writes, reads, multicasts and sums.

#include "sim/group-fixture.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <random>
#include <sstream>

namespace
{

using namespace group_test;

/// Random choices from a seed.
class Dice
{
  public:
    explicit Dice(uint64_t seed)
        : m_random(seed)
    {
    }

    /// One of 0 .. n - 1.
    uint64_t Below(uint64_t n)
    {
        return m_random() % n;
    }

    template <typename T>
    T Of(std::initializer_list<T> values)
    {
        return *(values.begin() + Below(values.size()));
    }

  private:
    std::mt19937_64 m_random;
};

/// A random domain. Its text names the seed's choices.
class RandomDomain : public GroupDomain
{
  public:
    RandomDomain(uint64_t seed, uint64_t shuffleSeed)
        : GroupDomain(1, 1),
          m_dice(seed)
    {
        config.kernel.Set("ShuffleSeed", ns3::UintegerValue(shuffleSeed));
        ChooseTopology();
        ChooseLinks();
        ChooseElements();
        Build(m_gpus);
        fabric->AssignStreams(static_cast<int64_t>(seed));
        uint64_t postings = 1 + m_dice.Below(16);
        m_members.resize(postings);
        for (uint64_t i = 0; i < postings; i++)
        {
            ChoosePosting(m_members[i]);
        }
    }

    std::string GetText() const
    {
        return m_text.str();
    }

  private:
    void ChooseTopology()
    {
        auto& scaleUp = config.scaleUp;
        scaleUp.name = m_dice.Of({"single-tier", "two-tier", "mesh"});
        m_gpus = static_cast<uint32_t>(2 + m_dice.Below(5));
        m_leaf = m_gpus;
        scaleUp.planes = static_cast<uint32_t>(1 + m_dice.Below(3));
        scaleUp.linksPerPlane = static_cast<uint32_t>(1 + m_dice.Below(3));
        if (scaleUp.name == "two-tier")
        {
            m_gpus = 4 + 2 * static_cast<uint32_t>(m_dice.Below(2));
            m_leaf = scaleUp.leafSize = 2;
            scaleUp.spines = static_cast<uint32_t>(1 + m_dice.Below(2));
            scaleUp.trunks = static_cast<uint32_t>(1 + m_dice.Below(2));
            scaleUp.trunkRate = ns3::DataRate(m_dice.Of({"200Gbps", "400Gbps", "900Gbps"}));
            config.nvswitch.Set("PathChoice", ns3::StringValue(m_dice.Of({"round-robin", "least-queued", "hash"})));
        }
        if (scaleUp.name == "mesh")
        {
            scaleUp.planes = 0;
            scaleUp.linksPerPeer = static_cast<uint32_t>(1 + m_dice.Below(3));
        }
        scaleUp.linkDelay = ns3::NanoSeconds(m_dice.Of({0, 100}));
        config.nvswitchDelay = ns3::NanoSeconds(m_dice.Of({0, 200}));
        config.burstBytes = m_dice.Of<uint64_t>({0, 1000, 65536});
        m_text << scaleUp.name << " of " << m_gpus << ", planes " << scaleUp.planes << " x " << scaleUp.linksPerPlane << ", burst "
               << config.burstBytes << ", link delay " << scaleUp.linkDelay.GetNanoSeconds() << " ns, switch delay "
               << config.nvswitchDelay.GetNanoSeconds() << " ns";
    }

    void ChooseLinks()
    {
        uint64_t headerFlits = 1 + m_dice.Below(2);
        uint64_t packet = PAYLOAD + headerFlits * 16;
        uint64_t window = m_dice.Of<uint64_t>({packet, 3 * packet + 7, 1 << 20});
        double errors = m_dice.Of({0.0, 0.0, 1e-6, 1e-4});
        uint64_t perAck = m_dice.Of<uint64_t>({0, 1, 8});
        config.nvlink.Set("HeaderFlits", ns3::UintegerValue(headerFlits));
        config.nvlink.Set("RequestFlits", ns3::UintegerValue(1 + m_dice.Below(3)));
        config.nvlink.Set("CreditWindow", ns3::UintegerValue(window));
        config.nvlink.Set("CreditDelay", ns3::TimeValue(ns3::NanoSeconds(m_dice.Of({0, 50}))));
        config.nvlink.Set("PacketsPerAck", ns3::UintegerValue(perAck));
        config.nvlink.Set("BitErrorRate", ns3::DoubleValue(errors));
        m_text << ", header flits " << headerFlits << ", window " << window << ", bit errors " << errors << ", packets per ack " << perAck;
    }

    void ChooseElements()
    {
        uint64_t window = m_dice.Of<uint64_t>({0, 1, 300, 5000, 1 << 20});
        uint64_t table = m_dice.Of<uint64_t>({PAYLOAD, 3 * PAYLOAD + 1, 1 << 20});
        config.gpu.Set("ReadWindow", ns3::UintegerValue(window));
        config.gpu.Set("ReadLatency", ns3::TimeValue(ns3::NanoSeconds(m_dice.Of({0, 300}))));
        config.nvswitch.Set("ReductionTableSize", ns3::UintegerValue(table));
        config.nvswitch.Set("ReductionDelay", ns3::TimeValue(ns3::NanoSeconds(m_dice.Of({0, 50}))));
        config.nvswitch.Set("ReductionRate", ns3::DataRateValue(ns3::DataRate(m_dice.Of({"0bps", "300Gbps"}))));
        config.nvswitch.Set("GroupUnitSize", ns3::UintegerValue(m_dice.Of<uint64_t>({1, 4096})));
        config.nvswitch.Set("KeepPointers", ns3::BooleanValue(m_dice.Below(2) != 0));
        m_text << ", read window " << window << ", table " << table << '\n';
    }

    /// Two or more GPUs below one leaf, one of them to issue the posting.
    void ChooseGroup(Posting& posting, std::vector<uint32_t>& members)
    {
        uint32_t first = posting.issuer / m_leaf * m_leaf;
        for (uint32_t gpu = first; gpu < first + m_leaf; gpu++)
        {
            if (gpu == posting.issuer || m_leaf == 2 || m_dice.Below(2) != 0)
            {
                members.push_back(gpu);
            }
        }
        if (members.size() < 2)
        {
            members = {first, first + 1};
            posting.issuer = first + static_cast<uint32_t>(m_dice.Below(2));
        }
        posting.group = &members;
    }

    void ChoosePosting(std::vector<uint32_t>& members)
    {
        Posting posting;
        bool switches = config.scaleUp.name != "mesh";
        posting.kind = static_cast<MessageKind>(m_dice.Below(switches ? 4 : 2));
        posting.issuer = static_cast<uint32_t>(m_dice.Below(m_gpus));
        posting.peer = static_cast<uint32_t>((posting.issuer + 1 + m_dice.Below(m_gpus - 1)) % m_gpus);
        posting.bytes = m_dice.Below(m_dice.Of({2, 300, 5000, 40000}));
        posting.copyRate = m_dice.Of<uint64_t>({0, 0, 5000000000, 70000000001});
        posting.packetPayload = m_dice.Of<uint32_t>({0, 0, 128, 100, 16, 4096});
        if (posting.kind == MessageKind::MULTICAST || posting.kind == MessageKind::REDUCE)
        {
            ChooseGroup(posting, members);
        }
        auto ps = static_cast<int64_t>(m_dice.Below(2) * m_dice.Below(3000000));
        m_text << "at " << ps << " ps kind " << static_cast<int>(posting.kind) << " by " << posting.issuer << " peer " << posting.peer << ": "
               << posting.bytes << " B, copy rate " << posting.copyRate << ", packets of " << posting.packetPayload << ", group of "
               << members.size() << '\n';
        PostAt(ps, posting);
    }

    Dice m_dice;
    uint32_t m_gpus = 0;
    uint32_t m_leaf = 0;
    std::vector<std::vector<uint32_t>> m_members; ///< by posting
    std::ostringstream m_text;
};

/// What a run leaves behind.
struct Leftovers
{
    std::vector<Delivery> deliveries;
    std::vector<int64_t> completePs;
    std::vector<uint64_t> sums;
    std::vector<uint64_t> maxima;
};

/// Runs a random domain. Its fixture checks bytes, messages, credits, queues and bounds.
Leftovers
RunRandom(uint64_t seed, uint64_t shuffleSeed)
{
    RandomDomain domain(seed, shuffleSeed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + domain.GetText());
    domain.Run();
    EXPECT_TRUE(domain.fabric->GetKernel().IsQuiescent());
    const auto& statistics = domain.fabric->GetContext().statistics;
    return Leftovers{domain.deliveries, domain.completePs, statistics.sums, statistics.maxima};
}

/// Which ten seeds.
class FabricProperty : public testing::TestWithParam<uint64_t>
{
};

TEST_P(FabricProperty, AllArrivesWhateverTheOrderOfSimultaneousRecords)
{
    for (uint64_t seed = 10 * GetParam(); seed < 10 * GetParam() + 10; seed++)
    {
        Leftovers first = RunRandom(seed, 0);
        Leftovers shuffled = RunRandom(seed, 1 + seed);
        EXPECT_EQ(first.deliveries, shuffled.deliveries) << seed;
        EXPECT_EQ(first.completePs, shuffled.completePs) << seed;
        EXPECT_EQ(first.sums, shuffled.sums) << seed;
        EXPECT_EQ(first.maxima, shuffled.maxima) << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(TenSeeds, FabricProperty, testing::Range<uint64_t>(0, 30));

} // namespace
