/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_TERMINAL_H
#define HBD_RUNNER_TERMINAL_H

#include <cstddef>

namespace hbd::runner
{

/// Display columns of the terminal behind a descriptor. \param otherwise when it is no terminal or does not say
size_t TerminalWidth(int descriptor, size_t otherwise);

/// Columns for a table on standard output: those of the terminal, at least 80; 120 in a file or pipe.
size_t OutputWidth();

} // namespace hbd::runner

#endif // HBD_RUNNER_TERMINAL_H
