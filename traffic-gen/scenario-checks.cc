/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-checks.h"

#include "collective-table.h"
#include "domain-checks.h"
#include "kernel-choice.h"
#include "message-file.h"
#include "network-checks.h"
#include "token-exchange.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <numeric>

namespace hbd::traffic
{

namespace
{

std::string
Text(uint64_t number)
{
    return std::to_string(number);
}

void
CheckName(PointContext& c)
{
    const std::string& name = c.scenario.name;
    const bool control = std::any_of(name.begin(), name.end(), [](unsigned char x) { return x < 0x20 || x == 0x7f; });
    if (control || name.front() == '.' || name.find('/') != std::string::npos || name.size() > 200)
    {
        c.Complain("name", "a name for a folder: without /, no leading dot, at most 200 characters", "`" + name + "`");
    }
}

void
CheckFidelity(PointContext& c)
{
    if (c.scenario.fidelity == "flow")
    {
        c.Complain("fidelity", "packet", "flow", "the flow model is not available yet");
    }
}

void
CheckScaleOut(PointContext& c)
{
    const ScaleOutSpec& out = c.scenario.cluster.scaleOut;
    if (out.mtu.Count() % 4 != 0)
    {
        c.Complain("cluster.scale-out.mtu", "a multiple of 4B", ToText(out.mtu));
    }
    if (out.window < out.mtu)
    {
        c.Complain("cluster.scale-out.window",
                   "at least cluster.scale-out.mtu = " + ToText(out.mtu),
                   ToText(out.window));
    }
    if (out.flowControl == "pfc" && out.switchBuffer <= out.headroom)
    {
        c.Complain("cluster.scale-out.switch-buffer",
                   "more than cluster.scale-out.headroom = " + ToText(out.headroom),
                   ToText(out.switchBuffer));
    }
    if (out.nicBuffer <= out.headroom)
    {
        c.Complain("cluster.scale-out.nic-buffer",
                   "more than cluster.scale-out.headroom = " + ToText(out.headroom),
                   ToText(out.nicBuffer));
    }
    if (!out.ecnKmax.IsZero() && out.ecnKmax < out.ecnKmin)
    {
        c.Complain("cluster.scale-out.ecn-kmax",
                   "at least cluster.scale-out.ecn-kmin = " + ToText(out.ecnKmin) + ", or 0B",
                   ToText(out.ecnKmax));
    }
    const uint32_t servers = (c.scenario.cluster.gpus - 1) / out.gpusPerServer + 1;
    const uint32_t perLeaf = out.serversPerLeaf == 0 ? servers : out.serversPerLeaf;
    const uint64_t uplinks = uint64_t{(servers - 1) / perLeaf + 1} * out.gpusPerServer * out.spines;
    if (uplinks > kMostLinks)
    {
        c.Complain("cluster.scale-out.spines",
                   "at most " + Text(kMostLinks) + " links between leaf and spine switches",
                   Text(uplinks));
    }
    if (out.serversPerLeaf > servers)
    {
        c.Complain("cluster.scale-out.servers-per-leaf",
                   "at most the " + Text(servers) + " servers",
                   Text(out.serversPerLeaf));
    }
}

void
CheckModel(PointContext& c)
{
    ModelSpec& model = *c.scenario.model;
    if (model.headDim == 0 && model.hidden % model.heads != 0)
    {
        c.Complain("model.head-dim",
                   "a size, because model.heads does not divide model.hidden",
                   "auto with " + Text(model.hidden) + " / " + Text(model.heads));
    }
    model.headDim = model.headDim > 0 ? model.headDim : std::max(1u, model.hidden / model.heads);
    if (model.heads % model.kvHeads != 0)
    {
        c.Complain("model.kv-heads", "a number that divides model.heads = " + Text(model.heads), Text(model.kvHeads));
    }
    if (model.topK > model.experts)
    {
        c.Complain("model.top-k", "at most model.experts = " + Text(model.experts), Text(model.topK));
    }
}

/// Makes a x b = product, where 0 = auto for one of them.
bool
Solve(uint32_t& a, uint32_t& b, uint32_t product)
{
    const uint64_t known = uint64_t{std::max(a, 1u)} * std::max(b, 1u);
    if (product % known != 0)
    {
        return false;
    }
    const uint32_t rest = static_cast<uint32_t>(product / known);
    a = a == 0 ? rest : a;
    b = b == 0 ? rest : b;
    return uint64_t{a} * b == product;
}

std::string
Factor(uint32_t value)
{
    return value == 0 ? "auto" : Text(value);
}

void
ResolveAttention(PointContext& c, uint32_t gpus)
{
    MappingSpec& m = c.scenario.mapping;
    const std::string given = Factor(m.tp) + " x " + Factor(m.dp) + " x " + Text(m.pp);
    if (m.tp == 0 && m.dp == 0)
    {
        c.Complain("mapping.tp", "a number where mapping.dp is auto", "auto");
        return;
    }
    const uint64_t product = uint64_t{m.tp} * m.dp * m.pp;
    if (gpus % m.pp != 0 || !Solve(m.tp, m.dp, gpus / m.pp))
    {
        c.Complain("mapping",
                   "tp x dp x pp = cluster.gpus = " + Text(gpus),
                   given + (product > 0 ? " = " + Text(product) : ""));
    }
}

void
ResolveExperts(PointContext& c, uint32_t gpus)
{
    MappingSpec& m = c.scenario.mapping;
    if (c.scenario.model->experts == 0)
    {
        m.ep = m.expertTp = 1;
        return;
    }
    const std::string given = Factor(m.ep) + " x " + Factor(m.expertTp) + " x " + Text(m.pp);
    const uint64_t product = uint64_t{m.ep} * m.expertTp * m.pp;
    if (m.ep == 0 && m.expertTp == 0)
    {
        m.ep = std::gcd(c.scenario.model->experts, gpus / m.pp);
    }
    if (gpus % m.pp != 0 || !Solve(m.ep, m.expertTp, gpus / m.pp))
    {
        c.Complain("mapping",
                   "ep x expert-tp x pp = cluster.gpus = " + Text(gpus),
                   given + (product > 0 ? " = " + Text(product) : ""));
    }
}

/// Complains unless the parallelism divides what it splits.
void
CheckSplit(PointContext& c, const std::string& path, uint32_t parts, const std::string& what, uint32_t whole)
{
    if (parts > 0 && whole % parts != 0)
    {
        c.Complain(path, "a number that divides " + what + " = " + Text(whole), Text(parts));
    }
}

void
ResolveMapping(PointContext& c)
{
    const uint32_t gpus = c.scenario.cluster.gpus;
    ResolveAttention(c, gpus);
    ResolveExperts(c, gpus);
    const MappingSpec& m = c.scenario.mapping;
    const ModelSpec& model = *c.scenario.model;
    CheckSplit(c, "mapping.pp", m.pp, "model.layers", model.layers);
    CheckSplit(c, "mapping.tp", m.tp, "model.heads", model.heads);
    if (m.tp > 0 && model.kvHeads % m.tp != 0 && m.tp % model.kvHeads != 0)
    {
        c.Complain("mapping.tp", "a divisor or a multiple of model.kv-heads = " + Text(model.kvHeads), Text(m.tp));
    }
    if (model.experts == 0)
    {
        CheckSplit(c, "mapping.tp", m.tp, "model.ffn", model.ffn);
        return;
    }
    CheckSplit(c, "mapping.ep", m.ep, "model.experts", model.experts);
    CheckSplit(c, "mapping.expert-tp", m.expertTp, "model.ffn", model.ffn);
}

void
CheckBatch(PointContext& c)
{
    const uint32_t dp = c.scenario.mapping.dp;
    const uint32_t batch = c.scenario.workload.inference->batch;
    if (dp > 0 && batch % dp != 0)
    {
        c.Complain("workload.batch",
                   "a multiple of mapping.dp = " + Text(dp),
                   Text(batch),
                   "every replica serves as many sequences");
    }
}

void
CheckPeaks(PointContext& c)
{
    const PrecisionSpec& precision = c.scenario.precision;
    for (const auto& [path, format] :
         {std::make_pair("precision", precision.weights), std::make_pair("precision.attention", precision.attention)})
    {
        if (c.scenario.cluster.gpu.peak[format].IsZero())
        {
            c.Complain(path,
                       "a number format that the GPU " + c.scenario.cluster.gpu.preset + " computes in",
                       ToText(format),
                       "cluster.gpu.peak." + ToText(format) + " is 0");
        }
    }
}

void
CheckCollective(PointContext& c)
{
    const CollectiveWorkload& workload = *c.scenario.workload.collective;
    const uint32_t gpus = c.scenario.cluster.gpus;
    const CollectiveOp op = OpOfKernels(workload.collective);
    if (workload.algorithm != "auto" && !FindCollective(op, workload.algorithm))
    {
        c.Complain("workload.algorithm",
                   fmt::format("one of auto, {} for {}", fmt::join(AlgorithmsOf(op), ", "), workload.collective),
                   workload.algorithm);
    }
    if (workload.algorithm == "nvls" && !c.scenario.cluster.hbd.HasSwitchGroups())
    {
        c.Complain("workload.algorithm",
                   "an algorithm without sums and multicasts in switches, which need a domain of one tier in which nothing is broken",
                   workload.algorithm);
    }
    std::set<uint32_t> seen;
    for (const uint32_t rank : workload.ranks)
    {
        if (rank >= gpus)
        {
            c.Complain("workload.ranks", "numbers below cluster.gpus = " + Text(gpus), Text(rank));
        }
        if (!seen.insert(rank).second)
        {
            c.Complain("workload.ranks", "each GPU once", Text(rank) + " twice");
        }
    }
    if ((workload.ranks.empty() ? gpus : workload.ranks.size()) < 2)
    {
        c.Complain("workload.ranks", "at least 2 GPUs", "1");
    }
}

/// Draws of a scenario beyond this take too long.
constexpr uint64_t kMostDraws = uint64_t{1} << 26;

void
ResolveExchange(PointContext& c)
{
    CollectiveWorkload& workload = *c.scenario.workload.collective;
    ExchangeSpec& exchange = workload.exchange;
    const uint32_t ranks = workload.ranks.empty() ? c.scenario.cluster.gpus : static_cast<uint32_t>(workload.ranks.size());
    const uint32_t most = std::min(exchange.topK, ranks);
    exchange.ranksPerToken = exchange.ranksPerToken == 0 ? most : std::min(exchange.ranksPerToken, most);
    exchange.seed = c.scenario.seed;
    workload.sizes = {Bytes::FromBytes(exchange.tokens * exchange.bytesPerToken.Count() * exchange.ranksPerToken)};
    if (exchange.experts < ranks)
    {
        c.Complain("workload.experts", "at least one for each of " + Text(ranks) + " GPUs", Text(exchange.experts));
    }
    const uint64_t reach = uint64_t{exchange.ranksPerToken} * (exchange.experts / ranks);
    if (exchange.topK > reach)
    {
        c.Complain("workload.top-k",
                   fmt::format("at most the {} experts of the {} GPU(s) that a token goes to", reach, exchange.ranksPerToken),
                   Text(exchange.topK));
    }
    if (exchange.routing == "uniform" && uint64_t{ranks} * exchange.tokens * exchange.topK > kMostDraws)
    {
        c.Complain("workload.tokens",
                   fmt::format("at most {} draws in all with uniform routing", kMostDraws),
                   fmt::format("{} GPUs x {} tokens x top-{}", ranks, exchange.tokens, exchange.topK));
    }
}

void
ResolveMessages(PointContext& c)
{
    namespace fs = std::filesystem;
    std::string& name = c.scenario.workload.messages->file;
    std::error_code error;
    const fs::path path = fs::weakly_canonical(fs::absolute(fs::path(c.file).parent_path() / name, error), error);
    if (!fs::is_regular_file(path, error) || !std::ifstream(path))
    {
        c.Complain("workload.messages",
                   "a readable CSV file, relative to the scenario's folder",
                   name,
                   "looked for " + path.string());
        return;
    }
    name = path.string();
    if (!c.IsWrong("cluster.gpus"))
    {
        std::vector<Problem> found;
        ReadMessageFile(name, c.scenario.cluster.gpus, found);
        for (auto& problem : found)
        {
            AddProblem(c.problems, std::move(problem));
        }
    }
}

void
ResolveUplink(PointContext& c)
{
    ScaleOutSpec& out = c.scenario.cluster.scaleOut;
    const bool used = out.topology == "rail-optimized" || out.topology == "fat-tree"; // elsewhere it stays auto
    out.uplinkRate = used && out.uplinkRate.IsZero() ? out.nicRate : out.uplinkRate;
}

/// A check and the keys (or groups) it needs.
struct Check
{
    void (*run)(PointContext&);
    Applies applies;
    std::vector<std::string> needs;
};

// In this order: what resolves a key stands before what uses it.
const std::vector<Check> kChecks = {
    {CheckName, Applies::Always, {"name"}},
    {CheckFidelity, Applies::Always, {"fidelity"}},
    {CheckHbd, Applies::Always, {"cluster.gpus", "cluster.hbd.size", "cluster.hbd.max-size"}},
    {CheckHbdLinks,
     Applies::Always,
     {"cluster.gpus", "cluster.hbd.size", "cluster.hbd.link-rate", "cluster.hbd.planes", "cluster.hbd.links-per-plane", "cluster.hbd.topology",
      "cluster.hbd.links", "cluster.hbd.links-per-peer", "cluster.hbd.leaf-size", "cluster.hbd.trunk-rate"}},
    {CheckHbdPackets,
     Applies::Always,
     {"cluster.hbd.flit", "cluster.hbd.packet-payload", "cluster.hbd.header-flits", "cluster.hbd.packet-flits", "cluster.hbd.credit-window",
      "cluster.hbd.topology", "cluster.hbd.reduction-table"}},
    {CheckKernelPackets,
     Applies::Always,
     {"cluster.hbd.flit", "cluster.hbd.header-flits", "cluster.hbd.packet-flits", "library.kernels"}},
    {CheckNetworkLayout, Applies::Always, {"cluster.gpus", "cluster.scale-out.topology"}},
    {ResolveUplink, Applies::Always, {"cluster.scale-out.topology", "cluster.scale-out.nic-rate", "cluster.scale-out.uplink-rate"}},
    {CheckScaleOut, Applies::Always, {"cluster.gpus", "cluster.scale-out"}},
    {CheckFaults, Applies::Always, {"cluster.scale-out.faults"}},
    {CheckModel, Applies::Inference, {"model"}},
    {CheckPeaks, Applies::Inference, {"precision", "cluster.gpu"}},
    {ResolveMapping, Applies::Inference, {"cluster.gpus", "model", "mapping"}},
    {CheckBatch, Applies::Inference, {"cluster.gpus", "mapping", "workload.batch"}},
    {CheckCollective, Applies::Collective, {"cluster.gpus", "workload"}},
    {ResolveExchange,
     Applies::Exchange,
     {"cluster.gpus", "workload.collective", "workload.ranks", "workload.tokens", "workload.experts", "workload.top-k",
      "workload.ranks-per-token", "workload.bytes-per-token", "workload.routing"}},
    {ResolveMessages, Applies::Messages, {"workload.messages"}},
};

bool
IsAtOrBelow(const std::string& path, const std::string& group)
{
    return path.compare(0, group.size(), group) == 0 && (path.size() == group.size() || path[group.size()] == '.');
}

} // namespace

void
PointContext::Complain(const std::string& path, const std::string& expected, const std::string& given, std::string hint)
{
    Problem problem{file, 0, path, expected, given, std::move(hint)};
    auto at = leaves.find(LeafPath(path));
    if (at == leaves.end())
    {
        at =
            std::find_if(leaves.begin(), leaves.end(), [&](const auto& leaf) { return IsAtOrBelow(leaf.first, path); });
    }
    const auto own = scenario.places.find(path);
    if (own != scenario.places.end())
    {
        problem.file = own->second.file;
        problem.line = own->second.line;
    }
    else if (at != leaves.end() && !at->second.file.empty())
    {
        problem.file = at->second.file;
        problem.line = at->second.line;
    }
    else if (const Place* around = PlaceOf(scenario, path))
    {
        problem.file = around->file;
        problem.line = around->line;
    }
    if (!pointName.empty())
    {
        problem.hint += (problem.hint.empty() ? "in the point " : "; in the point ") + pointName;
    }
    AddProblem(problems, std::move(problem));
}

bool
PointContext::IsWrong(const std::string& path) const
{
    return std::any_of(wrong.begin(), wrong.end(), [&](const std::string& bad) {
        return IsAtOrBelow(bad, path) || IsAtOrBelow(path, bad);
    });
}

void
ResolveAndCheck(PointContext& context)
{
    for (const auto& check : kChecks)
    {
        const Key needed{"", Access<std::string>{}, "", "", check.applies, ""};
        const bool ready = std::none_of(check.needs.begin(), check.needs.end(), [&](const auto& path) {
            return context.IsWrong(path);
        });
        if (ready && IsApplicable(needed, context.scenario))
        {
            check.run(context);
        }
    }
}

} // namespace hbd::traffic
