/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: whatever is wrong with the input, the program says where and what, exits with 2 and writes nothing.
// Method: the real program in an empty folder; each case is a scenario with one thing wrong, or a command line.

#include "program.h"

#include <gmock/gmock.h>

namespace
{

using namespace hbd::tests;
using testing::AllOf;
using testing::HasSubstr;

/// A scenario with something wrong in it, and what the message must contain.
struct BadScenario
{
    const char* name;
    std::vector<std::string> replacements; ///< pairs: a line's beginning (without blanks) and the whole line instead
    std::vector<std::string> sets;
    std::vector<std::string> said;
};

void
PrintTo(const BadScenario& bad, std::ostream* stream)
{
    *stream << bad.name;
}

/// TINY_SWEEP with some lines replaced.
std::string
WithLines(const std::vector<std::string>& replacements)
{
    std::istringstream lines(TINY_SWEEP);
    std::string text;
    for (std::string line; std::getline(lines, line);)
    {
        for (size_t i = 0; i + 1 < replacements.size(); i += 2)
        {
            if (line.compare(line.find_first_not_of(" -"), replacements[i].size(), replacements[i]) == 0)
            {
                line = replacements[i + 1];
            }
        }
        text += line + "\n";
    }
    return text;
}

const std::vector<BadScenario> BAD_SCENARIOS = {
    {"BrokenYaml", {"gpu:", "  gpu: [b200"}, {}, {"bad.yaml:"}},
    {"UnknownKey", {"gpus:", "  gpuss: 4"}, {}, {"bad.yaml:3", "cluster.gpuss", "gpus"}},
    {"UnknownNestedKey",
     {"hbd:", "  hbd: {size: 4, preset: nvlink5, linkrate: 1.8TB/s}"},
     {},
     {"bad.yaml:5", "cluster.hbd.linkrate", "link-rate"}},
    {"UnitOfAnotherKind",
     {"hbd:", "  hbd: {size: 4, preset: nvlink5, link-rate: 1.8TB}"},
     {},
     {"bad.yaml:5", "cluster.hbd.link-rate", "1.8TB"}},
    {"NumberWithoutUnit",
     {"hbd:", "  hbd: {size: 4, preset: nvlink5, link-delay: 100}"},
     {},
     {"bad.yaml:5", "cluster.hbd.link-delay", "100"}},
    {"NegativeNumber", {"gpus:", "  gpus: -4"}, {}, {"bad.yaml:3", "cluster.gpus", "-4"}},
    {"NegativeTime",
     {"hbd:", "  hbd: {size: 4, preset: nvlink5, link-delay: -100ns}"},
     {},
     {"bad.yaml:5", "cluster.hbd.link-delay", "-100ns"}},
    {"Zero",
     {"workload:", "workload: {batch: 0, input-tokens: 64, output-tokens: 3}"},
     {},
     {"bad.yaml:9", "workload.batch", "0"}},
    {"AbsurdSize", {"gpus:", "  gpus: 1000000000000"}, {}, {"bad.yaml:3", "cluster.gpus", "1000000000000"}},
    {"AbsurdRate",
     {"hbd:", "  hbd: {size: 4, preset: nvlink5, link-rate: 1e30TB/s}"},
     {},
     {"bad.yaml:5", "cluster.hbd.link-rate", "1e30TB/s"}},
    {"DomainThatDoesNotDivide",
     {"cluster.hbd.size:", "  - cluster.hbd.size: [3, 4]"},
     {},
     {"bad.yaml:11", "cluster.hbd.size", "divides cluster.gpus", "3"}},
    {"MappingThatDoesNotMultiplyUp", {"mapping:", "mapping: {tp: 2, dp: 1}"}, {}, {"bad.yaml:8", "mapping", "4"}},
    {"ModelThatDoesNotFitTheMemory",
     {},
     {"model=qwen1.5-110b-moe16"},
     {"--set: model", "cluster.gpu.memory", "weights", "KV cache"}},
    {"UnknownPreset", {"model:", "model: tiny-dens"}, {}, {"bad.yaml:7", "model", "tiny-dens", "tiny-dense"}},
    {"UnknownDomainPreset",
     {"hbd:", "  hbd: {size: 4, preset: nvlink6}"},
     {},
     {"bad.yaml:5", "cluster.hbd", "nvlink6", "nvlink5"}},
    {"HeadroomTooSmallForTheCable",
     {"scale-out:", "  scale-out: {preset: rail-optimized-400g, gpus-per-server: 2, headroom: 0B}"},
     {},
     {"bad.yaml:6", "cluster.scale-out.headroom", "at least"}},
    {"SwitchBufferWithoutRoom",
     {},
     {"cluster.scale-out.switch-buffer=700KiB"},
     {"--set: cluster.scale-out.switch-buffer"}},
    {"CableTooLong", {}, {"cluster.scale-out.link-delay=10us"}, {"bad.yaml", "cluster.scale-out.headroom"}},
    {"OddPacketSize", {}, {"cluster.scale-out.mtu=1001B"}, {"cluster.scale-out.mtu", "multiple of 4B"}},
    {"PayloadOfPartFlits", {}, {"cluster.hbd.packet-payload=250B"}, {"cluster.hbd.packet-payload", "multiple"}},
    {"FlitsOfAPacket",
     {},
     {"cluster.hbd.packet-payload=512B"},
     {"cluster.hbd.packet-payload", "packet-flits = 18", "34 flits"}},
    {"DomainTopology",
     {},
     {"cluster.hbd.topology=torus"},
     {"cluster.hbd.topology", "single-tier, two-tier, mesh", "torus"}},
    {"MeshWithPlanes",
     {},
     {"cluster.hbd.topology=mesh", "cluster.hbd.links-per-peer=1"},
     {"cluster.hbd.planes", "no switches"}},
    {"MeshWithoutLinks",
     {},
     {"cluster.hbd.topology=mesh", "cluster.hbd.planes=0"},
     {"cluster.hbd.links-per-peer", "at least 1 link"}},
    {"MeshOfTooFewLinks",
     {},
     {"cluster.hbd.topology=mesh", "cluster.hbd.planes=0", "cluster.hbd.links-per-peer=5", "cluster.hbd.links=3"},
     {"cluster.hbd.links", "links-per-peer x the other GPUs", "3"}},
    {"NoPlanes", {}, {"cluster.hbd.planes=0"}, {"cluster.hbd.planes", "at least 1 plane"}},
    {"FewerLinksThanPlanes", {}, {"cluster.hbd.links=5"}, {"cluster.hbd.links", "each of the 18 planes", "5"}},
    {"LeavesThatDoNotDivide",
     {},
     {"cluster.hbd.size=4", "cluster.hbd.topology=two-tier", "cluster.hbd.leaf-size=3"},
     {"cluster.hbd.leaf-size", "divisor of cluster.hbd.size, 4", "3"}},
    {"PathChoice",
     {},
     {"cluster.hbd.path-choice=random"},
     {"cluster.hbd.path-choice", "round-robin, hash, least-queued", "random"}},
    {"TrunkRate", {}, {"cluster.hbd.trunk-rate=fast"}, {"cluster.hbd.trunk-rate", "auto or a rate", "fast"}},
    {"Spines", {}, {"cluster.hbd.spines=0"}, {"cluster.hbd.spines", "1..1024", "0"}},
    {"Trunks", {}, {"cluster.hbd.trunks=-1"}, {"cluster.hbd.trunks", "negative"}},
    {"BrokenLinkThatIsNotThere",
     {},
     {"cluster.hbd.broken=gpu0.link18"},
     {"--set: cluster.hbd.broken", "links that exist", "'gpu0.link18'"}},
    {"BrokenNonsense", {}, {"cluster.hbd.broken=cable 7"}, {"--set: cluster.hbd.broken", "gpuN.linkN", "'cable 7'"}},
    {"BrokenTrunkOfOneTier",
     {},
     {"cluster.hbd.broken=hbd0.plane0.leaf0-spine0.0"},
     {"--set: cluster.hbd.broken", "'hbd0.plane0.leaf0-spine0.0'"}},
    {"BrokenAndMustNot",
     {},
     {"cluster.hbd.size=2", "cluster.hbd.broken=gpu1.link5", "cluster.hbd.on-broken=fail"},
     {"--set: cluster.hbd.broken", "gpu1.link5, which gpu0 and gpu1 would use"}},
    {"BrokenWithoutAWay",
     {},
     {"cluster.hbd.size=2", "cluster.hbd.planes=1", "cluster.hbd.broken=hbd1.plane0"},
     {"--set: cluster.hbd.broken", "a way left between gpu2 and gpu3"}},
    {"RadixWithoutRoom",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.topology=fat-tree", "cluster.scale-out.radix=2"},
     {"--set: cluster.scale-out.radix", "cube / 4 is at least cluster.gpus = 4", "2"}},
    {"TooManyAggregations",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.topology=fat-tree", "cluster.scale-out.aggregations=3"},
     {"--set: cluster.scale-out.aggregations", "at most radix / 2 = 2", "3"}},
    {"TooManyCores",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.topology=fat-tree", "cluster.scale-out.cores=5"},
     {"--set: cluster.scale-out.cores", "at most aggregations x radix / 2 = 4", "5"}},
    {"KeyOfAnotherTopology",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.topology=fat-tree", "cluster.scale-out.spines=3"},
     {"--set: cluster.scale-out.spines", "topology: rail-optimized", "cluster.scale-out.topology is fat-tree"}},
    {"FaultNonsense",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.faults=leaf0-spine0 explodes"},
     {"--set: cluster.scale-out.faults", "down, up, rate, loss or corruption", "explodes"}},
    {"FaultWithoutUnits",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.faults=leaf0-spine0 down 2, nic0-leaf0 rate 100 1ms, nic0-leaf0 loss 2"},
     {"a time with its unit", "`2`", "a rate above 0 with its unit", "`100`", "a probability from 0 to 1"}},
    {"FaultLinkName",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.faults=leaf0 down 2ms"},
     {"a link, such as leaf0-spine1", "`leaf0`"}},
    {"FaultEndsBeforeItStarts",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.faults=nic0-leaf0 down 2ms 1ms"},
     {"an end after the start", "2ms to 1ms"}},
    {"FaultOfNoLink",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.faults=nic0-leaf1 down 2ms"},
     {"--set: cluster.scale-out.faults", "no Ethernet link between 'nic0' and 'leaf1'"}},
    {"FaultUpWhenUp",
     {},
     {"cluster.hbd.size=2", "cluster.scale-out.faults=nic0-leaf0 up 2ms"},
     {"cluster.scale-out.faults", "comes up when it is up"}},
    {"OnBroken", {}, {"cluster.hbd.on-broken=ignore"}, {"cluster.hbd.on-broken", "reroute, fail", "ignore"}},
    {"TableThatTakesNoResult",
     {},
     {"cluster.hbd.reduction-table=16B"},
     {"--set: cluster.hbd.reduction-table", "packet-payload = 256B", "16B"}},
    {"NoRoomForSwitchGroups",
     {"model:", "# no model", "mapping:", "# no mapping", "workload:", "workload: {collective: all-reduce, algorithm: nvls, sizes: [1MiB]}"},
     {"cluster.hbd.multicast-groups=0"},
     {"--set: cluster.hbd.multicast-groups", "at least 1", "given 0"}},
    {"LeavesOfOneTier",
     {"hbd:", "  hbd: {size: 4, preset: nvlink5, leaf-size: 2}"},
     {},
     {"bad.yaml:5", "cluster.hbd.leaf-size", "nothing: leaf-size is for topology: two-tier", "given 2"}},
    {"ChunkOfATree",
     {"model:", "model: tiny-dense\nlibrary:\n  kernels:\n    - {for: all-reduce, algorithm: tree, chunk: 1MiB}"},
     {},
     {"bad.yaml:10", "library.kernels[0].chunk", "applies to the algorithm nvls", "1MiB"}},
    {"PacketsOfAKernel",
     {"model:", "model: tiny-dense\nlibrary:\n  kernels:\n    - {for: all-reduce, algorithm: tree, packet-payload: 100B}"},
     {},
     {"bad.yaml:10", "library.kernels[0].packet-payload", "multiple of cluster.hbd.flit = 16B", "100B"}},
    {"BitErrorRate", {}, {"cluster.hbd.bit-error-rate=0.5"}, {"cluster.hbd.bit-error-rate", "0..0.001", "0.5"}},
    {"RetryDelay", {}, {"cluster.hbd.retry-delay=1"}, {"cluster.hbd.retry-delay", "a time such as 500ns"}},
    {"SetOfUnknownKey", {}, {"cluster.hbd.sise=4"}, {"--set", "cluster.hbd.sise", "size"}},
    {"SetWithoutValue", {}, {"cluster.hbd.size"}, {"--set", "cluster.hbd.size"}},
    {"SetOfWrongUnit", {}, {"cluster.hbd.link-rate=1.8TB"}, {"--set", "cluster.hbd.link-rate", "1.8TB"}},
};

class BadScenarioTest : public CommandTest, public testing::WithParamInterface<BadScenario>
{
};

TEST_P(BadScenarioTest, IsRefusedWithPlaceAndKeyAndWritesNothing)
{
    const auto& bad = GetParam();
    Write("bad.yaml", WithLines(bad.replacements));
    const auto before = TreeOf(m_folder);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"run", "bad.yaml", "--out", "out"}, {"run", "bad.yaml", "--dry-run"}})
    {
        auto words = command;
        for (const auto& set : bad.sets)
        {
            words.insert(words.end(), {"--set", set});
        }
        const auto ended = Hbd(words);
        EXPECT_EQ(ended.code, 2) << ended.err;
        EXPECT_EQ(ended.out, "");
        for (const auto& text : bad.said)
        {
            EXPECT_THAT(ended.err, HasSubstr(text));
        }
        EXPECT_EQ(TreeOf(m_folder), before);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, BadScenarioTest, testing::ValuesIn(BAD_SCENARIOS), [](const auto& info) {
    return std::string(info.param.name);
});

class BadInput : public CommandTest
{
  protected:
    /// Expects that the words are refused with these texts, and that nothing is written.
    void ExpectRefused(const std::vector<std::string>& words, const std::vector<std::string>& said) const
    {
        const auto before = TreeOf(m_folder);
        const auto ended = Hbd(words);
        EXPECT_EQ(ended.code, 2) << ended.err;
        for (const auto& text : said)
        {
            EXPECT_THAT(ended.err, HasSubstr(text));
        }
        EXPECT_EQ(TreeOf(m_folder), before);
    }
};

TEST_F(BadInput, MissingFileIsNamed)
{
    for (const std::string command : {"run", "traffic", "fabric"})
    {
        ExpectRefused({command, "nowhere/scenario.yaml"}, {"nowhere/scenario.yaml"});
    }
}

TEST_F(BadInput, AllProblemsAreToldAtOnce)
{
    Write("bad.yaml", WithLines({"gpus:", "  gpuss: 4", "mapping:", "mapping: {tq: 4}", "model:", "model: nothing"}));
    ExpectRefused({"run", "bad.yaml"},
                  {"bad.yaml:3", "cluster.gpuss", "bad.yaml:8", "mapping.tq", "bad.yaml:7", "nothing"});
}

TEST_F(BadInput, MessageFileIsCheckedBeforeAnythingRuns)
{
    Write("messages.csv", "time,source,destination,bytes\n0ns,0,1,1KiB\n0ns,0,99,1KiB\n");
    Write("bad.yaml",
          "name: m\ncluster: {gpus: 4, hbd: {size: 4, preset: nvlink5}, scale-out: rail-optimized-400g}\n"
          "workload: {messages: messages.csv}\n");
    ExpectRefused({"run", "bad.yaml"}, {"messages.csv:3", "99"});
}

TEST_F(BadInput, MarkOfUnknownKindOrMetricIsRefused)
{
    Write("bad.yaml",
          std::string(TINY_SWEEP) + "reference:\n  - {id: R1, statement: s, metric: ttft, kind: largest-drop, over: "
                                    "cluster.hbd.size, published: 0.5}\n");
    ExpectRefused({"run", "bad.yaml"}, {"bad.yaml", "metric", "ttft_s"});
}

TEST_F(BadInput, FolderThatIsNotEmptyIsRefused)
{
    Write("tiny.yaml", TINY_SWEEP);
    Write("out/notes.txt", "mine");
    ExpectRefused({"run", "tiny.yaml", "--out", "out"}, {"--out", "out", "not empty", "--resume"});
    ExpectRefused({"run", "tiny.yaml", "--out", "out", "--resume"}, {"--out", "out", "notes.txt"});
}

TEST_F(BadInput, FolderThatCannotBeMadeIsRefused)
{
    Write("tiny.yaml", TINY_SWEEP);
    Write("file", "");
    ExpectRefused({"run", "tiny.yaml", "--out", "file"}, {"--out", "file"});
    ExpectRefused({"run", "tiny.yaml", "--out", "file/below"}, {"--out", "file/below"});
    ExpectRefused({"run", "tiny.yaml", "--out", "/proc/hbd-results"}, {"--out", "/proc/hbd-results"});
    ExpectRefused({"traffic", "tiny.yaml", "--set", "cluster.hbd.size=4", "--out", "file/below"},
                  {"--out", "file/below"});
}

TEST_F(BadInput, FolderWithoutPermissionIsRefused)
{
    if (::geteuid() == 0)
    {
        GTEST_SKIP() << "root may write everywhere";
    }
    Write("tiny.yaml", TINY_SWEEP);
    std::filesystem::create_directory(m_folder / "out");
    std::filesystem::permissions(m_folder / "out",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    ExpectRefused({"run", "tiny.yaml", "--out", "out"}, {"--out", "out"});
}

TEST_F(BadInput, CommandLineIsChecked)
{
    Write("tiny.yaml", TINY_SWEEP);
    ExpectRefused({}, {"usage"});
    ExpectRefused({"rnu"}, {"rnu", "run", "traffic", "fabric", "bench", "list"});
    ExpectRefused({"run", "--job", "2"}, {"--job"});
    ExpectRefused({"run", "tiny.yaml", "--jobs", "0"}, {"--jobs", "0"});
    ExpectRefused({"run", "tiny.yaml", "--jobs", "many"}, {"--jobs: expected a whole number, given many"});
    ExpectRefused({"run", "tiny.yaml", "--bogus"}, {"expected one of the options", "--out", "given --bogus"});
    ExpectRefused({"run", "tiny.yaml", "tiny.yaml"}, {"hbd run"});
    ExpectRefused({"run", "tiny.yaml", "--resume"}, {"--out"});
    ExpectRefused({"traffic"}, {"scenario"});
    ExpectRefused({"traffic", "tiny.yaml", "--format", "xml"}, {"--format", "csv", "xml"});
    ExpectRefused({"fabric", "tiny.yaml", "--format", "svg"}, {"--format", "dot", "svg"});
    ExpectRefused({"list", "nothing"}, {"nothing", "models"});
}

TEST_F(BadInput, CommandsForOnePointSayWhichKeysToSet)
{
    Write("tiny.yaml", TINY_SWEEP);
    for (const std::string command : {"traffic", "fabric"})
    {
        ExpectRefused({command, "tiny.yaml"}, {"--set cluster.hbd.size=", "2, 4"});
    }
}

} // namespace
