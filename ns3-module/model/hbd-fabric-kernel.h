/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_FABRIC_KERNEL_H
#define HBD_FABRIC_KERNEL_H

#include "hbd-canonical-sort.h"

#include "ns3/callback.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/simulator.h"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Kinds of kernel records, in the order in which they run inside one instant. Records of one instant and kind run in the order of
 * (port, argument). Nothing depends on the order in which they were inserted.
 */
enum class RecordKind : uint8_t
{
    EXTERNAL, ///< a declared user event, sampler tick or fault
    TX_DONE,  ///< a port has sent the last byte of a unit
    CREDIT,   ///< buffer credit, or a pause state, reaches the sender
    ARRIVAL,  ///< a unit can be forwarded (switch), or is complete (end point)
    TIMER,    ///< a protocol timer or a software latency has run out
    COMPUTE,  ///< a compute operation is finished
    COUNT,
};

/**
 * \ingroup hbd
 * Receives the records of the ports it registered.
 */
class KernelClient
{
  public:
    virtual ~KernelClient() = default;
    /**
     * \param kind what happened
     * \param port the global port id given by FabricKernel::Register
     * \param argument what the client passed when it scheduled the record
     */
    virtual void OnRecord(RecordKind kind, uint32_t port, uint32_t argument) = 0;
    /// Runs at the end of an instant in which the client asked for it with FabricKernel::RequestArbitration.
    virtual void OnArbitration(uint32_t /* port */)
    {
    }
};

/**
 * \ingroup hbd
 * Told about the inside of an instant; the player is one.
 */
class InstantListener
{
  public:
    virtual ~InstantListener() = default;
    /// Something that is not the fabric's own is about to act on it: a declared external event, a user's packet.
    virtual void OnOutsideAction()
    {
    }
    /// After all records of the instant and before arbitration, when RequestPost was called.
    virtual void OnPost() = 0;
    /// The instant is over: nothing is left to do at this time. Called only while SetWatchInstants(true).
    virtual void OnInstantEnd() = 0;
};

/**
 * \ingroup hbd
 * Event core of the fabric. Keeps typed records in rings of equal delay and ONE stock ns-3 event, the wake-up, at the time of the earliest
 * record, so that it works on any SimulatorImpl and Scheduler, Simulator::Now() is always the simulated time, and user events interleave.
 *
 * Order inside an instant is canonical: (time, kind, port, argument), then posting, then arbitration in port order. What an instant
 * schedules for the same instant (delay 0) runs in it: in the present round when its kind is yet to come, else in a further one.
 *
 * Times are "kernel time": picoseconds since the kernel's epoch (the simulated time minus the epoch).
 */
class FabricKernel : public Object
{
  public:
    static TypeId GetTypeId();
    FabricKernel();
    ~FabricKernel() override;

    /// No time.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /// A pending timer or compute record.
    using TimerId = uint64_t; ///< generation and slot

    /**
     * Registers consecutive ports.
     * \param client receives their records
     * \param ports how many
     * \return the first port's id. Ids order simultaneous records: register in an order that is the same in every run.
     */
    uint32_t Register(KernelClient* client, uint32_t ports = 1);
    /// The client of these ports is gone: what is still pending for them is dropped.
    void Unregister(uint32_t port, uint32_t ports);

    /// Kernel time in picoseconds.
    int64_t NowPs() const
    {
        return m_draining ? m_now : Simulator::Now().GetTimeStep() - m_epoch;
    }

    /**
     * Schedules a record.
     * \param kind its kind: TX_DONE, CREDIT or ARRIVAL
     * \param delayPs picoseconds from now, >= 0
     * \param port whose client receives it
     * \param argument handed over
     */
    void Schedule(RecordKind kind, int64_t delayPs, uint32_t port, uint32_t argument);

    /// Schedules a record that can be cancelled: TIMER or COMPUTE.
    TimerId ScheduleTimer(RecordKind kind, int64_t delayPs, uint32_t port, uint32_t argument);
    /// Cancels a pending timer; its record is dropped when its time comes.
    void CancelTimer(TimerId id);
    /// Kernel time at which a pending timer runs out.
    int64_t GetTimerDue(TimerId id) const;

    /**
     * Runs a callback at a simulated time, first in its instant; those of one instant in the order in which they were asked for. The kernel knows
     * of it, so that no replay or skip passes over it.
     */
    void ScheduleExternal(Time delay, Callback<void> callback);
    /// Kernel time of the next declared external event, or NEVER.
    int64_t NextExternal() const;

    /// Asks for client->OnArbitration(port) at the end of this instant. The caller keeps itself from asking twice.
    void RequestArbitration(uint32_t port)
    {
        m_arbitration.push_back(Pack(port, 0));
        EnsureInstant();
    }
    /// Asks for the listener's OnPost in this instant.
    void RequestPost()
    {
        m_postRequested = true;
        EnsureInstant();
    }
    void SetInstantListener(InstantListener* listener)
    {
        m_listener = listener;
    }
    /// Told by whatever lets a user act on the fabric, before it does.
    void NoteOutsideAction()
    {
        if (m_listener)
        {
            m_listener->OnOutsideAction();
        }
    }
    void SetWatchInstants(bool watch)
    {
        m_watchInstants = watch;
    }

    /// Nothing is pending but computes and declared external events: no unit, credit, pause or protocol timer is under way.
    bool IsQuiescent() const
    {
        return m_active == 0 && m_arbitration.empty();
    }
    /**
     * How often it was quiescent, seen at the end of instants and before posting: state that is forgotten when the fabric rests compares it. The
     * number itself is history: only whether it has changed may decide anything.
     */
    uint64_t GetRestCount() const
    {
        return m_rests;
    }
    /// No record at all is pending.
    bool IsEmpty() const
    {
        return m_total == 0;
    }
    /**
     * True when a stock event that is not the kernel's has run since the last call (it may have connected a trace sink, or touched a device).
     */
    bool TakeForeignEvents();
    /**
     * Has a callback run between two instants whenever about so many records have run: for progress displays, watchdogs and interruption. It sees the
     * simulation and must not change it.
     */
    void SetPeriodicCheck(uint64_t records, Callback<void> check);
    /// Declared external events run so far.
    uint64_t GetExternalCount() const
    {
        return m_externalCount;
    }
    /// Records run so far.
    uint64_t GetRecordCount() const
    {
        return m_records;
    }
    /// Stock events used so far (wake-ups).
    uint64_t GetWakeCount() const
    {
        return m_wakes;
    }
    /// Bytes held by rings, heap and timers.
    uint64_t GetMemory() const;

  protected:
    void DoDispose() override;

  private:
    struct Record
    {
        int64_t time;
        uint32_t port;
        uint32_t argument;
    };

    /// Records of one kind and one delay: already in time order.
    struct Lane
    {
        RecordKind kind = RecordKind::COUNT;
        int64_t delay = -1;
        std::vector<Record> ring; ///< power of two
        uint64_t head = 0;
        uint64_t tail = 0;
        uint32_t activeIndex = 0; ///< where it stands in m_activeLanes while not empty
    };

    struct HeapRecord
    {
        Record record;
        RecordKind kind;
        bool operator<(const HeapRecord& other) const
        {
            return record.time < other.record.time;
        }
    };

    struct TimerSlot
    {
        int64_t due = 0;
        uint32_t argument = 0;
        uint32_t generation = 0; ///< grows with each use of the slot
        bool pending = false;
        bool cancelled = false;
        bool active = false; ///< counts in m_active
    };

    struct External
    {
        int64_t due = NEVER;
        uint32_t sequence = 0; ///< order in which they were asked for
        Callback<void> callback;
    };

    struct ActiveLane
    {
        int64_t headTime;
        uint32_t lane;
    };

    class WakeEvent;

    static constexpr uint32_t LANES = 64;
    static constexpr uint32_t KINDS = static_cast<uint32_t>(RecordKind::COUNT);

    void Insert(RecordKind kind, int64_t delayPs, const Record& record);
    void PushLane(uint32_t lane, const Record& record);
    void GrowLane(Lane& lane);
    void PopDue(uint32_t activeIndex, int64_t now, std::vector<uint64_t>& batch);
    void HeapPush(const HeapRecord& record);
    HeapRecord HeapPop();
    int64_t HeadTime() const;
    void Wake();
    void ScheduleWake(int64_t time);
    void EnsureInstant();
    void RunInstant();
    void CollectDue();
    void Dispatch(RecordKind kind, std::vector<uint64_t>& due);
    void DispatchSlots(RecordKind kind);
    uint32_t GetSlotOrder(RecordKind kind, uint32_t slot) const;
    uint32_t CheckTimer(TimerId id) const;
    void DispatchOne(RecordKind kind, uint32_t port, uint32_t argument);
    void RunArbitration();
    void Shuffle(std::vector<uint64_t>& batch);

    /// Port and argument of a record of the present instant, in canonical order when compared.
    static uint64_t Pack(uint32_t port, uint32_t argument)
    {
        return static_cast<uint64_t>(port) << 32 | argument;
    }

    static bool CountsAsActive(RecordKind kind)
    {
        return kind != RecordKind::COMPUTE && kind != RecordKind::EXTERNAL;
    }

    std::vector<KernelClient*> m_clients; ///< by port
    std::array<Lane, LANES> m_lanes;
    std::vector<ActiveLane> m_activeLanes;
    std::vector<HeapRecord> m_heap; ///< 4-ary, what fits no lane
    std::array<std::vector<uint64_t>, KINDS> m_due; ///< records of the present instant, packed
    bool m_anyDue = false;
    std::vector<uint64_t> m_batch;
    std::vector<std::pair<uint64_t, uint32_t>> m_timerBatch;
    std::vector<uint64_t> m_arbitration; ///< packed
    std::vector<uint64_t> m_arbitrationBatch;
    CanonicalSorter m_sorter;
    std::vector<TimerSlot> m_timers;
    std::vector<uint32_t> m_freeTimers;
    std::vector<External> m_external;
    std::vector<uint32_t> m_freeExternal;
    WakeEvent* m_wakeEvent;
    InstantListener* m_listener = nullptr;
    int64_t m_now = 0;
    int64_t m_epoch = 0;
    int64_t m_wakeTime = NEVER;
    uint64_t m_active = 0;
    uint64_t m_total = 0;
    uint64_t m_records = 0;
    uint64_t m_wakes = 0;
    uint64_t m_externalCount = 0;
    uint64_t m_rests = 0;
    uint32_t m_externalSequence = 0;
    uint64_t m_checkEvery = 0;
    uint64_t m_nextCheck = NEVER;
    Callback<void> m_check;
    uint64_t m_shuffleState = 0;
    uint64_t m_shuffleSeed = 0;
    uint64_t m_ownEvents = 0; ///< Simulator::GetEventCount() as it would be had only wake-ups run
    bool m_foreign = true;
    bool m_draining = false;
    bool m_postRequested = false;
    bool m_watchInstants = false;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_FABRIC_KERNEL_H */
