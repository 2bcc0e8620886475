/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "domain-checks.h"

#include "scenario-schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace hbd::traffic
{

namespace
{

const std::vector<LayoutKey> kLayoutKeys = {
    {"cluster.hbd.links-per-peer", {"mesh"}, "topology: mesh"},
    {"cluster.hbd.leaf-size", {"two-tier"}, "topology: two-tier"},
    {"cluster.hbd.spines", {"two-tier"}, "topology: two-tier"},
    {"cluster.hbd.trunks", {"two-tier"}, "topology: two-tier"},
    {"cluster.hbd.trunk-rate", {"two-tier"}, "topology: two-tier"},
    {"cluster.hbd.path-choice", {"two-tier"}, "topology: two-tier"},
    {"cluster.hbd.reduction-rate", {"single-tier", "two-tier"}, "topologies with switches"},
    {"cluster.hbd.reduction-table", {"single-tier", "two-tier"}, "topologies with switches"},
    {"cluster.hbd.reduction-delay", {"single-tier", "two-tier"}, "topologies with switches"},
    {"cluster.hbd.reduction-unit", {"single-tier", "two-tier"}, "topologies with switches"},
    {"cluster.hbd.multicast-groups", {"single-tier", "two-tier"}, "topologies with switches"},
};

/// Keys of the three layouts that need each other. Resolves trunk-rate.
void
CheckHbdLayout(PointContext& c)
{
    HbdSpec& hbd = c.scenario.cluster.hbd;
    if (hbd.topology == "mesh")
    {
        if (hbd.planes != 0)
        {
            c.Complain("cluster.hbd.planes", "0, as a mesh has no switches", std::to_string(hbd.planes));
        }
        if (hbd.linksPerPeer == 0)
        {
            c.Complain("cluster.hbd.links-per-peer", "at least 1 link between each two GPUs of a mesh", "0");
        }
        if (hbd.links > 0 && hbd.links < hbd.LinksPerGpu())
        {
            c.Complain("cluster.hbd.links",
                       "at least links-per-peer x the other GPUs of the domain = " + std::to_string(hbd.LinksPerGpu()),
                       std::to_string(hbd.links));
        }
        return;
    }
    if (hbd.planes == 0)
    {
        c.Complain("cluster.hbd.planes", "at least 1 plane of switches, or topology: mesh", "0");
    }
    if (hbd.links > 0 && hbd.links < hbd.planes)
    {
        c.Complain("cluster.hbd.links", "at least a link to each of the " + std::to_string(hbd.planes) + " planes", std::to_string(hbd.links));
    }
    if (hbd.topology != "two-tier")
    {
        return;
    }
    hbd.leafSize = hbd.leafSize == 0 ? hbd.size : hbd.leafSize;
    if (hbd.size % hbd.leafSize != 0)
    {
        c.Complain("cluster.hbd.leaf-size", "a divisor of cluster.hbd.size, " + std::to_string(hbd.size), std::to_string(hbd.leafSize));
    }
    hbd.trunkRate = hbd.trunkRate.IsZero() ? hbd.RatePerLink() : hbd.trunkRate;
}

/// What is wrong with packets of that payload: what was expected; empty when nothing is.
std::string
PacketFlaw(const HbdSpec& hbd, Bytes payload)
{
    const uint64_t flit = hbd.flit.Count();
    if (payload.Count() % flit != 0)
    {
        return "a multiple of cluster.hbd.flit = " + ToText(hbd.flit);
    }
    if (payload.Count() / flit + hbd.headerFlits > hbd.packetFlits)
    {
        return "packets of at most cluster.hbd.packet-flits = " + std::to_string(hbd.packetFlits) + " flits of " + ToText(hbd.flit) + ", " +
               std::to_string(hbd.headerFlits) + " of them header";
    }
    return "";
}

} // namespace

void
CheckLayoutKeys(PointContext& c, const std::vector<LayoutKey>& keys, const std::string& topology, const std::string& path)
{
    for (const auto& [keyPath, topologies, owners] : keys)
    {
        const Key& key = *FindKey(keyPath);
        const std::string name(keyPath);
        if (std::find(topologies.begin(), topologies.end(), topology) != topologies.end() || c.IsWrong(name) ||
            HasDefault(key, c.scenario))
        {
            continue;
        }
        if (c.scenario.places.count(name) > 0)
        {
            c.Complain(name,
                       fmt::format("nothing: {} is for {}", name.substr(name.rfind('.') + 1), owners),
                       ShortText(c.leaves.at(name)),
                       path + " is " + topology);
        }
        std::string why;
        ReadField(key.field, key.range, MakeScalar(std::string(key.fallback)), c.scenario, why);
    }
}

void
CheckHbd(PointContext& c)
{
    const uint32_t gpus = c.scenario.cluster.gpus;
    const HbdSpec& hbd = c.scenario.cluster.hbd;
    if (gpus % hbd.size != 0)
    {
        c.Complain("cluster.hbd.size", "a size that divides cluster.gpus = " + std::to_string(gpus), std::to_string(hbd.size));
    }
    if (hbd.maxSize > 0 && hbd.size > hbd.maxSize)
    {
        c.Complain("cluster.hbd.size",
                   "at most " + std::to_string(hbd.maxSize) + " GPUs with the layout " + hbd.preset,
                   std::to_string(hbd.size),
                   "cluster.hbd.max-size of the preset; nvlink5 has one layout at every size");
    }
}

void
CheckHbdLinks(PointContext& c)
{
    const HbdSpec& hbd = c.scenario.cluster.hbd;
    CheckLayoutKeys(c, kLayoutKeys, c.scenario.cluster.hbd.topology, "cluster.hbd.topology");
    CheckHbdLayout(c);
    const uint64_t links = uint64_t{c.scenario.cluster.gpus} * hbd.LinksPerGpu();
    if (links > kMostLinks)
    {
        c.Complain("cluster.hbd.planes",
                   "at most " + std::to_string(kMostLinks) + " links: cluster.gpus x the links of a GPU",
                   std::to_string(links));
    }
    const uint64_t shares = 2ull * std::max({1u, hbd.LinksPerGpu(), hbd.topology == "mesh" ? hbd.links : 0});
    const bool exists = hbd.maxSize == 0 || hbd.size <= hbd.maxSize; // in a mesh the links depend on the size
    if (exists && hbd.linkRate.BitsPerSecond() % shares != 0)
    {
        c.Complain("cluster.hbd.link-rate",
                   "a rate of whole bits a second for each of 2 x the links of a GPU = " + std::to_string(shares) +
                       " link directions",
                   ToByteRateText(hbd.linkRate));
    }
}

void
CheckHbdPackets(PointContext& c)
{
    const HbdSpec& hbd = c.scenario.cluster.hbd;
    const uint64_t flit = hbd.flit.Count();
    const uint64_t flits = (hbd.packetPayload.Count() + flit - 1) / flit + hbd.headerFlits;
    const std::string flaw = PacketFlaw(hbd, hbd.packetPayload);
    if (!flaw.empty())
    {
        c.Complain("cluster.hbd.packet-payload", flaw, ToText(hbd.packetPayload) + ", " + std::to_string(flits) + " flits");
    }
    const uint64_t wire = flits * flit;
    if (hbd.creditWindow.Count() < wire)
    {
        c.Complain("cluster.hbd.credit-window",
                   "at least a packet on the wire, " + ToText(Bytes::FromBytes(wire)),
                   ToText(hbd.creditWindow));
    }
    if (hbd.topology != "mesh" && hbd.reductionTable < hbd.packetPayload)
    {
        c.Complain("cluster.hbd.reduction-table",
                   "at least the result of a packet, cluster.hbd.packet-payload = " + ToText(hbd.packetPayload),
                   ToText(hbd.reductionTable));
    }
}

void
CheckKernelPackets(PointContext& c)
{
    const auto at = c.leaves.find("library.kernels");
    if (at == c.leaves.end())
    {
        return;
    }
    const auto& kernels = c.scenario.library.kernels;
    for (size_t i = 0; i < kernels.size() && i < at->second.items.size(); ++i)
    {
        const Value* given = at->second.items[i].Find("packet-payload");
        const std::string flaw =
            kernels[i].packetPayload.IsZero() ? "" : PacketFlaw(c.scenario.cluster.hbd, kernels[i].packetPayload);
        if (given != nullptr && !flaw.empty())
        {
            AddProblem(c.problems,
                       {given->file,
                        given->line,
                        fmt::format("library.kernels[{}].packet-payload", i),
                        flaw,
                        ToText(kernels[i].packetPayload),
                        c.pointName.empty() ? "" : "in the point " + c.pointName});
        }
    }
}

} // namespace hbd::traffic
