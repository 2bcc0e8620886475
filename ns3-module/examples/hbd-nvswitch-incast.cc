/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * Several GPUs of a domain write to one at the same time. Prints what each of them gets, how fairly (Jain's index), how busy the receiver's links are, how
 * long the senders wait for credit, and the least time that wires and credits allow; fails when it took less than that or a sender fell behind by more than its
 * turns.
 *
 *   hbd-nvswitch-incast --senders=7
 *   hbd-nvswitch-incast --gpus=72 --planes=18 --links=1 --senders=71 --window=65536
 */

#include "ns3/command-line.h"
#include "ns3/hbd-collective-helper.h"
#include "ns3/hbd-player.h"
#include "ns3/hbd-traffic-helper.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
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

/// One link of the domain, all of which are alike.
struct Link
{
    explicit Link(const hbd::Fabric& fabric)
    {
        const uint32_t first = fabric.GetGraph().nodes[0].ports[0];
        const auto& a = static_cast<const hbd::NvlinkDevice&>(fabric.GetPort(first, 0));
        const auto& b = static_cast<const hbd::NvlinkDevice&>(fabric.GetPort(first, 1));
        const auto& gpu = a.GetElement().IsEndPoint() ? a : b;
        const auto& chip = a.GetElement().IsEndPoint() ? b : a;
        TimeValue creditDelay;
        gpu.GetAttribute("CreditDelay", creditDelay);
        payload = gpu.GetPacketPayload();
        header = gpu.GetHeaderBytes();
        flit = gpu.GetFlitBytes();
        packetPs = chip.GetTxTimePs(payload + header);
        headerPs = chip.GetTxTimePs(header);
        delayPs = chip.GetDelayPs();
        switchPs = chip.GetProcessingDelayPs();
        creditPs = creditDelay.Get().GetPicoSeconds();
        window = gpu.GetCreditWindow() / (payload + header);
    }

    /// Bytes of a message on the wire.
    uint64_t GetWireBytes(uint64_t bytes) const
    {
        return (bytes + payload - 1) / payload * header + (bytes + flit - 1) / flit * flit;
    }

    /// Least time in which full packets leave, when the credit of each is back after a round trip. \return picoseconds
    int64_t GetLeastPs(int64_t packets, int64_t roundTripPs) const
    {
        const int64_t last = std::max<int64_t>(0, packets - 1);
        const bool limited = roundTripPs > window * packetPs;
        return (limited ? last / window * roundTripPs + last % window * packetPs : last * packetPs) + (packets > 0 ? packetPs : 0);
    }

    uint32_t payload;  ///< of a full packet, in bytes
    uint32_t header;   ///< bytes
    uint32_t flit;     ///< bytes
    int64_t packetPs;  ///< time of a full packet on the wire
    int64_t headerPs;  ///< of its header
    int64_t delayPs;   ///< of a cable
    int64_t switchPs;  ///< header in to header out
    int64_t creditPs;  ///< beside the cable
    int64_t window;    ///< full packets for which there is credit
};

/**
 * Least time of the incast, in picoseconds: senders x bytes on the wire over the rate of the receiver's links - that of the wires or, when that is less, credit
 * window over round trip, of the receiver's links and of the senders' - and the way.
 */
int64_t
GetIdealPs(const hbd::Fabric& fabric, const Options& options, uint64_t bytes)
{
    const Link link(fabric);
    const int64_t links = static_cast<int64_t>(options.planes) * options.links;
    const auto packets = static_cast<int64_t>(bytes / link.payload);
    const hbd::FabricPort& any = fabric.GetPort(fabric.GetGraph().nodes[0].ports[0], 0);
    const int64_t wirePs = any.GetTxTimePs(link.GetWireBytes(bytes) * options.senders) / links;
    // a credit of the receiver's is back when its packet is there; one of the switch's when it has left
    const int64_t receiverPs = link.packetPs + 2 * link.delayPs + link.creditPs;
    const int64_t senderPs = receiverPs + link.headerPs + link.switchPs;
    const int64_t inPs = link.GetLeastPs((packets * options.senders + links - 1) / links, receiverPs);
    const int64_t outPs = link.GetLeastPs((packets + links - 1) / links, senderPs);
    return std::max({wirePs, inPs, outPs}) + link.headerPs + 2 * link.delayPs + link.switchPs;
}

/// Time in which the receiver's links serve each sender twice, in picoseconds: by how much equal senders may end apart.
int64_t
GetTurnsPs(const hbd::Fabric& fabric, const Options& options, uint64_t bytes)
{
    const Link link(fabric);
    const int64_t unitPs = fabric.GetBurstPackets(false, bytes) * link.packetPs;
    return 2 * options.senders * std::max(unitPs, (unitPs + 2 * link.delayPs + link.creditPs) * unitPs / (link.window * link.packetPs));
}

/// Prints what happened. \return whether it is what it has to be
bool
Report(const hbd::Fabric& fabric, const Options& options, const Arrivals& arrivals, double seconds)
{
    const uint64_t payload = hbd::ParseByteCount(options.bytes);
    const auto bytes = static_cast<double>(payload);
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
    const double ideal = static_cast<double>(GetIdealPs(fabric, options, payload)) * 1e-12;
    std::printf("at least %.3f us by wires and credits, %.1f %% of the time\n", ideal * 1e6, ideal / seconds * 100);
    const auto [first, last] = std::minmax_element(arrivals.seconds.begin() + 1, arrivals.seconds.end());
    const double turns = static_cast<double>(GetTurnsPs(fabric, options, payload)) * 1e-12;
    if (*last - *first > turns)
    {
        std::fprintf(stderr, "senders ended %.3f us apart: expected at most %.3f us\n", (*last - *first) * 1e6, turns * 1e6);
        return false;
    }
    if (seconds < ideal)
    {
        std::fprintf(stderr, "it took %.3f us: expected at least %.3f us\n", seconds * 1e6, ideal * 1e6);
        return false;
    }
    return true;
}

int
RunIncast(const Options& options)
{
    if (options.senders == 0 || options.senders >= options.gpus)
    {
        throw std::invalid_argument("--senders must be at least 1 and less than --gpus");
    }
    if (hbd::ParseByteCount(options.bytes) == 0)
    {
        throw std::invalid_argument("--bytes must be at least 1");
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
    catch (const std::exception& error)
    {
        std::cerr << "hbd-nvswitch-incast: " << error.what() << "\n";
        return 1;
    }
}
