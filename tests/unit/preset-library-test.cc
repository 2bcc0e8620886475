/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"
#include "traffic-gen/preset-sources.h"
#include "traffic-gen/system-preset.h"

#include <algorithm>
#include <fstream>

// Goal: presets are found where the design says, every shipped one is right, and their figures are those of their
// sources.

namespace hbd::traffic
{

namespace
{

class PresetLibraryTest : public ScenarioTest
{
};

using testing::HasSubstr;

TEST_F(PresetLibraryTest, EveryShippedPresetCanBeUsed)
{
    const auto presets = ListPresets();
    ASSERT_GE(presets.size(), 11u);
    for (const auto& preset : presets)
    {
        EXPECT_FALSE(preset.line.empty()) << preset.file << " has no description";
        EXPECT_EQ(preset.line.find('\n'), std::string::npos) << preset.file;
        const Group* group = nullptr;
        for (const auto& candidate : Groups())
        {
            group = candidate.presetKind == preset.kind ? &candidate : group;
        }
        ASSERT_NE(group, nullptr) << preset.kind;
        std::vector<Problem> problems;
        PresetLibrary library(m_folder.string());
        const Leaves* leaves = library.Load(*group, MakeScalar(preset.name), problems);
        ASSERT_NE(leaves, nullptr) << preset.file;
        EXPECT_TRUE(problems.empty());
        std::vector<std::string> sets{std::string(group->path) + "=" + preset.name};
        for (const auto& [path, value] : *leaves)
        {
            if (path == "cluster.hbd.max-size" && FlowText(value) != "0") // as many GPUs as the layout takes
            {
                sets = {"cluster.hbd.preset=" + preset.name, "cluster.gpus=" + FlowText(value), "cluster.hbd.size=" + FlowText(value)};
            }
        }
        std::vector<Problem> wrong;
        ReadScenario(Write("scenario.yaml", preset.kind == "models" ? kInference : kNetworkOnly), sets, wrong);
        EXPECT_TRUE(wrong.empty()) << preset.file << ": " << (wrong.empty() ? "" : ToText(wrong.front()));
    }
}

TEST_F(PresetLibraryTest, EveryDomainIsInTheGuideAndSaysWhatIsAssumed)
{
    std::ifstream guideFile(Root() + "/docs/guide.md");
    const std::string guide{std::istreambuf_iterator<char>(guideFile), {}};
    size_t domains = 0;
    for (const auto& preset : ListPresets())
    {
        if (preset.kind != "domains")
        {
            continue;
        }
        ++domains;
        EXPECT_THAT(guide, HasSubstr("\n| `" + preset.name + "` | "));
        Value document;
        std::vector<Problem> problems;
        ASSERT_TRUE(LoadYaml(preset.file, document, problems));
        const auto origins = ReadSources(document, problems);
        EXPECT_TRUE(problems.empty()) << preset.file;
        const auto at = std::find_if(origins.begin(), origins.end(), [](const auto& origin) { return origin.name == "packets-per-ack"; });
        ASSERT_NE(at, origins.end()) << preset.file;
        EXPECT_EQ(at->kind + " " + at->range, "assumption 4..16") << preset.file;
    }
    EXPECT_EQ(domains, 11U);
}

TEST_F(PresetLibraryTest, DomainsAndLibrariesOfMeasuredSystemsDeclareAllTheirQuantities)
{
    std::vector<Problem> problems;
    std::set<std::string> used;
    for (const auto& system : LoadSystems(problems))
    {
        used.insert(system.cluster.Find("hbd")->Find("preset")->text);
        for (const auto& [software, library] : system.libraries)
        {
            used.insert(library);
        }
    }
    EXPECT_GE(used.size(), 8U);
    for (const auto& preset : ListPresets())
    {
        for (const auto& origin : used.count(preset.name) != 0 ? OriginsOf(preset.file, problems) : std::vector<ParameterOrigin>())
        {
            EXPECT_NE(origin.kind, "undeclared") << preset.name << ": " << origin.name << " " << origin.value;
        }
    }
    EXPECT_TRUE(problems.empty());
}

TEST_F(PresetLibraryTest, PlaneLayoutsAreThoseOfTheHardware)
{
    const auto layout = [&](const std::string& name) {
        return Good(kNetworkOnly, {"cluster.hbd.preset=" + name}).points[0].cluster.hbd;
    };
    const HbdSpec board = layout("nvlink5-board");
    EXPECT_EQ(board.planes, 2u);
    EXPECT_EQ(board.linksPerPlane, 9u);
    EXPECT_EQ(board.maxSize, 8u);
    const HbdSpec rack = layout("nvlink5-rack");
    EXPECT_EQ(rack.planes, 18u);
    EXPECT_EQ(rack.linksPerPlane, 1u);
    EXPECT_EQ(rack.maxSize, 72u);
    const HbdSpec study = layout("nvlink5");
    EXPECT_EQ(study.planes * study.linksPerPlane, 18u);
    EXPECT_EQ(study.maxSize, 0u);
    for (const auto& hbd : {board, rack, study})
    {
        EXPECT_EQ((hbd.linkRate / 2 / 18).BytesPerSecond(), 50e9) << "18 links of 50 GB/s each way";
        EXPECT_EQ(hbd.packetPayload.Count(), 256u);
        EXPECT_EQ(hbd.flit.Count(), 16u);
        EXPECT_EQ(hbd.creditWindow, Bytes::FromMib(1));
    }
}

TEST_F(PresetLibraryTest, TheModelOfTheStudyHasItsShape)
{
    const ModelSpec model = *Good(kInference, {"model=qwen1.5-110b-moe16"}).points[0].model;
    EXPECT_EQ(model.layers, 80u);
    EXPECT_EQ(model.hidden, 8192u);
    EXPECT_EQ(model.heads, 64u);
    EXPECT_EQ(model.kvHeads, 8u);
    EXPECT_EQ(model.headDim, 128u);
    EXPECT_EQ(model.ffn, 49152u);
    EXPECT_EQ(model.vocabulary, 152064u);
    EXPECT_EQ(model.experts, 16u);
    EXPECT_EQ(model.topK, 2u);
    EXPECT_EQ(Good(kInference, {"model=qwen1.5-110b"}).points[0].model->experts, 0u);
}

TEST_F(PresetLibraryTest, ACopyBesideTheScenarioComesFirst)
{
    Write("tiny-moe.yaml",
          "layers: 6\nhidden: 1024\nheads: 16\nkv-heads: 8\nffn: 2048\nvocabulary: 32000\nexperts: 8\ntop-k: 2\n");
    const Scenario point = Good(kInference).points[0];
    EXPECT_EQ(point.model->layers, 6u);
    EXPECT_EQ(point.model->preset, "tiny-moe");
    EXPECT_EQ(Good(kInference, {"model=tiny-moe.yaml"}).points[0].model->layers, 6u);
}

TEST_F(PresetLibraryTest, AMistakeInAPresetIsReportedThere)
{
    Write("mine.yaml", "description: wrong\nlayers: 2\nhiden: 512\n");
    EXPECT_THAT(
        Bad(kInference, {"model=mine"}),
        HasSubstr("mine.yaml:3: model.hiden: expected a known key, given `hiden` (did you mean model.hidden?)"));
    Write("mine.yaml", "preset: tiny-moe\nlayers: 2\n");
    EXPECT_THAT(Bad(kInference, {"model=mine"}), HasSubstr("mine.yaml:1: preset: expected no preset inside a preset"));
    Write("mine.yaml", "layers: [\n");
    EXPECT_THAT(Bad(kInference, {"model=mine"}), HasSubstr("mine.yaml:"));
    Write("mine.yaml", "just words\n");
    EXPECT_THAT(Bad(kInference, {"model=mine"}), HasSubstr("mine.yaml:1: expected a map of keys"));
    Write("mine.yaml", "layers: 0\nhidden: 512\nheads: 8\nkv-heads: 8\nffn: 1024\nvocabulary: 1000\n");
    EXPECT_THAT(Bad(kInference, {"model=mine"}),
                HasSubstr("mine.yaml:1: model.layers: expected a whole number, 1..10000, given 0"));
}

TEST_F(PresetLibraryTest, AHuggingFaceConfigIsAModel)
{
    Write(
        "config.json",
        R"({"architectures": ["MixtralForCausalLM"], "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16,
        "num_hidden_layers": 4, "num_key_value_heads": 8, "num_experts_per_tok": 2, "num_local_experts": 8, "vocab_size": 32000,
        "tie_word_embeddings": false, "rope_theta": 1e6})");
    const ModelSpec model = *Good(kInference, {"model=config.json"}).points[0].model;
    EXPECT_EQ(model.layers, 4u);
    EXPECT_EQ(model.kvHeads, 8u);
    EXPECT_EQ(model.headDim, 64u);
    EXPECT_EQ(model.ffn, 4096u);
    EXPECT_EQ(model.experts, 8u);
    EXPECT_EQ(model.topK, 2u);
    Write("config.json", R"({"hidden_size": 1024, "kv_lora_rank": 512})");
    EXPECT_THAT(Bad(kInference, {"model=config.json"}),
                HasSubstr("config.json:1: kv_lora_rank: expected a model of equal layers without this"));
}

} // namespace

} // namespace hbd::traffic
