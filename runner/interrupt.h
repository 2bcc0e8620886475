/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_INTERRUPT_H
#define HBD_RUNNER_INTERRUPT_H

#include <csignal>

namespace hbd::runner
{

/// From now on SIGINT, SIGTERM and SIGHUP (unless ignored) are only counted, in Interruptions(). Blocking calls return
/// early (EINTR).
void CatchInterruptions();

/// How often the process was told to stop. A forked process starts with its parent's count.
const volatile std::sig_atomic_t& Interruptions();

} // namespace hbd::runner

#endif // HBD_RUNNER_INTERRUPT_H
