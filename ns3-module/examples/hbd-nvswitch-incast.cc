/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * Several GPUs of a domain write to one at the same time. Prints what each of them gets, how fairly (Jain's index), how busy the receiver's links are and how
 * long the senders wait for credit; fails when the receiver is not served at the rate of its links or a sender gets less than its share.
 *
 *   hbd-nvswitch-incast --senders=7
 *   hbd-nvswitch-incast --gpus=72 --planes=18 --links=1 --senders=71 --window=65536
 */

#include "hbd-collective-helper.h"
#include "hbd-player.h"
#include "hbd-traffic-helper.h"

#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <vector>

using namespace ns3;

namespace
{

/// When each sender's message arrived.
class Arrivals : public hbd::PlayerObserver
{
  public:
    bool WantsMessages() override
    {
        return true;
    }
    void OnMessage(const hbd::Message& message, int64_t startPs, int64_t endPs, int64_t /* idealPs */) override
    {
        seconds.resize(std::max<size_t>(seconds.size(), message.source + 1));
        seconds[message.source] = static_cast<double>(endPs - startPs) * 1e-12;
    }

    std::vector<double> seconds; ///< by sender
};

/// What the command line asks for.
struct Options
{
    uint32_t gpus = 8;
    uint32_t senders = 7;
    uint32_t planes = 2;
    uint32_t links = 9;
    uint32_t window = 1 << 20;
    std::string bytes = "64MiB";
    std::string burst = "4KiB";
};

/// Sum of a counter over the links of a GPU. \param out of what it sends, else of what it is sent
uint64_t
SumLinks(const hbd::Fabric& fabric, uint32_t gpu, bool out, hbd::PortSum counter)
{
    const hbd::FabricGraph& graph = fabric.GetGraph();
    uint64_t sum = 0;
    for (uint32_t link : graph.nodes[gpu].ports)
    {
        uint32_t end = graph.links[link].node[0] == gpu ? 0 : 1;
        sum += fabric.GetContext().statistics.sums[fabric.GetPort(link, out ? end : 1 - end).GetSums(0) + counter];
    }
    return sum;
}

/// \return whether the shares are what they have to be
bool
Report(const hbd::Fabric& fabric, const Options& options, const Arrivals& arrivals, double seconds)
{
    const double bytes = static_cast<double>(hbd::ParseByteCount(options.bytes));
    const double links = static_cast<double>(options.planes) * options.links;
    double sum = 0;
    double squares = 0;
    for (uint32_t sender = 1; sender <= options.senders; sender++)
    {
        const double rate = bytes / arrivals.seconds.at(sender) / 1e9;
        sum += rate;
        squares += rate * rate;
        std::printf("gpu%-4u %8.2f GB/s, waited %.3f us a link for credit\n",
                    sender,
                    rate,
                    static_cast<double>(SumLinks(fabric, sender, true, hbd::PORT_STALL_PS)) / links * 1e-6);
    }
    const double fairness = sum * sum / options.senders / squares;
    const double busy = static_cast<double>(SumLinks(fabric, 0, false, hbd::PORT_TX_PS)) * 1e-12 / links / seconds;
    std::printf("%u senders, %.3f us: %.2f GB/s into gpu0, fairness %.4f, its links busy %.2f %% of the time\n",
                options.senders,
                seconds * 1e6,
                bytes * options.senders / seconds / 1e9,
                fairness,
                busy * 100);
    const bool right = fairness > 0.99 && busy > 0.97;
    if (!right)
    {
        std::fprintf(stderr, "expected fairness above 0.99 and links busy more than 97 %% of the time\n");
    }
    return right;
}

int
RunIncast(const Options& options)
{
    if (options.senders == 0 || options.senders >= options.gpus)
    {
        throw std::invalid_argument("--senders must be at least 1 and less than --gpus");
    }
    hbd::FabricConfig config;
    config.scaleUp.gpus = options.gpus;
    config.scaleUp.hbdSize = options.gpus;
    config.scaleUp.planes = options.planes;
    config.scaleUp.linksPerPlane = options.links;
    config.scaleUp.linkRate = DataRate("400Gbps");
    config.scaleUp.linkDelay = NanoSeconds(100);
    config.nvlink.Set("HeaderFlits", UintegerValue(2));
    config.nvlink.Set("CreditWindow", UintegerValue(options.window));
    config.burstBytes = hbd::ParseByteCount(options.burst);
    Ptr<hbd::Fabric> fabric = CreateObject<hbd::Fabric>();
    fabric->Build(config);
    auto program = hbd::HbdTrafficHelper::Incast(options.gpus, options.senders, hbd::ParseByteCount(options.bytes));
    Arrivals arrivals;
    Ptr<hbd::Player> player = CreateObject<hbd::Player>();
    player->Setup(fabric, program.get(), &arrivals, nullptr);
    player->Start();
    Simulator::Run();
    player->Finish();
    const bool right = Report(*fabric, options, arrivals, static_cast<double>(player->GetEndPs()) * 1e-12);
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
    command.AddValue("gpus", "GPUs of the domain", options.gpus);
    command.AddValue("senders", "GPUs 1 to n write to GPU 0", options.senders);
    command.AddValue("planes", "Switch planes", options.planes);
    command.AddValue("links", "Links of a GPU to each plane, 50 GB/s each way", options.links);
    command.AddValue("window", "Credit window of a link and virtual channel, in bytes", options.window);
    command.AddValue("bytes", "Payload of each sender, for example 64MiB", options.bytes);
    command.AddValue("burst", "Most payload of a simulation unit", options.burst);
    command.Parse(argc, argv);
    try
    {
        return RunIncast(options);
    }
    catch (const std::invalid_argument& error)
    {
        std::cerr << "hbd-nvswitch-incast: " << error.what() << "\n";
        return 2;
    }
}
