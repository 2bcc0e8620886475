/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// nccl_collectives.csv: one collective of one size among the first GPUs of a board, by NCCL.

#include "traffic-gen/collective-lowering.h"
#include "validator-table.h"

#include <algorithm>
#include <fmt/format.h>

namespace hbd::runner
{

namespace
{

constexpr uint64_t kMostGpus = 65536;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;

/// The collective as scenarios spell it: all_gather -> all-gather, alltoall -> all-to-all.
std::string
CollectiveName(std::string name)
{
    std::replace(name.begin(), name.end(), '_', '-');
    return name == "alltoall" ? "all-to-all" : name;
}

} // namespace

void
ReadNcclCollectives(const MeasuredTable& table, MeasuredCases& result)
{
    for (size_t row = 0; row < table.Rows(); ++row)
    {
        const auto gpus = table.Count(row, "num_gpus", kMostGpus);
        const auto bytes = table.Count(row, "message_bytes", kMostBytes);
        const auto time = table.Number(row, "time_us_median");
        if (!gpus || !bytes || !time)
        {
            continue;
        }
        const std::string name = CollectiveName(table.Text(row, "op"));
        traffic::CollectiveOp op;
        if (!traffic::ParseCollectiveOp(name, op))
        {
            result.Skip(table.Name(), "there is no collective " + table.Text(row, "op"));
            continue;
        }
        MeasuredCase found;
        found.system = table.Text(row, "system");
        found.software = "nccl";
        found.operation = name;
        found.gpus = static_cast<uint32_t>(*gpus);
        found.measuredUs = *time;
        found.workload = {{"collective", name}, {"sizes", fmt::format("{}B", *bytes)}};
        result.cases.push_back(std::move(found));
    }
}

} // namespace hbd::runner
