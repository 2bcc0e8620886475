/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fixture.h"

#include <random>

// Goal: wrong input is refused with every problem at once, each with file, line, key path, what was expected and what
// was given, and nothing is ever thrown. Method: one wrong scenario for each rule; mutated and random texts for the
// rest.

namespace hbd::traffic
{

namespace
{

class ScenarioProblems : public ScenarioTest
{
  protected:
    /// The inference scenario with one line of it replaced or added.
    static std::string With(const std::string& line)
    {
        std::string text = std::string("\n") + kInference;
        const std::string key = "\n" + line.substr(0, line.find(':') + 1);
        if (const auto at = text.find(key); at != std::string::npos)
        {
            text.erase(at, text.find('\n', at + 1) - at);
        }
        return text.substr(1) + line + "\n";
    }
};

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(ScenarioProblems, FilesThatAreNone)
{
    EXPECT_THAT(BadFile((m_folder / "absent.yaml").string()), HasSubstr("no such file"));
    EXPECT_THAT(BadFile(m_folder.string()), HasSubstr("a folder"));
    EXPECT_THAT(BadFile(Write("junk",
                              std::string("\x7f"
                                          "ELF\0\1\2",
                                          7))),
                HasSubstr("binary"));
    EXPECT_THAT(Bad(""), HasSubstr("given"));
    EXPECT_THAT(Bad("just words"), HasSubstr("a map of scenario keys"));
    EXPECT_THAT(Bad("- a\n- list\n"), HasSubstr("a map of scenario keys"));
    EXPECT_THAT(Bad("name: a\n---\nname: b\n"), HasSubstr("one YAML document"));
}

TEST_F(ScenarioProblems, BrokenYamlWithItsLine)
{
    EXPECT_THAT(Bad("name: x\ncluster: {gpus: 8\nmodel: tiny-moe\n"), HasSubstr("scenario.yaml:"));
    EXPECT_THAT(Bad("name: x\ncluster:\n  gpus: 8\n bad: 3\n"), HasSubstr("scenario.yaml:4: expected correct YAML"));
    EXPECT_THAT(Bad("name: x\n? [a, b]\n: 3\n"), HasSubstr("a key that is a word"));
}

TEST_F(ScenarioProblems, UnknownKeysWithTheNearestKnownOne)
{
    EXPECT_THAT(
        Bad(With("cluster: {gpus: 8, hbd: {sise: 8}}")),
        HasSubstr(
            "scenario.yaml:4: cluster.hbd.sise: expected a known key, given `sise` (did you mean cluster.hbd.size?)"));
    EXPECT_THAT(Bad(With("tp: 8")), HasSubstr("did you mean mapping.tp?"));
    EXPECT_THAT(Bad(With("modle: tiny-moe")), HasSubstr("did you mean model?"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, scale-out: {buffer: 1MiB}}")),
                HasSubstr("did you mean cluster.scale-out.nic-buffer?"));
    EXPECT_THAT(Bad(With("workload: {batch-size: 2, input-tokens: 1, output-tokens: 1}")),
                HasSubstr("did you mean workload.batch?"));
    EXPECT_THAT(Bad(kInference, {"sweep=[]"}),
                AllOf(HasSubstr("--set: sweep: expected a key of a point"), Not(HasSubstr("did you mean"))));
    EXPECT_THAT(Bad(With("xyzzyplugh: 1")), AllOf(HasSubstr("`xyzzyplugh`"), Not(HasSubstr("did you mean"))));
}

TEST_F(ScenarioProblems, AMissingKeyIsToldAtTheMapWhereItIsMissing)
{
    const std::string workload = "workload: {collective: all-reduce, sizes: [1MiB]}\n";
    EXPECT_THAT(Bad("name: x\ncluster:\n  hbd: {size: 8}\n" + workload),
                HasSubstr("scenario.yaml:2: cluster.gpus: expected a whole number"));
    EXPECT_THAT(Bad("name: x\n" + workload), HasSubstr("scenario.yaml:1: cluster.gpus: expected a whole number"));
    EXPECT_THAT(Bad("name: x\ncluster:\n  gpus: 8\n  gpu:\n    memory: 1GB\n" + workload),
                HasSubstr("scenario.yaml:4: cluster.gpu.hbm-rate: expected"));
    EXPECT_THAT(Bad("name: x\ncluster: {gpus: 8}\nworkload:\n  input-tokens: 1\n  output-tokens: 1\n"),
                HasSubstr("scenario.yaml:1: model: expected a model"));
    EXPECT_THAT(Bad("name: x\ncluster: {gpus: 8}\n"), HasSubstr("scenario.yaml:1: workload: expected one of"));
}

TEST_F(ScenarioProblems, MoreCablesThanCanBeHeld)
{
    EXPECT_THAT(Bad(With("cluster: {gpus: 65536, hbd: {size: 8, planes: 500, link-rate: 1.8TB/s}}")),
                HasSubstr("cluster.hbd.planes: expected at most 10000000 links"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 65536, scale-out: {servers-per-leaf: 1, spines: 1024}}")),
                HasSubstr("cluster.scale-out.spines: expected at most 10000000 links"));
}

TEST_F(ScenarioProblems, KeysOfOtherLayouts)
{
    const auto given = [](const std::string& keys) { return With("cluster: {gpus: 8, hbd: {" + keys + "}}"); };
    for (const std::string key : {"leaf-size: 4", "spines: 2", "trunks: 3", "trunk-rate: 1Tbps", "path-choice: hash"})
    {
        const std::string name = key.substr(0, key.find(':'));
        EXPECT_THAT(Bad(given(key)),
                    HasSubstr("cluster.hbd." + name + ": expected nothing: " + name + " is for topology: two-tier, given"))
            << key;
        Good(given("topology: two-tier, " + key));
    }
    EXPECT_THAT(Bad(given("links-per-peer: 1")), HasSubstr("links-per-peer is for topology: mesh, given 1"));
    const std::string mesh = "topology: mesh, planes: 0, links: 7, links-per-peer: 1, link-rate: 700GB/s";
    Good(given(mesh));
    for (const std::string key : {"reduction-rate: 1Tbps", "reduction-table: 2MiB", "multicast-groups: 8"})
    {
        EXPECT_THAT(Bad(given(mesh + ", " + key)), HasSubstr("is for topologies with switches, given")) << key;
    }
    Good(given("leaf-size: auto, spines: 1, trunks: 1, trunk-rate: auto, path-choice: round-robin, links-per-peer: 0")); // as written out
}

TEST_F(ScenarioProblems, KeysOfAPresetOfAnotherLayoutDoNotCount)
{
    const Scenario point =
        Good(With("cluster: {gpus: 8, hbd: {preset: hypothetical-256-two-tier, topology: single-tier}}")).points.front();
    EXPECT_EQ(point.cluster.hbd.leafSize, 0U);
    EXPECT_EQ(point.cluster.hbd.spines, 1U);
    Good(point.canonicalYaml);
}

TEST_F(ScenarioProblems, KeysWithoutEffectOnAKernel)
{
    const auto kernel = [](const std::string& keys) {
        return With("library:\n  kernels:\n    - {for: all-reduce, " + keys + "}\n    - {for: all-to-all, algorithm: direct}");
    };
    EXPECT_THAT(Bad(kernel("algorithm: tree, chunk: 1MiB")),
                HasSubstr("library.kernels[0].chunk: expected nothing: chunk applies to the algorithm nvls, given 1MiB"));
    EXPECT_THAT(Bad(kernel("algorithm: ring, staging-rate: 1TB/s")),
                HasSubstr("library.kernels[0].staging-rate: expected nothing: staging-rate applies to the algorithm nvls, given 1TB/s"));
    Good(kernel("algorithm: nvls, chunk: 1MiB, staging-rate: 1TB/s"));
    Good(kernel("algorithm: tree, chunk: 2MiB, staging-rate: 0B/s")); // as written out
}

TEST_F(ScenarioProblems, PacketsOfAKernelThatTheDomainRefuses)
{
    const auto kernel = [](const std::string& payload) {
        return With("library:\n  kernels:\n    - {for: all-reduce, algorithm: ring, packet-payload: " + payload +
                    "}\n    - {for: all-to-all, algorithm: direct}");
    };
    EXPECT_THAT(Bad(kernel("100B")),
                HasSubstr("library.kernels[0].packet-payload: expected a multiple of cluster.hbd.flit = 16B, given 100B"));
    EXPECT_THAT(Bad(kernel("512B")), HasSubstr("packet-flits = 18 flits of 16B, 2 of them header, given 512B"));
    Good(kernel("128B"));
}

TEST_F(ScenarioProblems, SizesOfPacketsThatDoNotFitTogether)
{
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {reduction-table: 240B}}")),
                HasSubstr("cluster.hbd.reduction-table: expected at least the result of a packet, cluster.hbd.packet-payload = 256B, "
                          "given 240B"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, scale-out: {mtu: 1001B}}")),
                HasSubstr("cluster.scale-out.mtu: expected a multiple of 4B, given 1001B"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, scale-out: {mtu: 9001B}}")), HasSubstr("256B..9000B"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {packet-payload: 250B}}")),
                HasSubstr("cluster.hbd.packet-payload: expected a multiple of cluster.hbd.flit = 16B, given 250B"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, scale-out: {headroom: 4MiB}}")),
                HasSubstr("cluster.scale-out.nic-buffer: expected more than cluster.scale-out.headroom = 4MiB"));
}

TEST_F(ScenarioProblems, KeysGivenTwice)
{
    EXPECT_THAT(Bad(std::string(kInference) + "seed: 1\nseed: 2\n"),
                HasSubstr("scenario.yaml:6: seed: expected a key given once"));
    EXPECT_THAT(Bad(std::string(kInference) + "cluster.gpus: 8\n"),
                HasSubstr("cluster.gpus: expected a key given once"));
}

TEST_F(ScenarioProblems, UnitsThatAreMissingOrWrong)
{
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {link-rate: 1.8TB}}")),
                AllOf(HasSubstr("cluster.hbd.link-rate: expected a rate such as"),
                      HasSubstr("given 1.8TB"),
                      HasSubstr("1.8TB/s")));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, scale-out: {nic-rate: 400}}")), HasSubstr("given 400 (it has no unit)"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, scale-out: {mtu: 4096}}")),
                HasSubstr("cluster.scale-out.mtu: expected a size such as 4KiB"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, gpu: {preset: b200, launch: 3GB}}")),
                HasSubstr("expected a time such as 500ns"));
}

TEST_F(ScenarioProblems, NegativeZeroAndAbsurdSizes)
{
    EXPECT_THAT(Bad(With("cluster: {gpus: 0}")), HasSubstr("cluster.gpus: expected a whole number, 1..65536, given 0"));
    EXPECT_THAT(Bad(With("cluster: {gpus: -8}")), HasSubstr("must not be negative"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 99999999999999999999999}")), HasSubstr("too large"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8.5}")), HasSubstr("not a whole number"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {link-rate: -1TB/s}}")), HasSubstr("must not be negative"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {link-rate: 0GB/s}}")), HasSubstr("out of range"));
    EXPECT_THAT(Bad(With("workload: {batch: 0, input-tokens: 1, output-tokens: 1}")), HasSubstr("workload.batch"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, gpu: {preset: b200, memory-usable: 1.5}}")), HasSubstr("0.01..1"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, gpu: {preset: b200, memory-usable: nan}}")), HasSubstr("not a number"));
}

TEST_F(ScenarioProblems, ValuesOfTheWrongShape)
{
    EXPECT_THAT(Bad(With("cluster: 8")), HasSubstr("cluster: expected a map of keys, given 8"));
    EXPECT_THAT(Bad(With("cluster: {gpus: [8]}")), HasSubstr("not a single value"));
    EXPECT_THAT(Bad(With("cluster: {gpus: }")),
                HasSubstr("cluster.gpus: expected a whole number, 1..65536, given nothing"));
    EXPECT_THAT(Bad(With("model: [tiny-moe]")), HasSubstr("model: expected a name or a map of keys"));
    EXPECT_THAT(Bad(With("name: ../out")), HasSubstr("a name for a folder"));
}

TEST_F(ScenarioProblems, PresetsThatDoNotExist)
{
    EXPECT_THAT(Bad(With("model: tiny-mo")), AllOf(HasSubstr("tiny-moe"), HasSubstr("given tiny-mo (did you mean")));
    EXPECT_THAT(Bad(With("model: ../models/tiny-moe")), HasSubstr("a preset's name or file"));
    const std::string all = Bad(With("cluster: {gpus: 8, gpu: h999}"));
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << "the keys it would have set are not missing too: " << all;
}

TEST_F(ScenarioProblems, DomainsThatDoNotFit)
{
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {size: 3}}")),
                HasSubstr("cluster.hbd.size: expected a size that divides cluster.gpus = 8, given 3"));
    EXPECT_THAT(Bad("cluster: {gpus: 16, hbd: {preset: nvlink5-board, size: 16}}\nworkload: {collective: all-gather, "
                    "sizes: [1KiB]}\n"),
                HasSubstr("at most 8 GPUs with the layout nvlink5-board, given 16"));
    EXPECT_THAT(Bad("cluster: {gpus: 144, hbd: {preset: nvlink5-rack, size: 144}}\nworkload: {collective: all-gather, "
                    "sizes: [1KiB]}\n"),
                HasSubstr("at most 72 GPUs"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {credit-window: 128B}}")),
                HasSubstr("at least a packet on the wire, 288B"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {packet-payload: 512B}}")),
                HasSubstr("expected packets of at most cluster.hbd.packet-flits = 18 flits of 16B, 2 of them header, given 512B, 34"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {bit-error-rate: 0.1}}")), HasSubstr("0..0.001, given 0.1"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {packets-per-ack: -1}}")), HasSubstr("must not be negative"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {retry-delay: 5}}")), HasSubstr("cluster.hbd.retry-delay: expected a time"));
    EXPECT_THAT(Bad(With("cluster: {gpus: 8, hbd: {planes: 7}}")), HasSubstr("whole bits a second"));
}

TEST_F(ScenarioProblems, MappingsThatDoNotMultiplyUp)
{
    EXPECT_THAT(Bad(With("mapping: {tp: 8, dp: 2}")),
                HasSubstr("mapping: expected tp x dp x pp = cluster.gpus = 8, given 8 x 2 x 1 = 16"));
    EXPECT_THAT(Bad(With("mapping: {tp: 3}")), HasSubstr("given 3 x auto x 1"));
    EXPECT_THAT(Bad(With("mapping: {tp: 8, ep: 8, expert-tp: 8}")),
                HasSubstr("ep x expert-tp x pp = cluster.gpus = 8, given 8 x 8 x 1 = 64"));
    EXPECT_THAT(Bad(With("mapping: {tp: auto}")), HasSubstr("mapping.tp: expected a number where mapping.dp is auto"));
    EXPECT_THAT(Bad("cluster: {gpus: 32, hbd: {size: 8}}\nmodel: tiny-dense\nmapping: {tp: 32}\nworkload: "
                    "{input-tokens: 1, output-tokens: 1}\n"),
                HasSubstr("mapping.tp: expected a number that divides model.heads = 16, given 32"));
    EXPECT_THAT(Bad("cluster: {gpus: 16, hbd: {size: 8}}\nmodel: tiny-moe\nmapping: {tp: 16, ep: 16}\nworkload: "
                    "{input-tokens: 1, output-tokens: 1}\n"),
                HasSubstr("mapping.ep: expected a number that divides model.experts = 8, given 16"));
    EXPECT_THAT(Bad(With("mapping: {tp: 1, pp: 8}")),
                HasSubstr("mapping.pp: expected a number that divides model.layers = 4, given 8"));
    EXPECT_THAT(Bad(With("mapping: {tp: 2, dp: 4}")),
                HasSubstr("workload.batch: expected a multiple of mapping.dp = 4, given 2"));
}

TEST_F(ScenarioProblems, ADenseModelHasNoExpertMapping)
{
    const std::string dense =
        "cluster: {gpus: 8, hbd: {size: 8}}\nmodel: tiny-dense\nworkload: {input-tokens: 1, output-tokens: 1}\n";
    EXPECT_THAT(Bad(dense + "mapping: {tp: 8, ep: 8}\n"),
                HasSubstr("mapping.ep: expected nothing: the model has no experts, given 8"));
    EXPECT_EQ(Good(dense + "mapping: {tp: 8, ep: auto, expert-tp: auto}\n").points[0].mapping.tp, 8u);
}

TEST_F(ScenarioProblems, ModelsThatAreNone)
{
    const std::string shape = "model: {preset: tiny-moe, ";
    EXPECT_THAT(Bad(With(shape + "kv-heads: 3}")),
                HasSubstr("model.kv-heads: expected a number that divides model.heads = 16, given 3"));
    EXPECT_THAT(Bad(With(shape + "top-k: 9}")), HasSubstr("model.top-k: expected at most model.experts = 8, given 9"));
    EXPECT_THAT(Bad(With("model: {layers: 4}")),
                AllOf(HasSubstr("model.hidden: expected"), HasSubstr("model.vocabulary: expected")));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {input-tokens: 1, output-tokens: 1}\n"),
                HasSubstr("model: expected a model"));
}

TEST_F(ScenarioProblems, WorkloadsThatAreNone)
{
    EXPECT_THAT(Bad("cluster: {gpus: 8}\n"), HasSubstr("workload: expected one of"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {collective: all-reduce, batch: 1, sizes: [1KiB]}\n"),
                HasSubstr("given batch, collective, sizes"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {collective: all-redcue, sizes: [1KiB]}\n"),
                HasSubstr("did you mean all-reduce?"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {collective: all-reduce, sizes: []}\n"),
                HasSubstr("workload.sizes: expected a list of sizes"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {collective: all-reduce, sizes: [1KiB, 0B]}\n"),
                HasSubstr("`0B`: it is out of range"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {collective: all-reduce}\n"), HasSubstr("workload.sizes: expected"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {collective: all-reduce, sizes: [1KiB], ranks: [0, 8]}\n"),
                HasSubstr("numbers below cluster.gpus = 8"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {collective: all-reduce, sizes: [1KiB], ranks: [1, 1]}\n"),
                HasSubstr("each GPU once"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {collective: all-to-all, algorithm: nvls, sizes: [1KiB]}\n"),
                HasSubstr("workload.algorithm: expected one of auto, direct, ring, hierarchical, one-sided-write, "
                          "one-sided-read for all-to-all, given nvls"));
    EXPECT_THAT(Bad("cluster: {gpus: 8}\nworkload: {messages: absent.csv}\n"),
                HasSubstr("workload.messages: expected a readable CSV file"));
    EXPECT_THAT(Bad(std::string(kNetworkOnly) + "model: tiny-moe\n"),
                HasSubstr("model: expected nothing: this workload is the network alone"));
}

TEST_F(ScenarioProblems, WhatIsNotAvailableYetIsSaid)
{
    EXPECT_THAT(Bad(With("fidelity: flow")),
                HasSubstr("fidelity: expected packet, given flow (the flow model is not available yet"));
    EXPECT_THAT(Bad(With("fidelity: exact")), HasSubstr("expected one of packet, flow"));
}

TEST_F(ScenarioProblems, APrecisionThatTheGpuDoesNotHave)
{
    EXPECT_THAT(Bad("cluster: {gpus: 8, gpu: {peak: {fp16: 1TFLOPS}, hbm-rate: 1TB/s, memory: 80GB}}\nmodel: "
                    "tiny-moe\nmapping: {tp: 8}\n"
                    "precision: fp4\nworkload: {input-tokens: 1, output-tokens: 1}\n"),
                HasSubstr("precision: expected a number format that the GPU custom computes in, given fp4"));
}

TEST_F(ScenarioProblems, AllAreReportedAtOnce)
{
    const std::string all =
        Bad("cluster: {gpus: 64, hbd: {size: 24, link-rate: 1.8TB, plane: 3}}\nmodel: tiny-mo\nprecision: fp9\n"
            "workload: {batch: 0, input-tokens: -4, output-tokens: 2}\n");
    for (const char* part : {"size that divides",
                             "1.8TB/s",
                             "cluster.hbd.planes?",
                             "tiny-moe",
                             "fp9",
                             "workload.batch",
                             "workload.input-tokens"})
    {
        EXPECT_THAT(all, HasSubstr(part));
    }
}

TEST_F(ScenarioProblems, TinyFilesThatUnfoldWithoutEndAreRefused)
{
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 9; ++i)
    {
        const std::string before = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
        for (int j = 1; j < 10; ++j)
        {
            bomb += ", " + before;
        }
        bomb += "]\n";
    }
    EXPECT_THAT(Bad(bomb), HasSubstr("a document of ordinary size"));
    EXPECT_THAT(Bad("a: &a {b: *a}\n"), HasSubstr("given"));
    EXPECT_THAT(Bad("a: " + std::string(3000, '[')), HasSubstr("given"));
}

TEST_F(ScenarioProblems, ReferencesAreCheckedToo)
{
    const std::string mark =
        "reference:\n  - {id: R1, metric: ttft_s, kind: largest-drop, over: cluster.hbd.size, published: 0.5";
    const Reference good =
        Good(std::string(kInference) + mark + ", where: {precision: bf16, cluster.hbd.link-rate: 1800GB/s}}\n")
            .references.at(0);
    EXPECT_EQ(good.where.at("precision"), "fp16");
    EXPECT_EQ(good.where.at("cluster.hbd.link-rate"), "1.8TB/s");
    EXPECT_EQ(good.published, 0.5);
    const Reference trend = Good(std::string(kInference) +
                                 "reference: [{id: R8, metric: [ttft_s, tpot_s], kind: gain-grows-with, gain-with: "
                                 "precision, over: cluster.hbd.size, where: {cluster.hbd.size: 8..64}}]\n")
                                .references.at(0);
    EXPECT_EQ(trend.metric, "ttft_s, tpot_s");
    EXPECT_EQ(trend.where.at("cluster.hbd.size"), "8..64");
    EXPECT_FALSE(good.tolerance.has_value());
    EXPECT_THAT(Bad(kInference + mark + "}\n  - {id: R1, metric: ttft_s, kind: falls, over: precision}\n"),
                HasSubstr("reference.id: expected each id once"));
    EXPECT_THAT(Bad(kInference + mark + ", metrc: x}\n"), HasSubstr("did you mean metric?"));
    EXPECT_THAT(Bad(std::string(kInference) + "reference: [{id: R1, metric: ttft, kind: drops, over: gpus}]\n"),
                AllOf(HasSubstr("did you mean ttft_s?"),
                      HasSubstr("reference.kind"),
                      HasSubstr("did you mean cluster.gpus?"),
                      HasSubstr("reference.published")));
    EXPECT_THAT(Bad(kInference + mark + ", tolerance: some}\n"),
                HasSubstr("reference.tolerance: expected a number, given some"));
    EXPECT_THAT(Bad(kInference + mark + ", where: {cluster.gpus: many}}\n"), HasSubstr("reference.where.cluster.gpus"));
    EXPECT_THAT(Bad(kInference + mark + ", metric: x, where: {cluster.gpus: 1..2}}\n"),
                AllOf(HasSubstr("reference.metric: expected a field given once"), HasSubstr("given 1..2")));
    EXPECT_THAT(Bad(std::string(kInference) +
                    "reference: [{id: R1, metric: [ttft_s, tpot_s], kind: ratio, over: precision, published: 1}]\n"),
                HasSubstr("one metric for a mark with a figure"));
    EXPECT_THAT(Bad(std::string(kInference) + "reference: [R1]\n"), HasSubstr("a map of fields"));
}

TEST_F(ScenarioProblems, NothingThrowsWhateverTheText)
{
    std::mt19937 random(7);
    const std::string alphabet = "{}[]:,-&*!|>'\"%#?@`~ \n\tab1.<\\\xff";
    const std::string original =
        std::string(kInference) + "sweep:\n  - [{cluster.gpus: 8}]\n  - precision: [fp16, fp8]\nreference: []\n";
    for (int i = 0; i < 1500; ++i)
    {
        std::string text = original;
        for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes)
        {
            const std::size_t at = random() % text.size();
            const char letter = alphabet[random() % alphabet.size()];
            random() % 2 == 0 ? text.insert(at, 1, letter) : text.replace(at, 1, 1, letter);
        }
        std::vector<Problem> problems;
        EXPECT_NO_THROW({
            const ScenarioFile file = ReadScenario(Write("scenario.yaml", text), {text.substr(0, 20)}, problems);
            EXPECT_EQ(file.points.empty(), !problems.empty()) << text;
        }) << text;
    }
}

} // namespace

} // namespace hbd::traffic
