/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_LIBRARY_PROFILE_H
#define HBD_TRAFFIC_LIBRARY_PROFILE_H

#include "units.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbd::traffic
{

/// The operations that kernels exist for, as KernelSpec::operation spells them, separated by bars. A dispatch or combine
/// is an all-to-all where the library has no kernels of its own for it.
constexpr const char* kKernelOperations =
    "all-reduce|reduce-scatter|all-gather|broadcast|all-to-all|dispatch|combine";

/// KernelSpec::protocol of a kernel that names none.
constexpr const char* kNoProtocol = "none";

/**
 * A kernel of a communication library: an algorithm and how it is run, and when the library may choose it. Times and
 * rates are those of the software; what links and switches add comes from the fabric.
 */
struct KernelSpec
{
    std::string operation;                ///< what it does: see kKernelOperations
    std::string algorithm;                ///< name in the table of collectives
    std::string protocol = kNoProtocol;   ///< label only: simple, ll, ll128, ...
    Fraction wire;                        ///< bytes written per byte of data (LL: 2, LL128: 16/15), at least 1
    Duration launch;                      ///< on every member, before what it does first
    Duration scaleUpStep;                 ///< each dependent step inside a domain (send posted to flag seen)
    Duration scaleOutStep;                ///< the same through the NIC
    ByteRate copyRate;                    ///< most written bytes a second that a GPU feeds to its links; 0 = no limit
    ByteRate copyRatePerSm;               ///< the same for each of LibrarySpec::sms, where that is set; 0 = no limit
    ByteRate copyRatePerPeer;             ///< the same for each other member in the domain: channels per peer; 0 = no limit
    Bytes packetPayload;                  ///< most payload of an NVLink packet (SM stores: 128); 0 = the link's own
    ByteRate stagingRate;                 ///< copies into and out of a staging buffer in the GPU's memory; 0 = none
    Bytes chunk = Bytes::FromMib(2);      ///< nvls: bytes of each member's share that are staged and reduced at once
    double efficiency = 1;                ///< nvls: share of the links' rate that the estimate of its cost reckons with
    ByteRate reduceRate;                  ///< local reduction: bytes read and written a second; 0 = takes no time
    Duration minimum;                     ///< least time on a member, from its launch, beside what moves data

    Bytes from;                           ///< smallest size, as nccl-tests counts it
    Bytes until;                          ///< first size that is too large; 0 = none
    Bytes blockFrom;                      ///< the same for the largest block: of a rank, in an all-to-all of a pair
    Bytes blockUntil;                     ///< the same; 0 = none
    uint32_t minRanks = 1;                ///< fewest members of a group
    uint32_t maxRanks = 0;                ///< most; 0 = any
    std::string placement = "any";        ///< one-domain, several-domains, any
    bool needsSwitches = false;           ///< works only where switches connect the GPUs of a domain
    bool fallback = false;                ///< taken only where no other kernel fits
};

/// Software around the network.
struct LibrarySpec
{
    std::string preset;              ///< name of the preset it came from, or "custom"
    Duration launch;                 ///< of kernels that give none of their own; so are the next three
    Duration scaleUpStep;
    Duration scaleOutStep;
    ByteRate reduceRate;
    uint32_t sms = 0;                ///< streaming multiprocessors that a kernel runs on; 0 = as many as its copy rate needs
    bool tokenCounts = false;        ///< a dispatch is preceded by an exchange of how many tokens go to each expert
    std::string choice = "cheapest"; ///< among the kernels whose conditions hold: first or cheapest
    std::vector<KernelSpec> kernels; ///< in the order of preference
};

/// A kernel with the library's own times, without any condition.
KernelSpec DefaultKernel(const LibrarySpec& library, const std::string& operation, const std::string& algorithm);

/// Lowers the kernel's copy rate to what `sms` multiprocessors sustain together.
void LimitCopyRate(KernelSpec& kernel, uint32_t sms);

/// Most written bytes a second that a GPU feeds to its links when it sends to so many peers; 0 = no limit.
ByteRate CopyRateTo(const KernelSpec& kernel, size_t peers);

/// `ring`, or `ring/ll` for a kernel with a protocol.
std::string KernelName(const KernelSpec& kernel);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_LIBRARY_PROFILE_H
