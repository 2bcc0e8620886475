/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_KERNEL_CHOICE_H
#define HBD_TRAFFIC_KERNEL_CHOICE_H

#include "collective-cost.h"
#include "scenario.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// A library has no kernel for a collective. what() says what was asked and why each kernel was left out.
class KernelError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// What a library looks at when it chooses a kernel: all groups of a collective together, so that they use the same.
struct KernelQuery
{
    std::string operation;            ///< as a kernel's `for` says it
    uint64_t size = 0;                ///< largest of a group, as nccl-tests counts it, in bytes
    uint64_t largestBlock = 0;        ///< of a rank, in an all-to-all of a pair of different ranks, in bytes
    std::vector<GroupSpread> spreads; ///< of the groups, different ones once; at least one
    std::string algorithm;            ///< the only one to take; empty or auto = any
    std::string protocol;             ///< the same

    /// Adds a group of this request.
    void Add(const CollectiveRequest& request, const ClusterShape& shape);
    /// Adds a group of that spread.
    void Add(const GroupSpread& spread);
};

/// The collective that a kernel lowers to: its `for`, an all-to-all for a dispatch or combine.
CollectiveOp OpOfKernels(const std::string& operation);

/// Highest rate of payload of a GPU's links in its domain, each direction, for packets of at most that payload.
ByteRate LinkPayloadRate(const HbdSpec& hbd, Bytes packetPayload);

/**
 * The library's own estimate of a kernel's time, after NCCL's tuner (src/graph/tuning.cc): launch + steps x latency of a
 * step + the time of the slower of: the bytes of the busiest GPU over its links, over its NIC; at least the kernel's
 * minimum. The rate over the links is the lower of the kernel's copy rate and the links' payload rate, over the wire
 * factor. What moves chunk by chunk (nvls): the first chunk goes through copy in, sum, multicast and copy out one after
 * the other, the others follow at the pace of the slower of links, times their efficiency, and copies.
 */
Duration EstimateKernel(const KernelSpec& kernel,
                        const CollectiveCost& cost,
                        uint64_t size,
                        const ClusterSpec& cluster);

/**
 * Chooses a kernel among those of the operation (for dispatch and combine those of all-to-all when it has none) whose
 * conditions hold, fallbacks only where no other one is left: the first, or the cheapest by EstimateKernel() summed up
 * over its slowest group, of equal ones the earlier. With a named algorithm or protocol: the cheapest of those, whatever
 * the size when none is made for it; a named algorithm without any kernel gets DefaultKernel(). Throws KernelError when
 * there is none.
 */
KernelSpec ChooseKernel(const KernelQuery& query, const LibrarySpec& library, const ClusterSpec& cluster);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_KERNEL_CHOICE_H
