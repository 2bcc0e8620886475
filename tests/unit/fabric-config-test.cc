/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runner/fabric-check.h"
#include "runner/fabric-config.h"
#include "scenario-fixture.h"
#include "traffic-gen/operation-bound.h"
#include "traffic-gen/scenario-schema.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <chrono>

// Goal: whatever the schema accepts, the devices accept; what they cannot do together is told before anything runs.
// Method: the least and the most of every range of the fabric's keys, set on the real types; the attributes' own ranges
// compared with the schema's; scenarios whose buffers are too small or whose traffic is too large.

namespace hbd::runner
{

namespace
{

using testing::HasSubstr;
using traffic::Scenario;

class FabricConfigTest : public traffic::ScenarioTest
{
  protected:
    Scenario TwoDomains(const std::vector<std::string>& sets = {}) const
    {
        return Good(traffic::kNetworkOnly, sets).points[0];
    }

    /// What is wrong with the fabric of a scenario that can be read.
    std::vector<traffic::Problem> FabricProblems(const std::string& text) const
    {
        std::vector<traffic::Problem> problems;
        AddFabricProblems(Good(text), problems);
        return problems;
    }
};

/// Creates one of each device with the attributes of a configuration.
void
CreateDevices(const ns3::hbd::FabricConfig& config)
{
    for (const auto* factory :
         {&config.gpu, &config.nvlink, &config.nvswitch, &config.hostLink, &config.ethernet, &config.ethernetSwitch, &config.nic})
    {
        EXPECT_TRUE(factory->Create<ns3::Object>());
    }
}

/// Whether a value is in the range that the attribute's checker has.
bool
IsAllowed(const char* type, const char* attribute, uint64_t value)
{
    ns3::TypeId::AttributeInformation info;
    EXPECT_TRUE(ns3::TypeId::LookupByName(type).LookupAttributeByName(attribute, &info));
    return info.checker->Check(ns3::UintegerValue(value));
}

TEST_F(FabricConfigTest, EveryRangeOfTheFabricsKeysFitsTheDevices)
{
    size_t tried = 0;
    for (const auto& key : traffic::Keys())
    {
        const bool fabric = key.path.rfind("cluster.hbd.", 0) == 0 || key.path.rfind("cluster.scale-out.", 0) == 0;
        const auto dots = key.range.find("..");
        if (!fabric || dots == std::string_view::npos)
        {
            continue;
        }
        for (const auto end : {key.range.substr(0, dots), key.range.substr(dots + 2)})
        {
            SCOPED_TRACE(std::string(key.path) + "=" + std::string(end));
            Scenario scenario = TwoDomains();
            std::string why;
            ASSERT_TRUE(traffic::ReadField(key.field, key.range, traffic::MakeScalar(std::string(end)), scenario, why))
                << why;
            scenario.cluster.gpus = 2 * scenario.cluster.hbd.size; // a scale-out fabric, whatever the size
            CreateDevices(MakeFabricConfig(scenario));
            ++tried;
        }
    }
    EXPECT_GE(tried, 40u);
}

TEST_F(FabricConfigTest, TheSchemasRangesAreThoseOfTheAttributes)
{
    const struct
    {
        const char* key;
        const char* type;
        const char* attribute;
    } same[] = {
        {"cluster.hbd.packet-payload", "ns3::hbd::NvlinkDevice", "PacketPayload"},
        {"cluster.hbd.flit", "ns3::hbd::NvlinkDevice", "FlitBytes"},
        {"cluster.hbd.header-flits", "ns3::hbd::NvlinkDevice", "HeaderFlits"},
        {"cluster.hbd.packet-flits", "ns3::hbd::NvlinkDevice", "PacketFlits"},
        {"cluster.hbd.packets-per-ack", "ns3::hbd::NvlinkDevice", "PacketsPerAck"},
        {"cluster.hbd.virtual-channels", "ns3::hbd::NvlinkDevice", "VirtualChannels"},
        {"cluster.hbd.credit-window", "ns3::hbd::NvlinkDevice", "CreditWindow"},
        {"cluster.hbd.reduction-table", "ns3::hbd::NvSwitch", "ReductionTableSize"},
        {"cluster.hbd.reduction-unit", "ns3::hbd::NvSwitch", "GroupUnitSize"},
        {"cluster.hbd.multicast-groups", "ns3::hbd::NvSwitch", "MulticastGroups"},
        {"cluster.hbd.read-window", "ns3::hbd::GpuEndpoint", "ReadWindow"},
        {"cluster.scale-out.mtu", "ns3::hbd::EthernetDevice", "PacketPayload"},
        {"cluster.scale-out.mtu", "ns3::hbd::HostLinkDevice", "PacketPayload"},
        {"cluster.scale-out.window", "ns3::hbd::RdmaNic", "Window"},
        {"cluster.scale-out.nic-buffer", "ns3::hbd::RdmaNic", "ReceiveBuffer"},
        {"cluster.scale-out.headroom", "ns3::hbd::RdmaNic", "Headroom"},
        {"cluster.scale-out.headroom", "ns3::hbd::EthernetSwitch", "Headroom"},
        {"cluster.scale-out.pfc-xon-offset", "ns3::hbd::EthernetSwitch", "XonOffset"},
        {"cluster.scale-out.switch-buffer", "ns3::hbd::EthernetSwitch", "BufferSize"},
        {"cluster.scale-out.ecn-kmin", "ns3::hbd::EthernetSwitch", "EcnKmin"},
        {"cluster.scale-out.ecn-kmax", "ns3::hbd::EthernetSwitch", "EcnKmax"},
    };

    for (const auto& [path, type, attribute] : same)
    {
        SCOPED_TRACE(path);
        const auto range = traffic::FindKey(path)->range;
        const auto dots = range.find("..");
        const auto number = [&](std::string_view text) {
            traffic::Bytes bytes;
            std::string why;
            return traffic::ParseQuantity(std::string(text), bytes, why) ? bytes.Count()
                                                                         : std::stoull(std::string(text));
        };
        const uint64_t least = number(range.substr(0, dots));
        const uint64_t most = number(range.substr(dots + 2));
        EXPECT_TRUE(IsAllowed(type, attribute, least));
        EXPECT_TRUE(IsAllowed(type, attribute, most));
        EXPECT_FALSE(IsAllowed(type, attribute, most + 1)) << "the schema allows less than the device";
        EXPECT_TRUE(least == 0 || !IsAllowed(type, attribute, least - 1)) << "the schema allows less than the device";
    }
}

TEST_F(FabricConfigTest, TheNicGetsTheScenariosBuffers)
{
    const auto config = MakeFabricConfig(TwoDomains({"cluster.scale-out.headroom=1MiB",
                                                     "cluster.scale-out.nic-buffer=8MiB",
                                                     "cluster.scale-out.pfc-xon-offset=4KiB",
                                                     "cluster.scale-out.pfc-alpha=2"}));
    const auto nic = config.nic.Create<ns3::Object>();
    ns3::UintegerValue value;
    nic->GetAttribute("Headroom", value);
    EXPECT_EQ(value.Get(), 1u << 20);
    nic->GetAttribute("ReceiveBuffer", value);
    EXPECT_EQ(value.Get(), 8u << 20);
    nic->GetAttribute("XonOffset", value);
    EXPECT_EQ(value.Get(), 4096u);
}

TEST_F(FabricConfigTest, SwitchesGetTheScenariosMarking)
{
    ns3::UintegerValue kmin;
    ns3::UintegerValue kmax;
    ns3::DoubleValue pmax;
    const auto get = [&](const ns3::hbd::FabricConfig& config) {
        const auto ethernetSwitch = config.ethernetSwitch.Create<ns3::Object>();
        ethernetSwitch->GetAttribute("EcnKmin", kmin);
        ethernetSwitch->GetAttribute("EcnKmax", kmax);
        ethernetSwitch->GetAttribute("EcnPmax", pmax);
        return std::tuple(kmin.Get(), kmax.Get(), pmax.Get());
    };
    EXPECT_EQ(get(ns3::hbd::FabricConfig()), get(MakeFabricConfig(TwoDomains()))) << "the schema's defaults are the switch's";
    EXPECT_EQ(get(MakeFabricConfig(TwoDomains({"cluster.scale-out.ecn-kmin=800KB",
                                               "cluster.scale-out.ecn-kmax=3.2MB",
                                               "cluster.scale-out.ecn-pmax=0.2"}))),
              std::tuple(800000u, 3200000u, 0.2));
}

TEST_F(FabricConfigTest, SwitchesGetTheScenariosFlowControlAndForwarding)
{
    ns3::UintegerValue lossless;
    ns3::UintegerValue lossy;
    ns3::BooleanValue cutThrough;
    ns3::UintegerValue priority;
    const auto get = [&](const ns3::hbd::FabricConfig& config) {
        const auto ethernetSwitch = config.ethernetSwitch.Create<ns3::Object>();
        ethernetSwitch->GetAttribute("LosslessPriorities", lossless);
        ethernetSwitch->GetAttribute("LossyPriorities", lossy);
        ethernetSwitch->GetAttribute("CutThrough", cutThrough);
        return std::tuple(lossless.Get(), lossy.Get(), cutThrough.Get());
    };
    const auto none = MakeFabricConfig(TwoDomains({"cluster.scale-out.flow-control=none", "cluster.scale-out.forwarding=cut-through"}));
    none.nic.Create<ns3::Object>()->GetAttribute("DataPriority", priority);
    EXPECT_EQ(get(ns3::hbd::FabricConfig()), get(MakeFabricConfig(TwoDomains()))) << "the schema's defaults are the switch's";
    EXPECT_EQ(get(none), std::tuple(0u, 1u << priority.Get(), true));
}

TEST_F(FabricConfigTest, SwitchesAndGpusGetTheScenariosReductionsAndReads)
{
    ns3::TimeValue delay;
    ns3::UintegerValue unit;
    ns3::UintegerValue window;
    const auto get = [&](const ns3::hbd::FabricConfig& config) {
        config.nvswitch.Create<ns3::Object>()->GetAttribute("ReductionDelay", delay);
        config.nvswitch.Create<ns3::Object>()->GetAttribute("GroupUnitSize", unit);
        config.gpu.Create<ns3::Object>()->GetAttribute("ReadWindow", window);
        return std::tuple(delay.Get().GetNanoSeconds(), unit.Get(), window.Get());
    };
    EXPECT_EQ(get(ns3::hbd::FabricConfig()), get(MakeFabricConfig(TwoDomains()))) << "the schema's defaults are the devices'";
    EXPECT_EQ(get(MakeFabricConfig(TwoDomains({"cluster.hbd.reduction-delay=150ns",
                                               "cluster.hbd.reduction-unit=512B",
                                               "cluster.hbd.read-window=0B"}))),
              std::tuple(150, 512U, 0U));
}

TEST_F(FabricConfigTest, SeedsSaltTheHashOfTheSwitches)
{
    std::set<uint64_t> salts;
    for (const char* seed : {"seed=0", "seed=1", "seed=2", "seed=3", "seed=9223372036854775807"})
    {
        ns3::UintegerValue salt;
        MakeFabricConfig(TwoDomains({seed})).ethernetSwitch.Create<ns3::Object>()->GetAttribute("HashSalt", salt);
        salts.insert(salt.Get());
    }
    EXPECT_EQ(salts.size(), 5u);
    EXPECT_EQ(salts.count(0), 1u) << "seed 1";
}

TEST_F(FabricConfigTest, BuffersThatCannotWorkAreTold)
{
    EXPECT_TRUE(FabricProblems(traffic::kNetworkOnly).empty());
    const std::string workload = "workload: {collective: all-reduce, sizes: [1MiB]}\n";
    const auto none = FabricProblems("cluster:\n  gpus: 16\n  scale-out:\n    headroom: 0B\n" + workload);
    ASSERT_EQ(none.size(), 1u);
    EXPECT_EQ(none[0].path, "cluster.scale-out.headroom");
    EXPECT_EQ(none[0].line, 4);
    EXPECT_THAT(none[0].given, HasSubstr("needs a headroom of at least"));
    const auto small = FabricProblems("cluster:\n  gpus: 16\n  scale-out: {switch-buffer: 700KiB}\n" + workload);
    ASSERT_EQ(small.size(), 1u);
    EXPECT_EQ(small[0].path, "cluster.scale-out.switch-buffer");
    EXPECT_EQ(small[0].line, 3);
    EXPECT_THAT(small[0].expected, HasSubstr("x 612140 B"));
    const auto longCable = FabricProblems("cluster:\n  gpus: 16\n  scale-out: {link-delay: 10us}\n" + workload);
    ASSERT_EQ(longCable.size(), 1u);
    EXPECT_EQ(longCable[0].path, "cluster.scale-out.headroom");
    EXPECT_EQ(longCable[0].line, 3) << "the map around the key, which the preset gives";
    const auto many = FabricProblems("cluster: {gpus: 65536}\n" + workload);
    ASSERT_EQ(many.size(), 1u);
    EXPECT_EQ(many[0].path, "cluster.scale-out.switch-buffer");
    EXPECT_TRUE(
        FabricProblems("cluster:\n  gpus: 16\n  scale-out: {link-delay: 10us, headroom: 1500kB}\n" + workload).empty());
}

TEST_F(FabricConfigTest, TrafficThatCannotBeHeldIsTold)
{
    const auto problem = [&](const std::string& gpus, const std::string& size, const std::string& workload) {
        return traffic::OperationProblem(
            Good("cluster: {gpus: " + gpus + ", hbd: {size: " + size + "}}\nworkload: {" + workload + "}\n").points[0]);
    };
    const auto began = std::chrono::steady_clock::now();
    const auto huge = problem("65536", "65536", "collective: all-to-all, sizes: [1GiB]");
    ASSERT_TRUE(huge);
    EXPECT_THAT(*huge, HasSubstr("65536 ranks: up to 8589803520 operations"));
    EXPECT_TRUE(problem("8192", "8192", "collective: all-to-all, sizes: [1GiB]"));
    EXPECT_TRUE(problem("8192", "8", "collective: all-reduce, algorithm: ring, sizes: [1KiB, 1GiB]"));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
    EXPECT_FALSE(problem("1024", "1024", "collective: all-to-all, sizes: [1GiB]"));
    EXPECT_FALSE(problem("512", "64", "collective: all-reduce, sizes: [1GiB]"));
}

} // namespace

} // namespace hbd::runner
