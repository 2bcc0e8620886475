/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FLOWLET_LOAD_BALANCER_H
#define HBD_FLOWLET_LOAD_BALANCER_H

#include "hbd-load-balancer.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Flowlet switching (Sinha, Kandula, Katabi, "Harnessing TCP's Burstiness with Flowlet Switching", HotNets 2004): a
 * flow keeps its port until nothing of it has come for Gap; then it takes the port of which the fewest bytes wait
 * (among equals the one that ECMP would take, or the next behind it), or one at random (Vanini et al., LetFlow, NSDI
 * 2017).
 *
 * Flows whose hashes fall on one entry of the table are one flow to it, as in switches.
 */
class FlowletLoadBalancer : public LoadBalancer
{
  public:
    static TypeId GetTypeId();

    void Setup(FabricContext& context, const std::vector<Ptr<EthernetDevice>>& ports, uint32_t salt) override;
    uint32_t Select(const PacketUnit& unit, const std::vector<uint16_t>& candidates) override;
    int64_t AssignStreams(int64_t stream) override;
    void SaveState(std::vector<uint32_t>& words) const override;
    void RestoreState(const uint32_t*& words) override;

  private:
    struct Flowlet
    {
        int64_t lastPs = 0;       ///< kernel time of the last unit
        uint32_t port = NO_INDEX; ///< NO_INDEX: none yet
    };

    static constexpr uint32_t CHUNK = 256;

    bool IsAlive(const Flowlet& flowlet, int64_t nowPs) const;
    uint32_t Choose(uint32_t hash, const std::vector<uint16_t>& candidates);

    Time m_gap;
    uint32_t m_tableSize;
    bool m_randomChoice;
    FabricContext* m_context = nullptr;
    std::vector<Ptr<EthernetDevice>> m_ports;
    uint32_t m_salt = 0;
    std::vector<std::vector<Flowlet>> m_table; ///< by hash, in chunks that are empty until a flow needs them
    Ptr<UniformRandomVariable> m_random;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FLOWLET_LOAD_BALANCER_H */
