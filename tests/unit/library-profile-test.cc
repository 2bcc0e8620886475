/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: a library is read as it is written, kernel by kernel, and what is wrong is told with its line. Method: small
// libraries, each with one mistake; a library with every key, written and read again.

#include "scenario-fixture.h"
#include "traffic-gen/kernel-schema.h"
#include "traffic-gen/library-profile.h"

#include <gmock/gmock.h>

namespace hbd::traffic
{

namespace
{

using testing::AllOf;
using testing::HasSubstr;

class LibraryProfile : public ScenarioTest
{
  protected:
    /// A library of its own with these kernels; the first one stands in line 3.
    std::string WithKernels(const std::string& kernels) const
    {
        return "library: {launch: 3us, scale-up-step: 600ns, scale-out-step: 2.7us, reduce-rate: 1TB/s, choice: "
               "first,\n"
               "  kernels: [\n" +
               kernels + "]}\n" + kNetworkOnly;
    }

    std::string BadKernel(const std::string& keys) const
    {
        return Bad(WithKernels("{for: all-reduce, algorithm: ring, " + keys + "}"));
    }

    LibrarySpec Library(const std::string& kernels, const std::vector<std::string>& sets = {}) const
    {
        return Good(WithKernels(kernels), sets).points[0].library;
    }
};

TEST_F(LibraryProfile, HasEveryKeyOfAKernel)
{
    const auto library =
        Library("{for: all-reduce, algorithm: nvls, protocol: simple, wire: 16/15, launch: 1us, scale-up-step: 2us, "
                "scale-out-step: 3us, copy-rate: 4GB/s, packet-payload: 128B, staging-rate: 5GB/s, chunk: 6KiB, "
                "reduce-rate: 7GB/s, minimum: 8us, from: 9B, until: 10B, block-from: 11B, block-until: 12B, "
                "min-ranks: 13, max-ranks: 14, placement: one-domain, needs-switches: true, fallback: true}");
    ASSERT_EQ(library.kernels.size(), 1u);
    const KernelSpec& kernel = library.kernels[0];
    EXPECT_EQ(kernel.operation, "all-reduce");
    EXPECT_EQ(kernel.algorithm, "nvls");
    EXPECT_EQ(kernel.protocol, "simple");
    EXPECT_EQ(kernel.wire.numerator, 16u);
    EXPECT_EQ(kernel.wire.denominator, 15u);
    EXPECT_EQ(kernel.launch, Duration::FromMicroseconds(1));
    EXPECT_EQ(kernel.scaleUpStep, Duration::FromMicroseconds(2));
    EXPECT_EQ(kernel.scaleOutStep, Duration::FromMicroseconds(3));
    EXPECT_EQ(kernel.copyRate, ByteRate::FromBytesPerSecond(4e9));
    EXPECT_EQ(kernel.packetPayload, Bytes::FromBytes(128));
    EXPECT_EQ(kernel.stagingRate, ByteRate::FromBytesPerSecond(5e9));
    EXPECT_EQ(kernel.chunk, Bytes::FromKib(6));
    EXPECT_EQ(kernel.reduceRate, ByteRate::FromBytesPerSecond(7e9));
    EXPECT_EQ(kernel.minimum, Duration::FromMicroseconds(8));
    EXPECT_EQ(kernel.from.Count(), 9u);
    EXPECT_EQ(kernel.until.Count(), 10u);
    EXPECT_EQ(kernel.blockFrom.Count(), 11u);
    EXPECT_EQ(kernel.blockUntil.Count(), 12u);
    EXPECT_EQ(kernel.minRanks, 13u);
    EXPECT_EQ(kernel.maxRanks, 14u);
    EXPECT_EQ(kernel.placement, "one-domain");
    EXPECT_TRUE(kernel.needsSwitches);
    EXPECT_TRUE(kernel.fallback);
}

TEST_F(LibraryProfile, GivesItsTimesToKernelsWithoutTheirOwn)
{
    const auto library = Library("{for: all-reduce, algorithm: ring},\n{for: all-reduce, algorithm: tree, launch: 5us}",
                                 {"library.launch=4us", "library.scale-up-step=500ns"});
    EXPECT_EQ(library.kernels[0].launch, Duration::FromMicroseconds(4));
    EXPECT_EQ(library.kernels[1].launch, Duration::FromMicroseconds(5));
    for (const auto& kernel : library.kernels)
    {
        EXPECT_EQ(kernel.scaleUpStep, Duration::FromNanoseconds(500));
        EXPECT_EQ(kernel.scaleOutStep, Duration::FromNanoseconds(2700));
        EXPECT_EQ(kernel.reduceRate, ByteRate::FromBytesPerSecond(1e12));
        EXPECT_TRUE(kernel.copyRate.IsZero());
        EXPECT_TRUE(kernel.minimum.IsZero());
        EXPECT_EQ(kernel.placement, "any");
    }
    EXPECT_EQ(KernelName(library.kernels[0]), "ring");
}

TEST_F(LibraryProfile, WritesEveryKeyAndReadsItAgain)
{
    const std::string kernels =
        "{for: all-reduce, algorithm: ring, protocol: ll, wire: 2, copy-rate: 282GB/s, until: 1MiB},\n"
        "{for: all-reduce, algorithm: nvls, minimum: 97us, needs-switches: true}";
    const Scenario first = Good(WithKernels(kernels)).points[0];
    for (const auto& key : KernelKeys())
    {
        EXPECT_THAT(first.canonicalYaml, HasSubstr(std::string(key.path) + ": "));
        EXPECT_THAT(first.canonicalJson, HasSubstr("\"" + std::string(key.path) + "\": "));
    }
    EXPECT_EQ(Good(first.canonicalYaml).points[0].canonicalYaml, first.canonicalYaml);
    EXPECT_EQ(Good(first.canonicalJson).points[0].canonicalJson, first.canonicalJson);
}

TEST_F(LibraryProfile, IsTheSameScenarioHoweverItIsWritten)
{
    const auto hash = [this](const std::string& keys) {
        return Good(WithKernels("{for: all-reduce, algorithm: ring" + keys + "}")).hash;
    };
    EXPECT_EQ(hash(", wire: 16/15, copy-rate: 0.4TB/s"), hash(", copy-rate: 400GB/s, wire: 32/30"));
    EXPECT_EQ(hash(", launch: 3us"), hash(""));
    EXPECT_NE(hash(", launch: 3001ns"), hash(""));
    EXPECT_NE(hash(", protocol: ll"), hash(""));
}

TEST_F(LibraryProfile, NamesTheLineOfEachMistake)
{
    const std::string all = Bad(WithKernels("{for: all-reduce, algorithm: ring},\n"
                                            "{for: all-reduce, algorithm: ring, lunch: 3us},\n"
                                            "{for: all-reduce,\n algorithm: rign}"));
    EXPECT_THAT(
        all,
        AllOf(HasSubstr("scenario.yaml:4: library.kernels[1].lunch: expected a known key of a kernel, given "
                        "`lunch` (did you mean launch?)"),
              HasSubstr("scenario.yaml:6: library.kernels[2].algorithm: expected one of one-shot, two-shot, ring"),
              HasSubstr("given rign (did you mean ring?)")));
}

TEST_F(LibraryProfile, RefusesWhatIsNoKernel)
{
    EXPECT_THAT(Bad(WithKernels("ring")),
                HasSubstr("library.kernels[0]: expected a map of a kernel's keys, given ring"));
    EXPECT_THAT(Bad(WithKernels("{algorithm: ring}")),
                HasSubstr("library.kernels[0].for: expected one of all-reduce,"));
    EXPECT_THAT(Bad(WithKernels("{for: all-reduce}")),
                HasSubstr("library.kernels[0].algorithm: expected a text, given nothing"));
    EXPECT_THAT(Bad(WithKernels("{for: reduce, algorithm: ring}")),
                HasSubstr("library.kernels[0].for: expected one of"));
    EXPECT_THAT(Bad(WithKernels("{for: all-to-all, algorithm: nvls}")),
                HasSubstr("library.kernels[0].algorithm: expected one of direct, ring"));
    EXPECT_THAT(Bad(WithKernels("{for: combine, algorithm: tree}")), HasSubstr("for combine, given tree"));
    EXPECT_THAT(BadKernel("wire: 2, wire: 2"), HasSubstr("wire"));
    EXPECT_THAT(Bad("library: {preset: custom, launch: 1us, scale-up-step: 1us, scale-out-step: 1us}\n" +
                    std::string(kNetworkOnly)),
                HasSubstr("library.kernels: expected a list of kernels, each a map, given nothing"));
    EXPECT_THAT(Bad("library: {kernels: ring}\n" + std::string(kNetworkOnly)),
                HasSubstr("library.kernels: expected a list of kernels"));
    EXPECT_THAT(Bad("library: {kernels: {for: all-reduce, algorithm: ring}}\n" + std::string(kNetworkOnly)),
                HasSubstr("library.kernels: expected a list of kernels"));
}

TEST_F(LibraryProfile, RefusesValuesOutOfRange)
{
    for (const std::string wire : {"1/2", "0", "x", "2/0", "1.5", "17", "16/15/1", "-2", "\"\""})
    {
        EXPECT_THAT(BadKernel("wire: " + wire),
                    HasSubstr("library.kernels[0].wire: expected a factor such as 2 or 16/15, 1..16"))
            << wire;
    }
    for (const std::string key : {"launch: 3",
                                  "launch: -1us",
                                  "launch: 2s",
                                  "scale-up-step: 3GB/s",
                                  "copy-rate: 5us",
                                  "packet-payload: 1MiB",
                                  "chunk: 0B",
                                  "minimum: [1us]",
                                  "from: many",
                                  "min-ranks: 0",
                                  "max-ranks: -1",
                                  "placement: two-domains",
                                  "needs-switches: perhaps"})
    {
        const std::string name = key.substr(0, key.find(':'));
        EXPECT_THAT(BadKernel(key), HasSubstr("scenario.yaml:3: library.kernels[0]." + name + ": expected")) << key;
    }
    EXPECT_THAT(Bad(kNetworkOnly, {"library.choice=best"}),
                HasSubstr("library.choice: expected one of first, cheapest"));
}

TEST_F(LibraryProfile, RefusesConditionsThatNothingFulfils)
{
    EXPECT_THAT(BadKernel("from: 1MiB, until: 1MiB"),
                HasSubstr("library.kernels[0].until: expected more than from, or 0 for no limit, given 1MiB"));
    EXPECT_THAT(BadKernel("block-from: 2KiB, block-until: 1KiB"),
                HasSubstr("library.kernels[0].block-until: expected"));
    EXPECT_THAT(BadKernel("min-ranks: 4, max-ranks: 3"), HasSubstr("library.kernels[0].max-ranks: expected"));
    EXPECT_EQ(Library("{for: all-reduce, algorithm: ring, min-ranks: 4, max-ranks: 4}").kernels[0].maxRanks, 4u);
}

TEST_F(LibraryProfile, ReportsMistakesInAPresetThere)
{
    Write("mine.yaml",
          "description: mine\nlaunch: 1us\nscale-up-step: 1us\nscale-out-step: 1us\nkernels:\n"
          "  - {for: all-reduce, algorithm: ring}\n  - {for: all-reduce, algorithm: ring, untill: 1MiB}\n");
    EXPECT_THAT(
        Bad(kNetworkOnly, {"library=mine"}),
        HasSubstr("mine.yaml:7: library.kernels[1].untill: expected a known key of a kernel, given `untill` (did "
                  "you mean until?)"));
}

TEST_F(LibraryProfile, MayBeSetAndSwept)
{
    const std::string ring =
        "library.kernels=[{for: all-reduce, algorithm: ring, until: 1MiB}, {for: all-reduce, algorithm: tree}]";
    const auto library = Good(kNetworkOnly, {ring}).points[0].library;
    ASSERT_EQ(library.kernels.size(), 2u);
    EXPECT_EQ(library.preset, "nccl-like");
    EXPECT_EQ(library.kernels[1].algorithm, "tree");
    EXPECT_EQ(library.kernels[1].launch, Duration::FromMicroseconds(3));
    EXPECT_THAT(Bad(kNetworkOnly, {"library.kernels=[{for: all-reduce, algorithm: rign}]"}),
                AllOf(HasSubstr("--set"), HasSubstr("library.kernels[0].algorithm"), HasSubstr("did you mean ring?")));

    const std::string sweep = std::string(kNetworkOnly) + "sweep:\n  - library.kernels:\n"
                                                          "    - [{for: all-reduce, algorithm: ring}]\n"
                                                          "    - [{for: all-reduce, algorithm: tree}]\n";
    EXPECT_EQ(Good(sweep).points.size(), 2u);
    const auto chosen = Good(sweep, {"library.kernels=[{algorithm: tree, for: all-reduce, launch: 3us}]"});
    ASSERT_EQ(chosen.points.size(), 1u);
    EXPECT_EQ(chosen.points[0].library.kernels[0].algorithm, "tree");
}

TEST_F(LibraryProfile, SaysWhatReplacedItsFormerKeys)
{
    EXPECT_THAT(
        Bad("library: {direct-limit: 1MiB}\n" + std::string(kNetworkOnly)),
        AllOf(HasSubstr("scenario.yaml:1: library.direct-limit: expected a known key"), HasSubstr("block-until")));
    EXPECT_THAT(Bad(kNetworkOnly, {"library.large-algorithm=ring"}), HasSubstr("now a kernel for each operation"));
    EXPECT_THAT(Bad("library: {all-to-all: direct}\n" + std::string(kNetworkOnly)),
                HasSubstr("{for: all-to-all, algorithm: direct}"));
}

TEST_F(LibraryProfile, KnowsTheAlgorithmsOfAWorkload)
{
    EXPECT_THAT(Bad(kNetworkOnly, {"workload.algorithm=rign"}),
                HasSubstr("workload.algorithm: expected one of auto, one-shot"));
    EXPECT_EQ(Good(kNetworkOnly, {"workload.protocol=ll"}).points[0].workload.collective->protocol, "ll");
}

TEST(Fractions, AreReadInLowestTerms)
{
    for (const auto& [text, normal] : {std::pair("2", "2"), {"4/2", "2"}, {"16/15", "16/15"}, {"128/120", "16/15"}})
    {
        Fraction value;
        std::string why;
        EXPECT_TRUE(ParseQuantity(text, value, why)) << text;
        EXPECT_EQ(ToText(value), normal);
    }
    EXPECT_TRUE((Fraction{16, 15} < Fraction{2, 1}));
    EXPECT_FALSE((Fraction{2, 1} < Fraction{2, 1}));
    EXPECT_DOUBLE_EQ((Fraction{16, 15}).Value(), 16.0 / 15);
}

} // namespace

} // namespace hbd::traffic
