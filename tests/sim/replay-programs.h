/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_PROGRAMS_H
#define REPLAY_PROGRAMS_H

#include "player-fixture.h"

/// Programs whose communication repeats, as layers of a model do.
namespace replay_test
{

using namespace player_test;

constexpr int64_t NS = 1000;
constexpr int64_t US = 1000000;

/// Duration in picoseconds of a rank's i-th compute in a layer.
using DurationOf = std::function<int64_t(uint32_t rank, uint64_t layer, uint32_t i)>;

/// Compute, all-to-all, compute, a step around the ring behind a software latency.
inline std::shared_ptr<const OperationBlock>
LayerBlock(uint32_t rank, uint32_t ranks, uint64_t bytes)
{
    BlockWriter writer;
    uint32_t first = writer.Compute();
    writer.Collective(1, 0, ranks);
    BlockWriter::Dependencies received;
    for (uint32_t i = 1; i < ranks; i++)
    {
        writer.Send((rank + i) % ranks, bytes + 100 * i, 0, {first}, 700 * NS);
    }
    for (uint32_t i = 1; i < ranks; i++)
    {
        received.push_back(writer.Receive((rank + ranks - i) % ranks, bytes + 100 * i, 0, {first}));
    }
    writer.NoCollective();
    uint32_t second = writer.Compute(received);
    writer.Collective(2, 0, ranks);
    writer.Send((rank + 1) % ranks, bytes, 1, {second});
    uint32_t got = writer.Receive((rank + ranks - 1) % ranks, bytes, 1, {second});
    writer.Delay(300 * NS, {got});
    return writer.Write();
}

/**
 * Layers of a model on all ranks.
 * \param distinctBlocks every layer has a block of its own, of equal content
 */
inline Program
LayerProgram(uint32_t ranks, uint64_t layers, uint64_t bytes, const DurationOf& durationOf, bool distinctBlocks = false)
{
    Program program(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        auto block = LayerBlock(rank, ranks, bytes);
        for (uint64_t layer = 0; layer < layers; layer++)
        {
            block = distinctBlocks ? LayerBlock(rank, ranks, bytes) : block;
            program[rank].push_back(
                Use(block, {durationOf(rank, layer, 0), durationOf(rank, layer, 1)}, layer, 1000 + layer));
        }
    }
    return program;
}

/// The same durations everywhere and always.
inline int64_t
Uniform(uint32_t /* rank */, uint64_t /* layer */, uint32_t i)
{
    return i == 0 ? 5 * US : 3 * US;
}

/// Ranks differ so much that computes of the slower ones end while the messages of the faster ones are under way.
inline int64_t
Skewed(uint32_t rank, uint64_t /* layer */, uint32_t i)
{
    return (i == 0 ? 5 * US : 3 * US) + rank * 330 * NS;
}

/// Later ranks are faster; ranks of two tiers then keep their distance.
inline int64_t
Reversed(uint32_t rank, uint64_t /* layer */, uint32_t i)
{
    return (i == 0 ? 7 * US : 5 * US) + (7 - rank) * 330 * NS;
}

/// The first compute grows from step to step, as decode attention does; two layers a step.
inline int64_t
Growing(uint32_t rank, uint64_t layer, uint32_t i)
{
    return Skewed(rank, layer, i) + (i == 0 ? static_cast<int64_t>(layer / 2) * 12345 : 0);
}

/**
 * Two stages of `width` ranks each. Micro-batches go from stage to stage; the first stage may be one ahead (it waits
 * for an empty message that says that its last one was taken), the second one is slower, exchanges inside itself and
 * has a block of its own after every fourth micro-batch.
 */
inline Program
PipelineProgram(uint32_t width, uint64_t microBatches, uint64_t bytes)
{
    Program program(2 * width);
    for (uint32_t i = 0; i < width; i++)
    {
        BlockWriter front;
        front.Send(width + i, bytes, 0, {front.Compute()});
        front.Receive(width + i, 0, 7);
        auto frontBlock = front.Write();

        BlockWriter back;
        uint32_t taken = back.Receive(i, bytes, 0);
        back.Send(i, 0, 7, {taken});
        uint32_t compute = back.Compute({taken});
        back.Collective(3, 0, width);
        for (uint32_t k = 1; k < width; k++)
        {
            back.Send(width + (i + k) % width, bytes / 2, 1, {compute});
            back.Receive(width + (i + k) % width, bytes / 2, 1, {compute});
        }
        auto backBlock = back.Write();

        BlockWriter head;
        head.Compute({head.Delay(100 * NS)});
        auto headBlock = head.Write();
        for (uint64_t m = 0; m < microBatches; m++)
        {
            program[i].push_back(Use(frontBlock, {2 * US + i * 50 * NS}, 2 * m, m));
            program[width + i].push_back(Use(backBlock, {9 * US + i * 70 * NS}, 2 * m, m));
            if (m % 4 == 3)
            {
                program[width + i].push_back(Use(headBlock, {1 * US}, 2 * m + 1, 500 + m));
            }
        }
    }
    return program;
}

/// Two domains of four GPUs each, and a leaf-spine network between them. A rail has a leaf of its own.
inline FabricConfig
TwoTiers(uint32_t gpus = 8, uint32_t hbdSize = 4)
{
    FabricConfig config = OneDomain(gpus);
    config.scaleUp.hbdSize = hbdSize;
    config.scaleUp.planes = 2;
    config.scaleOut.name = "rail-optimized";
    config.scaleOut.gpus = gpus;
    config.scaleOut.gpusPerServer = 4;
    config.scaleOut.serversPerLeaf = 1;
    config.scaleOut.spines = 2;
    config.scaleOut.nicRate = ns3::DataRate("400Gbps");
    config.scaleOut.hostRate = ns3::DataRate("500Gbps");
    config.scaleOut.uplinkRate = ns3::DataRate("400Gbps");
    config.scaleOut.hostDelay = ns3::NanoSeconds(200);
    config.scaleOut.linkDelay = ns3::NanoSeconds(50);
    return config;
}

/// Runs a program without and with replay; the results must be the same, and spans must have been replayed.
inline Outcome
ExpectReplayChangesNothing(const FabricConfig& config,
                           const Program& program,
                           const std::shared_ptr<SpanCache>& cache = std::make_shared<SpanCache>(),
                           const Preparation& prepare = nullptr,
                           uint64_t lastTag = NO_TAG)
{
    Outcome plain = RunProgram(config, program, nullptr, prepare, lastTag);
    Outcome replayed = RunProgram(config, program, cache, prepare, lastTag);
    ExpectSame(plain, replayed);
    EXPECT_EQ(plain.replay.spans, 0U);
    EXPECT_GT(replayed.replay.replayed, 0U);
    EXPECT_LE(replayed.replay.replayed, replayed.replay.spans);
    return replayed;
}

} // namespace replay_test

#endif /* REPLAY_PROGRAMS_H */
