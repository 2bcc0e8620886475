/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// moe_alltoall_nvl72.csv: TensorRT-LLM's one-sided dispatch and combine among the first GPUs of a rack. The rows'
// source names the command, which has --perfect_router: token t of rank r goes to the top-k ranks after (t k + r) mod
// n, so that every pair of ranks exchanges the same and no two experts of a token share a rank (bench_moe_comm.py,
// _make_inputs).

#include "exchange-case.h"

#include <fmt/format.h>

namespace hbd::runner
{

namespace
{

/// Adds one of the two measurements of a row, where it was measured.
void
AddExchange(const MeasuredTable& table,
            size_t row,
            const std::string& operation,
            const traffic::ExchangeSpec& exchange,
            uint32_t gpus,
            MeasuredCases& result)
{
    const std::string column = operation + "_us";
    const auto time = table.Has(row, column) ? table.Number(row, column) : std::nullopt;
    if (!time)
    {
        return;
    }
    MeasuredCase found;
    found.system = table.Text(row, "hw");
    found.software = "moe-one-sided";
    found.operation = operation;
    found.gpus = gpus;
    found.measuredUs = *time;
    found.key = fmt::format("tokens={} bytes_per_token={}", exchange.tokens, exchange.bytesPerToken.Count());
    found.workload = ExchangeKeys(operation, exchange);
    result.cases.push_back(std::move(found));
}

} // namespace

void
ReadMoeAllToAll(const MeasuredTable& table, MeasuredCases& result)
{
    for (size_t row = 0; row < table.Rows(); ++row)
    {
        const auto gpus = table.Count(row, "ep", kMostGpus);
        const auto tokens = table.Count(row, "batch_tokens_per_rank", kMostTokens);
        const auto topK = table.Count(row, "topk", 1024);
        const auto experts = table.Count(row, "experts", 65536);
        const auto bytes = table.Count(row, "bytes_per_token", uint64_t{1} << 24);
        if (!gpus || !tokens || !topK || !experts || !bytes)
        {
            continue;
        }
        if (!table.Has(row, "dispatch_us") && !table.Has(row, "combine_us"))
        {
            table.Complain(row, "dispatch_us", "a time here or in combine_us");
            continue;
        }
        traffic::ExchangeSpec exchange;
        exchange.tokens = static_cast<uint32_t>(*tokens);
        exchange.topK = static_cast<uint32_t>(*topK);
        exchange.experts = static_cast<uint32_t>(*experts);
        exchange.bytesPerToken = traffic::Bytes::FromBytes(*bytes);
        exchange.routing = "balanced";
        AddExchange(table, row, "dispatch", exchange, static_cast<uint32_t>(*gpus), result);
        AddExchange(table, row, "combine", exchange, static_cast<uint32_t>(*gpus), result);
    }
}

} // namespace hbd::runner
