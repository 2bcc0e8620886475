/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace hbd::analysis
{

double
Quantile(std::vector<double> values, double share)
{
    if (values.empty() || !(share >= 0 && share <= 1))
    {
        throw std::invalid_argument("a quantile needs values and a share from 0 to 1");
    }
    std::sort(values.begin(), values.end());
    const double position = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(position);
    const size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (position - std::floor(position)) * (values[above] - values[below]);
}

} // namespace hbd::analysis
