/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * All-to-all or incast on a fabric of high-bandwidth domains, with or without a scale-out part:
 *
 *   hbd-all-to-all --gpus=16 --hbd=8 --bytes=1048576
 *   hbd-all-to-all --gpus=8 --hbd=8 --incast=7
 */

#include "ns3/abort.h"
#include "ns3/command-line.h"
#include "ns3/hbd-player.h"
#include "ns3/hbd-traffic-helper.h"
#include "ns3/simulator.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    uint32_t gpus = 16;
    uint32_t domain = 8;
    uint32_t incast = 0;
    uint64_t bytes = 1 << 20;
    uint64_t burst = 0;
    CommandLine command(__FILE__);
    command.AddValue("gpus", "GPUs of the cluster", gpus);
    command.AddValue("hbd", "GPUs per domain", domain);
    command.AddValue("incast", "0: all-to-all; n: GPUs 1 to n send to GPU 0", incast);
    command.AddValue("bytes", "Payload of each message", bytes);
    command.AddValue("burst", "Most payload bytes of a simulation unit; 0 = one packet", burst);
    command.Parse(argc, argv);
    NS_ABORT_MSG_IF(domain == 0 || gpus % domain != 0, "--hbd must divide --gpus");
    NS_ABORT_MSG_IF(incast >= gpus, "--incast must be less than --gpus");

    hbd::FabricConfig config;
    config.scaleUp.gpus = gpus;
    config.scaleUp.hbdSize = domain;
    config.scaleUp.linkRate = DataRate("400Gbps");
    config.scaleUp.linkDelay = NanoSeconds(100);
    config.burstBytes = burst;
    if (domain < gpus)
    {
        config.scaleOut.name = "rail-optimized";
        config.scaleOut.gpus = gpus;
        config.scaleOut.nicRate = DataRate("400Gbps");
        config.scaleOut.hostRate = DataRate("512Gbps");
        config.scaleOut.hostDelay = NanoSeconds(250);
        config.scaleOut.linkDelay = NanoSeconds(150);
    }
    Ptr<hbd::Fabric> fabric = CreateObject<hbd::Fabric>();
    fabric->Build(config);
    auto program = incast > 0 ? hbd::HbdTrafficHelper::Incast(gpus, incast, bytes) : hbd::HbdTrafficHelper::AllToAll(gpus, bytes);
    Ptr<hbd::Player> player = CreateObject<hbd::Player>();
    player->Setup(fabric, program.get(), nullptr, nullptr);
    player->Start();
    Simulator::Run();
    player->Finish();

    const hbd::FabricContext& context = fabric->GetContext();
    const uint64_t* sums = &context.statistics.sums[context.globalSums];
    double seconds = static_cast<double>(player->GetEndPs()) * 1e-12;
    std::cout << sums[hbd::SUM_MESSAGES_DELIVERED] << " messages, " << sums[hbd::SUM_BYTES_DELIVERED] << " B in " << seconds * 1e6
              << " us: " << static_cast<double>(sums[hbd::SUM_BYTES_DELIVERED]) / seconds / 1e9 << " GB/s in all, "
              << sums[hbd::SUM_PACKET_HOPS] << " packet-hops\n";
    player->Dispose();
    fabric->Dispose();
    Simulator::Destroy();
    return 0;
}
