/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_NVSWITCH_H
#define HBD_NVSWITCH_H

#include "hbd-fabric-element.h"
#include "hbd-nvlink-device.h"

#include "ns3/object.h"

#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * An NVLink switch chip: a virtual output queue for each (output, virtual channel, input), round robin among the inputs of an output and among
 * its virtual channels, cut-through. The crossbar is taken to be fast enough for one input to feed several outputs at once; its inputs are bounded by
 * the credits they give. An input's buffer is free again when the unit has left.
 */
class NvSwitch : public Object, public FabricElement
{
  public:
    static TypeId GetTypeId();

    /**
     * \param context the fabric
     * \param ports its ports, in port order
     * \param outputOfGpu for each GPU of the fabric the output port that leads to it, or NO_INDEX. With several links to a
     *        GPU, the first of `linksPerGpu` consecutive ones
     * \param linksPerGpu links between each GPU and this chip; a unit leaves on the link of the same rank as it came in on
     */
    void Setup(FabricContext& context,
               const std::vector<Ptr<NvlinkDevice>>& ports,
               const std::vector<uint32_t>& outputOfGpu,
               uint32_t linksPerGpu);

    void ReceiveUnit(uint32_t port, PacketUnit& unit) override;
    void Arbitrate(uint32_t port) override;
    bool IsEndPoint() const override
    {
        return false;
    }
    void SaveState(std::vector<uint32_t>& words) const override;
    void RestoreState(const uint32_t*& words) override;
    bool IsDrained() const override;
    void DescribeBlocked(std::vector<std::string>& lines) const override;
    void GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const override;

    /// Whether a GPU is in this chip's domain.
    bool Reaches(uint32_t gpu) const
    {
        return gpu < m_outputOfGpu.size() && m_outputOfGpu[gpu] != NO_INDEX;
    }
    /// Sets the round-robin pointer of an output (tests and state restoration).
    void SetPointer(uint32_t output, uint32_t channel, uint32_t input);

  protected:
    void DoDispose() override;

  private:
    /// What one output keeps for one virtual channel.
    struct OutputChannel
    {
        std::vector<PacketUnitQueue> queues;  ///< by input
        std::vector<uint64_t> waiting;        ///< bit per input: its queue is not empty
        uint32_t pointer = 0;                 ///< input that is looked at first
        uint64_t units = 0;                   ///< in all queues
    };

    uint32_t SelectInput(const OutputChannel& channel) const;
    OutputChannel& GetChannel(uint32_t output, uint32_t channel)
    {
        return m_outputs[output * m_channels + channel];
    }
    const OutputChannel& GetChannel(uint32_t output, uint32_t channel) const
    {
        return m_outputs[output * m_channels + channel];
    }
    void SendFrom(uint32_t output, uint32_t channel, uint32_t input);

    FabricContext* m_context = nullptr;
    std::vector<Ptr<NvlinkDevice>> m_ports;
    std::vector<uint32_t> m_outputOfGpu;
    uint32_t m_linksPerGpu = 1;
    uint32_t m_channels = 1;
    std::vector<OutputChannel> m_outputs;
    std::vector<uint32_t> m_channelPointer; ///< by output: virtual channel that is looked at first
    bool m_keepPointers = false;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_NVSWITCH_H */
