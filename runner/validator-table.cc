/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "validator-table.h"

#include <algorithm>

namespace hbd::runner
{

/// \name The validators' readers, one file each in validators/
/// \{
void ReadNcclCollectives(const MeasuredTable& table, MeasuredCases& result);
void ReadMoeAllToAll(const MeasuredTable& table, MeasuredCases& result);
void ReadDeepEp(const MeasuredTable& table, MeasuredCases& result);

/// \}

const std::vector<Validator>&
Validators()
{
    // clang-format off
    static const std::vector<Validator> validators = {
        {"nccl_collectives", "Times of nccl-tests: size counted as it does, from the first GPU's call to the last GPU's end.",
         {0.08, 0.20, {}}, {"system", "op", "num_gpus", "message_bytes", "time_us_median"}, &ReadNcclCollectives},
        {"moe_alltoall_nvl72", "Routing is balanced, as with the option --perfect_router of the benchmark that the rows' source names: each token goes to min(top-k, EP) different ranks, one after the other, and every pair of ranks exchanges the same.",
         {0.08, 0.15, {}}, {"hw", "ep", "batch_tokens_per_rank", "topk", "experts", "bytes_per_token", "dispatch_us", "combine_us"}, &ReadMoeAllToAll},
        {"deepep", "Routing is drawn at random from 256 experts (the library's tests do that; seed 1), a token going to at most top_groups ranks. Rates are compared: the bytes of all tokens that a rank gets, its own included, over the time.",
         {{}, {}, 0.15}, {"kernel", "platform", "ep", "tokens_per_rank", "hidden", "topk", "dispatch_dtype", "combine_dtype", "dispatch_GBps", "combine_GBps"}, &ReadDeepEp},
    };
    // clang-format on
    return validators;
}

const Validator*
FindValidator(const std::string& table)
{
    for (const auto& validator : Validators())
    {
        if (table == validator.table)
        {
            return &validator;
        }
    }
    return nullptr;
}

analysis::ErrorTarget
TargetOf(const std::string& table)
{
    const Validator* validator = FindValidator(table);
    return validator == nullptr ? analysis::ErrorTarget() : validator->target;
}

void
MeasuredCases::Skip(const std::string& table, const std::string& why)
{
    const auto at = std::find_if(skipped.begin(), skipped.end(), [&](const analysis::SkippedRows& rows) {
        return rows.what == table && rows.why == why;
    });
    if (at != skipped.end())
    {
        ++at->rows;
        return;
    }
    skipped.push_back({table, why, 1});
}

} // namespace hbd::runner
