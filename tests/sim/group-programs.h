/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GROUP_PROGRAMS_H
#define GROUP_PROGRAMS_H

#include "replay-programs.h"

#include "ns3/uinteger.h"

#include <numeric>
#include <random>

/// Programs of ranks that read, and that have switches copy and sum.
namespace replay_test
{

/// Ranks 0 .. n - 1.
inline std::vector<uint32_t>
FirstRanks(uint32_t n)
{
    std::vector<uint32_t> ranks(n);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

/// An all-reduce of `bytes` by the switches as a rank sees it: sums its share, gives it to all. \return what it waits for
inline BlockWriter::Dependencies
AddSwitchAllReduce(BlockWriter& writer, uint32_t rank, uint32_t ranks, uint64_t bytes, const BlockWriter::Dependencies& after)
{
    const std::vector<uint32_t> group = FirstRanks(ranks);
    uint64_t share = bytes / ranks;
    uint32_t sum = writer.SwitchReduce(group, share, after);
    writer.Multicast(group, share, 0, {sum});
    BlockWriter::Dependencies got{sum};
    for (uint32_t other = 0; other < ranks; other++)
    {
        if (other != rank)
        {
            got.push_back(writer.Receive(other, share, 0, after));
        }
    }
    return got;
}

/// Compute, all-reduce by the switches, compute, and a read from the neighbour at a copy rate.
inline std::shared_ptr<const OperationBlock>
GroupLayerBlock(uint32_t rank, uint32_t ranks, uint64_t bytes)
{
    BlockWriter writer;
    uint32_t first = writer.Compute();
    writer.Collective(1, 0, ranks);
    BlockWriter::Dependencies got = AddSwitchAllReduce(writer, rank, ranks, bytes, {first});
    writer.NoCollective();
    uint32_t second = writer.Compute(got);
    writer.Collective(2, 0, ranks);
    uint32_t read = writer.Read((rank + 1) % ranks, bytes / 3, {second});
    writer.SetTransport(read, 20000000000, 128);
    writer.Delay(200 * NS, {read});
    return writer.Write();
}

inline Program
GroupLayerProgram(uint32_t ranks, uint64_t layers, uint64_t bytes, const DurationOf& durationOf)
{
    Program program(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        auto block = GroupLayerBlock(rank, ranks, bytes);
        for (uint64_t layer = 0; layer < layers; layer++)
        {
            program[rank].push_back(Use(block, {durationOf(rank, layer, 0), durationOf(rank, layer, 1)}, layer, 1000 + layer));
        }
    }
    return program;
}

/**
 * A random mix: several layers of reads, writes, multicasts and sums over random groups, each after a compute, some with a copy rate and a packet
 * payload of their own.
 */
inline Program
RandomGroupProgram(std::mt19937& random, uint32_t ranks, uint64_t layers)
{
    auto draw = [&random](uint64_t below) { return std::uniform_int_distribution<uint64_t>(0, below - 1)(random); };
    std::vector<BlockWriter> writers(ranks);
    std::vector<uint32_t> start(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        start[rank] = writers[rank].Compute();
        writers[rank].Collective(1, 0, ranks);
        writers[rank].Delay(0, {start[rank]}); // everybody has a part in it
    }
    for (uint32_t match = 0; match < 4 * ranks; match++)
    {
        auto rank = static_cast<uint32_t>(draw(ranks));
        uint64_t bytes = draw(8) == 0 ? 0 : draw(20000);
        std::vector<uint32_t> group;
        for (uint32_t other = 0; other < ranks; other++)
        {
            if (other == rank || draw(2) == 0)
            {
                group.push_back(other);
            }
        }
        auto peer = static_cast<uint32_t>((rank + 1 + draw(ranks - 1)) % ranks);
        uint64_t kind = group.size() < 2 ? draw(2) : draw(4);
        BlockWriter& writer = writers[rank];
        BlockWriter::Dependencies after{start[rank]};
        uint32_t operation = kind == 0   ? writer.Send(peer, bytes, match, after)
                             : kind == 1 ? writer.Read(peer, bytes, after)
                             : kind == 2 ? writer.Multicast(group, bytes, match, after)
                                         : writer.SwitchReduce(group, bytes, after);
        if (draw(3) == 0)
        {
            writer.SetTransport(operation, 1000000000 * (1 + draw(60)), static_cast<uint32_t>(16 + draw(250)));
        }
        for (uint32_t other : kind == 0 ? std::vector<uint32_t>{peer} : kind == 2 ? group : std::vector<uint32_t>{})
        {
            if (other != rank)
            {
                writers[other].Receive(rank, bytes, match, {start[other]});
            }
        }
    }
    Program program(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        auto block = writers[rank].Write();
        for (uint64_t layer = 0; layer < layers; layer++)
        {
            program[rank].push_back(Use(block, {static_cast<int64_t>(1 + rank % 3) * US}, layer, layer));
        }
    }
    return program;
}

} // namespace replay_test

#endif /* GROUP_PROGRAMS_H */
