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

/// \}

const std::vector<Validator>&
Validators()
{
    // clang-format off
    static const std::vector<Validator> validators = {
        {"nccl_collectives", "Times of nccl-tests: size counted as it does, from the first GPU's call to the last GPU's end.",
         {0.08, 0.20, {}}, {"system", "op", "num_gpus", "message_bytes", "time_us_median"}, &ReadNcclCollectives},
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
