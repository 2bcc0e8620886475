/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ALGORITHM_TABLE_H
#define HBD_ALGORITHM_TABLE_H

#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * One algorithm that can be chosen by a short name.
 */
struct AlgorithmEntry
{
    std::string name;    ///< dcqcn
    TypeId type;         ///< of the class
    std::string summary; ///< one line
};

/// All congestion controls. The first one is the default of a NIC.
const std::vector<AlgorithmEntry>& GetCongestionControls();
/// All load balancers. The first one is the default of a switch.
const std::vector<AlgorithmEntry>& GetLoadBalancers();

/// The entry of that name. \throws std::invalid_argument that lists the known names
const AlgorithmEntry& FindAlgorithm(const std::vector<AlgorithmEntry>& entries, const std::string& name);

/**
 * A factory of objects of a type with some attributes set.
 * \param type what to make
 * \param parameters its attributes as text, `Name=value, Name=value`; empty = defaults
 * \throws std::invalid_argument that says what the type has, or what the attribute takes
 */
ObjectFactory MakeFactory(TypeId type, const std::string& parameters);

/// The attributes of a type itself with their defaults, as MakeFactory takes them.
std::string DescribeParameters(TypeId type);

} // namespace hbd
} // namespace ns3

#endif /* HBD_ALGORITHM_TABLE_H */
