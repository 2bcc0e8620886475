/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCALE_OUT_FIXTURE_H
#define SCALE_OUT_FIXTURE_H

#include "ns3-module/model/hbd-ethernet-switch.h"
#include "ns3-module/model/hbd-fabric.h"
#include "ns3-module/model/hbd-ideal-bound.h"
#include "ns3-module/model/hbd-rdma-nic.h"

#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

namespace scale_out
{

using namespace ns3::hbd;

/// A message that was delivered: source, destination, bytes, kernel time in picoseconds.
using Delivery = std::tuple<uint32_t, uint32_t, uint64_t, int64_t>;

/// A fabric of GPUs that only the scale-out network connects, and what it delivers.
class Network : public DeliveryListener
{
  public:
    Network()
    {
        config.scaleUp.gpus = 8;
        config.scaleUp.hbdSize = 1;
        config.scaleOut.name = "single-switch";
        config.scaleOut.gpusPerServer = 8;
        config.scaleOut.nicRate = ns3::DataRate("400Gbps");
        config.scaleOut.hostRate = ns3::DataRate("500Gbps");
        config.scaleOut.hostDelay = ns3::NanoSeconds(200);
        config.scaleOut.linkDelay = ns3::NanoSeconds(50);
        config.ethernetSwitchDelay = ns3::NanoSeconds(600);
        config.nic.Set("ProcessingDelay", ns3::TimeValue(ns3::NanoSeconds(250)));
    }

    ~Network() override
    {
        if (fabric)
        {
            fabric->Dispose();
        }
        fabric = nullptr;
        ns3::Simulator::Destroy();
    }

    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    void Build(uint32_t gpus)
    {
        config.scaleUp.gpus = gpus;
        config.scaleOut.gpus = gpus;
        fabric = ns3::CreateObject<Fabric>();
        fabric->Build(config);
        fabric->SetListener(this);
    }

    /// Posts a message at a simulated time.
    void PostAt(int64_t ps, uint32_t source, uint32_t destination, uint64_t bytes)
    {
        ns3::Simulator::Schedule(ns3::PicoSeconds(ps), [this, source, destination, bytes] {
            fabric->Post(source, destination, bytes, 0, 0);
        });
    }

    /// Runs to the end and checks that nothing is lost or left.
    void Run()
    {
        fabric->RefreshWatched();
        ns3::Simulator::Run();
        fabric->CheckDrained();
    }

    void OnDelivered(uint32_t message) override
    {
        const Message& m = fabric->GetContext().messages[message];
        deliveries.emplace_back(m.source, m.destination, m.bytes, fabric->GetKernel().NowPs());
    }

    /// Kernel time of the last delivery, in picoseconds.
    int64_t EndPs() const
    {
        return std::get<3>(deliveries.back());
    }

    /// A counter, summed over all ports.
    uint64_t Sum(PortSum counter) const
    {
        uint64_t sum = 0;
        for (uint32_t link = 0; link < fabric->GetGraph().links.size(); link++)
        {
            for (uint32_t end = 0; end < 2; end++)
            {
                sum += Sum(link, end, counter);
            }
        }
        return sum;
    }

    uint64_t Sum(uint32_t link, uint32_t end, PortSum counter) const
    {
        return fabric->GetContext().statistics.sums[fabric->GetPort(link, end).GetSums(0) + counter];
    }

    uint64_t GlobalCounter(GlobalSum counter) const
    {
        return fabric->GetContext().statistics.sums[fabric->GetContext().globalSums + counter];
    }

    /// Index of the graph node of that name.
    uint32_t Find(const std::string& name) const
    {
        for (uint32_t node = 0; node < fabric->GetGraph().nodes.size(); node++)
        {
            if (fabric->GetGraph().nodes[node].name == name)
            {
                return node;
            }
        }
        throw std::out_of_range(name);
    }

    /// The port of one node, by its index there.
    EthernetDevice& EthernetPort(const std::string& node, uint32_t index) const
    {
        return *ns3::DynamicCast<EthernetDevice>(fabric->GetNodes().Get(Find(node))->GetDevice(index));
    }

    EthernetSwitch& Switch(const std::string& name) const
    {
        return *fabric->GetNodes().Get(Find(name))->GetObject<EthernetSwitch>();
    }

    RdmaNic& Nic(uint32_t gpu) const
    {
        return *fabric->GetNodes().Get(Find("nic" + std::to_string(gpu)))->GetObject<RdmaNic>();
    }

    FabricConfig config;
    ns3::Ptr<Fabric> fabric;
    std::vector<Delivery> deliveries;
};

} // namespace scale_out

#endif /* SCALE_OUT_FIXTURE_H */
