/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * All-to-all of GPUs in domains over a rail-optimised leaf-spine fabric, under a choice of load balancing and congestion control. Prints the time, how evenly the
 * spine links were used, and completion times against those of messages alone.
 *
 *   hbd-rail-optimized-all-to-all --gpus=128 --hbd=8 --lb=spray
 *   hbd-rail-optimized-all-to-all --gpus=64 --hbd=8 --lb=ecmp --cc=dcqcn
 */

#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/hbd-algorithm-table.h"
#include "ns3/hbd-ideal-bound.h"
#include "ns3/hbd-player.h"
#include "ns3/hbd-traffic-helper.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What the command line asks for.
struct Options
{
    uint32_t gpus = 128;
    uint32_t domain = 8;
    uint64_t bytes = 65536;
    uint32_t serversPerLeaf = 4;
    uint32_t spines = 0;
    std::string balancing = "spray";
    std::string congestion = "none";
};

/// How much longer each message over the NICs took than alone.
class Slowdowns : public hbd::PlayerObserver
{
  public:
    explicit Slowdowns(uint32_t domainSize)
        : m_domain(domainSize)
    {
    }

    bool WantsMessages() override
    {
        return true;
    }

    void OnMessage(const hbd::Message& message, int64_t startPs, int64_t endPs, int64_t idealPs) override
    {
        if (message.source / m_domain != message.destination / m_domain)
        {
            values.push_back(static_cast<double>(endPs - startPs) / static_cast<double>(idealPs));
        }
    }

    std::vector<double> values;

  private:
    uint32_t m_domain;
};

hbd::FabricConfig
MakeConfig(const Options& options)
{
    hbd::FabricConfig config;
    config.scaleUp.gpus = options.gpus;
    config.scaleUp.hbdSize = options.domain;
    config.scaleUp.linkRate = DataRate("400Gbps");
    config.scaleUp.linkDelay = NanoSeconds(100);
    config.scaleOut.name = "rail-optimized";
    config.scaleOut.gpus = options.gpus;
    config.scaleOut.gpusPerServer = options.domain;
    config.scaleOut.serversPerLeaf = options.serversPerLeaf;
    config.scaleOut.spines = options.spines;
    config.scaleOut.nicRate = DataRate("400Gbps");
    config.scaleOut.hostRate = DataRate("512Gbps");
    config.scaleOut.hostDelay = NanoSeconds(250);
    config.scaleOut.linkDelay = NanoSeconds(150);
    const bool sprays = options.balancing.rfind("spray", 0) == 0;
    const std::string balancer = options.balancing == "spray" ? "spray-least-queue" : options.balancing;
    config.ethernetSwitch.Set("LoadBalancer", TypeIdValue(hbd::FindAlgorithm(hbd::GetLoadBalancers(), balancer).type));
    config.nic.Set("CongestionControl",
                   TypeIdValue(hbd::FindAlgorithm(hbd::GetCongestionControls(), options.congestion).type));
    if (options.congestion == "dcqcn")
    {
        // SimAI's thresholds at 400 Gb/s
        config.ethernetSwitch.Set("EcnKmin", UintegerValue(800000));
        config.ethernetSwitch.Set("EcnKmax", UintegerValue(3200000));
        config.ethernetSwitch.Set("EcnPmax", DoubleValue(0.2));
    }
    if (sprays || balancer == "flowlet")
    {
        config.nic.Set("Recovery", StringValue("selective-repeat"));
        config.nic.Set("ReorderPackets", UintegerValue(1000000)); // nothing is lost: what is missing is on its way
    }
    else
    {
        config.burstBytes = 16384;
    }
    return config;
}

/// Prints what happened. \return whether it is possible at all
bool
Report(const hbd::Fabric& fabric, const Options& options, std::vector<double>& slowdowns, double seconds)
{
    const uint64_t* sums = &fabric.GetContext().statistics.sums[fabric.GetContext().globalSums];
    std::printf("%llu messages, %llu B in %.3f us: %.2f GB/s in all\n",
                static_cast<unsigned long long>(sums[hbd::SUM_MESSAGES_DELIVERED]),
                static_cast<unsigned long long>(sums[hbd::SUM_BYTES_DELIVERED]),
                seconds * 1e6,
                static_cast<double>(sums[hbd::SUM_BYTES_DELIVERED]) / seconds * 1e-9);
    std::vector<hbd::IdealTransfer> transfers;
    for (uint32_t from = 0; from < options.gpus; from++)
    {
        for (uint32_t to = 0; to < options.gpus; to++)
        {
            if (from != to)
            {
                transfers.push_back({from, to, options.bytes});
            }
        }
    }
    const double least = static_cast<double>(fabric.GetIdealBound().GetBoundPs(transfers)) * 1e-12;
    std::printf("at least %.3f us by the busiest cut, %.1f %% of the time\n", least * 1e6, least / seconds * 100);
    uint64_t most = 0;
    uint64_t total = 0;
    uint32_t ups = 0;
    for (uint32_t link = 0; link < fabric.GetGraph().links.size(); link++)
    {
        const auto& found = fabric.GetGraph().links[link];
        for (uint32_t end = 0; end < 2; end++)
        {
            const auto& from = fabric.GetGraph().nodes[found.node[end]];
            const auto& to = fabric.GetGraph().nodes[found.node[1 - end]];
            if (from.kind == hbd::FabricNodeKind::ETHERNET_SWITCH && to.kind == hbd::FabricNodeKind::ETHERNET_SWITCH && to.level > from.level)
            {
                const uint64_t bytes = fabric.GetContext().statistics.sums[fabric.GetPort(link, end).GetSums(0) + hbd::PORT_TX_BYTES];
                most = std::max(most, bytes);
                total += bytes;
                ups++;
            }
        }
    }
    if (ups > 0 && total > 0)
    {
        std::printf("%u links from leaf to spine: the busiest carried %.3f times the mean\n", ups, static_cast<double>(most) * ups / static_cast<double>(total));
    }
    if (!slowdowns.empty())
    {
        std::sort(slowdowns.begin(), slowdowns.end());
        const auto at = [&](double part) { return slowdowns[static_cast<size_t>(part * static_cast<double>(slowdowns.size() - 1))]; };
        std::printf("time of messages over the NICs against alone: median %.2f, 99 %% %.2f, most %.2f\n", at(0.5), at(0.99), at(1));
    }
    if (seconds < least)
    {
        std::fprintf(stderr, "faster than the busiest cut\n");
        return false;
    }
    return true;
}

int
RunAllToAll(const Options& options)
{
    if (options.domain == 0 || options.gpus % options.domain != 0 || options.gpus < 2 || options.domain == options.gpus)
    {
        throw std::invalid_argument("--hbd must divide --gpus and be less");
    }
    Ptr<hbd::Fabric> fabric = CreateObject<hbd::Fabric>();
    fabric->Build(MakeConfig(options));
    fabric->AssignStreams(1);
    auto program = hbd::HbdTrafficHelper::AllToAll(options.gpus, options.bytes);
    Slowdowns slowdowns(options.domain);
    Ptr<hbd::Player> player = CreateObject<hbd::Player>();
    player->Setup(fabric, program.get(), &slowdowns, nullptr);
    player->Start();
    Simulator::Run();
    player->Finish();
    const bool right = Report(*fabric, options, slowdowns.values, static_cast<double>(player->GetEndPs()) * 1e-12);
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
    command.AddValue("gpus", "GPUs of the cluster", options.gpus);
    command.AddValue("hbd", "GPUs per domain, which is also a server", options.domain);
    command.AddValue("bytes", "Payload from each GPU to each other", options.bytes);
    command.AddValue("servers-per-leaf", "Servers below one group of leaf switches; 0 = all", options.serversPerLeaf);
    command.AddValue("spines", "Spine switches; 0 = as many as make it non-blocking", options.spines);
    command.AddValue("lb", "ecmp, flowlet, spray (by least queue), spray-random, spray-round-robin, spray-least-queue", options.balancing);
    command.AddValue("cc", "Congestion control: none, dcqcn, hpcc, timely, swift", options.congestion);
    command.Parse(argc, argv);
    try
    {
        return RunAllToAll(options);
    }
    catch (const std::exception& error)
    {
        std::cerr << "hbd-rail-optimized-all-to-all: " << error.what() << "\n";
        return 1;
    }
}
