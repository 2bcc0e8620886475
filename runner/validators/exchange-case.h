/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_VALIDATORS_EXCHANGE_CASE_H
#define HBD_RUNNER_VALIDATORS_EXCHANGE_CASE_H

#include "traffic-gen/scenario.h"
#include "validator-table.h"

#include <cstdint>
#include <string>

namespace hbd::runner
{

/// Most GPUs that a measured row may have.
constexpr uint64_t kMostGpus = 65536;
/// Most tokens of a GPU in a measured row.
constexpr uint64_t kMostTokens = uint64_t{1} << 20;

/// \param operation dispatch or combine \return the keys of `workload` for an exchange of tokens
KeyTexts ExchangeKeys(const std::string& operation, const traffic::ExchangeSpec& exchange);

} // namespace hbd::runner

#endif // HBD_RUNNER_VALIDATORS_EXCHANGE_CASE_H
