/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_WORKLOAD_KERNELS_H
#define HBD_TRAFFIC_WORKLOAD_KERNELS_H

#include "kernel-choice.h"
#include "stage-program.h"

#include <optional>
#include <string>

namespace hbd::traffic
{

/// What a library looks at for one size of a collective workload.
KernelQuery QueryOf(const CollectiveWorkload& workload, const ClusterSpec& cluster, Bytes size);

/// The same for an exchange of a model. Dispatch and combine may have kernels of their own; point-to-point messages are
/// all-to-alls of two ranks (PairExchange()), always straight.
KernelQuery QueryOf(Exchange exchange, const ExchangeRequest& request, const ClusterShape& shape);

/// A message from the first to the second rank of a pair, whose bytes are blockBytes[0], as an all-to-all.
CollectiveRequest PairExchange(const CollectiveRequest& pair);

/// Notes in a label how the collective is run.
void SetKernel(CollectiveLabel& label, const KernelSpec& kernel);

/// What a scenario asks of its library and the library has no kernel for, in words; nothing when it has all. Messages ask
/// nothing of it.
std::optional<std::string> KernelProblem(const Scenario& scenario);

/// The most groups of GPUs that the switches of a domain serve, by the kernels that the library chooses; 0 = none. Throws
/// KernelError when it has no kernel for a collective.
uint32_t CountSwitchGroups(const Scenario& scenario);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_WORKLOAD_KERNELS_H
