/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "exchange-case.h"

#include <fmt/format.h>

namespace hbd::runner
{

KeyTexts
ExchangeKeys(const std::string& operation, const traffic::ExchangeSpec& exchange)
{
    KeyTexts keys{{"collective", operation},
                  {"tokens", fmt::format("{}", exchange.tokens)},
                  {"experts", fmt::format("{}", exchange.experts)},
                  {"top-k", fmt::format("{}", exchange.topK)},
                  {"bytes-per-token", fmt::format("{}B", exchange.bytesPerToken.Count())},
                  {"routing", exchange.routing}};
    if (exchange.ranksPerToken != 0)
    {
        keys.emplace_back("ranks-per-token", fmt::format("{}", exchange.ranksPerToken));
    }
    return keys;
}

} // namespace hbd::runner
