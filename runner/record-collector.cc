/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-collector.h"

#include "simulation.h"

#include <algorithm>
#include <fmt/format.h>

namespace hbd::runner
{

RecordCollector::RecordCollector(const traffic::Scenario& scenario, traffic::Schedule& schedule, const ns3::hbd::Fabric& fabric)
    : m_scenario(scenario),
      m_schedule(schedule),
      m_ideal(fabric),
      m_firstTokenItem(schedule.Items().size())
{
    ChooseItems();
    if (scenario.workload.inference && schedule.PhaseNames().size() > 1)
    {
        FindFirstToken(schedule);
    }
}

void
RecordCollector::FindFirstToken(traffic::Schedule& schedule)
{
    const auto& items = schedule.Items();
    auto first = std::find_if(items.begin(), items.end(), [](const traffic::Item& item) { return item.lastOfStep; });
    m_firstTokenItem = static_cast<uint64_t>(first - items.begin());
    traffic::Instance instance;
    for (uint32_t rank = 0; rank < schedule.Ranks(); rank++)
    {
        bool reached = false;
        while (!reached && schedule.Next(rank, instance))
        {
            reached = instance.item >= m_firstTokenItem;
        }
        m_firstTokenRanks += reached && instance.item == m_firstTokenItem ? 1 : 0;
    }
    schedule.Rewind();
}

void
RecordCollector::ChooseItems()
{
    const auto& items = m_schedule.Items();
    m_itemDonePs.assign(items.size(), -1);
    bool all = !m_scenario.workload.inference || m_scenario.records.stagesFull;
    uint32_t lastStep = 0;
    int32_t lastLayer = 0;
    for (const auto& item : items)
    {
        lastStep = std::max(lastStep, item.step);
        lastLayer = std::max(lastLayer, item.layer);
    }
    auto isSampled = [](int64_t value, int64_t first, int64_t last) {
        return value == first || value == last || value == first + (last - first) / 2;
    };
    for (const auto& item : items)
    {
        bool step = all || item.phase == 0 || isSampled(item.step, 1, lastStep);
        bool layer = all || item.layer < 0 || isSampled(item.layer, 0, lastLayer);
        m_wantsStages.push_back(step ? 1 : 0);
        m_wantsCollectives.push_back(step && layer ? 1 : 0);
    }
}

void
RecordCollector::NotePull(uint32_t rank, const traffic::Instance& instance)
{
    const traffic::Block& block = *instance.block;
    if (m_wantsCollectives[instance.item])
    {
        for (const auto& use : block.collectives)
        {
            m_members[{use.collective, use.group}].emplace(rank, instance.block);
        }
    }
    if (!m_wantsStages[instance.item] || !instance.durations.stages)
    {
        return;
    }
    const traffic::Item& item = m_schedule.Items()[instance.item];
    size_t position = 0;
    for (const auto& compute : block.computes)
    {
        for (uint16_t stage : compute.stages)
        {
            int64_t duration = (*instance.durations.stages)[position++];
            analysis::StageRow& row = m_stages[{item.phase, item.step, item.layerClass, stage}];
            row.minPs = row.count == 0 ? duration : std::min(row.minPs, duration);
            row.maxPs = std::max(row.maxPs, duration);
            row.sumPs += duration;
            row.count++;
        }
    }
}

void
RecordCollector::OnBlockDone(uint32_t /* rank */, uint64_t tag, int64_t timePs)
{
    m_itemDonePs[tag] = std::max(m_itemDonePs[tag], timePs);
    if (tag == m_firstTokenItem && --m_firstTokenRanks == 0 && m_player)
    {
        m_player->BeginTimeClass(1);
    }
}

bool
RecordCollector::EndsTimeClass(uint64_t tag)
{
    return tag == m_firstTokenItem;
}

bool
RecordCollector::WantsCollectives(uint64_t epoch)
{
    return m_wantsCollectives[epoch] != 0;
}

void
RecordCollector::OnCollective(const ns3::hbd::CollectiveRun& run)
{
    m_collectives.push_back(run);
}

void
RecordCollector::OnMessages(uint64_t bytes, int64_t durationPs, int64_t idealPs, uint64_t times)
{
    m_slowdown.Add(bytes, durationPs, idealPs, times);
}

bool
RecordCollector::WantsMessages()
{
    return m_scenario.records.messages;
}

void
RecordCollector::OnMessage(const ns3::hbd::Message& message, int64_t postedPs, int64_t endPs, int64_t idealPs)
{
    analysis::MessageRow row;
    row.phase = m_schedule.PhaseNames()[message.accounting];
    row.source = message.source;
    row.destination = message.destination;
    row.bytes = message.bytes;
    row.startPs = postedPs;
    row.endPs = endPs;
    row.idealPs = idealPs;
    m_messages.push_back(row);
}

void
RecordCollector::Fill(const ns3::hbd::Player& player, analysis::PointRecords& records)
{
    records.endPs = player.GetEndPs();
    const auto& items = m_schedule.Items();
    for (size_t i = 0; i < items.size(); i++)
    {
        if (items[i].lastOfStep && m_scenario.workload.inference)
        {
            records.tokens.push_back({static_cast<uint32_t>(records.tokens.size()), m_itemDonePs[i]});
        }
    }
    FillPhases(player, records);
    FillStages(records);
    FillCollectives(records);
    records.messageSlowdown = m_slowdown;
    if (m_scenario.records.messages)
    {
        records.messages = m_messages;
    }
}

void
RecordCollector::FillPhases(const ns3::hbd::Player& player, analysis::PointRecords& records) const
{
    const auto& names = m_schedule.PhaseNames();
    int64_t start = 0;
    for (uint32_t phase = 0; phase < names.size(); phase++)
    {
        analysis::PhaseRecord record;
        record.name = names[phase];
        record.startPs = start;
        bool isLast = phase + 1 == names.size();
        record.endPs = !records.tokens.empty() && !isLast ? records.tokens.front().readyPs : records.endPs;
        if (!records.tokens.empty() && isLast)
        {
            record.endPs = records.tokens.back().readyPs;
        }
        for (uint32_t rank = 0; rank < m_schedule.Ranks(); rank++)
        {
            ns3::hbd::RankTimes times = player.GetTimes(rank, phase);
            record.ranks.push_back({times.computePs, times.commPs, times.skewPs});
        }
        start = record.endPs;
        records.phases.push_back(std::move(record));
    }
}

void
RecordCollector::FillStages(analysis::PointRecords& records) const
{
    for (const auto& [key, row] : m_stages)
    {
        const auto& [phase, step, layerClass, stage] = key;
        analysis::StageRow named = row;
        named.phase = m_schedule.PhaseNames()[phase];
        named.step = step;
        named.layerClass = m_schedule.LayerClassNames()[layerClass];
        named.stage = m_schedule.StageNames()[stage];
        records.stages.push_back(std::move(named));
    }
}

void
RecordCollector::FillCollectives(analysis::PointRecords& records)
{
    std::sort(m_collectives.begin(), m_collectives.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    std::map<GroupKey, IdealTime> ideals;
    for (const auto& run : m_collectives)
    {
        auto tag = static_cast<uint32_t>(run.key.tag);
        GroupKey group{tag, run.key.group};
        auto [ideal, isNew] = ideals.emplace(group, IdealTime());
        if (isNew)
        {
            ideal->second = m_ideal.Compute(tag, run.key.group, m_members[group]);
        }
        const traffic::Item& item = m_schedule.Items()[run.key.epoch];
        const traffic::CollectiveLabel& label = m_schedule.Collectives()[tag];
        analysis::CollectiveRow row;
        row.phase = m_schedule.PhaseNames()[item.phase];
        row.step = item.step;
        row.layer = item.layer;
        row.name = label.name;
        row.op = label.op;
        row.algorithm = label.algorithm;
        row.protocol = label.protocol;
        row.group = label.group;
        row.groupNumber = run.key.group;
        row.ranks = label.ranks;
        row.sizeBytes = label.sizeBytes;
        row.startPs = run.startPs;
        row.readyPs = run.readyPs;
        row.endPs = run.endPs;
        row.idealBytesPs = ideal->second.bytesPs;
        row.idealLatencyPs = ideal->second.latencyPs;
        if (row.DurationPs() < row.IdealPs())
        {
            throw SimulationError(fmt::format("{} of group {} took {} ps in step {}, layer {}: less than its ideal bound of {} ps",
                                              label.name,
                                              run.key.group,
                                              row.DurationPs(),
                                              item.step,
                                              item.layer,
                                              row.IdealPs()));
        }
        records.collectives.push_back(std::move(row));
    }
}

} // namespace hbd::runner
