/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GROUP_FIXTURE_H
#define GROUP_FIXTURE_H

#include "scale-up-fixture.h"

#include <gmock/gmock.h>
#include <numeric>

/// Reads, multicasts and reductions in switches on one HBD.
namespace group_test
{

using namespace scale_up;

constexpr int64_t READ_PS = 300000;
constexpr int64_t REDUCTION_PS = 70000;
constexpr int64_t HEADER_PS = HEADER * LINK_PS;
constexpr int64_t PACKET_PS = PACKET * LINK_PS;

/// From a request's posting to its last byte's arrival at the other end, when it is one packet.
constexpr int64_t REQUEST_PS = 2 * HEADER_PS + FLIGHT_PS;

/// A domain of GPUs with what it takes to ask and to sum.
class GroupDomain : public Domain
{
  public:
    GroupDomain(uint32_t planes, uint32_t linksPerPlane)
        : Domain(planes, linksPerPlane)
    {
        config.gpu.Set("ReadLatency", ns3::TimeValue(ns3::PicoSeconds(READ_PS)));
        config.nvswitch.Set("ReductionDelay", ns3::TimeValue(ns3::PicoSeconds(REDUCTION_PS)));
    }

    using Domain::PostAt;

    /// Posts something at a simulated time.
    void PostAt(int64_t ps, const Posting& posting)
    {
        ns3::Simulator::Schedule(ns3::PicoSeconds(ps), [this, posting] { fabric->Post(posting); });
    }

    void OnCopyDelivered(uint32_t message, uint32_t gpu) override
    {
        const Message& m = fabric->GetContext().messages[message];
        EXPECT_GE(fabric->GetKernel().NowPs() - m.postedPs, fabric->GetIdealMessagePs(m));
        deliveries.emplace_back(m.source, gpu, m.bytes, fabric->GetKernel().NowPs());
    }

    void OnDelivered(uint32_t message) override
    {
        const Message& m = fabric->GetContext().messages[message];
        EXPECT_GE(fabric->GetKernel().NowPs() - m.postedPs, fabric->GetIdealMessagePs(m));
        uint64_t copies = std::max<uint64_t>(1, m.memberDelivered.size());
        EXPECT_EQ(m.delivered, m.bytes * copies);
        completePs.push_back(fabric->GetKernel().NowPs());
        if (m.kind != MessageKind::MULTICAST)
        {
            Network::OnDelivered(message);
        }
    }

    /// Payload that a GPU's link carried away from it.
    uint64_t Out(uint32_t gpu, uint32_t index, PortSum counter = PORT_TX_PAYLOAD) const
    {
        return fabric->GetContext().statistics.sums[GpuPort(gpu, index).GetSums(0) + counter];
    }

    /// Payload that it brought.
    uint64_t In(uint32_t gpu, uint32_t index, PortSum counter = PORT_TX_PAYLOAD) const
    {
        return fabric->GetContext().statistics.sums[GpuPort(gpu, index).GetPeer()->GetSums(0) + counter];
    }

    std::vector<int64_t> completePs; ///< kernel times at which messages were complete
};

/// GPUs 0 .. n - 1.
inline std::vector<uint32_t>
FirstGpus(uint32_t n)
{
    std::vector<uint32_t> gpus(n);
    std::iota(gpus.begin(), gpus.end(), 0);
    return gpus;
}

inline Posting
Write(uint32_t source, uint32_t destination, uint64_t bytes, uint64_t copyRate = 0, uint32_t packetPayload = 0)
{
    Posting posting;
    posting.issuer = source;
    posting.peer = destination;
    posting.bytes = bytes;
    posting.copyRate = copyRate;
    posting.packetPayload = packetPayload;
    return posting;
}

inline Posting
Read(uint32_t reader, uint32_t peer, uint64_t bytes)
{
    Posting posting = Write(reader, peer, bytes);
    posting.kind = MessageKind::READ;
    return posting;
}

inline Posting
Multicast(uint32_t source, const std::vector<uint32_t>& group, uint64_t bytes)
{
    Posting posting = Write(source, 0, bytes);
    posting.kind = MessageKind::MULTICAST;
    posting.group = &group;
    return posting;
}

inline Posting
Reduce(uint32_t gpu, const std::vector<uint32_t>& group, uint64_t bytes)
{
    Posting posting = Multicast(gpu, group, bytes);
    posting.kind = MessageKind::REDUCE;
    return posting;
}

} // namespace group_test

#endif /* GROUP_FIXTURE_H */
