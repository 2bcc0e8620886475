/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-fabric-kernel.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdFabricKernel");

NS_OBJECT_ENSURE_REGISTERED(FabricKernel);

/// The one stock event. Never cancelled: a stale one finds nothing to do.
class FabricKernel::WakeEvent : public EventImpl
{
  public:
    explicit WakeEvent(FabricKernel* kernel)
        : m_kernel(kernel)
    {
    }

    void Detach()
    {
        m_kernel = nullptr;
    }

  protected:
    void Notify() override
    {
        if (!m_kernel)
        {
            return;
        }
        try
        {
            m_kernel->Wake();
        }
        catch (...)
        {
            Unref(); // ns-3 gives its reference back only when an event returns
            throw;
        }
    }

  private:
    FabricKernel* m_kernel;
};

namespace
{

/// Sets a flag for as long as it lives.
struct DrainingGuard
{
    explicit DrainingGuard(bool& flag)
        : m_flag(flag)
    {
        m_flag = true;
    }

    ~DrainingGuard()
    {
        m_flag = false;
    }

    bool& m_flag;
};

} // namespace

TypeId
FabricKernel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::FabricKernel")
            .SetParent<Object>()
            .SetGroupName("Hbd")
            .AddConstructor<FabricKernel>()
            .AddAttribute("ShuffleSeed",
                          "Not 0: simultaneous records are handed over in a random order before they are put in canonical "
                          "order, and rings are bypassed at random (a check: no result may change).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricKernel::m_shuffleSeed),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

FabricKernel::FabricKernel()
    : m_wakeEvent(new WakeEvent(this))
{
    m_activeLanes.reserve(LANES);
}

FabricKernel::~FabricKernel()
{
    m_wakeEvent->Detach();
    m_wakeEvent->Unref();
}

void
FabricKernel::DoDispose()
{
    m_wakeEvent->Detach();
    m_listener = nullptr;
    m_external.clear();
    m_check = Callback<void>();
    m_nextCheck = std::numeric_limits<uint64_t>::max();
    Object::DoDispose();
}

uint32_t
FabricKernel::Register(KernelClient* client, uint32_t ports)
{
    auto first = static_cast<uint32_t>(m_clients.size());
    m_clients.insert(m_clients.end(), ports, client);
    return first;
}

void
FabricKernel::Unregister(uint32_t port, uint32_t ports)
{
    std::fill_n(m_clients.begin() + port, ports, nullptr);
}

void
FabricKernel::Schedule(RecordKind kind, int64_t delayPs, uint32_t port, uint32_t argument)
{
    Insert(kind, delayPs, Record{0, port, argument});
}

FabricKernel::TimerId
FabricKernel::ScheduleTimer(RecordKind kind, int64_t delayPs, uint32_t port, uint32_t argument)
{
    uint32_t slot;
    if (m_freeTimers.empty())
    {
        slot = static_cast<uint32_t>(m_timers.size());
        m_timers.emplace_back();
    }
    else
    {
        slot = m_freeTimers.back();
        m_freeTimers.pop_back();
    }
    uint32_t generation = m_timers[slot].generation + 1;
    m_timers[slot] = TimerSlot{NowPs() + delayPs, argument, generation, true, false, CountsAsActive(kind)};
    Insert(kind, delayPs, Record{0, port, slot});
    return static_cast<TimerId>(generation) << 32 | slot;
}

uint32_t
FabricKernel::CheckTimer(TimerId id) const
{
    auto slot = static_cast<uint32_t>(id);
    bool known = slot < m_timers.size() && m_timers[slot].generation == static_cast<uint32_t>(id >> 32) && m_timers[slot].pending;
    NS_ABORT_MSG_IF(!known, "a timer is named that has run out or was cancelled");
    return slot;
}

void
FabricKernel::CancelTimer(TimerId id)
{
    TimerSlot& timer = m_timers[CheckTimer(id)];
    timer.cancelled = true;
    timer.pending = false;
    if (timer.active)
    {
        m_active--;
    }
}

int64_t
FabricKernel::GetTimerDue(TimerId id) const
{
    return m_timers[CheckTimer(id)].due;
}

void
FabricKernel::ScheduleExternal(Time delay, Callback<void> callback)
{
    uint32_t slot;
    int64_t due = NowPs() + delay.GetTimeStep();
    NS_LOG_DEBUG("an external event is due at " << due << " ps");
    if (m_freeExternal.empty())
    {
        slot = static_cast<uint32_t>(m_external.size());
        m_external.emplace_back();
    }
    else
    {
        slot = m_freeExternal.back();
        m_freeExternal.pop_back();
    }
    m_external[slot] = External{due, m_externalSequence++, callback};
    Insert(RecordKind::EXTERNAL, delay.GetTimeStep(), Record{0, 0, slot});
}

int64_t
FabricKernel::NextExternal() const
{
    int64_t next = NEVER;
    for (const auto& external : m_external)
    {
        next = std::min(next, external.due);
    }
    return next;
}

bool
FabricKernel::TakeForeignEvents()
{
    bool foreign = m_foreign;
    m_foreign = false;
    return foreign;
}

uint64_t
FabricKernel::GetMemory() const
{
    uint64_t bytes = m_heap.capacity() * sizeof(HeapRecord) + m_timers.capacity() * sizeof(TimerSlot);
    for (const auto& lane : m_lanes)
    {
        bytes += lane.ring.capacity() * sizeof(Record);
    }
    return bytes;
}

void
FabricKernel::Insert(RecordKind kind, int64_t delayPs, const Record& record)
{
    NS_ABORT_MSG_IF(delayPs < 0, "a record cannot lie " << -delayPs << " ps in the past");
    int64_t now = NowPs();
    Record timed{now + delayPs, record.port, record.argument};
    m_total++;
    if (CountsAsActive(kind))
    {
        m_active++;
    }
    if (delayPs == 0 && m_draining)
    {
        m_due[static_cast<uint32_t>(kind)].push_back(Pack(record.port, record.argument));
        m_anyDue = true;
        return;
    }
    uint64_t hash = (static_cast<uint64_t>(delayPs) * 8 + static_cast<uint64_t>(kind)) * 0x9e3779b97f4a7c15ULL;
    auto index = static_cast<uint32_t>(hash >> 58);
    Lane& lane = m_lanes[index];
    bool fits = lane.delay == delayPs && lane.kind == kind;
    if (!fits && lane.head == lane.tail)
    {
        lane.kind = kind;
        lane.delay = delayPs;
        fits = true;
    }
    if (fits && m_shuffleSeed != 0)
    {
        m_shuffleState = m_shuffleState * 6364136223846793005ULL + m_shuffleSeed * 2 + 1;
        fits = (m_shuffleState >> 62) != 0;
    }
    if (fits)
    {
        PushLane(index, timed);
    }
    else
    {
        HeapPush(HeapRecord{timed, kind});
    }
    if (!m_draining && timed.time < m_wakeTime)
    {
        ScheduleWake(timed.time);
    }
}

void
FabricKernel::PushLane(uint32_t index, const Record& record)
{
    Lane& lane = m_lanes[index];
    if (lane.tail - lane.head == lane.ring.size())
    {
        GrowLane(lane);
    }
    if (lane.head == lane.tail)
    {
        lane.activeIndex = static_cast<uint32_t>(m_activeLanes.size());
        m_activeLanes.push_back(ActiveLane{record.time, index});
    }
    lane.ring[lane.tail++ & (lane.ring.size() - 1)] = record;
}

void
FabricKernel::GrowLane(Lane& lane)
{
    std::vector<Record> larger(std::max<size_t>(64, lane.ring.size() * 2));
    for (uint64_t i = lane.head; i < lane.tail; i++)
    {
        larger[i & (larger.size() - 1)] = lane.ring[i & (lane.ring.size() - 1)];
    }
    lane.ring.swap(larger);
}

void
FabricKernel::HeapPush(const HeapRecord& record)
{
    m_heap.push_back(record);
    size_t i = m_heap.size() - 1;
    while (i > 0)
    {
        size_t parent = (i - 1) / 4;
        if (!(record < m_heap[parent]))
        {
            break;
        }
        m_heap[i] = m_heap[parent];
        i = parent;
    }
    m_heap[i] = record;
}

FabricKernel::HeapRecord
FabricKernel::HeapPop()
{
    HeapRecord top = m_heap.front();
    HeapRecord last = m_heap.back();
    m_heap.pop_back();
    size_t size = m_heap.size();
    size_t i = 0;
    while (size > 0)
    {
        size_t child = 4 * i + 1;
        if (child >= size)
        {
            break;
        }
        size_t best = child;
        for (size_t k = child + 1; k < std::min(child + 4, size); k++)
        {
            best = m_heap[k] < m_heap[best] ? k : best;
        }
        if (!(m_heap[best] < last))
        {
            break;
        }
        m_heap[i] = m_heap[best];
        i = best;
    }
    if (size > 0)
    {
        m_heap[i] = last;
    }
    return top;
}

int64_t
FabricKernel::HeadTime() const
{
    int64_t time = m_heap.empty() ? NEVER : m_heap.front().record.time;
    for (const auto& active : m_activeLanes)
    {
        time = std::min(time, active.headTime);
    }
    return time;
}

void
FabricKernel::ScheduleWake(int64_t time)
{
    m_wakeTime = time;
    int64_t simulated = Simulator::Now().GetTimeStep();
    m_wakeEvent->Ref();
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, TimeStep(time + m_epoch - simulated), m_wakeEvent);
}

void
FabricKernel::EnsureInstant()
{
    if (!m_draining)
    {
        int64_t now = NowPs();
        if (now < m_wakeTime)
        {
            ScheduleWake(now);
        }
    }
}

void
FabricKernel::Wake()
{
    int64_t now = Simulator::Now().GetTimeStep() - m_epoch;
    if (now != m_wakeTime)
    {
        m_ownEvents++;
        return; // stale: an earlier wake-up took its place
    }
    m_wakes++;
    uint64_t events = Simulator::GetEventCount();
    m_foreign = m_foreign || events != m_ownEvents + 1;
    m_ownEvents = events;
    m_wakeTime = NEVER;
    m_now = now;
    {
        DrainingGuard guard(m_draining); // an exception must not leave the clock standing
        RunInstant();
    }
    int64_t next = HeadTime();
    if (next != NEVER && next < m_wakeTime)
    {
        ScheduleWake(next);
    }
    if (m_records >= m_nextCheck)
    {
        m_nextCheck = m_records + m_checkEvery;
        m_check();
    }
}

void
FabricKernel::SetPeriodicCheck(uint64_t records, Callback<void> check)
{
    m_checkEvery = records;
    m_nextCheck = m_records + records;
    m_check = check;
}

} // namespace hbd
} // namespace ns3
