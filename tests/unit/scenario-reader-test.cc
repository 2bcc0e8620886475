/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"
#include "traffic-gen/scenario-writer.h"

#include <set>

// Goal: a right scenario is read as the design says: units, presets with overrides, `auto`, defaults, and a canonical
// text that reads back to itself.

namespace hbd::traffic
{

namespace
{

class ScenarioReader : public ScenarioTest
{
};

using testing::HasSubstr;
using testing::Not;

TEST_F(ScenarioReader, EveryKeyOfTheSchemaCanBeReadAndWrittenBack)
{
    for (const auto& key : Keys())
    {
        std::string text;
        std::string why;
        if (!key.fallback.empty())
        {
            EXPECT_TRUE(NormalText(key, MakeScalar(std::string(key.fallback)), text, why)) << key.path << ": " << why;
            std::string again;
            EXPECT_TRUE(NormalText(key, MakeScalar(text), again, why)) << key.path << ": " << why;
            EXPECT_EQ(text, again) << key.path;
        }
        if (const auto dots = key.range.find(".."); dots != std::string_view::npos)
        {
            for (const auto& end : {key.range.substr(0, dots), key.range.substr(dots + 2)})
            {
                EXPECT_TRUE(NormalText(key, MakeScalar(std::string(end)), text, why)) << key.path << ": " << why;
            }
        }
        EXPECT_FALSE(key.doc.empty()) << key.path;
        EXPECT_FALSE(ExpectedText(key.field, key.range).empty()) << key.path;
    }
}

TEST_F(ScenarioReader, KeysOfAGroupStandTogether)
{
    std::set<std::string> closed;
    std::string last;
    for (const auto& key : Keys())
    {
        const std::string path(key.path);
        const std::string group = path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.rfind('.'));
        const std::string top = group.substr(0, group.find('.'));
        EXPECT_EQ(closed.count(top), 0u) << key.path << " is apart from the others of " << top;
        if (!last.empty() && top != last)
        {
            closed.insert(last);
        }
        last = top;
    }
}

TEST_F(ScenarioReader, TheDesignsExampleIsRead)
{
    const ScenarioFile file = Good(R"(name: qwen110b-moe16-b200
seed: 1
fidelity: packet
acceleration: {replay: auto, recurrence: auto}
cluster:
  gpus: 64
  gpu: b200
  hbd: {size: 8, preset: nvlink5, link-rate: 1.8TB/s}
  scale-out: {topology: rail-optimized, nic-rate: 400Gbps}
model: qwen1.5-110b-moe16
mapping: {tp: 8, dp: auto, pp: 1, ep: 8, expert-tp: auto}
precision: fp8
workload: {batch: 16, input-tokens: 32768, output-tokens: 512}
sweep:
  - [{cluster.gpus: 64, cluster.hbd.size: 8}, {cluster.gpus: 64, cluster.hbd.size: 16}]
  - precision: [fp16, fp8, fp4]
)");
    ASSERT_EQ(file.points.size(), 6u);
    const Scenario& first = file.points[0];
    EXPECT_EQ(file.name, "qwen110b-moe16-b200");
    EXPECT_EQ(first.cluster.hbd.linkRate.BitsPerSecond(), 14400000000000u);
    EXPECT_EQ(first.cluster.scaleOut.nicRate.BitsPerSecond(), 400000000000u);
    EXPECT_EQ(first.cluster.scaleOut.uplinkRate, first.cluster.scaleOut.nicRate) << "auto";
    EXPECT_EQ(first.model->layers, 80u);
    EXPECT_EQ(first.model->experts, 16u);
    EXPECT_EQ(first.mapping.dp, 8u);
    EXPECT_EQ(first.mapping.expertTp, 8u);
    EXPECT_EQ(first.precision.weights, Precision::Fp16);
    EXPECT_EQ(file.points[1].precision.weights, Precision::Fp8);
    EXPECT_EQ(file.points[1].precision.kvCache, Precision::Fp16);
    EXPECT_EQ(file.points[1].precision.wire, Precision::Fp16);
    EXPECT_EQ(first.cluster.gpu.peak.at(Precision::Fp4).FlopsPerSecond(), 9e15);
    EXPECT_EQ(first.workload.inference->inputTokens, 32768u);
}

TEST_F(ScenarioReader, APresetIsTheBaseOfAMap)
{
    const Scenario point = Good("cluster:\n"
                                "  gpus: 8\n"
                                "  gpu: {preset: b200, memory: 90GB, flop-efficiency: {gemm: 0.7}}\n"
                                "workload: {collective: all-gather, sizes: 1MiB}\n")
                               .points[0];
    EXPECT_EQ(point.cluster.gpu.preset, "b200");
    EXPECT_EQ(point.cluster.gpu.memory.Count(), 90000000000u);
    EXPECT_EQ(point.cluster.gpu.hbmRate.BytesPerSecond(), 7.7e12);
    EXPECT_EQ(point.cluster.gpu.flopEfficiency.at("gemm"), 0.7);
    EXPECT_EQ(point.cluster.gpu.flopEfficiency.at("expert-gemm"), 0.6);
    EXPECT_EQ(point.cluster.hbd.preset, "nvlink5") << "the default";
    EXPECT_EQ(point.cluster.hbd.planes, 18u);
    EXPECT_EQ(point.library.preset, "nccl-like");
    EXPECT_EQ(point.workload.collective->sizes.size(), 1u);
}

TEST_F(ScenarioReader, AModelOrGpuAsAMapIsAFullDescription)
{
    const std::string model = "model: {layers: 2, hidden: 512, heads: 8, kv-heads: 8, ffn: 1024, vocabulary: 1000}\n";
    const std::string rest = "mapping: {tp: 2}\nworkload: {input-tokens: 16, output-tokens: 1}\n";
    const Scenario point = Good("cluster: {gpus: 2, hbd: {size: 2}}\n" + model + rest).points[0];
    EXPECT_EQ(point.model->preset, "custom");
    EXPECT_EQ(point.model->headDim, 64u) << "auto = hidden / heads";
    EXPECT_EQ(point.model->experts, 0u);
    EXPECT_EQ(point.mapping.ep, 1u);
    EXPECT_EQ(point.workload.inference->batch, 1u);
    EXPECT_THAT(Bad("cluster: {gpus: 2, hbd: {size: 2}, gpu: {memory: 80GB}}\n" + model + rest),
                HasSubstr("cluster.gpu.hbm-rate: expected"));
}

TEST_F(ScenarioReader, AutoMakesTheMappingMultiplyUp)
{
    const std::string text = "cluster: {gpus: 32, hbd: {size: 8}}\nmodel: tiny-moe\n"
                             "workload: {batch: 16, input-tokens: 16, output-tokens: 2}\n";
    const MappingSpec byTp = Good(text + "mapping: {tp: 4, pp: 2, ep: 4}\n").points[0].mapping;
    EXPECT_EQ(byTp.dp, 4u);
    EXPECT_EQ(byTp.expertTp, 4u);
    const MappingSpec byDp = Good(text + "mapping: {tp: auto, dp: 8, expert-tp: 16}\n").points[0].mapping;
    EXPECT_EQ(byDp.tp, 4u);
    EXPECT_EQ(byDp.ep, 2u);
    const MappingSpec free = Good(text + "mapping: {tp: 8}\n").points[0].mapping;
    EXPECT_EQ(free.ep, 8u) << "as many expert groups as the 8 experts allow";
    EXPECT_EQ(free.expertTp, 4u);
}

TEST_F(ScenarioReader, PrecisionHasKeysOfItsOwn)
{
    const Scenario point =
        Good(std::string(kInference) + "precision: {weights: fp4, kv-cache: fp8, wire: bf16}\n").points[0];
    EXPECT_EQ(point.precision.weights, Precision::Fp4);
    EXPECT_EQ(point.precision.kvCache, Precision::Fp8);
    EXPECT_EQ(point.precision.attention, Precision::Fp16);
    EXPECT_EQ(point.precision.wire, Precision::Fp16);
}

TEST_F(ScenarioReader, ANetworkOnlyWorkloadNeedsNoModel)
{
    const Scenario point = Good(kNetworkOnly).points[0];
    EXPECT_FALSE(point.model.has_value());
    EXPECT_TRUE(point.workload.collective->ranks.empty()) << "all";
    EXPECT_EQ(point.workload.collective->algorithm, "auto");
    EXPECT_EQ(point.workload.collective->sizes[0], Bytes::FromMib(1));
    EXPECT_THAT(point.canonicalYaml, Not(HasSubstr("model:")));
    const Scenario some = Good(std::string(kNetworkOnly) + "name: x\n", {"workload.ranks=[0, 3, 5]"}).points[0];
    EXPECT_EQ(some.workload.collective->ranks, (std::vector<uint32_t>{0, 3, 5}));
}

TEST_F(ScenarioReader, AMessageFileStandsBesideTheScenario)
{
    Write("list.csv", "time,source,destination,bytes\n0us,0,1,1MiB\n");
    const std::string text = "cluster: {gpus: 16, hbd: {size: 8}}\nworkload: {messages: list.csv}\n";
    EXPECT_EQ(Good(text).points[0].workload.messages->file, std::filesystem::canonical(m_folder / "list.csv").string());
    Write("list.csv", "time,source,destination,bytes\n0us,0,99,1MiB\n");
    EXPECT_THAT(Bad(text), HasSubstr("list.csv:2"));
}

TEST_F(ScenarioReader, TheCanonicalTextReadsBackToItself)
{
    for (const std::string text : {kNetworkOnly, kInference})
    {
        const Scenario point = Good(text).points[0];
        const ScenarioFile yaml = GoodFile(Write("canonical.yaml", point.canonicalYaml));
        EXPECT_EQ(yaml.points[0].canonicalYaml, point.canonicalYaml);
        EXPECT_EQ(GoodFile(Write("canonical.json", point.canonicalJson)).points[0].canonicalJson, point.canonicalJson);
    }
}

TEST_F(ScenarioReader, AWrittenOutScenarioNeedsNoPresets)
{
    Write("mine.yaml",
          "layers: 2\nhidden: 512\nheads: 8\nkv-heads: 8\nffn: 1024\nvocabulary: 1000\ngated-ffn: false\n");
    const std::string text =
        "cluster: {gpus: 1, hbd: {size: 1}}\nworkload: {input-tokens: 16, output-tokens: 2}\nmodel: mine\n";
    const std::string canonical = Good(text).points[0].canonicalYaml;
    std::filesystem::remove(m_folder / "mine.yaml");
    EXPECT_EQ(Good(canonical).points[0].canonicalYaml, canonical);
}

TEST_F(ScenarioReader, EqualValuesHaveOneIdentityAndAccelerationNone)
{
    const std::string a = Good("cluster: {gpus: 8, hbd: {link-rate: 1.8TB/s}}\nworkload: {collective: all-gather, "
                               "sizes: [1MiB]}\nname: x\n")
                              .hash;
    const std::string b = Good("name: x\nworkload: {sizes: [1024KiB], collective: all-gather}\ncluster: {hbd: "
                               "{link-rate: 1800GB/s}, gpus: 8}\n"
                               "acceleration: {replay: off}\n")
                              .hash;
    EXPECT_EQ(a, b);
    EXPECT_EQ(a.size(), 16u);
    EXPECT_NE(a,
              Good("cluster: {gpus: 8, hbd: {link-rate: 1.9TB/s, planes: 1}}\nworkload: {collective: all-gather, "
                   "sizes: [1MiB]}\nname: x\n")
                  .hash);
}

TEST_F(ScenarioReader, AccelerationAndRecordsAreSwitches)
{
    const Scenario off =
        Good(std::string(kNetworkOnly) + "acceleration: {replay: off}\nrecords: {stages: full, messages: true}\n")
            .points[0];
    EXPECT_FALSE(off.acceleration.replay);
    EXPECT_TRUE(off.records.stagesFull);
    EXPECT_TRUE(off.records.messages);
    EXPECT_TRUE(Good(kNetworkOnly).points[0].acceleration.replay);
}

TEST_F(ScenarioReader, AliasesAndMergeKeysAreExpanded)
{
    const Scenario point = Good("cluster: {gpus: 8, hbd: &domain {size: &n 8, planes: 2, links-per-plane: 9}}\n"
                                "workload: {collective: all-gather, sizes: [1MiB]}\n"
                                "sweep:\n  - cluster.hbd:\n    - *domain\n    - {<<: *domain, size: 4}\n")
                               .points[1];
    EXPECT_EQ(point.cluster.hbd.size, 4u);
    EXPECT_EQ(point.cluster.hbd.planes, 2u);
}

TEST_F(ScenarioReader, TheNameIsTheFilesByDefault)
{
    EXPECT_EQ(GoodFile(Write("my-fabric.yaml", kNetworkOnly)).name, "my-fabric");
}

TEST_F(ScenarioReader, TheShippedScenariosAreRight)
{
    for (const auto& entry : std::filesystem::directory_iterator(Root() + "/examples/scenarios"))
    {
        if (entry.path().extension() == ".yaml")
        {
            EXPECT_FALSE(GoodFile(entry.path().string()).points.empty()) << entry.path();
        }
    }
}

TEST_F(ScenarioReader, TheKeysAreListedWithWhatTheyTake)
{
    for (const auto& info : ListKeys())
    {
        if (info.path == "cluster.hbd.link-rate")
        {
            EXPECT_THAT(info.takes, HasSubstr("1.8TB/s"));
            return;
        }
    }
    FAIL() << "cluster.hbd.link-rate is not listed";
}

} // namespace

} // namespace hbd::traffic
