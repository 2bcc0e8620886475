/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: faults of links in scenarios: what cannot be delivered ends with exit code 1 and says why; sizes of a list and
// accelerations see the same faults. Method: the real program; records compared.

#include "program.h"

#include <gmock/gmock.h>

namespace
{

using namespace hbd::tests;
using testing::HasSubstr;

/// Two servers of two GPUs, all-gathers through the NICs.
const char* const NETWORK = R"(name: faults
cluster:
  gpus: 4
  hbd: {size: 1, preset: nvlink5}
  scale-out: {preset: rail-optimized-400g, gpus-per-server: 2, retransmit-timeout: 20us, spines: 2}
workload: {collective: all-gather, algorithm: ring, sizes: [1MiB, 4MiB]}
)";

class FaultsTest : public CommandTest
{
  protected:
    FaultsTest()
    {
        Write("net.yaml", NETWORK);
    }

    /// Runs with faults and other settings. \return collectives.csv of the only point
    std::string Collectives(const std::string& out, const std::string& faults, std::vector<std::string> sets = {}) const
    {
        std::vector<std::string> words{"run", "net.yaml", "--out", out, "--set", "cluster.scale-out.faults=" + faults};
        for (const auto& set : sets)
        {
            words.insert(words.end(), {"--set", set});
        }
        const auto ended = Hbd(words);
        EXPECT_EQ(ended.code, 0) << ended.err;
        const auto points = PointsIn(m_folder / out);
        return points.size() == 1 ? Read(out + "/" + points.front() + "/collectives.csv") : "";
    }
};

/// What a collective of one size took: duration and rates, without when it began.
std::string
LineOf(const std::string& csv, const std::string& bytes)
{
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);)
    {
        if (line.find("," + bytes + ",") != std::string::npos)
        {
            std::string cell;
            std::istringstream cells(line);
            std::string kept;
            for (int column = 0; std::getline(cells, cell, ','); column++)
            {
                kept += column < 14 ? "" : cell + " ";
            }
            return kept;
        }
    }
    return "none of " + bytes + " in:\n" + csv;
}

TEST_F(FaultsTest, MessageWithoutAWayEndsTheRunWithGpusTimeAndLinks)
{
    const auto ended = Hbd({"run", "net.yaml", "--set", "cluster.scale-out.faults=nic0-leaf0 down"});
    EXPECT_EQ(ended.code, 1);
    EXPECT_THAT(ended.err, HasSubstr("there is no way from gpu0 to gpu1"));
    EXPECT_THAT(ended.err, HasSubstr("nic0-leaf0 down"));
}

TEST_F(FaultsTest, QueuePairThatGivesUpEndsTheRun)
{
    // all messages are sent at the start
    const auto ended = Hbd({"run",
                            "net.yaml",
                            "--set",
                            "cluster.scale-out.faults=nic0-leaf0 down 30us",
                            "--set",
                            "workload.algorithm=direct",
                            "--set",
                            "workload.sizes=16MiB"});
    EXPECT_EQ(ended.code, 1);
    EXPECT_THAT(ended.err, HasSubstr("gives up after 7 timeouts of +20us"));
}

TEST_F(FaultsTest, EachSizeOfAListSeesTheFaultsFromItsOwnStart)
{
    const std::string faults =
        "leaf0-spine0 down 20us 50us, nic1-leaf1 rate 100Gbps 10us 3ms, nic2-leaf0 loss 1e-3 5us 60us";
    const auto both = Collectives("both", faults);
    const auto one = Collectives("one", faults, {"workload.sizes=4MiB"});
    EXPECT_EQ(LineOf(both, "4194304"), LineOf(one, "4194304"));
    EXPECT_NE(LineOf(one, "4194304"), LineOf(Collectives("whole", "none", {"workload.sizes=4MiB"}), "4194304"));
}

TEST_F(FaultsTest, ReplayPassesOverNoFault)
{
    const std::vector<std::string> sizes{"workload.sizes=[1MiB, 1MiB, 1MiB, 4MiB]"};
    const std::string faults = "nic1-leaf1 rate 100Gbps 60us 100us, leaf0-spine0 down 70us 90us";
    const auto replayed = Collectives("replayed", faults, {"acceleration.replay=on", sizes.front()});
    EXPECT_EQ(replayed, Collectives("simulated", faults, {"acceleration.replay=off", sizes.front()}));
}

TEST_F(FaultsTest, LostPacketsAreInTheRecordsOfLinks)
{
    Collectives("lossy", "nic1-leaf1 corruption 1e-2, nic0-leaf0 loss 1e-2");
    const auto links = Read("lossy/" + PointsIn(m_folder / "lossy").front() + "/links.csv");
    EXPECT_THAT(links, HasSubstr("receive_errors"));
    EXPECT_THAT(Read("lossy/points.csv"), HasSubstr("faults"));
}

} // namespace
