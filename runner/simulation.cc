/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation.h"

#include "fabric-config.h"
#include "fabric-records.h"
#include "moe-load.h"
#include "record-collector.h"
#include "schedule-source.h"

#include "ns3-module/model/hbd-player.h"
#include "ns3-module/model/hbd-span-cache.h"
#include "ns3-module/model/hbd-watchdog.h"
#include "traffic-gen/schedule-builder.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <chrono>
#include <sys/resource.h>

namespace hbd::runner
{

namespace
{

/// Leaves ns-3 as it was found, whatever happens.
struct SimulatorGuard
{
    ~SimulatorGuard()
    {
        ns3::Simulator::Destroy();
    }
};

/// Looks at a running simulation from outside: progress, interruption, and whether anything moves.
class Supervisor
{
  public:
    Supervisor(ns3::hbd::Fabric& fabric, const ScheduleSource& source, uint64_t instances, const SimulationOptions& options)
        : m_fabric(fabric),
          m_watchdog(fabric),
          m_source(source),
          m_instances(instances),
          m_options(options)
    {
    }

    void Check()
    {
        if (m_options.interrupted && *m_options.interrupted != 0)
        {
            throw InterruptedError("interrupted");
        }
        m_watchdog.Check();
        auto now = std::chrono::steady_clock::now();
        if (m_options.progress && now - m_told > std::chrono::milliseconds(250))
        {
            m_told = now;
            m_options.progress(GetProgress());
        }
    }

  private:
    SimulationProgress GetProgress() const
    {
        SimulationProgress progress;
        progress.simulatedSeconds = ns3::Simulator::Now().GetSeconds();
        progress.packetHops = m_fabric.GetContext().statistics.sums[m_fabric.GetContext().globalSums + ns3::hbd::SUM_PACKET_HOPS];
        progress.fraction = m_instances == 0 ? 0.0 : static_cast<double>(m_source.GetPulled()) / static_cast<double>(m_instances);
        return progress;
    }

    ns3::hbd::Fabric& m_fabric;
    ns3::hbd::Watchdog m_watchdog;
    const ScheduleSource& m_source;
    uint64_t m_instances;
    const SimulationOptions& m_options;
    std::chrono::steady_clock::time_point m_told = std::chrono::steady_clock::now();
};

constexpr uint64_t kCheckEveryRecords = 1 << 16;

} // namespace

SimulationCache::SimulationCache()
    : spans(std::make_shared<ns3::hbd::SpanCache>())
{
}

SimulationCache::~SimulationCache() = default;

analysis::PointRecords
Simulate(const traffic::Scenario& scenario, const SimulationOptions& options)
{
    auto started = std::chrono::steady_clock::now();
    SimulatorGuard guard;
    std::unique_ptr<traffic::Schedule> schedule = traffic::BuildSchedule(scenario);
    analysis::PointRecords records;
    try
    {
        ns3::RngSeedManager::SetRun(scenario.seed);
        auto fabric = ns3::CreateObject<ns3::hbd::Fabric>();
        fabric->Build(MakeFabricConfig(scenario));
        fabric->AssignStreams(0); // nothing but the seed decides
        RecordCollector collector(scenario, *schedule, *fabric);
        ScheduleSource source(*schedule,
                              [&collector](uint32_t rank, const traffic::Instance& instance) { collector.NotePull(rank, instance); });
        std::shared_ptr<ns3::hbd::SpanCache> cache;
        if (scenario.acceleration.replay)
        {
            cache = options.cache ? options.cache->spans : std::make_shared<ns3::hbd::SpanCache>();
        }
        auto player = ns3::CreateObject<ns3::hbd::Player>();
        player->SetAttribute("ComputeTick", ns3::TimeValue(ns3::PicoSeconds(scenario.cluster.gpu.tick.Picoseconds())));
        player->Setup(fabric, &source, &collector, cache);
        collector.SetPlayer(*player);
        Supervisor supervisor(*fabric, source, static_cast<uint64_t>(schedule->Ranks()) * schedule->Items().size(), options);
        fabric->GetKernel().SetPeriodicCheck(kCheckEveryRecords, ns3::MakeCallback(&Supervisor::Check, &supervisor));
        player->Start();
        do
        {
            ns3::Simulator::Run();
        } while (player->StartNextSection());
        player->Finish();
        collector.Fill(*player, records);
        FillFabricRecords(*fabric, schedule->PhaseNames(), records);
        FillMoeLoad(scenario, records);
        FillCost(*fabric, *player, records);
        records.cost.acceleration = cache ? "replay" : "none";
        player->Dispose();
        fabric->Dispose();
    }
    catch (const ns3::hbd::FabricError& error)
    {
        throw SimulationError(error.what());
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    records.cost.peakMemoryBytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    records.cost.wallSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return records;
}

} // namespace hbd::runner
