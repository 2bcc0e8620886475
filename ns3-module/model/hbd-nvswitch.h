/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_NVSWITCH_H
#define HBD_NVSWITCH_H

#include "hbd-fabric-element.h"
#include "hbd-nvlink-device.h"
#include "hbd-scale-up-routes.h"
#include "hbd-switch-reduction.h"
#include "hbd-switch-replication.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * An NVLink switch chip: a virtual output queue for each (output, virtual channel, input), round robin among the inputs of an output and among
 * its virtual channels, cut-through. The crossbar is taken to be fast enough for one input to feed several outputs at once; its inputs are bounded by
 * the credits they give. An input's buffer is free again when the unit, or the last copy of it, has left.
 *
 * Towards a GPU of its own, a unit leaves on the link of the same rank among that GPU's links to this chip as it came in on. Towards other switches
 * (two tiers) each unit may take any of the links that lead there, by `PathChoice`; units of a message may then overtake each other, which their
 * receiver does not mind.
 *
 * A multicast is copied to every member of its group, the sender included; a copy waits in the queue of its output like any unit. Reductions: see
 * SwitchReduction; their results wait as if they came in on one more input.
 */
class NvSwitch : public Object, public FabricElement, private SwitchReductionHost
{
  public:
    static TypeId GetTypeId();

    /**
     * \param context the fabric
     * \param ports its ports, in port order
     * \param table ways through it
     * \throws std::invalid_argument when the ReductionTableSize takes no packet or PathChoice is unknown
     */
    void Setup(FabricContext& context, const std::vector<Ptr<NvlinkDevice>>& ports, const NvSwitchTable& table);

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

    /// Groups that the chip's table takes.
    uint32_t GetMulticastGroups() const
    {
        return m_multicastGroups;
    }
    /// Most payload of a unit of a multicast or of a sum in switches, in bytes.
    uint32_t GetGroupUnitSize() const
    {
        return m_groupUnit;
    }
    /// Payload of all results that the chip is summing at a time, in bytes.
    uint32_t GetReductionTableSize() const
    {
        return m_reductionTable;
    }
    /// From the last contribution's head to the result's.
    Time GetReductionDelay() const
    {
        return m_reductionDelay;
    }
    /// Whether there is a way to a GPU.
    bool Reaches(uint32_t gpu) const
    {
        return FindSet(gpu) != FABRIC_NONE;
    }
    /// Sets the round-robin pointer of an output (tests and state restoration).
    void SetPointer(uint32_t output, uint32_t channel, uint32_t input);
    bool IsTraced() const override
    {
        return !m_tableTrace.IsEmpty();
    }

    /// Signature of ReductionTable. \param usedBytes payload of the results that have room in the table, in bytes
    typedef void (*TableTracedCallback)(uint64_t usedBytes);

  protected:
    void DoDispose() override;

  private:
    /// How a unit's way to another switch is chosen among several.
    enum class PathChoice : uint8_t
    {
        ROUND_ROBIN,
        HASH,
        LEAST_QUEUED,
    };

    /// What one output keeps for one virtual channel.
    struct OutputChannel
    {
        std::vector<PacketUnitQueue> queues;  ///< by input; behind those of the ports, that of the results of reductions
        std::vector<uint64_t> waiting;        ///< bit per input: its queue is not empty
        uint32_t pointer = 0;                 ///< input that is looked at first
        uint64_t units = 0;                   ///< in all queues
    };

    uint32_t SelectInput(const OutputChannel& channel) const;
    /// Wire bytes of what waits in it.
    uint64_t GetQueuedBytes(const OutputChannel& channel) const;
    OutputChannel& GetChannel(uint32_t output, uint32_t channel)
    {
        return m_outputs[output * m_channels + channel];
    }
    const OutputChannel& GetChannel(uint32_t output, uint32_t channel) const
    {
        return m_outputs[output * m_channels + channel];
    }
    void SendFrom(uint32_t output, uint32_t channel, uint32_t input);
    void Forward(uint32_t port, PacketUnit& unit);
    /// The chip's set of outputs towards a GPU, or FABRIC_NONE.
    uint32_t FindSet(uint32_t gpu) const
    {
        uint32_t place = gpu - m_table.firstGpu; // of one below it: large
        return place < m_table.setOf.size() ? m_table.setOf[place] : FABRIC_NONE;
    }
    uint32_t ChooseOutput(uint32_t port, const PacketUnit& unit, uint32_t set);
    uint32_t ChooseTrunk(uint32_t port, const PacketUnit& unit, const std::vector<uint16_t>& outputs);
    void SetupPaths();
    void Queue(uint32_t output, uint32_t input, PacketUnit& unit);
    void Release(uint32_t input, const PacketUnit& unit, uint32_t wireBytes, int64_t txPs);
    void ReceiveForGroup(uint32_t port, PacketUnit& unit);

    // SwitchReductionHost
    uint32_t CopyToMembers(uint32_t port, PacketUnit& unit) override;
    void QueueResult(uint32_t port, PacketUnit& unit) override;
    FabricPort& GetPort(uint32_t port) const override;
    uint32_t FindOutput(uint32_t gpu, uint32_t port) const override;
    void FreeInput(uint32_t port, uint8_t channel, uint32_t wireBytes, int64_t extraPs) override;
    void OnTableUse(uint64_t usedBytes) override;

    FabricContext* m_context = nullptr;
    std::vector<Ptr<NvlinkDevice>> m_ports;
    NvSwitchTable m_table;
    PathChoice m_pathChoice = PathChoice::ROUND_ROBIN;
    std::string m_pathChoiceName;
    std::vector<uint32_t> m_turns;   ///< by input and leaf: units that it sent there over trunks since the fabric last rested
    std::vector<uint64_t> m_turnRests; ///< by input: kernel's count of rests then
    uint32_t m_channels = 1;
    std::vector<OutputChannel> m_outputs;
    std::vector<uint32_t> m_channelPointer; ///< by output: virtual channel that is looked at first
    bool m_keepPointers = false;
    uint32_t m_inputs = 0; ///< ports, and one for the results of reductions
    SwitchReplication m_replication;
    std::unique_ptr<SwitchReduction> m_reduction;
    TracedCallback<uint64_t> m_tableTrace;
    DataRate m_reductionRate;
    uint32_t m_reductionTable = 0;
    uint32_t m_groupUnit = 4096;
    Time m_reductionDelay;
    uint32_t m_multicastGroups = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_NVSWITCH_H */
