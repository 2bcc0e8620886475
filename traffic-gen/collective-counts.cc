/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-counts.h"

#include "collectives/phases.h"

#include <algorithm>

namespace hbd::traffic
{

namespace
{

uint64_t
RingsOf(const GroupScale& scale)
{
    if (scale.domain == 4)
    {
        return MeshRingCount(4); // more than GPUs; larger meshes have fewer rings than that
    }
    return std::min<uint64_t>(kMaxRings, scale.domain);
}

} // namespace

uint64_t
CountSpread(const GroupScale& scale)
{
    return 2 * (scale.ranks - 1); // a send and a receive each
}

uint64_t
CountPairs(const GroupScale& scale)
{
    return 2 * scale.ranks * (scale.ranks - 1);
}

uint64_t
CountPairsTwice(const GroupScale& scale)
{
    return 2 * CountPairs(scale);
}

uint64_t
CountRings(const GroupScale& scale)
{
    return RingsOf(scale) * CountPairs(scale);
}

uint64_t
CountRingsTwice(const GroupScale& scale)
{
    return 2 * CountRings(scale);
}

uint64_t
CountRingRelay(const GroupScale& scale)
{
    return CountRings(scale) * (1 + scale.ranks / 2);
}

uint64_t
CountParts(const GroupScale& scale)
{
    return CountPairs(scale) * std::clamp<uint64_t>(scale.bytes / scale.ranks / kMinChunkBytes + 1, 1, kMaxChunks);
}

uint64_t
CountPartsTwice(const GroupScale& scale)
{
    return 2 * CountParts(scale);
}

uint64_t
CountPipeline(const GroupScale& scale)
{
    const uint64_t streams = 2 * RingsOf(scale); // two trees each
    const uint64_t parts = std::min(scale.bytes / kPipelinePartBytes, kMaxPipelineParts * streams) + streams;
    return parts * CountSpread(scale);
}

uint64_t
CountPipelineTwice(const GroupScale& scale)
{
    return 2 * CountPipeline(scale);
}

uint64_t
CountHalving(const GroupScale& scale)
{
    uint64_t steps = 2; // folding of what is no power of two
    for (uint64_t reach = 1; reach < scale.ranks; reach *= 2)
    {
        ++steps;
    }
    return 2 * scale.ranks * (2 * steps + scale.ranks);
}

uint64_t
CountNvls(const GroupScale& scale)
{
    const uint64_t chunks = scale.bytes / scale.ranks / std::max<uint64_t>(1, scale.kernel.chunk.Count()) + 1;
    // Of each chunk: two rounds of flags; of each block up to a reduction, a message each way and a multicast in each
    // domain, the multicasts with a receive at each member.
    return chunks * 10 * scale.ranks * scale.ranks;
}

} // namespace hbd::traffic
