/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// deepep.csv: DeepEP's kernels. The normal ones inside a server report logical GB/s: the bytes of all tokens that a
// rank gets, its own included, over the time. Routing: experts drawn at random (the library's own tests do that), of a
// token on at most top_groups ranks.

#include "exchange-case.h"
#include "traffic-gen/token-exchange.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace hbd::runner
{

namespace
{

/// Experts of the model that DeepEP's figures are for (DeepSeek-V3; the table does not say).
constexpr uint32_t kExperts = 256;
constexpr uint64_t kMostHidden = uint64_t{1} << 20;

/// Bytes of a token: two a value; FP8 one, and a scale of four for each 128 values.
std::optional<uint64_t>
BytesPerToken(const std::string& type, uint64_t hidden)
{
    if (type == "BF16")
    {
        return 2 * hidden;
    }
    return type == "FP8" ? std::make_optional(hidden + hidden / 128 * 4) : std::nullopt;
}

/// Which rows this reads: the normal kernels in one server. Empty = it does, else why not.
std::string
WhyNot(const MeasuredTable& table, size_t row)
{
    const std::string& kernel = table.Text(row, "kernel");
    const bool inside = kernel == "normal intranode" || kernel == "expert-parallel";
    return inside ? "" : kernel + " crosses the scale-out network, of which there is no calibrated preset";
}

/// Adds one of the two measurements of a row, where it was measured.
void
AddExchange(const MeasuredTable& table,
            size_t row,
            const std::string& operation,
            traffic::ExchangeSpec exchange,
            uint32_t gpus,
            MeasuredCases& result)
{
    const auto hidden = table.Count(row, "hidden", kMostHidden);
    const auto bytes = BytesPerToken(table.Text(row, operation + "_dtype"), hidden.value_or(0));
    const auto rate = table.Has(row, operation + "_GBps") ? table.Number(row, operation + "_GBps") : std::nullopt;
    if (!bytes)
    {
        table.Complain(row, operation + "_dtype", "BF16 or FP8");
    }
    if (!hidden || !bytes || !rate)
    {
        return;
    }
    exchange.bytesPerToken = traffic::Bytes::FromBytes(*bytes);
    const auto tokens = traffic::ExchangedTokens(exchange, gpus);
    MeasuredCase found;
    found.system = table.Text(row, "platform");
    found.software = "deepep";
    found.operation = operation;
    found.gpus = gpus;
    found.logicalBytes =
        static_cast<double>(std::accumulate(tokens.begin(), tokens.end(), uint64_t{0}) * *bytes) / gpus;
    found.measuredUs = found.logicalBytes / *rate / 1e3;
    found.key = fmt::format("tokens={} bytes_per_token={}", exchange.tokens, *bytes);
    found.workload = ExchangeKeys(operation, exchange);
    if (table.Has(row, "sms"))
    {
        if (const auto sms = table.Count(row, "sms", 1024))
        {
            found.key += fmt::format(" sms={}", *sms);
            found.library = {{"sms", fmt::format("{}", *sms)}};
        }
    }
    result.cases.push_back(std::move(found));
}

} // namespace

void
ReadDeepEp(const MeasuredTable& table, MeasuredCases& result)
{
    for (size_t row = 0; row < table.Rows(); ++row)
    {
        if (const std::string why = WhyNot(table, row); !why.empty())
        {
            result.Skip(table.Name(), why);
            continue;
        }
        const auto gpus = table.Count(row, "ep", kExperts);
        const auto tokens = table.Count(row, "tokens_per_rank", kMostTokens);
        const auto topK = table.Count(row, "topk", kExperts);
        const auto groups = table.Has(row, "top_groups") ? table.Count(row, "top_groups", kExperts) : topK;
        if (!gpus || !tokens || !topK || !groups)
        {
            continue;
        }
        traffic::ExchangeSpec exchange;
        exchange.tokens = static_cast<uint32_t>(*tokens);
        exchange.topK = static_cast<uint32_t>(*topK);
        exchange.experts = kExperts;
        exchange.ranksPerToken = static_cast<uint32_t>(std::min({*groups, *topK, *gpus}));
        exchange.routing = "uniform";
        AddExchange(table, row, "dispatch", exchange, static_cast<uint32_t>(*gpus), result);
        AddExchange(table, row, "combine", exchange, static_cast<uint32_t>(*gpus), result);
    }
}

} // namespace hbd::runner
