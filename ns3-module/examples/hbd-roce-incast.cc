/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * Several NICs write to one at the same time through one Ethernet switch. Prints when each message was complete, how fairly (Jain's index), the queue of the
 * receiver's switch port and the rate of the first sender over time, marks, notifications, pauses and drops; optionally writes captures that tshark reads.
 *
 *   hbd-roce-incast --senders=16 --cc=dcqcn --pcap=true
 *   hbd-roce-incast --senders=8 --cc=none --bytes=10000000
 */

#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/hbd-algorithm-table.h"
#include "ns3/hbd-ethernet-switch.h"
#include "ns3/hbd-player.h"
#include "ns3/hbd-rdma-nic.h"
#include "ns3/hbd-trace-helper.h"
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
    uint32_t senders = 16;
    uint64_t bytes = 4000000;
    std::string congestion = "dcqcn";
    std::string parameters;
    std::string recovery = "go-back-n";
    uint64_t kmin = 800000;
    uint64_t kmax = 3200000;
    double pmax = 0.2;
    uint64_t window = 1 << 20;
    double sampleUs = 20;
    double cnpUs = 4;
    bool pcap = false;
    std::string prefix = "roce-incast";
};

/// When each sender's message was complete.
class Completions : public hbd::PlayerObserver
{
  public:
    bool WantsMessages() override
    {
        return true;
    }

    void OnMessage(const hbd::Message& message, int64_t startPs, int64_t endPs, int64_t idealPs) override
    {
        seconds.resize(std::max<size_t>(seconds.size(), message.source + 1));
        seconds[message.source] = static_cast<double>(endPs - startPs) * 1e-12;
        idealSeconds = static_cast<double>(idealPs) * 1e-12;
    }

    std::vector<double> seconds; ///< by sender
    double idealSeconds = 0;     ///< of one message alone
};

/// The fabric: one switch, GPU 0 receives.
hbd::FabricConfig
MakeConfig(const Options& options)
{
    hbd::FabricConfig config;
    config.scaleUp.gpus = options.senders + 1;
    config.scaleUp.hbdSize = 1;
    config.scaleOut.name = "single-switch";
    config.scaleOut.gpus = options.senders + 1;
    config.scaleOut.nicRate = DataRate("400Gbps");
    config.scaleOut.hostRate = DataRate("512Gbps");
    config.scaleOut.hostDelay = NanoSeconds(250);
    config.scaleOut.linkDelay = NanoSeconds(150);
    config.nic.Set("CongestionControl",
                   TypeIdValue(hbd::FindAlgorithm(hbd::GetCongestionControls(), options.congestion).type));
    config.nic.Set("CongestionParameters", StringValue(options.parameters));
    config.nic.Set("Recovery", StringValue(options.recovery));
    config.nic.Set("CnpInterval", TimeValue(NanoSeconds(static_cast<uint64_t>(options.cnpUs * 1000))));
    config.nic.Set("Window", UintegerValue(options.window));
    config.ethernetSwitch.Set("EcnKmin", UintegerValue(options.kmin));
    config.ethernetSwitch.Set("EcnKmax", UintegerValue(options.kmax));
    config.ethernetSwitch.Set("EcnPmax", DoubleValue(options.pmax));
    return config;
}

/// Index of the graph node of that name.
uint32_t
FindNode(const hbd::Fabric& fabric, const std::string& name)
{
    const auto& nodes = fabric.GetGraph().nodes;
    auto found = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) { return node.name == name; });
    return static_cast<uint32_t>(found - nodes.begin());
}

/// The port of the switch that leads to the NIC of GPU 0.
const hbd::FabricPort&
ReceiverPort(const hbd::Fabric& fabric)
{
    auto nic = fabric.GetNodes().Get(FindNode(fabric, "nic0"))->GetDevice(hbd::RdmaNic::ETHERNET_PORT);
    return *DynamicCast<hbd::FabricPort>(nic)->GetPeer();
}

/// Watches queue pairs and prints a line now and then.
class Monitor
{
  public:
    Monitor(Ptr<hbd::Fabric> fabric, const Options& options)
        : m_fabric(fabric),
          m_period(NanoSeconds(static_cast<uint64_t>(options.sampleUs * 1000)))
    {
        for (uint32_t gpu = 0; gpu <= options.senders; gpu++)
        {
            hbd::RdmaNic& nic = fabric->GetNic(gpu);
            nic.TraceConnectWithoutContext("QueuePair", MakeCallback(&Monitor::OnQueuePair, this));
            nic.TraceConnectWithoutContext("CnpReceived", MakeCallback(&Monitor::OnNotice, this));
            nic.TraceConnectWithoutContext("Retransmit", MakeCallback(&Monitor::OnRetransmit, this));
        }
        std::printf("%12s %14s %14s\n", "time [us]", "queue [B]", "rate [Gb/s]");
        Sample();
    }

    uint64_t notices = 0;
    uint64_t resent = 0;
    uint64_t longestQueue = 0;

  private:
    void OnQueuePair(uint32_t nic, const hbd::RdmaQueuePair& pair)
    {
        if (nic == 1 && !m_pair)
        {
            m_pair = &pair;
        }
    }

    void OnNotice(uint32_t /* nic */, uint32_t /* remote */, uint32_t /* number */, uint32_t packets)
    {
        notices += packets;
    }

    void OnRetransmit(uint32_t /* nic */, uint32_t /* remote */, uint32_t /* number */, uint32_t packets)
    {
        resent += packets;
    }

    void Sample()
    {
        uint64_t queue = ReceiverPort(*m_fabric).GetQueuedBytes();
        longestQueue = std::max(longestQueue, queue);
        double rate = m_pair ? static_cast<double>(m_pair->GetControl().GetBitRate()) * 1e-9 : 0;
        std::printf("%12.1f %14llu %14.3f\n", Simulator::Now().GetSeconds() * 1e6, static_cast<unsigned long long>(queue), rate);
        const uint64_t* sums = &m_fabric->GetContext().statistics.sums[m_fabric->GetContext().globalSums];
        if (sums[hbd::SUM_MESSAGES_DELIVERED] < sums[hbd::SUM_MESSAGES_POSTED] || Simulator::Now().IsZero())
        {
            m_fabric->GetKernel().ScheduleExternal(m_period, MakeCallback(&Monitor::Sample, this));
        }
    }

    Ptr<hbd::Fabric> m_fabric;
    Time m_period;
    const hbd::RdmaQueuePair* m_pair = nullptr;
};

/// Sum of a counter over all ports.
uint64_t
SumPorts(const hbd::Fabric& fabric, hbd::PortSum counter)
{
    uint64_t sum = 0;
    for (uint32_t link = 0; link < fabric.GetGraph().links.size(); link++)
    {
        for (uint32_t end = 0; end < 2; end++)
        {
            sum += fabric.GetContext().statistics.sums[fabric.GetPort(link, end).GetSums(0) + counter];
        }
    }
    return sum;
}

/// Prints what happened. \return whether it is possible at all
bool
Report(const hbd::Fabric& fabric, const Options& options, const Completions& done, const Monitor& monitor, double seconds)
{
    double sum = 0;
    double squares = 0;
    std::printf("%8s %14s %10s %10s\n", "sender", "complete [us]", "[Gb/s]", "slowdown");
    for (uint32_t sender = 1; sender <= options.senders; sender++)
    {
        double rate = static_cast<double>(options.bytes) * 8e-9 / done.seconds.at(sender);
        sum += rate;
        squares += rate * rate;
        std::printf("%8u %14.3f %10.2f %10.2f\n", sender, done.seconds[sender] * 1e6, rate, done.seconds[sender] / done.idealSeconds);
    }
    // wire bytes of all packets over the receiver's line
    double packets = static_cast<double>((options.bytes + 4095) / 4096);
    double least = options.senders * (static_cast<double>(options.bytes) + packets * 82 + 16) * 8 / 400e9;
    std::printf("%u messages of %llu B in %.3f us; at least %.3f us by the receiver's line, which is %.1f %%\n",
                options.senders,
                static_cast<unsigned long long>(options.bytes),
                seconds * 1e6,
                least * 1e6,
                least / seconds * 100);
    std::printf("fairness %.4f, longest queue seen %llu B, %llu packets marked, %llu notifications, %llu packets sent again, paused for %.3f us in all, %llu dropped\n",
                sum * sum / options.senders / squares,
                static_cast<unsigned long long>(monitor.longestQueue),
                static_cast<unsigned long long>(SumPorts(fabric, hbd::PORT_ECN_MARKED)),
                static_cast<unsigned long long>(monitor.notices),
                static_cast<unsigned long long>(monitor.resent),
                static_cast<double>(SumPorts(fabric, hbd::PORT_PAUSE_PS)) * 1e-6,
                static_cast<unsigned long long>(SumPorts(fabric, hbd::PORT_DROPS)));
    if (seconds < least)
    {
        std::fprintf(stderr, "faster than the receiver's line\n");
        return false;
    }
    return true;
}

int
RunIncast(const Options& options)
{
    if (options.senders == 0 || options.bytes == 0 || options.sampleUs <= 0)
    {
        throw std::invalid_argument("--senders, --bytes and --sample must be above 0");
    }
    Ptr<hbd::Fabric> fabric = CreateObject<hbd::Fabric>();
    fabric->Build(MakeConfig(options));
    fabric->AssignStreams(1);
    if (options.pcap)
    {
        hbd::HbdTraceHelper captures;
        auto first = fabric->GetNodes().Get(FindNode(*fabric, "nic1"))->GetDevice(hbd::RdmaNic::ETHERNET_PORT);
        auto last = fabric->GetNodes().Get(FindNode(*fabric, "nic0"))->GetDevice(hbd::RdmaNic::ETHERNET_PORT);
        captures.EnablePcap(options.prefix + "-sender.pcap", first, false, true);
        captures.EnablePcap(options.prefix + "-receiver.pcap", last, false, true);
    }
    auto program = hbd::HbdTrafficHelper::Incast(options.senders + 1, options.senders, options.bytes);
    Completions done;
    Ptr<hbd::Player> player = CreateObject<hbd::Player>();
    player->Setup(fabric, program.get(), &done, nullptr);
    player->Start();
    Monitor monitor(fabric, options);
    Simulator::Run();
    player->Finish();
    bool right = Report(*fabric, options, done, monitor, static_cast<double>(player->GetEndPs()) * 1e-12);
    if (options.pcap)
    {
        std::printf("captures: %s-sender.pcap, %s-receiver.pcap\n", options.prefix.c_str(), options.prefix.c_str());
    }
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
    command.AddValue("senders", "GPUs 1 to n write to GPU 0", options.senders);
    command.AddValue("bytes", "Payload of each sender", options.bytes);
    command.AddValue("cc", "Congestion control: none, dcqcn, hpcc, timely, swift", options.congestion);
    command.AddValue("cc-parameters", "Its attributes that are not at their defaults: Name=value, Name=value", options.parameters);
    command.AddValue("recovery", "go-back-n or selective-repeat", options.recovery);
    command.AddValue("kmin", "ECN: queue below which nothing is marked, in bytes", options.kmin);
    command.AddValue("kmax", "ECN: queue above which all is marked, in bytes; 0 = no marks", options.kmax);
    command.AddValue("pmax", "ECN: probability at kmax", options.pmax);
    command.AddValue("window", "Most unacknowledged payload of a queue pair, in bytes", options.window);
    command.AddValue("cnp-interval", "Microseconds between two notifications of a queue pair", options.cnpUs);
    command.AddValue("sample", "Microseconds between two lines of the series", options.sampleUs);
    command.AddValue("pcap", "Write captures of the first sender's and of the receiver's port", options.pcap);
    command.AddValue("prefix", "Beginning of the names of captures", options.prefix);
    command.Parse(argc, argv);
    try
    {
        return RunIncast(options);
    }
    catch (const std::exception& error)
    {
        std::cerr << "hbd-roce-incast: " << error.what() << "\n";
        return 1;
    }
}
