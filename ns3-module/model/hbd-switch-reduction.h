/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SWITCH_REDUCTION_H
#define HBD_SWITCH_REDUCTION_H

#include "hbd-fabric-kernel.h"
#include "hbd-fabric-port.h"
#include "hbd-packet-unit.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * What a reduction unit wants of the switch that it is part of.
 */
class SwitchReductionHost
{
  public:
    virtual ~SwitchReductionHost() = default;
    /**
     * Sends a copy of a unit to every member of its message's group.
     * \param port input whose buffer holds the unit until the last copy has left
     * \return number of that buffer in the switch's SwitchReplication
     */
    virtual uint32_t CopyToMembers(uint32_t port, PacketUnit& unit) = 0;
    /// Queues a result for the port on which it was asked for.
    virtual void QueueResult(uint32_t port, PacketUnit& unit) = 0;
    /// The port of a number.
    virtual FabricPort& GetPort(uint32_t port) const = 0;
    /// The port through which a GPU is asked for its part of what was asked for on a port, and answers.
    virtual uint32_t FindOutput(uint32_t gpu, uint32_t port) const = 0;
    /// Frees a part of a port's input buffer. \param extraPs picoseconds from now until it is free
    virtual void FreeInput(uint32_t port, uint8_t channel, uint32_t wireBytes, int64_t extraPs) = 0;
    /// The use of the table has changed. \param usedBytes payload of all results that are asked for and have not left
    virtual void OnTableUse(uint64_t usedBytes) = 0;
};

/**
 * \ingroup hbd
 * The part of an NVLink switch that sums: takes requests, asks all members of the group, adds up what they answer and sends the sum to whoever asked. One
 * request unit is one entry of a table of limited size; a request for which there is no room waits, with all that come after it, in the buffer of the port
 * that it came in on.
 *
 * Timing. The adder takes contributions in the order in which their heads arrive (those of one instant by port), each for its payload over the rate; with rate
 * 0 as fast as they come. A result may start when the adder has begun with the head of the last contribution, plus the delay, but not so early that it would
 * run dry before the last contribution's end. Its room in the table is free when its last byte has left.
 *
 * Why this cannot block itself: room for the answers is taken before anybody is asked, so contributions are always taken at once. A result goes on the
 * data channel to a GPU that takes it at once, and so does everything else on that channel. So a table entry always becomes free, whatever waits on the
 * request channel, and the requests that wait for entries go on. Copies of requests go on the request channel to GPUs, which take them at once.
 */
class SwitchReduction : public KernelClient
{
  public:
    struct Settings
    {
        uint64_t bitRate = 0;    ///< of the adder, payload bit/s; 0 = no limit
        uint64_t tableBytes = 0; ///< payload of all results that are asked for and have not left
        int64_t delayPs = 0;     ///< from the last contribution's head to the result's
    };

    SwitchReduction(FabricContext& context, SwitchReductionHost& host, const Settings& settings, uint32_t ports);
    ~SwitchReduction() override;
    SwitchReduction(const SwitchReduction&) = delete;
    SwitchReduction& operator=(const SwitchReduction&) = delete;

    /// A request has arrived. \param port where
    void OnRequest(uint32_t port, PacketUnit& unit);
    /// The head of a member's part has arrived. \param port where
    void OnContribution(uint32_t port, PacketUnit& unit);
    /// A result starts on its link. \param txPs how long it takes
    void OnResultLeaves(const PacketUnit& unit, int64_t txPs);
    /// The buffer that the copies of a request are taken from.
    uint32_t GetReplication(const PacketUnit& pull) const
    {
        return m_entries[pull.flowHash].replication;
    }

    void OnRecord(RecordKind kind, uint32_t port, uint32_t argument) override;

    bool IsDrained() const
    {
        return m_usedEntries == 0 && m_waiting.IsEmpty();
    }
    /// Bytes of the table in use.
    uint64_t GetUsedBytes() const
    {
        return m_usedBytes;
    }
    void DescribeBlocked(std::vector<std::string>& lines) const;
    /// As FabricElement::GetWaits: who waits for table room, and for what those wait that have it.
    void GetWaits(std::vector<std::pair<uint32_t, uint32_t>>& waits) const;

  private:
    /// A sum that is being made.
    struct Entry
    {
        uint32_t port;          ///< where it was asked for
        uint32_t bytes;         ///< payload of the result
        uint32_t missing;       ///< contributions that have not arrived
        uint32_t replication;   ///< buffer of the request
        uint32_t group;         ///< number in SwitchGroups
        uint32_t result;        ///< unit of the result while it is not queued, or NO_INDEX
        uint64_t order;         ///< grows with each entry
        int64_t startPs;        ///< kernel time at which the adder began with the last contribution so far
        int64_t tailPs;         ///< at which it will be through with all so far
        bool inUse;
        bool queued;            ///< the result waits for its port, or is leaving
        std::vector<bool> arrived; ///< by port
    };

    bool HasRoom(uint32_t bytes) const
    {
        return m_usedBytes + bytes <= m_settings.tableBytes;
    }
    void Admit(PacketUnit& unit);
    void AdmitWaiting();
    void Consume(Entry& entry, const PacketUnit& unit);
    void ScheduleResult(uint32_t number, PacketUnit& unit);
    void QueueResults();
    void Free(uint32_t number);

    FabricContext& m_context;
    SwitchReductionHost& m_host;
    Settings m_settings;
    uint32_t m_ports;
    Ptr<FabricKernel> m_kernel; ///< the fabric may be gone before the switch
    uint32_t m_kernelPort;
    std::vector<Entry> m_entries;
    std::vector<uint32_t> m_freeEntries;
    std::vector<std::pair<int64_t, uint32_t>> m_ready; ///< results that are not queued yet: when they may start, entry
    PacketUnitQueue m_waiting;    ///< requests without room; PacketUnit::ingress is their port
    uint64_t m_usedBytes = 0;
    uint32_t m_usedEntries = 0;
    uint64_t m_nextOrder = 0;
    int64_t m_adderFreePs = 0;    ///< past at every quiescent instant: what the adder took has left as a result
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_SWITCH_REDUCTION_H */
