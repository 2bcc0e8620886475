/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kernel-choice.h"

#include "collective-table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace hbd::traffic
{

namespace
{

bool
IsNamed(const std::string& text)
{
    return !text.empty() && text != "auto";
}

/// Whether a value lies in a range whose end is excluded, 0 for none.
bool
IsWithin(uint64_t value, Bytes from, Bytes until)
{
    return value >= from.Count() && (until.IsZero() || value < until.Count());
}

std::string
RangeText(const char* name, Bytes from, Bytes until)
{
    return until.IsZero() ? fmt::format("{} from {}", name, ToText(from))
                          : fmt::format("{} {} to below {}", name, ToText(from), ToText(until));
}

/// A condition of a kernel that does not hold, in words; empty when all hold that are not about the size.
std::string
WhyNotGroups(const KernelSpec& kernel, const KernelQuery& query, const ClusterSpec& cluster)
{
    if ((kernel.needsSwitches || kernel.algorithm == "nvls") && !cluster.hbd.HasSwitchGroups())
    {
        return "a domain whose switches serve all its GPUs together: one tier, nothing broken";
    }
    for (const auto& spread : query.spreads)
    {
        if (spread.ranks < kernel.minRanks)
        {
            return fmt::format("at least {} ranks", kernel.minRanks);
        }
        if (kernel.maxRanks > 0 && spread.ranks > kernel.maxRanks)
        {
            return fmt::format("at most {} ranks", kernel.maxRanks);
        }
    }
    const bool crosses = std::any_of(query.spreads.begin(), query.spreads.end(), [](const auto& spread) {
        return spread.domains > 1;
    });
    if (kernel.placement != "any" && (kernel.placement == "several-domains") != crosses)
    {
        return "placement " + kernel.placement;
    }
    return "";
}

/// The same for conditions about the size.
std::string
WhyNotSize(const KernelSpec& kernel, const KernelQuery& query)
{
    if (!IsWithin(query.size, kernel.from, kernel.until))
    {
        return RangeText("size", kernel.from, kernel.until);
    }
    if (!IsWithin(query.largestBlock, kernel.blockFrom, kernel.blockUntil))
    {
        return RangeText("largest block", kernel.blockFrom, kernel.blockUntil);
    }
    return "";
}

std::string
WhyNotName(const KernelSpec& kernel, const KernelQuery& query)
{
    const bool other = (IsNamed(query.algorithm) && kernel.algorithm != query.algorithm) ||
                       (IsNamed(query.protocol) && kernel.protocol != query.protocol);
    return other ? "not what was named" : "";
}

using Kernels = std::vector<const KernelSpec*>;

/// The kernels of an operation, in order.
Kernels
KernelsFor(const std::string& operation, const LibrarySpec& library)
{
    Kernels kernels;
    for (const auto& kernel : library.kernels)
    {
        if (kernel.operation == operation)
        {
            kernels.push_back(&kernel);
        }
    }
    const bool exchange = operation == "dispatch" || operation == "combine";
    return kernels.empty() && exchange ? KernelsFor("all-to-all", library) : kernels;
}

Duration
EstimateOf(const KernelSpec& kernel, const KernelQuery& query, const ClusterSpec& cluster)
{
    const CollectiveEntry* entry = FindCollective(OpOfKernels(kernel.operation), kernel.algorithm);
    Duration longest;
    for (const auto& spread : query.spreads)
    {
        const CollectiveCost cost = entry->cost(entry->op, spread);
        longest = std::max(longest, EstimateKernel(kernel, cost, query.size, cluster));
    }
    return longest;
}

const KernelSpec&
Cheapest(const Kernels& kernels, const KernelQuery& query, const ClusterSpec& cluster)
{
    return **std::min_element(kernels.begin(), kernels.end(), [&](const KernelSpec* a, const KernelSpec* b) {
        return EstimateOf(*a, query, cluster) < EstimateOf(*b, query, cluster);
    });
}

std::string
AskedText(const KernelQuery& query)
{
    uint32_t ranks = 0;
    uint32_t domains = 0;
    for (const auto& spread : query.spreads)
    {
        ranks = std::max(ranks, spread.ranks);
        domains = std::max(domains, spread.domains);
    }
    std::string text = fmt::format("{} of {} (largest block {}) over {} ranks in {} domain{}",
                                   query.operation,
                                   ToText(Bytes::FromBytes(query.size)),
                                   ToText(Bytes::FromBytes(query.largestBlock)),
                                   ranks,
                                   domains,
                                   domains == 1 ? "" : "s");
    text += IsNamed(query.algorithm) ? ", algorithm " + query.algorithm : "";
    text += IsNamed(query.protocol) ? ", protocol " + query.protocol : "";
    return text;
}

/// One kernel and what keeps it from being chosen.
std::string
ExcludedText(const KernelSpec& kernel, const KernelQuery& query, const ClusterSpec& cluster)
{
    const std::string name = WhyNotName(kernel, query);
    const std::string groups = WhyNotGroups(kernel, query, cluster);
    const std::string why = !name.empty() ? name : "takes " + (!groups.empty() ? groups : WhyNotSize(kernel, query));
    return KernelName(kernel) + " " + why;
}

[[noreturn]] void
ThrowNoKernel(const Kernels& all, const KernelQuery& query, const LibrarySpec& library, const ClusterSpec& cluster)
{
    std::string text = AskedText(query) + ": the library " + library.preset + " has ";
    text += all.empty() ? "no kernel for it" : "no kernel that fits: ";
    std::string separator;
    for (const KernelSpec* kernel : all)
    {
        text += separator + ExcludedText(*kernel, query, cluster);
        separator = ", ";
    }
    throw KernelError(text);
}

} // namespace

void
KernelQuery::Add(const GroupSpread& spread)
{
    if (std::find(spreads.begin(), spreads.end(), spread) == spreads.end())
    {
        spreads.push_back(spread);
    }
}

void
KernelQuery::Add(const CollectiveRequest& request, const ClusterShape& shape)
{
    Add(SpreadOf(GroupLayout(request.ranks, shape)));
    size = std::max(size, CollectiveSize(request));
    largestBlock = std::max(largestBlock, LargestBlock(request));
}

CollectiveOp
OpOfKernels(const std::string& operation)
{
    CollectiveOp op = CollectiveOp::AllToAll;
    ParseCollectiveOp(operation, op);
    return op;
}

ByteRate
LinkPayloadRate(const HbdSpec& hbd, Bytes packetPayload)
{
    const double own = static_cast<double>(hbd.packetPayload.Count());
    const double payload = packetPayload.IsZero() ? own : std::min(own, static_cast<double>(packetPayload.Count()));
    const double flit = static_cast<double>(hbd.flit.Count());
    const double wire = (std::ceil(payload / flit) + hbd.headerFlits) * flit;
    return ByteRate::FromBytesPerSecond(hbd.UsedBytesPerSecond() * payload / wire);
}

namespace
{

/// What links and switches add to a step between GPUs of one domain, without serialisation.
Duration
InsideDelay(const HbdSpec& hbd)
{
    if (hbd.topology == "mesh")
    {
        return hbd.linkDelay;
    }
    const bool twoTiers = hbd.topology == "two-tier" && hbd.leafSize > 0 && hbd.leafSize < hbd.size;
    return twoTiers ? hbd.linkDelay * 4 + hbd.switchDelay * 3 : hbd.linkDelay * 2 + hbd.switchDelay;
}

/// The same through NICs on one rail.
Duration
AcrossDelay(const ScaleOutSpec& scaleOut)
{
    return scaleOut.hostDelay * 2 + scaleOut.linkDelay * 2 + scaleOut.switchDelay;
}

/// Time that the data of a size takes inside a domain, in seconds.
double
InsideSeconds(const KernelSpec& kernel, const CollectiveCost& cost, double size, const HbdSpec& hbd)
{
    double rate = LinkPayloadRate(hbd, kernel.packetPayload).BytesPerSecond();
    const ByteRate copyRate = CopyRateTo(kernel, cost.peers);
    rate = copyRate.IsZero() ? rate : std::min(rate, copyRate.BytesPerSecond());
    const double wire = kernel.wire.Value() / rate; // seconds a byte
    const double links = cost.insideBytes * wire;
    if (cost.shares == 0)
    {
        return size * links;
    }
    // The first chunk goes through all stages by itself, the others leave the slowest one after it.
    const double copies = kernel.stagingRate.IsZero() ? 0 : cost.copiedBytes / kernel.stagingRate.BytesPerSecond();
    const double first = std::min(size, static_cast<double>(kernel.chunk.Count()) * cost.shares);
    return first * (cost.aloneBytes * wire + copies) + (size - first) * std::max(links / kernel.efficiency, copies);
}

} // namespace

Duration
EstimateKernel(const KernelSpec& kernel, const CollectiveCost& cost, uint64_t size, const ClusterSpec& cluster)
{
    const double across = cost.acrossBytes * kernel.wire.Value() / cluster.scaleOut.nicRate.BytesPerSecond();
    const double data = std::max(InsideSeconds(kernel, cost, static_cast<double>(size), cluster.hbd),
                                 cost.acrossBytes > 0 ? static_cast<double>(size) * across : 0);
    const Duration latency = kernel.launch + (kernel.scaleUpStep + InsideDelay(cluster.hbd)) * cost.insideSteps +
                             (kernel.scaleOutStep + AcrossDelay(cluster.scaleOut)) * cost.acrossSteps;
    return std::max(latency + Duration::FromSeconds(data), kernel.minimum);
}

KernelSpec
ChooseKernel(const KernelQuery& query, const LibrarySpec& library, const ClusterSpec& cluster)
{
    const Kernels all = KernelsFor(query.operation, library);
    const bool named = IsNamed(query.algorithm) || IsNamed(query.protocol);
    Kernels able; // whatever the size
    Kernels fitting;
    Kernels fallbacks; // that fit
    for (const KernelSpec* kernel : all)
    {
        if (WhyNotName(*kernel, query).empty() && WhyNotGroups(*kernel, query, cluster).empty())
        {
            able.push_back(kernel);
            if (WhyNotSize(*kernel, query).empty())
            {
                (kernel->fallback ? fallbacks : fitting).push_back(kernel);
            }
        }
    }
    fitting = fitting.empty() ? fallbacks : fitting;
    if (!fitting.empty())
    {
        return library.choice == "first" && !named ? *fitting.front() : Cheapest(fitting, query, cluster);
    }
    if (named && !able.empty())
    {
        return Cheapest(able, query, cluster);
    }
    if (IsNamed(query.algorithm) && !IsNamed(query.protocol))
    {
        return DefaultKernel(library, query.operation, query.algorithm);
    }
    ThrowNoKernel(all, query, library, cluster);
}

} // namespace hbd::traffic
