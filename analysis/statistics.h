/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_STATISTICS_H
#define HBD_ANALYSIS_STATISTICS_H

#include <vector>

namespace hbd::analysis
{

/**
 * A quantile with linear interpolation between the closest ranks (Hyndman and Fan's type 7, what numpy and spreadsheets
 * take by default): of n values in order, the one at position share x (n - 1), counted from 0.
 * \param values at least one, in any order
 * \param share 0 .. 1; 0.5 = median
 * \throw std::invalid_argument when there is no value or the share is not in its range
 */
double Quantile(std::vector<double> values, double share);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_STATISTICS_H
