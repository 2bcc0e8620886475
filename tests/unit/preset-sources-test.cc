/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: presets say where their values are from, and systems stand for machines. Method: small files, and every shipped
// one.

#include "scenario-fixture.h"
#include "traffic-gen/library-profile.h"
#include "traffic-gen/preset-sources.h"
#include "traffic-gen/system-preset.h"

#include <set>

namespace hbd::traffic
{

namespace
{

using testing::HasSubstr;

class PresetSources : public ScenarioTest
{
  protected:
    std::string ProblemsOf(const std::string& sources) const
    {
        std::vector<Problem> problems;
        OriginsOf(Write("lib.yaml", kLibrary + sources), problems);
        std::string all;
        for (const auto& problem : problems)
        {
            all += ToText(problem) + "\n";
        }
        return all;
    }

    const std::string kLibrary = "description: mine\n"
                                 "launch: &launch 3us\n"
                                 "scale-up-step: 600ns\n"
                                 "scale-out-step: 3us\n"
                                 "kernels:\n"
                                 "  - {for: all-to-all, algorithm: direct, copy-rate: 500GB/s, launch: *launch}\n"
                                 "  - {for: all-reduce, algorithm: ring, copy-rate: 400GB/s, until: 1MiB}\n"
                                 "  - {for: all-reduce, algorithm: two-shot, copy-rate: 400GB/s}\n";
};

TEST_F(PresetSources, WhatIsNotDeclaredIsTold)
{
    std::vector<Problem> problems;
    const auto origins = OriginsOf(
        Write("lib.yaml",
              kLibrary + "sources:\n"
                         "  launch: {value: *launch, kind: constant, from: a document}\n"
                         "  copy-rate of rings: {value: 400GB/s, kind: fitted, from: rows}\n"
                         "  scale-up-step: {value: 600ns, kind: assumption, from: guess, range: 0.3us..1us}\n"),
        problems);
    EXPECT_TRUE(problems.empty());
    std::vector<std::string> texts;
    for (const auto& origin : origins)
    {
        texts.push_back(origin.name + " " + origin.value + " " + origin.kind);
    }
    EXPECT_THAT(texts,
                testing::ElementsAre("launch 3us constant",
                                     "copy-rate of rings 400GB/s fitted",
                                     "scale-up-step 600ns assumption",
                                     "scale-out-step 3us undeclared",
                                     "copy-rate 500GB/s undeclared",
                                     "until 1MiB undeclared"));
    EXPECT_EQ(origins[2].range, "0.3us..1us");
}

TEST_F(PresetSources, MistakesAreReportedWithTheirPlace)
{
    EXPECT_THAT(ProblemsOf("sources: none\n"), HasSubstr("lib.yaml:9: sources: expected a map of parameters"));
    EXPECT_THAT(ProblemsOf("sources:\n  launch: 3us\n"),
                HasSubstr("lib.yaml:10: sources.launch: expected a map of value, kind, from"));
    EXPECT_THAT(ProblemsOf("sources:\n  launch: {value: 3us, kind: guess, from: x}\n"),
                HasSubstr("sources.launch.kind: expected constant, measured, fitted or assumption, given `guess`"));
    EXPECT_THAT(ProblemsOf("sources:\n  launch: {value: 3us, kind: fitted}\n"),
                HasSubstr("sources.launch.from: expected where"));
    EXPECT_THAT(ProblemsOf("sources:\n  launch: {value: 3us, kind: assumption, from: x}\n"),
                HasSubstr("sources.launch.range: expected where the value of an assumption may lie, given nothing"));
    EXPECT_THAT(
        ProblemsOf("sources:\n  launch: {value: 4us, kind: fitted, from: x}\n"),
        HasSubstr("sources.launch.value: expected a value that the preset has for the key launch, given `4us`"));
    EXPECT_THAT(ProblemsOf("sources:\n  launch: {value: 3us, kind: fitted, from: x, who: me}\n"),
                HasSubstr("sources.launch.who: expected"));
}

TEST_F(PresetSources, AreNoKeysOfAScenario)
{
    Write("mine.yaml", kLibrary + "sources:\n  launch: {value: 3us, kind: constant, from: x}\n");
    EXPECT_EQ(Good(kNetworkOnly, {"library=mine"}).points[0].library.launch, Duration::FromMicroseconds(3));
    Write("mine.yaml", kLibrary + "sources:\n  launch: {value: 9us, kind: constant, from: x}\n");
    EXPECT_THAT(Bad(kNetworkOnly, {"library=mine"}), HasSubstr("sources.launch.value: expected"));
}

TEST_F(PresetSources, MultiprocessorsLimitTheCopyRate)
{
    const std::string library =
        "launch: 3us\nscale-up-step: 600ns\nscale-out-step: 3us\nkernels:\n"
        "  - {for: all-reduce, algorithm: ring, copy-rate: 650GB/s, copy-rate-per-sm: 25GB/s}\n";
    Write("mine.yaml", library);
    const auto rate = [this](const std::string& sms) {
        return Good(kNetworkOnly, {"library=mine", "library.sms=" + sms}).points[0].library.kernels[0].copyRate;
    };
    EXPECT_EQ(rate("24").BytesPerSecond(), 600e9) << "24 x 25 GB/s";
    EXPECT_EQ(rate("64").BytesPerSecond(), 650e9) << "more than the GPU's own limit";
    EXPECT_EQ(rate("0").BytesPerSecond(), 650e9) << "as many as it needs";
    const Scenario point = Good(kNetworkOnly, {"library=mine", "library.sms=24"}).points[0];
    EXPECT_EQ(Good(point.canonicalYaml).points[0].canonicalYaml, point.canonicalYaml);
}

TEST_F(PresetSources, EveryShippedSystemCanBeSimulated)
{
    std::vector<Problem> problems;
    const auto systems = LoadSystems(problems);
    EXPECT_TRUE(problems.empty()) << ToText(problems.front());
    std::set<std::string> names;
    for (const auto& system : systems)
    {
        EXPECT_FALSE(system.description.empty()) << system.file;
        EXPECT_TRUE(names.insert(system.name).second);
        for (const auto& alias : system.aliases)
        {
            EXPECT_TRUE(names.insert(alias).second) << alias << " is two systems";
        }
        for (const auto& [software, library] : system.libraries)
        {
            const bool exchange = software != "nccl";
            Value document;
            ASSERT_TRUE(ParseYaml(
                exchange ? "workload: {collective: dispatch, tokens: 8, experts: 256, top-k: 8, bytes-per-token: 7KiB}"
                         : "workload: {collective: all-reduce, sizes: [1MiB]}",
                system.file,
                document,
                problems));
            document.At("cluster") = system.cluster;
            document.At("library") = MakeScalar(library);
            ReadScenarioDocument(document, system.file, {}, problems);
            EXPECT_TRUE(problems.empty()) << software << ": " << ToText(problems.front());
        }
    }
    for (const std::string measured : {"b200_sxm",
                                       "h100_sxm",
                                       "h200_sxm",
                                       "gb200",
                                       "a100_sxm",
                                       "GB200 NVL72",
                                       "SM100",
                                       "H800 (NVLink ~160 GB/s) + CX7 IB 400 Gb/s"})
    {
        EXPECT_NE(FindSystem(systems, measured), nullptr) << measured;
    }
    EXPECT_EQ(FindSystem(systems, "z9"), nullptr);
}

} // namespace

} // namespace hbd::traffic
