/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: records run at their time, in the canonical order (time, kind, port, argument), whatever the order and way in
// which they were inserted; stock events and declared external events keep their place.

#include "ns3-module/model/hbd-fabric-kernel.h"
#include "ns3-module/model/hbd-switch-reduction.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace
{

using namespace ns3::hbd;

/// What ran: time in picoseconds, kind, port, argument.
using Entry = std::tuple<int64_t, uint32_t, uint32_t, uint32_t>;
/// Kind in the log of what is no record.
constexpr uint32_t POST = 100;
constexpr uint32_t ARBITRATION = 101;
constexpr uint32_t INSTANT_END = 102;
constexpr uint32_t STOCK = 103;
constexpr uint32_t EXTERNAL = static_cast<uint32_t>(RecordKind::EXTERNAL);

/// A kernel and a client of eight ports that writes down what it is told.
class Log : public KernelClient, public InstantListener
{
  public:
    explicit Log(uint64_t shuffleSeed = 0)
        : kernel(ns3::CreateObject<FabricKernel>())
    {
        kernel->SetAttribute("ShuffleSeed", ns3::UintegerValue(shuffleSeed));
        kernel->Register(this, 8);
        kernel->SetInstantListener(this);
    }

    ~Log() override
    {
        kernel->Dispose();
        ns3::Simulator::Destroy();
    }

    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void Note(uint32_t kind, uint32_t port, uint32_t argument)
    {
        int64_t now = ns3::Simulator::Now().GetPicoSeconds();
        EXPECT_EQ(kernel->NowPs(), now);
        entries.emplace_back(now, kind, port, argument);
    }

    void OnRecord(RecordKind kind, uint32_t port, uint32_t argument) override
    {
        Note(static_cast<uint32_t>(kind), port, argument);
        if (onRecord)
        {
            onRecord(kind, port, argument);
        }
    }

    void OnArbitration(uint32_t port) override
    {
        Note(ARBITRATION, port, 0);
        if (onArbitration)
        {
            onArbitration(port);
        }
    }

    void OnPost() override
    {
        Note(POST, 0, 0);
    }

    void OnInstantEnd() override
    {
        Note(INSTANT_END, 0, 0);
    }

    /// Schedules a record of any kind but EXTERNAL.
    void Add(uint32_t kind, int64_t delay, uint32_t port, uint32_t argument)
    {
        auto recordKind = static_cast<RecordKind>(kind);
        if (recordKind == RecordKind::TIMER || recordKind == RecordKind::COMPUTE)
        {
            kernel->ScheduleTimer(recordKind, delay, port, argument);
        }
        else
        {
            kernel->Schedule(recordKind, delay, port, argument);
        }
    }

    ns3::Ptr<FabricKernel> kernel;
    std::vector<Entry> entries;
    std::function<void(RecordKind, uint32_t, uint32_t)> onRecord;
    std::function<void(uint32_t)> onArbitration;
};

class KernelOrder : public testing::TestWithParam<uint64_t>
{
};

TEST_P(KernelOrder, OfOneInstantIsKindPortArgumentWhateverTheInsertion)
{
    std::vector<Entry> expected;
    for (uint32_t kind = 1; kind <= 5; kind++)
    {
        for (uint32_t port = 0; port < 8; port++)
        {
            for (uint32_t argument = 0; argument < 3; argument++)
            {
                expected.emplace_back(1000, kind, port, argument);
            }
        }
    }
    std::mt19937 random(5);
    for (int permutation = 0; permutation < 20; permutation++)
    {
        Log log(GetParam());
        auto order = expected;
        std::shuffle(order.begin(), order.end(), random);
        for (const auto& [time, kind, port, argument] : order)
        {
            // inserted at different times too, so that different delays meet in the instant
            int64_t at = static_cast<int64_t>(random() % 7) * 100;
            auto insert = [&log, at, kind = kind, port = port, argument = argument] {
                log.Add(kind, 1000 - at, port, argument);
            };
            ns3::Simulator::Schedule(ns3::PicoSeconds(at), insert);
        }
        ns3::Simulator::Run();
        EXPECT_EQ(log.entries, expected);
        EXPECT_TRUE(log.kernel->IsEmpty());
        EXPECT_EQ(log.kernel->GetRecordCount(), expected.size());
    }
}

TEST_P(KernelOrder, HoldsForMoreDelaysThanThereAreRings)
{
    std::mt19937 random(11);
    Log log(GetParam());
    std::vector<Entry> expected;
    uint32_t number = 0;
    std::function<void()> insert = [&] {
        int64_t now = ns3::Simulator::Now().GetPicoSeconds();
        for (int i = 0; i < 100; i++)
        {
            int64_t delay = 1 + static_cast<int64_t>(random() % 400) * (i % 2 == 0 ? 1 : 10);
            uint32_t kind = 1 + random() % 5;
            uint32_t port = random() % 8;
            log.Add(kind, delay, port, ++number);
            expected.emplace_back(now + delay, kind, port, number);
        }
    };
    for (int64_t at = 0; at < 2000; at += 50)
    {
        ns3::Simulator::Schedule(ns3::PicoSeconds(at), insert);
    }
    ns3::Simulator::Run();
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(log.entries, expected);
}

INSTANTIATE_TEST_SUITE_P(ShuffleSeeds, KernelOrder, testing::Values(0, 1, 12345));

TEST(KernelInstant, ZeroDelayRecordsRunInTheSameInstantThenPostThenArbitrationThenItsEnd)
{
    Log log;
    log.kernel->SetWatchInstants(true);
    int rounds = 0;
    log.onRecord = [&](RecordKind kind, uint32_t port, uint32_t) {
        if (kind == RecordKind::COMPUTE)
        {
            log.Add(1, 0, 3, 7); // of an earlier kind
            log.kernel->RequestArbitration(port);
            log.kernel->RequestArbitration(2);
            log.kernel->RequestPost();
        }
    };
    log.onArbitration = [&](uint32_t port) {
        if (port == 5 && rounds++ == 0)
        {
            log.Add(3, 0, 1, 9); // starts another round
            log.kernel->RequestArbitration(5);
        }
    };
    log.Add(5, 400, 5, 1);
    log.Add(2, 401, 0, 0);
    ns3::Simulator::Run();
    std::vector<Entry> expected{{400, 5, 5, 1},
                                {400, 1, 3, 7},
                                {400, POST, 0, 0},
                                {400, ARBITRATION, 2, 0},
                                {400, ARBITRATION, 5, 0},
                                {400, 3, 1, 9},
                                {400, ARBITRATION, 5, 0},
                                {400, INSTANT_END, 0, 0},
                                {401, 2, 0, 0},
                                {401, INSTANT_END, 0, 0}};
    EXPECT_EQ(log.entries, expected);
}

TEST(KernelWake, StockEventsInterleaveAtTheirTimes)
{
    Log log;
    log.Add(1, 400, 0, 0);
    log.Add(3, 600, 1, 0);
    for (int64_t at : {300, 500, 700})
    {
        ns3::Simulator::Schedule(ns3::PicoSeconds(at), [&log] { log.Note(STOCK, 0, 0); });
    }
    ns3::Simulator::Run();
    std::vector<Entry> expected{{300, STOCK, 0, 0},
                                {400, 1, 0, 0},
                                {500, STOCK, 0, 0},
                                {600, 3, 1, 0},
                                {700, STOCK, 0, 0}};
    EXPECT_EQ(log.entries, expected);
    EXPECT_EQ(log.kernel->GetWakeCount(), 2U);
}

TEST(KernelWake, RecordsEarlierThanThePendingWakeUpFireOnTimeAndOnce)
{
    Log log;
    log.Add(3, 600, 1, 0);
    log.Add(3, 900, 1, 1);
    // each is earlier than the wake-up pending then
    for (int64_t at : {100, 200, 300})
    {
        ns3::Simulator::Schedule(ns3::PicoSeconds(at),
                                 [&log, at] { log.Add(1, 450 - at - at / 10, 0, static_cast<uint32_t>(at)); });
    }
    ns3::Simulator::Run();
    std::vector<Entry> expected{{420, 1, 0, 300}, {430, 1, 0, 200}, {440, 1, 0, 100}, {600, 3, 1, 0}, {900, 3, 1, 1}};
    EXPECT_EQ(log.entries, expected);
    EXPECT_EQ(log.kernel->GetWakeCount(), 5U); // stale wake-ups are not counted and do nothing
    EXPECT_TRUE(log.kernel->IsEmpty());
}

TEST(KernelWake, OnlyEventsOfOthersAreForeign)
{
    Log log;
    log.kernel->TakeForeignEvents();
    std::vector<bool> foreign;
    log.onRecord = [&](RecordKind, uint32_t, uint32_t argument) {
        foreign.push_back(log.kernel->TakeForeignEvents());
        if (argument < 3)
        {
            log.Add(3, 100, 0, argument + 1);
        }
    };
    log.Add(3, 100, 0, 0);
    ns3::Simulator::Schedule(ns3::PicoSeconds(350), [] {});
    ns3::Simulator::Run();
    EXPECT_EQ(foreign, (std::vector<bool>{false, false, false, true}));
}

TEST(KernelTimer, CancelledOnesAreDropped)
{
    Log log;
    auto first = log.kernel->ScheduleTimer(RecordKind::TIMER, 500, 0, 1);
    log.kernel->ScheduleTimer(RecordKind::TIMER, 500, 0, 2);
    auto compute = log.kernel->ScheduleTimer(RecordKind::COMPUTE, 700, 0, 3);
    EXPECT_EQ(log.kernel->GetTimerDue(first), 500);
    log.kernel->CancelTimer(first);
    EXPECT_FALSE(log.kernel->IsQuiescent());
    ns3::Simulator::Schedule(ns3::PicoSeconds(600), [&] {
        EXPECT_TRUE(log.kernel->IsQuiescent()); // a compute is pending, no timer
        EXPECT_FALSE(log.kernel->IsEmpty());
        log.kernel->CancelTimer(compute);
        auto again = log.kernel->ScheduleTimer(RecordKind::COMPUTE, 100, 1, 4); // at the same time as the dropped one
        EXPECT_EQ(log.kernel->GetTimerDue(again), 700);
        EXPECT_NE(again, compute); // its slot is taken until its record has run
    });
    ns3::Simulator::Run();
    EXPECT_EQ(log.entries, (std::vector<Entry>{{500, 4, 0, 2}, {700, 5, 1, 4}}));
    EXPECT_TRUE(log.kernel->IsEmpty());
}

TEST(KernelTimer, CancelledInItsOwnInstantIsDropped)
{
    Log log;
    auto timer = log.kernel->ScheduleTimer(RecordKind::TIMER, 500, 0, 1);
    log.onRecord = [&](RecordKind kind, uint32_t, uint32_t) {
        if (kind == RecordKind::TX_DONE)
        {
            log.kernel->CancelTimer(timer);
        }
    };
    log.Add(1, 500, 0, 0);
    ns3::Simulator::Run();
    EXPECT_EQ(log.entries, (std::vector<Entry>{{500, 1, 0, 0}}));
    EXPECT_TRUE(log.kernel->IsQuiescent());
}

/// Writes an external event into a log.
struct External
{
    Log* log;
    uint32_t number;

    void Run()
    {
        log->Note(EXTERNAL, 0, number);
    }
};

TEST(KernelExternal, RunsFirstInItsInstantAndIsKnownBefore)
{
    Log log;
    External first{&log, 1};
    External second{&log, 2};
    log.Add(1, 500, 0, 0);
    EXPECT_EQ(log.kernel->NextExternal(), FabricKernel::NEVER);
    log.kernel->ScheduleExternal(ns3::PicoSeconds(800), ns3::MakeCallback(&External::Run, &second));
    log.kernel->ScheduleExternal(ns3::PicoSeconds(500), ns3::MakeCallback(&External::Run, &first));
    EXPECT_EQ(log.kernel->NextExternal(), 500);
    EXPECT_FALSE(log.kernel->IsQuiescent()); // because of the record
    ns3::Simulator::Schedule(ns3::PicoSeconds(600), [&log] {
        EXPECT_EQ(log.kernel->NextExternal(), 800);
        EXPECT_TRUE(log.kernel->IsQuiescent());
        EXPECT_FALSE(log.kernel->IsEmpty());
    });
    ns3::Simulator::Run();
    EXPECT_EQ(log.entries, (std::vector<Entry>{{500, EXTERNAL, 0, 1}, {500, 1, 0, 0}, {800, EXTERNAL, 0, 2}}));
    EXPECT_EQ(log.kernel->NextExternal(), FabricKernel::NEVER);
    EXPECT_EQ(log.kernel->GetExternalCount(), 2U);
}

/// Counts the calls of a periodic check, and how many records had run at each.
struct Check
{
    FabricKernel* kernel;
    std::vector<uint64_t> at;

    void Run()
    {
        at.push_back(kernel->GetRecordCount());
    }
};

TEST(KernelCheck, RunsAboutEverySoManyRecords)
{
    Log log;
    Check check{ns3::PeekPointer(log.kernel), {}};
    log.kernel->SetPeriodicCheck(10, ns3::MakeCallback(&Check::Run, &check));
    for (int64_t i = 0; i < 35; i++)
    {
        log.Add(1, 100 + i, 0, 0);
    }
    ns3::Simulator::Run();
    EXPECT_EQ(check.at, (std::vector<uint64_t>{10, 20, 30}));
}

/// A switch that is never asked for anything.
class NoSwitch : public SwitchReductionHost
{
  public:
    uint32_t CopyToMembers(uint32_t /* port */, PacketUnit& /* unit */) override
    {
        return 0;
    }
    void QueueResult(uint32_t /* port */, PacketUnit& /* unit */) override
    {
    }
    FabricPort& GetPort(uint32_t /* port */) const override
    {
        throw std::logic_error("no port");
    }
    uint32_t FindOutput(uint32_t /* gpu */, uint32_t /* port */) const override
    {
        return 0;
    }
    void FreeInput(uint32_t /* port */, uint8_t /* channel */, uint32_t /* wireBytes */, int64_t /* extraPs */) override
    {
    }
    void OnTableUse(uint64_t /* usedBytes */) override
    {
    }
};

TEST(KernelClients, ThatAreGoneGetNoRecords)
{
    Log log;
    NoSwitch host;
    auto context = std::make_unique<FabricContext>();
    context->kernel = log.kernel;
    auto reduction = std::make_unique<SwitchReduction>(*context, host, SwitchReduction::Settings(), 4);
    const uint32_t port = log.kernel->Register(&log) - 1;
    context.reset(); // a fabric may go before its switches
    reduction.reset();
    ns3::Simulator::Schedule(ns3::Time(0), [&] {
        log.Add(static_cast<uint32_t>(RecordKind::ARRIVAL), 10, port, 0);
        log.Add(static_cast<uint32_t>(RecordKind::ARRIVAL), 20, port + 1, 7);
    });
    ns3::Simulator::Run();
    EXPECT_THAT(log.entries, testing::Contains(Entry(20, static_cast<uint32_t>(RecordKind::ARRIVAL), port + 1, 7)));
}

} // namespace
