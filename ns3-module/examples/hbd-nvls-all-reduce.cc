/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * An all-reduce inside one domain: by sums and multicasts in the switches, around a ring, or straight. Prints its time, its bandwidths as nccl-tests
 * counts them, and what the links of a GPU carried; fails when that is not what the algorithm has to move.
 *
 *   hbd-nvls-all-reduce --gpus=72 --bytes=8GiB --algorithm=nvls
 *   hbd-nvls-all-reduce --gpus=8 --bytes=256MiB --algorithm=ring
 */

#include "ns3/command-line.h"
#include "ns3/hbd-collective-helper.h"
#include "ns3/hbd-player.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

/// Bytes that the links of a GPU carried, in each direction.
struct Carried
{
    uint64_t payload[2] = {0, 0}; ///< out, in
    uint64_t wire[2] = {0, 0};
};

Carried
CountLinks(const hbd::Fabric& fabric, uint32_t gpu)
{
    const hbd::FabricGraph& graph = fabric.GetGraph();
    const auto& sums = fabric.GetContext().statistics.sums;
    Carried carried;
    for (uint32_t link = 0; link < graph.links.size(); link++)
    {
        for (uint32_t end = 0; end < 2; end++)
        {
            if (graph.nodes[graph.links[link].node[end]].gpu != gpu)
            {
                continue;
            }
            for (uint32_t direction = 0; direction < 2; direction++)
            {
                uint32_t first = fabric.GetPort(link, direction == 0 ? end : 1 - end).GetSums(0);
                carried.payload[direction] += sums[first + hbd::PORT_TX_PAYLOAD];
                carried.wire[direction] += sums[first + hbd::PORT_TX_BYTES];
            }
        }
    }
    return carried;
}

/// \return whether every GPU's links carried what they had to
bool
CheckLinks(const hbd::Fabric& fabric, const hbd::AllReduceProgram& program)
{
    bool right = true;
    for (uint32_t gpu = 0; gpu < fabric.GetGraph().gpus; gpu++)
    {
        Carried carried = CountLinks(fabric, gpu);
        const uint64_t expected[2] = {program.GetBytesOut(gpu), program.GetBytesIn(gpu)};
        for (uint32_t direction = 0; direction < 2; direction++)
        {
            const char* name = direction == 0 ? "out of" : "into";
            if (gpu == 0)
            {
                std::printf("%-6s gpu0: %llu B of payload, %llu B on the wire\n",
                            name,
                            static_cast<unsigned long long>(carried.payload[direction]),
                            static_cast<unsigned long long>(carried.wire[direction]));
            }
            if (carried.payload[direction] != expected[direction])
            {
                std::fprintf(stderr,
                             "%s gpu%u went %llu B of payload: expected %llu B\n",
                             name,
                             gpu,
                             static_cast<unsigned long long>(carried.payload[direction]),
                             static_cast<unsigned long long>(expected[direction]));
                right = false;
            }
        }
    }
    return right;
}

/// What the command line asks for.
struct Options
{
    uint32_t gpus = 72;
    uint32_t planes = 18;
    uint32_t links = 1;
    std::string bytes = "1GiB";
    std::string algorithm = "nvls";
    std::string chunk = "4MiB";
    std::string burst = "64KiB";
    std::string unit = "64KiB";
};

int
RunAllReduce(const Options& options)
{
    const uint64_t bytes = hbd::ParseByteCount(options.bytes);
    hbd::AllReduceProgram program(options.algorithm, options.gpus, bytes, hbd::ParseByteCount(options.chunk));
    hbd::FabricConfig config;
    config.scaleUp.gpus = options.gpus;
    config.scaleUp.hbdSize = options.gpus;
    config.scaleUp.planes = options.planes;
    config.scaleUp.linksPerPlane = options.links;
    config.scaleUp.linkRate = DataRate("400Gbps");
    config.scaleUp.linkDelay = NanoSeconds(100);
    config.nvlink.Set("HeaderFlits", UintegerValue(2));
    config.nvswitch.Set("GroupUnitSize", UintegerValue(hbd::ParseByteCount(options.unit)));
    config.burstBytes = hbd::ParseByteCount(options.burst);
    Ptr<hbd::Fabric> fabric = CreateObject<hbd::Fabric>();
    fabric->Build(config);
    Ptr<hbd::Player> player = CreateObject<hbd::Player>();
    player->Setup(fabric, &program, nullptr, nullptr);
    player->Start();
    Simulator::Run();
    player->Finish();

    const double seconds = static_cast<double>(player->GetEndPs()) * 1e-12;
    const double algbw = static_cast<double>(bytes) / seconds / 1e9;
    std::printf("all-reduce of %llu B over %u GPUs by %s: %.3f us, algbw %.2f GB/s, busbw %.2f GB/s\n",
                static_cast<unsigned long long>(bytes),
                options.gpus,
                options.algorithm.c_str(),
                seconds * 1e6,
                algbw,
                algbw * 2 * (options.gpus - 1) / options.gpus);
    const bool right = CheckLinks(*fabric, program);
    player->Dispose();
    fabric->Dispose();
    Simulator::Destroy();
    return right ? 0 : 1;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    Options options;
    CommandLine command(__FILE__);
    command.AddValue("gpus", "GPUs of the domain, at least 2", options.gpus);
    command.AddValue("planes", "Switch planes", options.planes);
    command.AddValue("links", "Links of a GPU to each plane, 50 GB/s each way", options.links);
    command.AddValue("bytes", "Payload of each GPU, for example 8GiB", options.bytes);
    command.AddValue("algorithm", "nvls, ring or direct", options.algorithm);
    command.AddValue("chunk", "nvls: most bytes of a GPU's share that are summed at a time", options.chunk);
    command.AddValue("burst", "Most payload of a simulation unit of a write", options.burst);
    command.AddValue("unit", "The same of a sum or multicast; 4KiB is closer to single packets and slower", options.unit);
    command.Parse(argc, argv);
    try
    {
        return RunAllReduce(options);
    }
    catch (const std::exception& error)
    {
        std::cerr << "hbd-nvls-all-reduce: " << error.what() << "\n";
        return 1;
    }
}
