/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_TOKEN_EXCHANGE_H
#define HBD_TRAFFIC_TOKEN_EXCHANGE_H

#include "scenario.h"

#include <cstdint>
#include <vector>

namespace hbd::traffic
{

/// Whether a collective workload is an exchange of tokens: `dispatch` or `combine`.
bool IsExchange(const CollectiveWorkload& workload);

/**
 * How many tokens go from each rank to each other one, with `experts` spread over the ranks in runs. A token goes once
 * to a rank, however many of its experts are there.
 *
 * Routing `balanced`: token t of rank r goes to the k ranks that follow rank (t k + r) mod n, itself included, with k =
 * ranks-per-token. With k = top-k that is the perfect router of TensorRT-LLM's bench_moe_comm (tests/microbenchmarks).
 * Routing `uniform`: each token has its top-k experts from a random order of all experts; they are taken in that order,
 * skipping those that would be on more than ranks-per-token ranks (the group limit of DeepSeek's gate, a group being a
 * rank). Drawn per rank from seed and rank; the same on every machine.
 *
 * \param exchange resolved
 * \return tokens from rank i to rank j at [i * ranks + j], those that stay included
 */
std::vector<uint64_t> ExchangedTokens(const ExchangeSpec& exchange, uint32_t ranks);

/// The exchange as bytes of each pair: of a dispatch as ExchangedTokens(); a combine takes them back.
std::vector<uint64_t> ExchangedBytes(const CollectiveWorkload& workload, uint32_t ranks);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_TOKEN_EXCHANGE_H
